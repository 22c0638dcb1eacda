// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands in the background: handles, input, connecting again, the list, ending them.
import assert from 'node:assert/strict'
import { area, failure, sdk, until } from './support.mjs'

const { CommandExitError, NotFoundError, SandboxError, TimeoutError } = sdk

area('handles', {}, (test) => {
  test('a handle has the pid, then the result', async ({ sandbox }) => {
    const handle = await sandbox.commands.run('echo $$; read line; echo "got $line"; exit 4', { background: true, stdin: true })
    assert.ok(handle.pid > 0)
    assert.equal(handle.exitCode, undefined)
    await until(() => handle.stdout, 'its first line')
    assert.equal(handle.stdout, `${handle.pid}\n`)
    await handle.sendStdin('this\n')
    const error = await failure(handle.wait(), CommandExitError)
    assert.deepEqual([error.exitCode, error.stdout], [4, `${handle.pid}\ngot this\n`])
    assert.deepEqual([handle.exitCode, handle.error, handle.stderr], [4, 'exit status 4', ''])
  })

  test('input comes in order, empty and large, until it is closed', async ({ sandbox }) => {
    const handle = await sandbox.commands.run('cat', { background: true, stdin: true })
    const big = 'x'.repeat(300_000)
    await handle.sendStdin('a')
    await sandbox.commands.sendStdin(handle.pid, '')
    await sandbox.commands.sendStdin(handle.pid, new TextEncoder().encode('b🦊'))
    await handle.sendStdin(big)
    await handle.closeStdin()
    await sandbox.commands.closeStdin(handle.pid).catch((error) => assert.ok(error instanceof NotFoundError, error))
    assert.equal((await handle.wait()).stdout, `ab🦊${big}`)
    assert.equal(sandbox.commands.supportsStdinClose, true)
  })

  test('input that nobody can read is refused', async ({ sandbox }) => {
    const none = await sandbox.commands.run('sleep 60', { background: true, stdin: false })
    await failure(none.sendStdin('x'), SandboxError)
    const closed = await sandbox.commands.run('sleep 60', { background: true, stdin: true })
    await closed.closeStdin()
    await closed.closeStdin()
    await failure(closed.sendStdin('x'), SandboxError)
    await Promise.all([none.kill(), closed.kill()])
    await failure(sandbox.commands.sendStdin(999_999, 'x'), NotFoundError)
    await failure(sandbox.commands.closeStdin(999_999), NotFoundError)
  })

  test('the list shows what was asked for', async ({ sandbox }) => {
    const handle = await sandbox.commands.run('sleep 60', { background: true, cwd: '/tmp', envs: { LISTED: 'yes' } })
    const found = (await sandbox.commands.list()).find((one) => one.pid === handle.pid)
    assert.deepEqual([found.cmd, found.args, found.envs, found.cwd], ['/bin/bash', ['-l', '-c', 'sleep 60'], { LISTED: 'yes' }, '/tmp'])
    assert.equal(await handle.kill(), true)
    await until(async () => !(await sandbox.commands.list()).some((one) => one.pid === handle.pid), 'it is off the list')
  })

  test('kill ends the command with its signal, once', async ({ sandbox }) => {
    const handle = await sandbox.commands.run('sleep 60 && echo never', { background: true })
    assert.equal(await sandbox.commands.kill(handle.pid), true)
    const error = await failure(handle.wait(), CommandExitError)
    assert.deepEqual([error.exitCode, error.error, error.stdout], [-1, 'signal: killed', ''])
    await failure(sandbox.commands.run(`kill -0 ${handle.pid}`), CommandExitError)
    assert.equal(await sandbox.commands.kill(handle.pid), false)
    assert.equal(await sandbox.commands.kill(999_999), false)
  })

  test('after disconnect the command goes on and can be found again', async ({ sandbox }) => {
    const first = await sandbox.commands.run('read line; echo "got $line"', { background: true, stdin: true, timeoutMs: 0 })
    await first.disconnect()
    let seen = ''
    const again = await sandbox.commands.connect(first.pid, { onStdout: (text) => { seen += text } })
    assert.equal(again.pid, first.pid)
    await sandbox.commands.sendStdin(first.pid, 'late\n')
    assert.equal((await again.wait()).stdout, 'got late\n')
    assert.equal(seen, 'got late\n')
  })

  test('several listeners each see everything from when they came', async ({ sandbox }) => {
    const first = await sandbox.commands.run('read line; seq 3; exit 5', { background: true, stdin: true })
    const others = await Promise.all([1, 2, 3].map(() => sandbox.commands.connect(first.pid)))
    await others[0].disconnect()
    await first.sendStdin('\n')
    for (const handle of [first, others[1], others[2]]) {
      const error = await failure(handle.wait(), CommandExitError)
      assert.deepEqual([error.exitCode, error.stdout], [5, '1\n2\n3\n'])
    }
  })

  test('a handle given by connect sends input, closes it and kills', async ({ sandbox }) => {
    const first = await sandbox.commands.run('cat', { background: true, stdin: true })
    const second = await sandbox.commands.connect(first.pid)
    await second.sendStdin('through the second')
    await second.closeStdin()
    assert.equal((await first.wait()).stdout, 'through the second')
    const third = await sandbox.commands.run('sleep 60', { background: true })
    assert.equal(await (await sandbox.commands.connect(third.pid)).kill(), true)
  })

  test('connecting after the end still tells the result', async ({ sandbox }) => {
    const first = await sandbox.commands.run('exit 6', { background: true })
    await failure(first.wait(), CommandExitError)
    const late = await sandbox.commands.connect(first.pid)
    assert.equal((await failure(late.wait(), CommandExitError)).exitCode, 6)
  })

  test('connecting to what never was', async ({ sandbox }) => {
    await failure(sandbox.commands.connect(999_999), NotFoundError)
  })

  test('the time limit of a connection ends the connection only', async ({ sandbox }) => {
    const first = await sandbox.commands.run('sleep 60', { background: true, timeoutMs: 0 })
    const brief = await sandbox.commands.connect(first.pid, { timeoutMs: 2_000 })
    await failure(brief.wait(), TimeoutError)
    assert.ok((await sandbox.commands.list()).some((one) => one.pid === first.pid))
    await first.kill()
  })

  test('a child that holds the output does not hold the end after a kill', async ({ sandbox }) => {
    const handle = await sandbox.commands.run('sleep 60 & wait', { background: true })
    await handle.kill()
    assert.equal((await failure(handle.wait(), CommandExitError)).exitCode, -1)
  })

  test('forty open streams do not hold other calls', async ({ sandbox }) => {
    const open = await Promise.all(Array.from({ length: 40 }, () => sandbox.commands.run('sleep 60', { background: true })))
    assert.equal((await sandbox.commands.run('echo free')).stdout, 'free\n')
    assert.equal(await sandbox.files.exists('/home/user'), true)
    await Promise.all(open.map((handle) => handle.kill()))
  })

  test('killing the sandbox ends a running command with a clear error', async ({ own }) => {
    const sandbox = await own()
    const handle = await sandbox.commands.run('sleep 60', { background: true })
    await sandbox.kill()
    assert.match((await failure(handle.wait(), SandboxError)).message, /sandbox was killed or reached its end of life/)
  }, { old: false })
})

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// commands.run to the end: output, exit codes, environment, users, folders, time limits.
import assert from 'node:assert/strict'
import { area, failure, sdk } from './support.mjs'

const { CommandExitError, InvalidArgumentError, TimeoutError, AuthenticationError } = sdk

area('commands', { envs: { OF_CREATE: 'from create', BOTH: 'from create' } }, (test) => {
  test('a command answers its output and 0', async ({ sandbox }) => {
    const done = await sandbox.commands.run('echo out; echo err >&2')
    assert.deepEqual([done.exitCode, done.stdout, done.stderr, done.error], [0, 'out\n', 'err\n', undefined])
  })

  test('a command that fails throws its code, its message and its output', async ({ sandbox }) => {
    const error = await failure(sandbox.commands.run('echo out; echo err >&2; exit 3'), CommandExitError)
    assert.deepEqual([error.exitCode, error.error, error.stdout, error.stderr], [3, 'exit status 3', 'out\n', 'err\n'])
  })

  test('a program that does not exist is exit 127', async ({ sandbox }) => {
    assert.equal((await failure(sandbox.commands.run('/no/such/program'), CommandExitError)).exitCode, 127)
  })

  test('a command that dies of a signal says which', async ({ sandbox }) => {
    const error = await failure(sandbox.commands.run('kill -SEGV $$'), CommandExitError)
    assert.equal(error.exitCode, -1)
    assert.match(error.error, /^signal: segmentation fault/)
  })

  test('output is complete: a short burst and megabytes', async ({ sandbox }) => {
    for (let i = 0; i < 20; i++) assert.equal((await sandbox.commands.run(`printf %s ${i}`)).stdout, String(i))
    const done = await sandbox.commands.run('head -c 3000000 /dev/zero | tr "\\0" x; head -c 300000 /dev/zero | tr "\\0" y >&2')
    assert.deepEqual([done.stdout.length, done.stderr.length], [3_000_000, 300_000])
    assert.equal(done.stdout.replaceAll('x', ''), '')
  })

  test('text of many bytes survives', async ({ sandbox }) => {
    const text = 'héllo wörld 🦊 '.repeat(5_000)
    const done = await sandbox.commands.run('cat; printf ü; sleep 0.1; printf "\\303"; sleep 0.1; printf "\\244"', { stdin: false })
    assert.equal(done.stdout, 'üä')
    await sandbox.files.write('/tmp/many.txt', text)
    assert.equal((await sandbox.commands.run('cat /tmp/many.txt')).stdout, text)
  }, { old: false })

  test('callbacks see all output, also when they are slow', async ({ sandbox }) => {
    const seen = { out: '', err: '' }
    const done = await sandbox.commands.run('for i in 1 2 3; do echo $i; echo e$i >&2; done', {
      onStdout: async (text) => { await new Promise((next) => setTimeout(next, 5)); seen.out += text },
      onStderr: (text) => { seen.err += text },
    })
    assert.deepEqual(seen, { out: done.stdout, err: done.stderr })
  })

  test('environment: of create, of the command, which wins, and nothing stays', async ({ sandbox }) => {
    const show = 'echo "$OF_CREATE|$BOTH|$MINE|$E2B_SANDBOX|$E2B_SANDBOX_ID"'
    const id = sandbox.sandboxId
    const with_ = await sandbox.commands.run(show, { envs: { MINE: "a 'b' \"ü\"", BOTH: 'from run' } })
    assert.equal(with_.stdout, `from create|from run|a 'b' "ü"|true|${id}\n`)
    assert.equal((await sandbox.commands.run(show)).stdout, `from create|from create||true|${id}\n`)
    assert.equal((await sandbox.commands.run('cat /run/e2b/.E2B_SANDBOX /run/e2b/.E2B_SANDBOX_ID')).stdout, `true${id}`)
    assert.equal((await sandbox.commands.run('sudo echo "$MINE"', { envs: {} })).stdout, '\n')
    assert.equal((await sandbox.commands.run(show, { user: 'root' })).stdout, `from create|from create||true|${id}\n`)
  })

  test('the default user, and another one', async ({ sandbox }) => {
    const who = 'echo "$(id -un):$(id -gn):$HOME:$USER:$LOGNAME:$PWD"'
    assert.equal((await sandbox.commands.run(who)).stdout, 'user:user:/home/user:user:user:/home/user\n')
    assert.equal((await sandbox.commands.run(who, { user: 'root' })).stdout, 'root:root:/root:root:root:/home/user\n')
    assert.equal((await sandbox.commands.run('sudo -n id -u')).stdout, '0\n')
    await failure(sandbox.commands.run('true', { user: 'ghost' }), AuthenticationError)
  })

  test('the folder: absolute, of the home, missing', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    assert.equal((await sandbox.commands.run('pwd', { cwd: dir })).stdout, `${dir}\n`)
    assert.equal((await sandbox.commands.run('pwd', { cwd: '/tmp' })).stdout, '/tmp\n')
    assert.equal((await sandbox.commands.run('pwd', { cwd: dir.split('/').pop() })).stdout, `${dir}\n`)
    assert.equal((await sandbox.commands.run('pwd', { cwd: '~' })).stdout, '/home/user\n')
    const error = await failure(sandbox.commands.run('pwd', { cwd: '/no/such' }), InvalidArgumentError)
    assert.match(error.message, /cwd '\/no\/such' does not exist/)
    await failure(sandbox.commands.run('pwd', { cwd: '/root' }), InvalidArgumentError)
  })

  test('the time limit ends the command, also on the far side', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    await failure(sandbox.commands.run(`sleep 2; touch ${dir}/late`, { timeoutMs: 300 }), TimeoutError)
    await sandbox.commands.run('sleep 2.5')
    assert.equal(await sandbox.files.exists(`${dir}/late`), false)
  })

  test('no time limit', async ({ sandbox }) => {
    assert.equal((await sandbox.commands.run('sleep 0.2; echo over', { timeoutMs: 0 })).stdout, 'over\n')
  })

  test('without input a reader sees the end at once', async ({ sandbox }) => {
    assert.equal((await failure(sandbox.commands.run('read line', { stdin: false }), CommandExitError)).exitCode, 1)
    assert.equal((await sandbox.commands.run('cat | wc -c')).stdout.trim(), '0')
  })

  test('many commands at once', async ({ sandbox }) => {
    const all = await Promise.all(Array.from({ length: 24 }, (_, i) => sandbox.commands.run(`sleep 0.1; echo ${i}`)))
    assert.deepEqual(all.map((one) => one.stdout.trim()), Array.from({ length: 24 }, (_, i) => String(i)))
  })

  test('an aborted call ends early and the sandbox goes on', async ({ sandbox }) => {
    const abort = new AbortController()
    const running = sandbox.commands.run('sleep 20', { signal: abort.signal })
    setTimeout(() => abort.abort(), 100)
    await failure(running, Error)
    assert.equal((await sandbox.commands.run('echo still')).stdout, 'still\n')
  })
})

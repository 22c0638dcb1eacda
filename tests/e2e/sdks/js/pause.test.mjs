// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// pause and connect, with memory and without; what the end of the time does; traffic that wakes.
import assert from 'node:assert/strict'
import { area, ask, failure, Sandbox, sdk, serve, until } from './support.mjs'

const { InvalidArgumentError, SandboxError, SandboxNotFoundError } = sdk
const boot = async (sandbox) => (await sandbox.commands.run('cat /proc/sys/kernel/random/boot_id')).stdout
const state = async (sandbox) => (await sandbox.getInfo()).state

area('pause', null, (test) => {
  test('a paused sandbox keeps files, environment, processes and token', async ({ own }) => {
    const sandbox = await own({ envs: { KEPT: 'yes' }, metadata: { kept: 'yes' } })
    await sandbox.files.write('/home/user/f', 'kept')
    await sandbox.commands.run('echo kept > /dev/shm/memory')
    const busy = await sandbox.commands.run('read line; echo "got $line"', { background: true, stdin: true, timeoutMs: 0 })
    const before = await boot(sandbox)
    const token = sandbox.envdAccessToken
    busy.wait().catch(() => {})

    assert.equal(await sandbox.pause(), true)
    assert.deepEqual([await sandbox.isRunning(), await state(sandbox)], [false, 'paused'])
    assert.equal(await sandbox.pause(), false)
    await failure(sandbox.commands.run('true'), SandboxError)
    await failure(sandbox.files.read('/home/user/f'), SandboxError)
    await failure(sandbox.setTimeout(60_000), SandboxNotFoundError)

    assert.equal(await sandbox.connect(), sandbox)
    assert.deepEqual([await sandbox.isRunning(), await state(sandbox)], [true, 'running'])
    assert.equal(await boot(sandbox), before)
    assert.equal((await sandbox.commands.run('cat /home/user/f /dev/shm/memory; echo $KEPT')).stdout, 'kept' + 'kept\nyes\n')
    assert.ok((await sandbox.commands.list()).some((one) => one.pid === busy.pid))
    const again = await sandbox.commands.connect(busy.pid)
    await sandbox.commands.sendStdin(busy.pid, 'after\n')
    assert.equal((await again.wait()).stdout, 'got after\n')
    assert.deepEqual([(await Sandbox.connect(sandbox.sandboxId)).envdAccessToken, (await sandbox.getInfo()).metadata], [token, { kept: 'yes' }])
  })

  test('a command that was running goes on where it was', async ({ own }) => {
    const sandbox = await own()
    const busy = await sandbox.commands.run('for i in $(seq 20); do sleep 0.1; done; echo done > /home/user/done', { background: true })
    await sandbox.pause()
    await assert.rejects(busy.wait())
    await sandbox.connect()
    await until(() => sandbox.files.exists('/home/user/done'), 'the end of the command')
  })

  test('a server inside answers again', async ({ own }) => {
    const sandbox = await own()
    await serve(sandbox, 8000)
    assert.equal((await ask(sandbox, 8000)).status, 200)
    await sandbox.pause()
    assert.equal((await ask(sandbox, 8000)).status, 502)
    await sandbox.connect()
    assert.equal((await ask(sandbox, 8000)).status, 200)
  })

  test('without memory it boots again: same files and token, new processes', async ({ own }) => {
    const sandbox = await own({ envs: { KEPT: 'yes' } })
    await sandbox.files.write('/home/user/f', 'kept')
    const busy = await sandbox.commands.run('sleep 600', { background: true })
    const before = await boot(sandbox)
    assert.equal(await sandbox.pause({ keepMemory: false }), true)
    await assert.rejects(busy.wait())
    assert.equal(await sandbox.isRunning(), false)
    await sandbox.connect()
    assert.notEqual(await boot(sandbox), before)
    assert.deepEqual(await sandbox.commands.list(), [])
    assert.equal((await sandbox.commands.run('cat /home/user/f; echo $KEPT')).stdout, 'keptyes\n')
  }, { old: false })

  test('a reboot instead of the memory', async ({ own }) => {
    const sandbox = await own()
    const before = await boot(sandbox)
    await sandbox.connect({ onResume: 'reboot' })
    assert.equal(await boot(sandbox), before)
    await sandbox.pause()
    await sandbox.connect({ onResume: 'reboot' })
    assert.notEqual(await boot(sandbox), before)
  }, { old: false })

  test('by id, by the old name, and many times', async ({ own }) => {
    const sandbox = await own()
    assert.equal(await Sandbox.pause(sandbox.sandboxId), true)
    assert.equal((await Sandbox.connect(sandbox.sandboxId)).sandboxId, sandbox.sandboxId)
    assert.equal(await Sandbox.betaPause(sandbox.sandboxId), true)
    await sandbox.connect()
    for (let i = 0; i < 4; i++) {
      assert.equal(await sandbox.betaPause(), true)
      await sandbox.connect()
      assert.equal((await sandbox.commands.run(`echo ${i}`)).stdout, `${i}\n`)
    }
  })

  test('several at once: one pause, one connect', async ({ own }) => {
    const sandbox = await own()
    const paused = await Promise.all([1, 2, 3].map(() => sandbox.pause()))
    assert.ok(paused.includes(true))
    assert.equal(await state(sandbox), 'paused')
    const found = await Promise.all([1, 2, 3, 4].map(() => Sandbox.connect(sandbox.sandboxId)))
    for (const one of found) assert.equal((await one.commands.run('echo up')).stdout, 'up\n')
  })

  test('a killed one cannot be paused, a paused one can be killed', async ({ own }) => {
    const sandbox = await own()
    await sandbox.pause()
    assert.equal(await Sandbox.kill(sandbox.sandboxId), true)
    await failure(sandbox.pause(), SandboxNotFoundError)
    await failure(sandbox.connect(), SandboxNotFoundError)
  })

  test('at the end of its time it may pause', async ({ own }) => {
    const sandbox = await own({ lifecycle: { onTimeout: 'pause' } })
    assert.deepEqual((await sandbox.getInfo()).lifecycle, { onTimeout: 'pause', autoResume: false })
    await sandbox.commands.run('echo kept > /dev/shm/memory')
    await sandbox.setTimeout(0)
    await until(async () => (await state(sandbox)) === 'paused', 'the pause')
    await failure(sandbox.commands.run('true'), SandboxError)
    await sandbox.connect()
    assert.equal((await sandbox.commands.run('cat /dev/shm/memory')).stdout, 'kept\n')
  })

  test('at the end of its time it may pause without memory', async ({ own }) => {
    const sandbox = await own({ lifecycle: { onTimeout: { action: 'pause', keepMemory: false } } })
    const before = await boot(sandbox)
    await sandbox.setTimeout(0)
    await until(async () => (await state(sandbox)) === 'paused', 'the pause')
    await sandbox.connect()
    assert.notEqual(await boot(sandbox), before)
  }, { old: false })

  test('traffic wakes it when it was made so', async ({ own }) => {
    const sandbox = await own({ lifecycle: { onTimeout: 'pause', autoResume: true } })
    assert.deepEqual((await sandbox.getInfo()).lifecycle, { onTimeout: 'pause', autoResume: true })
    await serve(sandbox, 8000)
    await sandbox.pause()
    assert.equal((await sandbox.commands.run('echo awake')).stdout, 'awake\n')
    assert.equal(await state(sandbox), 'running')
    await sandbox.pause()
    assert.equal((await ask(sandbox, 8000)).status, 200)
    await sandbox.pause()
    assert.equal(await sandbox.files.exists('/home/user'), true)
    const { startedAt, endAt } = await sandbox.getInfo()
    assert.ok(endAt > startedAt)
  })

  test('what the SDK itself refuses', async () => {
    const refused = (lifecycle) => failure(Sandbox.create('base', { lifecycle }), InvalidArgumentError)
    await refused({ onTimeout: 'kill', autoResume: true })
    await refused({ onTimeout: { action: 'pause', keepMemory: false }, autoResume: true })
  }, { old: false })
})

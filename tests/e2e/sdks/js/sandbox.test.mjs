// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// A sandbox as such: made, asked, found again, given time, ended; by its id and by its object.
import assert from 'node:assert/strict'
import { area, DEADLINE, failure, LIFE, Sandbox, sdk, TEMPLATE, unique, until } from './support.mjs'

const { E2B, SandboxError, SandboxNotFoundError } = sdk
const GONE = 'i0000000000000000none'

/** Whether its time was this long when it was made; the clock of it may start when it runs. */
const lives = ({ startedAt, endAt }, ms) => endAt - startedAt >= ms && endAt - startedAt < ms + DEADLINE

area('sandbox', null, (test) => {
  test('what it was made of is what getInfo says', async ({ own }) => {
    const metadata = { owner: unique(), 'a key & more': 'ü = "1"/2?' }
    const sandbox = await own({ metadata, timeoutMs: 120_000 })
    assert.match(sandbox.sandboxId, /^[a-z0-9]+$/)
    const info = await sandbox.getInfo()
    assert.deepEqual([info.sandboxId, info.name, info.state, info.metadata], [sandbox.sandboxId, TEMPLATE, 'running', metadata])
    assert.match(info.envdVersion, /^\d+\.\d+\.\d+$/)
    assert.ok(info.cpuCount > 0 && info.memoryMB > 0 && info.templateId)
    assert.ok(lives(info, 120_000), info)
    assert.deepEqual(info.lifecycle, { onTimeout: 'kill', autoResume: false })
    assert.equal((await Sandbox.getInfo(sandbox.sandboxId)).sandboxId, sandbox.sandboxId)
    assert.equal((await Sandbox.getFullInfo(sandbox.sandboxId)).sandboxId, sandbox.sandboxId)
  })

  test('the default template and the default time', async ({ t }) => {
    const sandbox = await Sandbox.create()
    t.after(() => sandbox.kill())
    const info = await sandbox.getInfo()
    assert.ok(lives(info, 300_000), info)
    assert.equal((await sandbox.commands.run('pwd')).stdout, '/home/user\n')
  })

  test('a client object makes sandboxes with its own settings', async ({ t }) => {
    const client = new E2B({ requestTimeoutMs: 50_000 })
    const sandbox = await client.Sandbox.create(TEMPLATE, LIFE)
    t.after(() => sandbox.kill())
    assert.equal(await sandbox.isRunning(), true)
  }, { old: false })

  test('connect finds it again: same files, same token', async ({ own }) => {
    const sandbox = await own()
    await sandbox.files.write('/home/user/mark', 'here')
    const again = await Sandbox.connect(sandbox.sandboxId)
    assert.deepEqual([again.sandboxId, again.envdAccessToken], [sandbox.sandboxId, sandbox.envdAccessToken])
    assert.equal(await again.files.read('/home/user/mark'), 'here')
    assert.equal(await sandbox.connect(), sandbox)
  })

  test('connect only extends, setTimeout goes both ways', async ({ own }) => {
    const sandbox = await own({ timeoutMs: 300_000 })
    const end = async () => (await sandbox.getInfo()).endAt.getTime()
    const first = await end()
    await sandbox.connect({ timeoutMs: 60_000 })
    assert.equal(await end(), first)
    await Sandbox.connect(sandbox.sandboxId, { timeoutMs: 900_000 })
    assert.ok(await end() > first + 500_000)
    await sandbox.setTimeout(90_500)
    assert.ok(await end() < first)
    await Sandbox.setTimeout(sandbox.sandboxId, 600_000)
    assert.ok(await end() > first + 200_000)
  })

  test('its time ends it', async ({ own }) => {
    const sandbox = await own()
    await sandbox.setTimeout(0)
    await until(async () => !(await sandbox.isRunning()), 'the end of its time')
    await failure(sandbox.getInfo(), SandboxNotFoundError)
  })

  test('kill: once true, then false, and nothing answers any more', async ({ own }) => {
    const sandbox = await own()
    assert.equal(await sandbox.isRunning(), true)
    assert.equal(await sandbox.kill(), true)
    assert.equal(await sandbox.kill(), false)
    assert.equal(await Sandbox.kill(sandbox.sandboxId), false)
    assert.equal(await sandbox.isRunning(), false)
    await failure(sandbox.getInfo(), SandboxNotFoundError)
    await failure(sandbox.setTimeout(1000), SandboxNotFoundError)
    await failure(Sandbox.connect(sandbox.sandboxId), SandboxNotFoundError)
    await failure(sandbox.commands.run('true'), SandboxError)
    await failure(sandbox.files.read('x'), SandboxError)
    await failure(sandbox.files.list('/'), SandboxError)
    await failure(sandbox.pty.create({ cols: 80, rows: 24, onData: () => {} }), SandboxError)
    assert.ok(!(await ids()).includes(sandbox.sandboxId))
  }, { old: false })

  test('an id that never was', async () => {
    assert.equal(await Sandbox.kill(GONE), false)
    await failure(Sandbox.getInfo(GONE), SandboxNotFoundError)
    await failure(Sandbox.connect(GONE), SandboxNotFoundError)
    await failure(Sandbox.setTimeout(GONE, 1000), SandboxNotFoundError)
    await failure(Sandbox.pause(GONE), SandboxNotFoundError)
  })

  test('values of the environment may be any text', async ({ own }) => {
    const envs = { QUOTED: `a 'b' "c" $d \`e\` \\ é🦊`, LINES: 'one\ntwo', EMPTY: '', LONG: 'x'.repeat(20_000) }
    const sandbox = await own({ envs })
    for (const [name, value] of Object.entries(envs)) assert.equal((await sandbox.commands.run(`printf %s "$${name}"`)).stdout, value)
  })

  test('sandboxes share nothing', async ({ own }) => {
    const [one, two] = await Promise.all([own(), own()])
    await one.files.write('/home/user/mine', 'x')
    assert.equal(await two.files.exists('/home/user/mine'), false)
    const busy = await one.commands.run('sleep 60', { background: true })
    assert.ok(!(await two.commands.list()).some((each) => each.pid === busy.pid && each.args.includes('sleep 60')))
    await failure(new Sandbox({ sandboxId: two.sandboxId, envdVersion: '0.6.13', envdAccessToken: one.envdAccessToken }).files.list('/'), Error)
  })

  test('many made and ended at once', async ({ own }) => {
    const all = await Promise.all(Array.from({ length: 8 }, () => own()))
    assert.equal(new Set(all.map((one) => one.sandboxId)).size, 8)
    assert.deepEqual(await Promise.all(all.map(async (one) => (await one.commands.run('echo hi')).stdout)), Array(8).fill('hi\n'))
  })

  test('an MCP gateway that the template has not, and the token of one', async ({ own }) => {
    const metadata = { run: unique() }
    const error = await failure(Sandbox.create(TEMPLATE, { ...LIFE, metadata, mcp: { none: {} } }), SandboxError)
    assert.match(error.message, /Failed to start MCP gateway/)
    assert.deepEqual(await Sandbox.list({ query: { metadata } }).nextItems(), [])
    const sandbox = await own()
    await sandbox.files.write('/etc/mcp-gateway/.token', 'secret', { user: 'root' })
    assert.equal(await sandbox.getMcpToken(), 'secret')
  }, { old: false })

  test('one that a request of short patience asks', async ({ own }) => {
    const sandbox = await own()
    assert.equal(await sandbox.isRunning({ requestTimeoutMs: DEADLINE }), true)
    await failure(sandbox.isRunning({ signal: AbortSignal.abort() }), Error)
    assert.equal(sandbox.getHost(3000), `3000-${sandbox.sandboxId}.${sandbox.sandboxDomain}`)
    assert.equal(sandbox.getMcpUrl(), `https://${sandbox.getHost(50005)}/mcp`)
  })
})

async function ids() {
  const found = []
  const pages = Sandbox.list()
  while (pages.hasNext) found.push(...(await pages.nextItems()))
  return found.map((one) => one.sandboxId)
}

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { WorldProcess } from '../dsh-world/process.js'
import { validate } from '../dsh-world/spawn_spec.js'
import { openTerminal } from '../dsh-world/terminal.js'
import { fakeWorld, refuse } from './fake_world.js'

const line = (response, event) => response.write(`${JSON.stringify(event)}\n`)
const data = (text) => Buffer.from(text).toString('base64')
const collect = { maxBytes: 100 }

function spec(stdio, more) {
  return { argv: ['cat'], cwd: '/workspace', graceMs: 10,
    stdio: { stdin: 'ignore', stdout: collect, stderr: collect, ...stdio }, ...more }
}

async function run(t, routes, ...rest) {
  const { seen, world } = await fakeWorld(t, routes)
  return { seen, handle: new WorldProcess(world.connection, 's1', spec(...rest)) }
}

test('what the seam reports at once', () => {
  assert.throws(() => validate({ argv: [''], graceMs: 1 }))
  for (const graceMs of [0, -1, NaN, Infinity, 2_147_483_648]) {
    assert.throws(() => validate({ argv: ['a'], graceMs }))
  }
  assert.throws(() => validate({ argv: ['a'], graceMs: 1, signal: AbortSignal.abort() }))
})

test('input is sent in order and closed, output is piped on', async (t) => {
  const got = []
  const ended = Promise.withResolvers()
  const { handle, seen } = await run(t, {
    'process/spawn': async (_body, response) => {
      line(response, { event: 'started', process: 'p' })
      await ended.promise
      line(response, { event: 'output', stream: 'stdout', data: data('back') })
      line(response, { event: 'exit', exit_code: 0, signal: null })
      line(response, { event: 'gone' })
      response.end()
    },
    'process/stdin': ({ end }) => {
      if (end) ended.resolve()
      return {}
    },
  }, { stdin: 'pipe', stdout: 'pipe' })
  handle.stdin.write('one ')
  handle.stdin.end('two')
  for await (const chunk of handle.stdout) got.push(chunk)
  assert.equal(Buffer.concat(got).toString(), 'back')
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null })
  const sent = seen.filter(({ name }) => name === 'process/stdin')
  assert.equal(sent.map(({ bytes }) => bytes).join(''), 'one two')
  assert.deepEqual(sent.map(({ body }) => body.end), [false, false, true])
  assert.equal(handle.collected.stdout, undefined)
})

test('done comes with the exit, waitForExit with the end of the group', async (t) => {
  const release = Promise.withResolvers()
  const { handle } = await run(t, {
    'process/spawn': async (_body, response) => {
      line(response, { event: 'started', process: 'p' })
      line(response, { event: 'exit', exit_code: 3, signal: null })
      await release.promise
      line(response, { event: 'gone' })
      response.end()
    },
  })
  assert.deepEqual(await handle.done, { exitCode: 3, signal: null })
  assert.equal(await handle.waitForExit(AbortSignal.abort()), false)
  release.resolve()
  assert.equal(await handle.waitForExit(), true)
  handle.terminate()
})

test('a command that never started rejects with the reason', async (t) => {
  const { handle } = await run(t,
    { 'process/spawn': (_b, response) => refuse(response, 503, 'WORLD_NO_HAND', 'None.') })
  await assert.rejects(handle.done, /^WorldError: None\.$/)
  assert.equal(await handle.waitForExit(), true)
})

test('terminate before the start leaves nothing running', async (t) => {
  const closed = Promise.withResolvers()
  const asked = Promise.withResolvers()
  const { handle } = await run(t, {
    'process/spawn': (_body, response) => {
      response.on('close', closed.resolve)
      asked.resolve()
    },
  })
  await asked.promise
  handle.terminate()
  assert.deepEqual(await handle.done, { exitCode: null, signal: 'SIGTERM' })
  await closed.promise
})

test('a terminate that the daemon refuses closes the command\'s connection', async (t) => {
  const closed = Promise.withResolvers()
  const started = Promise.withResolvers()
  const { handle } = await run(t, {
    'process/spawn': (_body, response) => {
      response.on('close', closed.resolve)
      line(response, { event: 'started', process: 'p' })
      line(response, { event: 'output', stream: 'stdout', data: data('x') })
      started.resolve()
    },
    'process/terminate': (_body, response) => refuse(response, 500, 'internal', 'No.'),
  })
  await started.promise
  const tick = () => new Promise((resolve) => setImmediate(resolve))
  while (handle.collected.stdout.readFrom(0).text === '') await tick()
  handle.terminate()
  await closed.promise
  assert.deepEqual(await handle.done, { exitCode: null, signal: 'SIGTERM' })
})

test('a terminal', async (t) => {
  const gone = Promise.withResolvers()
  const { seen, world } = await fakeWorld(t, {
    'terminal/spawn': async (_body, response) => {
      line(response, { event: 'started', terminal: 't', pid: 7 })
      line(response, { event: 'output', data: data('$ ') })
      await gone.promise
      line(response, { event: 'exit', exit_code: null, signal: 'SIGHUP' })
      line(response, { event: 'gone' })
      response.end()
    },
    'terminal/write': () => ({}), 'terminal/resize': () => ({}),
    'terminal/foreground': () => ({ pgid: 9, input_waiting: false }),
    'terminal/signal': () => ({ pgid: 9 }),
    'terminal/terminate': () => {
      gone.resolve()
      return {}
    },
  })
  const request = { argv: ['bash'], cwd: '/workspace', rows: 4, cols: 8, graceMs: 10, terminalType: 'xterm',
    env: { DSH_HOME: 'x', A: undefined } }
  const terminal = await openTerminal(world.connection, 's1', request)
  assert.equal(terminal.pid, 7)
  assert.equal((await once(terminal.output, 'data'))[0].toString(), '$ ')
  await terminal.write('ls\n')
  await terminal.resize(80, 24)
  assert.deepEqual(await terminal.inspectForeground(), { processGroupId: 9, inputWaiting: false })
  assert.equal(await terminal.signalForeground('SIGINT'), 9)
  await Promise.all([terminal.terminate(), terminal.terminate()])
  assert.deepEqual(await terminal.done, { exitCode: null, signal: 'SIGHUP' })
  assert.deepEqual(seen[0].body,
    { argv: ['bash'], cwd: '/workspace', env: { A: null }, rows: 4, cols: 8, term: 'xterm', grace_ms: 10 })
  assert.deepEqual(seen.find(({ name }) => name === 'terminal/resize').body,
    { terminal: 't', rows: 24, cols: 80 })
  assert.equal(seen.filter(({ name }) => name === 'terminal/terminate').length, 1)
})

test('a terminal whose connection is lost rejects', async (t) => {
  const { world } = await fakeWorld(t, {
    'terminal/spawn': (_body, response) => {
      line(response, { event: 'started', terminal: 't', pid: 7 })
      setImmediate(() => response.destroy())
    },
  })
  const terminal = await openTerminal(world.connection, 's1',
    { argv: ['bash'], cwd: '/', rows: 1, cols: 1, graceMs: 1 })
  await assert.rejects(terminal.done, /connection to the sandbox service was lost/)
})

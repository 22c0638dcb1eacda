// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { Context } from '@deepseek-ai/cordis'
import WorldClient from '../dsh-world/client.js'

async function mount(t, agents, socket = '/nowhere') {
  process.env.AGENTPOOL_WORLD_SOCKET = socket
  process.env.AGENTPOOL_WORLD_TOKEN = 'once'
  const ctx = new Context()
  if (agents) ctx.reflect.provide('agents', agents)
  await ctx.plugin(WorldClient)
  return ctx.get('worldClient')
}

test('the session is the initiator\'s', async (t) => {
  const client = await mount(t, { currentInitiator: () => ({ session: { id: 's9' } }) })
  assert.equal(client.session(), 's9')
})

test('a call that no session began is refused, never guessed', async (t) => {
  const refused = { name: 'WorldError', code: 'no_session' }
  const idle = await mount(t, { currentInitiator: () => undefined })
  assert.throws(() => idle.session(), refused)
  const early = await mount(t)
  assert.throws(() => early.session(), refused)
})

test('the token leaves the environment', async (t) => {
  await mount(t)
  assert.equal('AGENTPOOL_WORLD_TOKEN' in process.env, false)
})

test('a socket that nobody listens on is a reason, and the next call tries again', async (t) => {
  const { connection } = await mount(t)
  const call = () => connection.json('fs/stat', { path: '/' }, { session: 's', deadlineMs: 1000 })
  await assert.rejects(call(), { name: 'WorldError', code: 'WORLD_LOST' })
  await assert.rejects(call(), { name: 'WorldError', code: 'WORLD_LOST' })
})

test('a call says which tool call it is part of, when that can be a header', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'world-client-'))
  const socket = join(folder, 's')
  const seen = []
  const server = http.createServer((request, response) => {
    const { 'x-agentpool-tool-call': id, 'x-agentpool-tool': name } = request.headers
    if (request.url.endsWith('fs/stat')) seen.push([id, name])
    request.resume().on('end', () => response.end('{"credential":"c"}'))
  })
  await new Promise((done) => server.listen(socket, done))
  const client = await mount(t, undefined, socket)
  const call = () =>
    client.connection.json('fs/stat', { path: '/' }, { session: 's', deadlineMs: 30000 })
  await call()
  await client.duringToolCall('call_1', 'read', call)
  await client.duringToolCall('a\nb', 'read', call)
  assert.deepEqual(seen, [[undefined, undefined], ['call_1', 'read'], [undefined, 'read']])
  client.connection.close()
  await new Promise((done) => server.close(done))
  rmSync(folder, { recursive: true })
})

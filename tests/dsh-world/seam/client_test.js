// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import test from 'node:test'
import { Context } from '@deepseek-ai/cordis'
import WorldClient from '../dsh-world/client.js'

async function mount(t, agents) {
  process.env.AGENTPOOL_WORLD_SOCKET = '/nowhere'
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

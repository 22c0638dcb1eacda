// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// Sandbox.list: filters, order, pages.
import assert from 'node:assert/strict'
import { area, failure, Sandbox, sdk, TEMPLATE, unique } from './support.mjs'

async function all(options) {
  const found = []
  const pages = Sandbox.list(options)
  while (pages.hasNext) found.push(...(await pages.nextItems()))
  return found
}

const ids = (items) => items.map((one) => one.sandboxId)

area('list', null, (test) => {
  test('by metadata of any text, all of it must match', async ({ own }) => {
    const run = unique()
    const odd = { 'k&1 =ü': 'a b+c%20/"é"&x=1', run }
    const one = await own({ metadata: odd })
    const two = await own({ metadata: { run } })
    assert.deepEqual(ids(await all({ query: { metadata: odd } })), [one.sandboxId])
    assert.deepEqual(ids(await all({ query: { metadata: { run } } })).sort(), [one.sandboxId, two.sandboxId].sort())
    assert.deepEqual(await all({ query: { metadata: { run, other: 'x' } } }), [])
    const [item] = await all({ query: { metadata: odd } })
    assert.deepEqual([item.metadata, item.name, item.state], [odd, TEMPLATE, 'running'])
    assert.ok(item.endAt > item.startedAt && item.cpuCount > 0 && item.memoryMB > 0 && item.envdVersion)
  })

  test('by state, and both states without one', async ({ own }) => {
    const metadata = { run: unique() }
    const running = await own({ metadata })
    const paused = await own({ metadata })
    await paused.pause({ keepMemory: false })
    assert.deepEqual(ids(await all({ query: { metadata, state: ['running'] } })), [running.sandboxId])
    assert.deepEqual(ids(await all({ query: { metadata, state: ['paused'] } })), [paused.sandboxId])
    const both = await all({ query: { metadata, state: ['running', 'paused'] } })
    assert.deepEqual(ids(both), [paused.sandboxId, running.sandboxId])
    assert.deepEqual(both.map((one) => one.state), ['paused', 'running'])
    assert.deepEqual(ids(await all({ query: { metadata } })), ids(both))
  })

  test('by template and by when it started', async ({ own }) => {
    const metadata = { run: unique() }
    const first = await own({ metadata })
    const { startedAt } = await first.getInfo()
    assert.deepEqual(ids(await all({ query: { metadata, startedAfter: startedAt } })), [first.sandboxId])
    assert.deepEqual(await all({ query: { metadata, startedAfter: new Date(startedAt.getTime() + 60_000) } }), [])
    assert.deepEqual(ids(await all({ query: { metadata, template: TEMPLATE } })), [first.sandboxId])
    assert.deepEqual(await all({ query: { metadata, template: 'another' } }), [])
  }, { old: false })

  test('pages hold what was asked, newest first, or oldest first', async ({ own }) => {
    const metadata = { run: unique() }
    const made = []
    for (let i = 0; i < 4; i++) made.push((await own({ metadata })).sandboxId)
    await Sandbox.pause(made[1], { keepMemory: false })
    const pages = Sandbox.list({ limit: 2, query: { metadata } })
    assert.equal(pages.hasNext, true)
    assert.deepEqual(ids(await pages.nextItems()), [made[3], made[2]])
    assert.equal(pages.hasNext, true)
    const { nextToken } = pages
    assert.deepEqual(ids(await pages.nextItems()), [made[1], made[0]])
    assert.deepEqual([pages.hasNext, pages.nextToken], [false, undefined])
    await failure(pages.nextItems(), Error)
    assert.deepEqual(ids(await Sandbox.list({ limit: 2, nextToken, query: { metadata } }).nextItems()), [made[1], made[0]])
    assert.deepEqual(ids(await all({ limit: 1, order: 'asc', query: { metadata } })), made)
    assert.deepEqual(ids(await all({ limit: 3, order: 'desc', query: { metadata } })), made.toReversed())
    await failure(Sandbox.list({ limit: 2, nextToken, order: 'asc', query: { metadata } }).nextItems(), sdk.SandboxError)
  }, { old: false })

  test('pages that cannot be', async () => {
    await failure(Sandbox.list({ nextToken: 'not a token' }).nextItems(), sdk.SandboxError)
    await failure(Sandbox.list({ limit: 101 }).nextItems(), sdk.SandboxError)
    await failure(Sandbox.list({ limit: -1 }).nextItems(), sdk.SandboxError)
  })

  test('a page with nobody on it', async () => {
    const pages = Sandbox.list({ query: { metadata: { run: unique() } } })
    assert.deepEqual(await pages.nextItems(), [])
    assert.equal(pages.hasNext, false)
  })
})

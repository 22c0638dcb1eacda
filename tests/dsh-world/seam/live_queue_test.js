// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import test from 'node:test'
import { LiveQueue } from '../dsh-world/live_queue.js'

/** A queue whose requests end when the test says so. */
function held() {
  const sent = []
  let next = Promise.withResolvers()
  const queue = new LiveQueue((session, frames) => {
    const request = { session, frames, ...Promise.withResolvers() }
    sent.push(request)
    next.resolve()
    next = Promise.withResolvers()
    return request.promise
  })
  const until = async (count) => {
    while (sent.length < count) await next.promise
    return sent[count - 1]
  }
  return { queue, sent, until }
}

const frame = (offset, text, attempt = 'a') =>
  ({ kind: 'message', attempt, turn: 1, step: 1, index: 0, offset, text })
const textOf = ({ frames }) => frames.map(({ text }) => text).join('')

test('the first frame goes at once and the next ones join while it is on its way', async () => {
  const { queue, until, sent } = held()
  queue.push('s', frame(0, 'one '))
  const first = await until(1)
  queue.push('s', frame(4, 'two '))
  queue.push('s', frame(8, 'three'))
  assert.equal(sent.length, 1)
  first.resolve()
  assert.deepEqual((await until(2)).frames, [frame(4, 'two three')])
  queue.close()
})

test('a failed request loses its frames and nothing else', async () => {
  const { queue, until } = held()
  queue.push('s', frame(0, 'lost'))
  ;(await until(1)).reject(new Error('refused'))
  queue.push('s', frame(4, 'next'))
  assert.deepEqual((await until(2)).frames, [frame(4, 'next')])
  queue.close()
})

test('above the bound the oldest text goes and the offsets show it', async () => {
  const { queue, until } = held()
  queue.push('s', frame(0, 'x'))
  const first = await until(1)
  for (let at = 0; at < 40; at += 1) queue.push('s', frame(1 + at * 4096, 'y'.repeat(4096)))
  queue.push('s', { attempt: 'other', end: 'committed' })
  first.resolve()
  const { frames } = await until(2)
  const kept = frames.filter(({ text }) => text)
  assert.ok(kept[0].offset > 1)
  assert.ok(Buffer.byteLength(textOf({ frames: kept })) <= 64 * 1024)
  const last = kept.at(-1)
  assert.equal(last.offset + last.text.length, 1 + 40 * 4096)
  assert.deepEqual(frames.at(-1), { attempt: 'other', end: 'committed' })
  queue.close()
})

test('an ended attempt leaves no waiting text behind', async () => {
  const { queue, until } = held()
  queue.push('s', frame(0, 'x'))
  const first = await until(1)
  queue.push('s', frame(1, 'void'))
  queue.push('s', frame(0, 'kept', 'b'))
  queue.push('s', { attempt: 'a', end: 'abandoned' })
  first.resolve()
  assert.deepEqual((await until(2)).frames, [frame(0, 'kept', 'b'), { attempt: 'a', end: 'abandoned' }])
  queue.close()
})

test('a request is of one session', async () => {
  const { queue, until } = held()
  queue.push('s', frame(0, 'x'))
  const first = await until(1)
  queue.push('s', frame(1, 'mine'))
  queue.push('t', frame(0, 'yours', 'b'))
  first.resolve()
  const second = await until(2)
  assert.deepEqual([second.session, textOf(second)], ['s', 'mine'])
  second.resolve()
  const third = await until(3)
  assert.deepEqual([third.session, textOf(third)], ['t', 'yours'])
  queue.close()
})

test('a large delta is cut between characters', async () => {
  const { queue, until } = held()
  queue.push('s', frame(0, '€'.repeat(10_000)))
  const { frames } = await until(1)
  assert.equal(frames.length, 2)
  assert.equal(frames[1].offset, Buffer.byteLength(frames[0].text))
  for (const { text } of frames) assert.ok(Buffer.byteLength(text) <= 16 * 1024)
  assert.equal(textOf({ frames }), '€'.repeat(10_000))
  queue.close()
})

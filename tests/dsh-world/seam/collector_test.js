// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import test from 'node:test'
import { Collector } from '../dsh-world/collector.js'

const euro = Buffer.from('€', 'utf8')

test('reads by offset do not consume', () => {
  const collector = new Collector(100)
  collector.push(Buffer.from('one '))
  const first = collector.readFrom(0)
  assert.deepEqual(first, { text: 'one ', nextOffset: 4, lossy: false })
  collector.push(Buffer.from('two'))
  assert.equal(collector.readFrom(first.nextOffset).text, 'two')
  assert.equal(collector.readFrom(0).text, 'one two')
})

test('a character that has not come whole waits for its rest', () => {
  const collector = new Collector(100)
  collector.push(euro.subarray(0, 2))
  assert.deepEqual(collector.readFrom(0), { text: '', nextOffset: 0, lossy: false })
  collector.push(euro.subarray(2))
  assert.deepEqual(collector.readFrom(0), { text: '€', nextOffset: 3, lossy: false })
})

test('a character that never comes whole is shown as damaged at the end', () => {
  const collector = new Collector(100)
  collector.push(euro.subarray(0, 2))
  collector.seal()
  assert.equal(collector.readFrom(0).text, '\ufffd')
})

test('the tail is kept to the byte and a cut character is left out', () => {
  const collector = new Collector(4)
  collector.push(Buffer.from('ab€cd'))
  collector.seal()
  assert.deepEqual(collector.readFrom(0), { text: 'cd', nextOffset: 7, lossy: true })
  assert.equal(collector.readFrom(5).lossy, false)
})

test('every offset gives text without damage', () => {
  const collector = new Collector(1000)
  const all = Buffer.from('aß€🙂z')
  for (const byte of all) collector.push(Buffer.from([byte]))
  collector.seal()
  for (let offset = 0; offset <= all.length; offset += 1) {
    assert.ok(!collector.readFrom(offset).text.includes('\ufffd'))
  }
})

test('bytes that are no text do not hold reads back', () => {
  const collector = new Collector(100)
  collector.push(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x41]))
  assert.equal(collector.readFrom(0).nextOffset, 5)
})

test('a note begins on a line of its own', () => {
  const collector = new Collector(100)
  collector.push(Buffer.from('half'))
  collector.note('Gone.')
  assert.equal(collector.readFrom(0).text, 'half\nGone.\n')
})

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { disconnected } from './errors.js'
import { chunks } from './transport.js'

const LINE_LIMIT = 256 * 1024

/**
 * The events of an `application/x-ndjson` reply, `ping` left out. Throws a WorldError on a line that is no
 * event, a line longer than 256 KiB, silence of `silenceMs`, or a connection that ends in the middle of a
 * line.
 */
export async function* events(response, { what, silenceMs }) {
  let pending = []
  let size = 0
  for await (const chunk of chunks(response, { what, silenceMs })) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      const event = parse(Buffer.concat([...pending, chunk.subarray(from, end)]), what)
      pending = []
      size = 0
      from = end + 1
      if (event.event !== 'ping') yield event
    }
    pending.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > LINE_LIMIT) throw disconnected(what, new Error('event line too long'))
  }
  if (size > 0) throw disconnected(what, new Error('event cut off'))
}

function parse(line, what) {
  try {
    const event = JSON.parse(line.toString('utf8'))
    if (typeof event.event === 'string') return event
  } catch (error) {
    throw disconnected(what, error)
  }
  throw disconnected(what, new Error('line without an event'))
}

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { LiveQueue } from './live_queue.js'

export const name = 'world-live'
export const inject = ['agents', 'worldClient']

const KINDS = { 'text-delta': 'message', 'reasoning-delta': 'thought' }

/**
 * Sends the model's text to the daemon while it is produced (docs/world-protocol.md section 7). A preview: it
 * never delays the model, is bounded, and its loss is no error.
 */
export function apply(ctx) {
  const { connection } = ctx.worldClient
  const queue = new LiveQueue((session, frames) =>
    connection.json('live', { frames }, { session, deadlineMs: connection.deadlines.control }))
  const attempts = new Map()
  ctx.on('agent/assistant-stream', ({ agent, frame }) => {
    const session = agent.session.id
    if (frame.type === 'start') {
      attempts.set(frame.attemptId, { turn: frame.turn, step: frame.step, offsets: new Map() })
    }
    if (frame.type === 'chunk') queue.push(session, textFrame(attempts.get(frame.attemptId), frame))
    if (frame.type === 'end') {
      attempts.delete(frame.attemptId)
      queue.push(session, { attempt: frame.attemptId, end: outcome(frame) })
    }
  })
  ctx.effect(() => () => queue.close(), 'live text')
}

/** An attempt that failed is recorded by dsh too, but only a message belongs to the conversation. */
const outcome = ({ outcome: { kind, eventType } }) =>
  kind === 'committed' && eventType === 'assistant/message' ? 'committed' : 'abandoned'

function textFrame(attempt, { attemptId, chunk }) {
  const kind = KINDS[chunk.type]
  if (!attempt || !kind || chunk.text === '') return undefined
  const { turn, step, offsets } = attempt
  const offset = offsets.get(chunk.index) ?? 0
  offsets.set(chunk.index, offset + Buffer.byteLength(chunk.text, 'utf8'))
  return { kind, attempt: attemptId, turn, step, index: chunk.index, offset, text: chunk.text }
}

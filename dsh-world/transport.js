// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import http from 'node:http'
import { aborted, disconnected, timedOut } from './errors.js'

/** Content types of docs/world-protocol.md section 1. */
export const JSON_TYPE = 'application/json'
export const FRAMED_TYPE = 'application/vnd.agentpool.framed'

/** One line of JSON, LF, raw bytes. */
export const framed = (head, bytes) => Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes])

/**
 * Sends one request (a POST, or a GET when there is no `body`), `what` being its path below /world/v1/, and
 * resolves with the reply's header (its body unread). Rejects with a WorldError when the signal fires,
 * `deadlineMs` passes before the header, or the connection fails. The socket never keeps the process alive.
 */
export function send({ what, agent, socketPath, headers, body, deadlineMs, signal }) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(what, signal.reason))
    const request = http.request({
      agent, socketPath, method: body === undefined ? 'GET' : 'POST', path: `/world/v1/${what}`,
      headers: { host: 'agentpool', ...(body && { 'content-length': body.length }), ...headers },
    })
    const onAbort = () => request.destroy(aborted(what, signal.reason))
    const timer = setTimeout(() => request.destroy(timedOut(what, deadlineMs)), deadlineMs).unref()
    const settle = (done, value) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      done(value)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    request.on('socket', (socket) => socket.unref())
    request.on('response', (response) => settle(resolve, response))
    request.on('error',
      (error) => settle(reject, error.name === 'WorldError' ? error : disconnected(what, error)))
    request.end(body)
  })
}

/**
 * The reply's bytes. Throws a WorldError when the signal fires, when nothing comes for `silenceMs`, or when
 * the body ends early. Leaving the loop early closes the connection, which tells the daemon that nobody
 * reads.
 */
export async function* chunks(response, { what, silenceMs, signal }) {
  const onAbort = () => response.destroy(aborted(what, signal.reason))
  const timer = setTimeout(() => response.destroy(timedOut(what, silenceMs)), silenceMs).unref()
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for await (const chunk of response) {
      timer.refresh()
      yield chunk
      timer.refresh()
    }
  } catch (error) {
    throw error.name === 'WorldError' ? error : disconnected(what, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The whole body as text, at most `limit` bytes. */
export async function text(response, options, limit) {
  const parts = []
  let size = 0
  for await (const chunk of chunks(response, options)) {
    size += chunk.length
    if (size > limit) throw disconnected(options.what, new Error(`reply larger than ${limit} bytes`))
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

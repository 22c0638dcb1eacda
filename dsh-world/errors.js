// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An answer of the daemon other than 200, or the lack of one. `code` as in docs/world-protocol.md section 3.
 */
export class WorldError extends Error {
  constructor(code, message, options) {
    super(message, options)
    this.name = 'WorldError'
    this.code = code
  }
}

/** The caller's signal ended the wait; nothing is said about what the daemon did. */
export const aborted = (what, cause) => new WorldError('FS_ABORTED', `${what} aborted`, { cause })

/** The daemon did not answer within the deadline. */
export const timedOut = (what, ms) =>
  new WorldError('WORLD_TIMEOUT',
    `The sandbox service did not answer "${what}" within ${ms} ms; try again later.`)

/** The connection to the daemon failed or ended early. */
export const disconnected = (what, cause) =>
  new WorldError('WORLD_LOST', `The connection to the sandbox service was lost during "${what}".`, { cause })

/** Turns the body of an error reply into a WorldError; a body that is none still gives a sentence. */
export function errorFromReply(what, status, text) {
  try {
    const { code, message } = JSON.parse(text)
    if (typeof code === 'string' && typeof message === 'string') return new WorldError(code, message)
  } catch {
    // Not JSON: the sentence below says so.
  }
  return new WorldError('internal',
    `The sandbox service answered "${what}" with status ${status} and no reason.`)
}

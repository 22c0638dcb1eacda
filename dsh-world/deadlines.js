// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

/**
 * How long the plugin waits for the daemon, in milliseconds (docs/world-protocol.md section 3). The daemon
 * answers before these; reaching one means that the daemon itself does not answer.
 */
export const DEFAULT_DEADLINES = Object.freeze({
  /** exchange, session, live, cancel. */
  control: 5_000,
  /** fs/resolve, stat, lstat, list, process/resolve. */
  probe: 30_000,
  /** fs/read (first byte, and silence between bytes), write, edit. */
  content: 180_000,
  /** process/spawn and terminal/spawn until the `started` event; a hand may have to be created. */
  start: 180_000,
  /** process/stdin, process/terminate and the terminal calls. */
  handle: 30_000,
  /** Silence of a running command's event stream; the daemon pings every 10 s. */
  silence: 60_000,
})

/**
 * The row's `deadlines` over the defaults. Throws on an unknown name or a value that is no positive number.
 */
export function deadlinesFrom(overrides = {}) {
  for (const [name, value] of Object.entries(overrides)) {
    if (!(name in DEFAULT_DEADLINES)) throw new Error(`dsh-world: unknown deadline "${name}"`)
    if (Number.isFinite(value) && value > 0) continue
    throw new Error(`dsh-world: deadline "${name}" must be a positive number`)
  }
  return { ...DEFAULT_DEADLINES, ...overrides }
}

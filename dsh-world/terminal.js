// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { PassThrough } from 'node:stream'
import { events } from './events.js'
import { WorldError, disconnected } from './errors.js'
import { FRAMED_TYPE, JSON_TYPE, framed } from './transport.js'
import { wireTerminal } from './spawn_spec.js'

/** Allocates a terminal in the hand; `spec.signal` cancels only this. Rejects with the daemon's sentence. */
export async function openTerminal(connection, session, spec, toolCall) {
  const { start, silence } = connection.deadlines
  const body = Buffer.from(JSON.stringify(wireTerminal(spec, toolCall)))
  const response = await connection.open('terminal/spawn', JSON_TYPE, body, {
    session, deadlineMs: start, signal: spec.signal, stream: true,
  })
  const stream = events(response, { what: 'terminal/spawn', silenceMs: silence })
  const first = (await stream.next()).value
  if (first?.event === 'error') throw new WorldError(first.code, first.message)
  if (first?.event !== 'started') throw disconnected('terminal/spawn', new Error('no started event'))
  return new WorldTerminal(connection, session, spec.graceMs, first, stream)
}

/**
 * A terminal in the hand (the seam's SubprocessTerminalHandle). `done` rejects only when the connection is
 * lost.
 */
class WorldTerminal {
  #connection
  #session
  #graceMs
  #id
  #outcome = Promise.withResolvers()
  #gone = Promise.withResolvers()
  #termination

  constructor(connection, session, graceMs, { terminal, pid }, stream) {
    this.#connection = connection
    this.#session = session
    this.#graceMs = graceMs
    this.#id = terminal
    this.pid = pid
    this.output = new PassThrough()
    this.done = this.#outcome.promise
    this.done.catch(() => {})
    this.#follow(stream)
  }

  async write(data) {
    const body = framed({ terminal: this.#id }, Buffer.from(data, 'utf8'))
    await this.#connection.post('terminal/write', FRAMED_TYPE, body, this.#call())
  }

  async resize(cols, rows) {
    await this.#ask('resize', { cols, rows })
  }

  async inspectForeground() {
    const { pgid, input_waiting: inputWaiting } = await this.#ask('foreground', {})
    return pgid === null ? undefined : { processGroupId: pgid, inputWaiting: inputWaiting === true }
  }

  /** The hand gives no evidence of what a shell is doing. */
  async inspectActivity() {
    return { state: 'unknown', revision: 0 }
  }

  async signalForeground(signal) {
    return (await this.#ask('signal', { signal })).pgid
  }

  /** Ends the whole terminal session; idempotent, and a failed attempt may be repeated. */
  terminate() {
    this.#termination ??= this.#terminate().catch((error) => {
      this.#termination = undefined
      throw error
    })
    return this.#termination
  }

  waitForExit() {
    return this.#gone.promise
  }

  async #terminate() {
    const deadlineMs = this.#connection.deadlines.handle + 2 * this.#graceMs
    const call = { session: this.#session, deadlineMs }
    await this.#connection.json('terminal/terminate', { terminal: this.#id }, call).catch((error) => {
      if (error.code !== 'unknown_process') throw error
    })
  }

  #ask(verb, body) {
    return this.#connection.json(`terminal/${verb}`, { terminal: this.#id, ...body }, this.#call())
  }

  #call() {
    return { session: this.#session, deadlineMs: this.#connection.deadlines.handle }
  }

  async #follow(stream) {
    try {
      for await (const event of stream) {
        if (event.event === 'output') this.output.write(Buffer.from(event.data, 'base64'))
        if (event.event === 'exit') this.#exited({ exitCode: event.exit_code, signal: event.signal })
        if (event.event === 'error') throw new WorldError(event.code, event.message)
        if (event.event === 'gone') break
      }
      this.#outcome.reject(disconnected('terminal/spawn'))
    } catch (error) {
      this.#outcome.reject(error)
    } finally {
      this.output.end()
      this.#gone.resolve(true)
    }
  }

  #exited(outcome) {
    this.output.end()
    this.#outcome.resolve(outcome)
  }
}

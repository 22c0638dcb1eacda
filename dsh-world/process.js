// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { events } from './events.js'
import { WorldError } from './errors.js'
import { Input, Output } from './stdio.js'
import { JSON_TYPE } from './transport.js'
import { wireSpec } from './spawn_spec.js'

const KILLED = Object.freeze({ exitCode: null, signal: 'SIGKILL' })
const STARTING_MS = 2000
const TERMINATED = Object.freeze({ exitCode: null, signal: 'SIGTERM' })
/** What ripgrep itself answers when it fails; the search tools then show stderr to the model. */
const SEARCH_FAILED = Object.freeze({ exitCode: 2, signal: null })

/**
 * A command in the hand (the seam's SubprocessHandle), run for `toolCall` or for none. Exists before the
 * daemon has answered. Settles exactly once: with the command's exit, with a kill and one sentence on stderr
 * when the outcome is unknown, or, when it never started, by rejecting `done` with the daemon's sentence.
 */
export class WorldProcess {
  #connection
  #session
  #body
  #id = Promise.withResolvers()
  #outcome = Promise.withResolvers()
  #gone = Promise.withResolvers()
  #abandon = new AbortController()
  #started = false
  #settled = false
  #over = false
  #terminating = false

  constructor(connection, session, spec, toolCall) {
    this.#connection = connection
    this.#session = session
    this.#body = wireSpec(spec, toolCall)
    this.#id.promise.catch(() => {})
    this.outputs = { stdout: new Output(spec.stdio.stdout), stderr: new Output(spec.stdio.stderr) }
    const { stdout, stderr } = this.outputs
    this.collected = { stdout: stdout.collected, stderr: stderr.collected }
    this.stdout = stdout.stream
    this.stderr = stderr.stream
    if (spec.stdio.stdin === 'pipe') this.stdin = new Input(connection, this.#call(), this.#id.promise)
    this.done = this.#outcome.promise
    this.#run(spec.signal)
  }

  /** TERM, then KILL after the grace period, to the whole group; idempotent. */
  terminate() {
    if (this.#terminating || this.#over) return
    this.#terminating = true
    // One that is just starting is ended in order, so that it is gone when this says so; nobody waits for a hand
    // that is still being made: the daemon starts nothing for a connection that is closed.
    if (!this.#started) setTimeout(() => this.#started || this.#abandon.abort(), STARTING_MS).unref()
    this.#id.promise
      .then((process) => this.#connection.json('process/terminate', { process }, this.#call()))
      // The daemon ends the group of a connection that is closed, so this is the second way to the same end.
      .catch(() => this.#abandon.abort())
  }

  /** True when the whole group is gone, false when the signal fired first. */
  async waitForExit(signal) {
    if (signal === undefined) return this.#gone.promise
    if (this.#over) return true
    const fired = Promise.withResolvers()
    const onAbort = () => fired.resolve(false)
    if (signal.aborted) return false
    signal.addEventListener('abort', onAbort, { once: true })
    return Promise.race([this.#gone.promise, fired.promise])
      .finally(() => signal.removeEventListener('abort', onAbort))
  }

  #call() {
    return { session: this.#session, deadlineMs: this.#connection.deadlines.handle }
  }

  async #run(signal) {
    const terminate = () => this.terminate()
    signal?.addEventListener('abort', terminate, { once: true })
    try {
      await this.#follow()
      if (!this.#settled) this.#unknown('The sandbox ended the command without saying how.')
    } catch (error) {
      this.#fail(error)
    } finally {
      signal?.removeEventListener('abort', terminate)
      this.#over = true
      this.#id.reject(new Error('the process is gone'))
      this.outputs.stdout.end()
      this.outputs.stderr.end()
      this.#gone.resolve(true)
    }
  }

  async #follow() {
    const { start, silence } = this.#connection.deadlines
    const body = Buffer.from(JSON.stringify(this.#body))
    const response = await this.#connection.open('process/spawn', JSON_TYPE, body, {
      session: this.#session, deadlineMs: start, signal: this.#abandon.signal, stream: true,
    })
    const drop = () => response.destroy()
    this.#abandon.signal.addEventListener('abort', drop, { once: true })
    for await (const event of events(response, { what: 'process/spawn', silenceMs: silence })) {
      if (event.event === 'gone') return
      await this.#on(event)
    }
  }

  async #on(event) {
    switch (event.event) {
      case 'started':
        this.#started = true
        return this.#id.resolve(event.process)
      case 'output':
        return this.outputs[event.stream].push(Buffer.from(event.data, 'base64'))
      case 'spill':
        if (this.collected[event.stream]) this.collected[event.stream].spillPath = event.path ?? undefined
        return undefined
      case 'notice':
        return this.outputs.stderr.note(event.text)
      case 'exit':
        return this.#settle({ exitCode: event.exit_code, signal: event.signal })
      case 'error':
        throw new WorldError(event.code, event.message)
      default:
        return undefined
    }
  }

  #fail(error) {
    if (this.#settled) return
    if (this.#terminating) return this.#settle(TERMINATED)
    if (this.#started) return this.#unknown(error.message)
    if (this.#body.seam !== 'search') {
      this.#settled = true
      return this.#outcome.reject(error)
    }
    this.outputs.stderr.note(error.message)
    this.#settle(SEARCH_FAILED)
  }

  #unknown(sentence) {
    this.outputs.stderr.note(`${sentence} How the command ended is unknown.`)
    this.#settle(this.#body.seam === 'search' ? SEARCH_FAILED : KILLED)
  }

  #settle(outcome) {
    if (this.#settled) return
    this.#settled = true
    this.outputs.stdout.collected?.seal()
    this.outputs.stderr.collected?.seal()
    this.#outcome.resolve(outcome)
  }
}

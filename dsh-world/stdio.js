// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { PassThrough, Writable } from 'node:stream'
import { once } from 'node:events'
import { Collector } from './collector.js'
import { FRAMED_TYPE, framed } from './transport.js'

/** One output stream of a process: collected for synchronous reads, or piped on with back-pressure. */
export class Output {
  constructor(mode) {
    this.collected = mode === 'pipe' ? undefined : new Collector(mode.maxBytes)
    this.stream = mode === 'pipe' ? new PassThrough() : undefined
  }

  /** Takes bytes; waits while a piped reader is behind. */
  async push(bytes) {
    if (this.collected) return this.collected.push(bytes)
    if (this.stream.destroyed || this.stream.write(bytes)) return
    await Promise.race([once(this.stream, 'drain'), once(this.stream, 'close')]).catch(() => {})
  }

  note(sentence) {
    if (this.collected) this.collected.note(sentence)
    else if (!this.stream.destroyed) this.stream.write(`${sentence}\n`)
  }

  end() {
    this.collected?.seal()
    this.stream?.end()
  }
}

/** Standard input of a process: chunks are sent in order, each after the one before it was taken. */
export class Input extends Writable {
  #connection
  #call
  #process

  /** `call`: session and deadline of its requests; `process`: resolves with the process id. */
  constructor(connection, call, process) {
    super({ decodeStrings: true })
    this.#connection = connection
    this.#call = call
    this.#process = process
    // A process that is gone refuses its input; how it ended is said by `done`.
    this.on('error', () => {})
  }

  _write(chunk, _encoding, done) {
    this.#send(chunk, false).then(() => done(), done)
  }

  /** The end of a process has closed its input already. */
  _final(done) {
    const late = (error) => done(error.code === 'unknown_process' ? undefined : error)
    this.#send(Buffer.alloc(0), true).then(() => done(), late)
  }

  async #send(bytes, end) {
    const head = { process: await this.#process, end }
    await this.#connection.post('process/stdin', FRAMED_TYPE, framed(head, bytes), this.#call)
  }
}

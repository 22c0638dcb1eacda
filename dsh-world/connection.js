// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import http from 'node:http'
import { aborted, errorFromReply } from './errors.js'
import { JSON_TYPE, send, text } from './transport.js'

const PLAIN_CONNECTIONS = 16
const STREAM_CONNECTIONS = 64
const REPLY_LIMIT = 64 * 1024 * 1024

/** A header for the daemon's trace; what cannot be one is left out. */
const word = (name, value) => (/^[\x21-\x7e]{1,256}$/.test(value ?? '') ? { [name]: value } : {})

/** Waits for a shared promise without cancelling it when this caller's signal fires. */
function detachable(promise, what, signal) {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted(what, signal.reason))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/**
 * The connections to the daemon's world socket (docs/world-protocol.md). Exchanges the one-time token at the
 * first call. Repeats nothing. Every failure is a WorldError. Options of a call: `session`, `deadlineMs`,
 * `signal?`, `request?` (a number for `cancel`), `stream?` (the reply may stay open for long).
 */
export class Connection {
  #socketPath
  #token
  #deadlines
  #toolCall
  #credential
  #lastRequest = 0
  #plain = new http.Agent({ keepAlive: true, maxSockets: PLAIN_CONNECTIONS })
  #streams = new http.Agent({ keepAlive: true, maxSockets: STREAM_CONNECTIONS })

  /** `toolCall()` says which tool call the current call is part of, `{id, name}`, or undefined. */
  constructor({ socketPath, token, deadlines, toolCall = () => undefined }) {
    this.#socketPath = socketPath
    this.#toolCall = toolCall
    this.#token = token
    this.#deadlines = deadlines
  }

  /** The deadlines in force, in milliseconds; names in deadlines.js. */
  get deadlines() {
    return this.#deadlines
  }

  /** A fresh number for the option `request`. */
  nextRequest() {
    return ++this.#lastRequest
  }

  /**
   * One JSON request, one JSON reply; the deadline covers the reply's header and each silence in its body.
   */
  json(path, body, options) {
    return this.post(path, JSON_TYPE, Buffer.from(JSON.stringify(body)), options)
  }

  /** As json, with a body of another kind. */
  async post(path, type, body, options) {
    const response = await this.open(path, type, body, options)
    return JSON.parse(await this.#text(response, path, options))
  }

  /** One request without a body, one JSON reply. */
  async get(path, options) {
    const response = await this.open(path, undefined, undefined, options)
    return JSON.parse(await this.#text(response, path, options))
  }

  /** Sends a request and resolves with a 200 reply whose body the caller reads. */
  async open(path, type, body, options) {
    const { session, deadlineMs, signal, request, stream } = options
    const tool = this.#toolCall() ?? {}
    const credential = await detachable(this.#authenticate(), path, signal)
    const headers = {
      authorization: `Bearer ${credential}`, 'x-agentpool-session': session,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(request === undefined ? {} : { 'x-agentpool-request': String(request) }),
      ...word('x-agentpool-tool-call', tool.id), ...word('x-agentpool-tool', tool.name),
    }
    const agent = stream ? this.#streams : this.#plain
    const response = await this.#send(path, { agent, headers, body, deadlineMs, signal })
    if (response.statusCode === 200) return response
    throw errorFromReply(path, response.statusCode, await this.#text(response, path, options))
  }

  /** Closes every connection; calls in flight fail. */
  close() {
    this.#plain.destroy()
    this.#streams.destroy()
  }

  #send(what, options) {
    return send({ ...options, what, socketPath: this.#socketPath })
  }

  #text(response, path, { deadlineMs, signal }) {
    return text(response, { what: path, silenceMs: deadlineMs, signal }, REPLY_LIMIT)
  }

  #authenticate() {
    this.#credential ??= this.#exchange().catch((error) => {
      // Only a refusal is final: a daemon that could not be reached has not seen the token.
      if (error.code !== 'bad_token') this.#credential = undefined
      throw error
    })
    return this.#credential
  }

  async #exchange() {
    const deadlineMs = this.#deadlines.control
    const response = await this.#send('exchange', {
      agent: this.#plain, headers: { 'content-type': JSON_TYPE },
      body: Buffer.from(JSON.stringify({ token: this.#token })), deadlineMs,
    })
    const reply = await this.#text(response, 'exchange', { deadlineMs })
    if (response.statusCode !== 200) throw errorFromReply('exchange', response.statusCode, reply)
    this.#token = undefined
    return JSON.parse(reply).credential
  }
}

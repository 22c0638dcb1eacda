// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { SubprocessExecutableNotFoundError, SubprocessRuntime } from '@deepseek-ai/dsh-subprocess'
import { WorldProcess } from './process.js'
import { validate } from './spawn_spec.js'
import { openTerminal } from './terminal.js'

/**
 * How long the end of the process may wait for commands to end, in milliseconds; the daemon ends them
 * anyway.
 */
const DISPOSE_MS = 500

/** `ctx.subprocess` of a session's hand, over the world socket. */
export default class WorldSubprocess extends SubprocessRuntime {
  static inject = ['worldClient']

  constructor(ctx) {
    super(ctx)
    this.world_ = ctx.worldClient
    this.live_ = new Set()
    ctx.effect(() => () => endAll(this.live_), 'world processes')
  }

  async resolveExecutable(command, env, signal) {
    if (command === '') throw new Error('dsh-world: executable must be non-empty')
    if (!command.startsWith('/') && command.includes('/')) {
      throw new Error(`dsh-world: "${command}" is a relative path; use an absolute path or a bare name`)
    }
    const { connection } = this.world_
    const options = { session: this.world_.session(), deadlineMs: connection.deadlines.probe, signal }
    try {
      return (await connection.json('process/resolve', { command, path: env?.PATH }, options)).path
    } catch (error) {
      if (error.code !== 'PROCESS_NOT_FOUND') throw error
      throw new SubprocessExecutableNotFoundError(error.message, { cause: error })
    }
  }

  spawn(spec) {
    validate(spec)
    const { connection } = this.world_
    return this.track_(new WorldProcess(connection, this.world_.session(), spec, this.world_.toolCall()))
  }

  async spawnTerminal(spec) {
    validate({ ...spec })
    const { connection } = this.world_
    return this.track_(await openTerminal(connection, this.world_.session(), spec, this.world_.toolCall()))
  }

  async terminalEnvironment(signal) {
    const { connection } = this.world_
    const options = { session: this.world_.session(), deadlineMs: connection.deadlines.handle, signal }
    const { platform, shell } = await connection.json('terminal/environment', {}, options)
    return { platform, ...(shell ? { defaultShell: shell } : {}) }
  }

  track_(handle) {
    this.live_.add(handle)
    const forget = () => handle.waitForExit().then(() => this.live_.delete(handle))
    handle.done.then(forget, forget)
    return handle
  }
}

async function endAll(live) {
  const ends = [...live].map((handle) => {
    Promise.resolve(handle.terminate()).catch(() => {})
    return handle.waitForExit()
  })
  if (ends.length === 0) return
  const bound = Promise.withResolvers()
  const timer = setTimeout(bound.resolve, DISPOSE_MS)
  await Promise.race([Promise.all(ends), bound.promise])
  clearTimeout(timer)
}

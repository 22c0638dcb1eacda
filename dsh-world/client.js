// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { AsyncLocalStorage } from 'node:async_hooks'
import { Service } from '@deepseek-ai/cordis'
import { Connection } from './connection.js'
import { deadlinesFrom } from './deadlines.js'
import { WorldError } from './errors.js'

/** Takes the one-time token out of the environment, so that nothing that runs later can read it. */
function takeEnvironment(env) {
  const { AGENTPOOL_WORLD_SOCKET: socketPath, AGENTPOOL_WORLD_TOKEN: token } = env
  delete env.AGENTPOOL_WORLD_TOKEN
  if (!socketPath || !token) throw new Error('AGENTPOOL_WORLD_SOCKET and AGENTPOOL_WORLD_TOKEN must be set')
  return { socketPath, token }
}

/**
 * `ctx.worldClient`: the process's one connection to the daemon, and the rule which session a call is for.
 */
export default class WorldClient extends Service {
  constructor(ctx, config) {
    super(ctx, 'worldClient')
    const deadlines = deadlinesFrom(config?.deadlines)
    this.toolCalls_ = new AsyncLocalStorage()
    this.connection = new Connection({
      ...takeEnvironment(process.env), deadlines, toolCall: () => this.toolCalls_.getStore(),
    })
    ctx.effect(() => () => this.connection.close(), 'world connections')
  }

  /** The ACP session the current call is for; throws when dsh knows no initiator: it is never guessed. */
  session() {
    const id = this.ctx.get('agents')?.currentInitiator()?.session.id
    if (id) return id
    throw new WorldError('no_session', 'The sandbox was used outside of any session; the call is refused.')
  }

  /** Runs `work` as part of one call of the tool `name`. */
  duringToolCall(id, name, work) {
    return this.toolCalls_.run({ id, name }, work)
  }

  /** The tool call that the current call belongs to; undefined outside of any. */
  toolCall() {
    return this.toolCalls_.getStore()?.id
  }
}

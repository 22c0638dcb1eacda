// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { Service } from '@deepseek-ai/cordis'

/** The tools that change the hand's world, and what kind of change each is. Every other tool never asks. */
const KINDS = new Map([['write', 'edit'], ['edit', 'edit'], ['bash', 'execute']])

/**
 * `ctx.worldPolicy`: decides before each tool that changes the hand's world, by the session's mode
 * (docs/world-protocol.md section 8), which is asked of the daemon for every call. Without an answer the tool
 * does not run. The daemon holds the same rule by itself; this row is what lets a person decide.
 */
export default class WorldPolicy extends Service {
  static inject = ['tools', 'approval', 'worldClient']

  constructor(ctx) {
    super(ctx, 'worldPolicy')
    const { worldClient } = ctx
    ctx.on('tools/pre-execute', async (exec, next) => {
      const kind = KINDS.get(exec.name)
      if (kind === undefined) return next()
      const decision = await decide(worldClient, exec, kind)
      return decision ?? next()
    })
    ctx.on('tools/execute', (exec, next) => worldClient.duringToolCall(exec.callId, exec.name, next))
  }
}

/** Undefined: the tool may run. */
async function decide({ connection }, exec, kind) {
  const session = exec.agent?.session.id
  if (!session) return refused(`"${exec.name}" was called outside of any session`)
  try {
    const options = { session, deadlineMs: connection.deadlines.control, signal: exec.signal }
    const { mode, kinds } = await connection.get('session', options)
    if (Array.isArray(kinds) && kinds.includes(kind)) return undefined
    // The tools service asks, and refuses the call when nobody can answer.
    if (mode === 'ask') return { kind: 'ask' }
    return refused(`this session does not allow "${exec.name}"; do not try it again`)
  } catch (error) {
    return refused(`"${exec.name}" was not run, because nobody could say whether it may: ${error.message}`)
  }
}

const refused = (reason) => ({ kind: 'deny', reason })

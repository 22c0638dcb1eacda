// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

export const name = 'world-checkpoint'
export const inject = ['agents', 'sessions']

/**
 * Makes a turn durable in dsh's session log before its prompt is answered. Without it the log is written up
 * to 200 ms later, and a brain that is killed in between has forgotten what the user has already read.
 */
export function apply(ctx) {
  ctx.on('agent/turn-stopping', async ({ agent }) => {
    await ctx.sessions.flush(agent.session)
  })
}

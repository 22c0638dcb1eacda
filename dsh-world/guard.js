// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { Service } from '@deepseek-ai/cordis'
import LocalBashExecutor from '@deepseek-ai/dsh-bash-local'
import WorldClient from './client.js'
import WorldFs from './fs.js'
import WorldPolicy from './policy.js'
import WorldSubprocess from './subprocess.js'

/**
 * What may stand behind each name that reaches files or processes. A name without a class must not be
 * provided.
 */
const ALLOWED = new Map([
  ['worldClient', WorldClient],
  ['worldPolicy', WorldPolicy],
  ['fs', WorldFs],
  ['subprocess', WorldSubprocess],
  ['shell', LocalBashExecutor],
  ['spillStore', undefined],
  ['sandbox', undefined],
  ['terminals', undefined],
])

/** The first provider, in any isolated realm, that is not ours; undefined when all are. */
function intruder(store) {
  return Reflect.ownKeys(store).map((key) => store[key])
    .find((impl) => ALLOWED.has(impl.name) && impl.value?.constructor !== ALLOWED.get(impl.name))
}

const sentence = ({ name, value }) =>
  `world-guard: service "${name}" is provided by ${value?.constructor?.name}`

/**
 * `ctx.worldReady`, which the row `acp` waits for: exists only while files and processes are the hand's. A
 * provider of another kind at boot stops the boot; one that appears later stops the process, at once.
 */
export default class WorldGuard extends Service {
  static inject = [
    'worldClient', 'worldPolicy', 'fs', 'subprocess', 'shell', 'workingDirectory', 'tools', 'agents',
  ]

  constructor(ctx) {
    const { store } = ctx.reflect
    const found = intruder(store)
    if (found) throw new Error(sentence(found))
    super(ctx, 'worldReady')
    ctx.on('internal/service', () => {
      const late = intruder(store)
      if (!late) return
      process.stderr.write(`${sentence(late)}\n`)
      process.exit(1)
    }, { global: true })
  }
}

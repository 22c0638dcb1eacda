// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { homedir } from 'node:os'
import { posix } from 'node:path'

const within = (root, path) => path === root || path.startsWith(root === '/' ? '/' : `${root}/`)

/**
 * The places where dsh keeps configuration of the machine it runs on. They are no part of the hand's world:
 * the plugin answers them as absent, before any request, by the spelling of the path alone.
 */
export class HostPaths {
  constructor(env = process.env) {
    const home = env.HOME || homedir()
    const dsh = env.DSH_HOME || posix.join(home, '.dsh')
    const agents = env.DSH_AGENTS_HOME || posix.join(home, '.agents')
    this.roots = [posix.resolve(dsh), posix.resolve(agents)]
  }

  /** Whether `path`, absolute and lexically clean, lies under one of these roots. */
  has(path) {
    return this.roots.some((root) => within(root, path))
  }
}

/** Lexical containment of clean absolute paths; a path contains itself. */
export const contains = within

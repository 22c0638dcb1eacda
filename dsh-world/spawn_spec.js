// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

const MAX_GRACE_MS = 2_147_483_647
const HOST_RIPGREP = /\/@vscode\/ripgrep-[a-z0-9-]+\/bin\/rg$/

/** dsh's facts about its own host are nothing for the hand; a removed name is null on the wire. */
function wireEnvironment(env = {}) {
  const kept = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('DSH_'))
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? null]))
}

/** grep and glob name a binary of this host; in the hand it is `rg`. */
function wireProgram(argv) {
  if (HOST_RIPGREP.test(argv[0])) return { seam: 'search', argv: ['rg', ...argv.slice(1)] }
  return { seam: argv[0] === 'bash' && argv[1] === '-c' ? 'bash' : 'other', argv: [...argv] }
}

function wireOutput(mode, name) {
  if (mode === 'pipe') return { mode: 'pipe' }
  if (typeof mode !== 'object') throw new Error(`dsh-world: ${name} cannot be "${mode}" in a sandbox`)
  const spill = mode.spill === undefined ? {} : { spill_bytes: mode.spill.maxBytes }
  return { mode: 'collect', max_bytes: mode.maxBytes, ...spill }
}

function wireInput(stdin) {
  if (stdin === 'ignore') return { stdin: 'none' }
  if (stdin === 'pipe') return { stdin: 'pipe' }
  return { stdin: 'data', stdin_data: Buffer.from(stdin.data).toString('base64') }
}

/**
 * Throws for what the seam reports synchronously: no program, a bad grace period, a signal that already
 * fired.
 */
export function validate({ argv, graceMs, signal }) {
  if (!argv[0]) throw new Error('dsh-world: argv must contain a program')
  if (!Number.isFinite(graceMs) || graceMs <= 0 || graceMs > MAX_GRACE_MS) {
    throw new Error(`dsh-world: graceMs must be a positive number no greater than ${MAX_GRACE_MS}`)
  }
  signal?.throwIfAborted()
}

const label = (toolCall) => (toolCall === undefined ? {} : { tool_call: toolCall })

/** The body of process/spawn (docs/world-protocol.md section 5.1), for a tool call or for none. */
export function wireSpec({ argv, cwd, env, graceMs, stdio }, toolCall) {
  return {
    ...wireProgram(argv), cwd, env: wireEnvironment(env), grace_ms: Math.ceil(graceMs),
    ...wireInput(stdio.stdin),
    stdout: wireOutput(stdio.stdout, 'stdout'), stderr: wireOutput(stdio.stderr, 'stderr'),
    ...label(toolCall),
  }
}

/** The body of terminal/spawn (section 6). */
export function wireTerminal({ argv, cwd, env, rows, cols, terminalType, graceMs }, toolCall) {
  return {
    argv: [...argv], cwd, env: wireEnvironment(env), rows, cols, term: terminalType ?? 'xterm-256color',
    grace_ms: Math.ceil(graceMs), ...label(toolCall),
  }
}

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

const WAIT_MS = 20_000
const COLLECT = { maxBytes: 64_000, spill: { maxBytes: 1_048_576 } }

/** Polls until `check` gives a value; undefined after 20 s. */
async function until(check) {
  const limit = performance.now() + WAIT_MS
  for (;;) {
    const value = check()
    if (value || performance.now() > limit) return value
    await new Promise((resolve) => { setTimeout(resolve, 10) })
  }
}

const collected = (handle, name) => handle.collected[name]?.readFrom(0).text ?? null

async function outcome(handle) {
  const end = await handle.done
  return { ...end, stdout: collected(handle, 'stdout'), stderr: collected(handle, 'stderr') }
}

function open(subprocess, step, signal) {
  const { argv, cwd, env, stdin = 'ignore', stdout = COLLECT, stderr = COLLECT, graceMs = 1000, unset = [] } = step
  const whole = { ...env, ...Object.fromEntries(unset.map((name) => [name, undefined])) }
  const handle = subprocess.spawn({ argv, cwd, env: whole, stdio: { stdin, stdout, stderr }, graceMs, signal })
  handle.done.catch(() => {})
  handle.shown = () => ({ stdin: !!handle.stdin, stdout: !!handle.stdout, collected: !!handle.collected.stdout })
  return handle
}

async function openTerminal(subprocess, { argv, cwd, env, rows, cols, graceMs = 1000 }, signal) {
  const handle = await subprocess.spawnTerminal({ argv, cwd, env, rows, cols, graceMs, signal })
  handle.text = ''
  handle.output.on('data', (bytes) => { handle.text += bytes.toString('utf8') })
  handle.shown = () => ({ pid: handle.pid })
  return handle
}

/** Steps about processes and terminals; a handle is named with `of`. */
export const processOps = (subprocess) => ({
  which: ({ command, env }, signal) => subprocess.resolveExecutable(command, env, signal),
  spawn: (step, signal) => open(subprocess, step, signal),
  sh: async ({ command, cwd, stdin }) =>
    outcome(open(subprocess, { argv: ['bash', '-c', command], cwd, stdin })),
  outcome: ({ of }) => outcome(of),
  read: ({ of, stream = 'stdout', offset = 0 }) => of.collected[stream].readFrom(offset),
  see: async ({ of, text }) => !!(await until(() => collected(of, 'stdout').includes(text))),
  spill: async ({ of }) => {
    await of.done
    return of.collected.stdout.readFrom(0).spillPath ?? null
  },
  piped: async ({ of }) => Buffer.concat(await Array.fromAsync(of.stdout)).toString('base64'),
  feed: ({ of, data, end }) => new Promise((resolve, reject) => {
    const done = (error) => (error ? reject(error) : resolve(null))
    if (end) of.stdin.end(data, done)
    else of.stdin.write(data, done)
  }),
  terminate: ({ of, times = 1 }) => {
    for (let i = 0; i < times; i += 1) of.terminate()
  },
  gone: ({ of, ms }) => of.waitForExit(ms === undefined ? undefined : AbortSignal.timeout(ms)),

  terminal: (step, signal) => openTerminal(subprocess, step, signal),
  type: ({ of, data }) => of.write(data),
  seeTerminal: async ({ of, text }) => !!(await until(() => of.text.includes(text))),
  resize: ({ of, cols, rows }) => of.resize(cols, rows),
  foreground: ({ of }) => of.inspectForeground(),
  signal: ({ of, name }) => of.signalForeground(name),
  endTerminal: async ({ of }) => {
    await of.terminate()
    await of.terminate()
  },
  terminalDone: ({ of }) => of.done,
})

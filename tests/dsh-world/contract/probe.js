// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// A row for tests: the tool `contract` plays the steps of a table against ctx.fs and ctx.subprocess, as a tool
// of the composition does. One step is {do, as?, abort?, …arguments}; `$name.member` is a value of an earlier step.
import { defineTool } from '@deepseek-ai/dsh-tools'
import { processOps } from './contract_process.js'

export const name = 'contract-probe'
export const inject = ['tools', 'fs', 'subprocess']

const base64 = (bytes) => Buffer.from(bytes).toString('base64')

async function pieces(source, limit = Infinity) {
  let text = ''
  let count = 0
  for await (const piece of source) {
    text += piece
    count += 1
    if (count >= limit) break
  }
  return { text, count }
}

const fileOps = (fs) => ({
  resolve: ({ path, cwd }, signal) => fs.resolve(path, { cwd, signal }),
  stat: ({ of }, signal) => fs.stat(of, signal),
  lstat: ({ path, cwd }, signal) => fs.lstat(path, { cwd }, signal),
  list: ({ of }, signal) => fs.listDir(of, signal),
  text: ({ of }, signal) => fs.readText(of, signal),
  stream: async ({ of, pieces: limit }, signal) => pieces(await fs.streamText(of, signal), limit),
  bytes: async ({ of, limit }, signal) => base64(await fs.readBytes(of, signal, limit)),
  range: async ({ of, offset, length }, signal) => base64(await fs.readByteRange(of, { offset, length }, signal)),
  write: ({ of, text, expected }, signal) => fs.writeText(of, text, expected, signal),
  edit: ({ of, old, new: fresh, all, expected }, signal) =>
    fs.editText(of, { oldString: old, newString: fresh, replaceAll: all === true }, expected, signal),
  paths: ({ of }) => ({ path: fs.processPath(of), url: fs.fileUrl(of), mode: fs.sandboxMode ?? null }),
  contains: ({ parent, child }) => fs.contains(parent, child),
  hostPath: ({ path }) => fs.processPathFromHostPath(path) ?? null,
})

/** Replaces `$name.member` by a value and `$$` by one `$`. */
function resolved(value, values) {
  if (Array.isArray(value)) return value.map((item) => resolved(item, values))
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, values)]))
  }
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  if (value.startsWith('$$')) return value.slice(1)
  return value.slice(1).split('.').reduce((found, member) => found[member], values)
}

/** What of a value can be shown as JSON. */
const shown = (value) => (value?.shown ? value.shown() : value ?? null)

function signalOf(abort) {
  if (abort === undefined) return undefined
  return abort === 0 ? AbortSignal.abort() : AbortSignal.timeout(abort)
}

async function play(step, ops, values) {
  if (step.do === 'all') return { ok: await Promise.all(step.steps.map((one) => play(one, ops, values))) }
  try {
    if (step.do === 'same') return { ok: Object.is(resolved(step.a, values), resolved(step.b, values)) }
    const value = await ops[step.do](resolved({ ...step, as: undefined }, values), signalOf(step.abort))
    if (step.as) values[step.as] = value
    return { ok: shown(value) }
  } catch (error) {
    return { error: error.code ?? error.constructor.name, message: error.message }
  }
}

async function playAll(steps, ops) {
  const values = {}
  const results = []
  for (const step of steps) results.push(await play(step, ops, values))
  return results
}

export function apply(ctx) {
  ctx.tools.register(defineTool({
    name: 'contract',
    description: 'Plays steps against the providers.',
    parameters: { script: { type: 'string', required: true, description: 'JSON array of steps' } },
    output: {
      schema: { type: 'object', additionalProperties: false, properties: { results: { type: 'string', required: true } } },
      render: (_args, { results }) => [{ type: 'text', text: results }],
    },
    async execute({ script }) {
      const ops = { ...fileOps(ctx.fs), ...processOps(ctx.subprocess) }
      return { results: JSON.stringify(await playAll(JSON.parse(script), ops)) }
    },
  }))
}

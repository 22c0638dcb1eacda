// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// What every scenario of the JavaScript SDK shares. The environment says which SDK (SDKS, SDK), where the service is
// (E2B_*), in which order the tests of a file run (ORDER: forward or reverse) and how many at once (TOGETHER).
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, it } from 'node:test'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(process.env.SDKS, 'node', 'package.json'))

/** The pinned SDK: `e2b`, or `e2b-v1` for the last line of it that speaks the first generation of the control plane. */
export const sdk = await import(pathToFileURL(require.resolve(process.env.SDK ?? 'e2b')).href)
export const { Sandbox } = sdk
export const DEADLINE = 30_000
export const TEMPLATE = 'base'

/** Whether it is that older line, which lacks some methods and options. */
const OLD = !('E2B' in sdk)

/** How long a sandbox of these scenarios may live; each one is killed by its test or its file. */
export const LIFE = { timeoutMs: 600_000 }

/**
 * The scenarios of one area: `define(test)` calls test(name, body), with { old: false } when the older SDK has not the
 * methods for it. With `shared`, one sandbox (made with these options)
 * serves them all: body({ sandbox, dir, own }) has it, a directory of its own in it, and own(options), which makes a
 * sandbox that ends with the test.
 */
export function area(name, shared, define) {
  const tests = []
  define((title, body, { old = true } = {}) => { if (old || !OLD) tests.push([title, body]) })
  if (process.env.ORDER === 'reverse') tests.reverse()
  describe(name, { concurrency: Number(process.env.TOGETHER ?? 1) }, () => {
    let sandbox
    if (shared) {
      before(async () => { sandbox = await Sandbox.create(TEMPLATE, { ...LIFE, ...shared }) })
      after(() => sandbox?.kill())
    }
    tests.forEach(([title, body]) => it(title, (t) => body(fixtures(t, sandbox))))
  })
}

let directories = 0
function fixtures(t, sandbox) {
  const own = async (options = {}) => {
    const made = await Sandbox.create(TEMPLATE, { ...LIFE, ...options })
    t.after(() => made.kill())
    return made
  }
  return { t, sandbox, own, dir: `/home/user/d${process.pid}-${++directories}` }
}

/** A value that a second caller of these tests on the same service does not use. */
export const unique = () => `u${process.pid}-${Math.random().toString(36).slice(2)}`

/** Waits until `ask()` answers something true and returns it; `what` may be a function, asked when it never comes. */
export async function until(ask, what) {
  const end = Date.now() + DEADLINE
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) assert.fail(`not in time: ${typeof what === 'function' ? what() : what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The error of a call that must fail, checked to be of this class. */
export async function failure(promise, kind) {
  const error = await promise.then((value) => assert.fail(`no error but ${JSON.stringify(value)}`), (reason) => reason)
  assert.ok(error instanceof kind, `${kind.name} expected, not ${error?.stack ?? error}`)
  return error
}

/** One request to a port of the sandbox, the way a browser names it: by the host that the SDK gives. */
export function ask(sandbox, port, { path = '/', headers = {}, method = 'GET' } = {}) {
  const { hostname, port: service } = new URL(process.env.E2B_SANDBOX_URL)
  const host = sandbox.getHost(port)
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port: service, path, method, headers: { host, ...headers } }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString() }))
    })
    request.on('error', reject)
    request.end()
  })
}

/** Starts a static file server in the sandbox and waits until it answers inside. */
export async function serve(sandbox, port, bind = '127.0.0.1') {
  const server = await sandbox.commands.run(`python3 -m http.server ${port} --bind ${bind}`, { background: true, timeoutMs: 0 })
  await sandbox.commands.run(`until (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.05; done`)
  return server
}

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// What the control plane refuses, and requests that are given up.
import assert from 'node:assert/strict'
import { area, failure, Sandbox, sdk } from './support.mjs'

const { AuthenticationError, SandboxError } = sdk
const stranger = { apiKey: `e2b_${'0'.repeat(40)}` }

area('errors', null, (test) => {
  test('a key that is not known', async ({ own }) => {
    const sandbox = await own()
    assert.match((await failure(Sandbox.create('base', stranger), AuthenticationError)).message, /Invalid API key/)
    await failure(Sandbox.list(stranger).nextItems(), AuthenticationError)
    await failure(Sandbox.getInfo(sandbox.sandboxId, stranger), AuthenticationError)
    await failure(Sandbox.kill(sandbox.sandboxId, stranger), AuthenticationError)
    assert.equal(await sandbox.isRunning(), true)
  })

  test('a template that is not there', async () => {
    assert.match((await failure(Sandbox.create('no-such-template'), SandboxError)).message, /^404/)
  })

  test('times that cannot be', async ({ own }) => {
    await failure(Sandbox.create('base', { timeoutMs: 0 }), SandboxError)
    await failure(Sandbox.create('base', { timeoutMs: -1000 }), SandboxError)
    await failure(Sandbox.create('base', { timeoutMs: 1e12 }), SandboxError)
    const sandbox = await own()
    await failure(sandbox.connect({ timeoutMs: 1e12 }), SandboxError)
  })

  test('ids that cannot be', async () => {
    await failure(Sandbox.getInfo('Not An Id'), Error)
    await failure(Sandbox.connect('../../etc'), Error)
  })

  test('an impatient or aborted request', async ({ own }) => {
    const sandbox = await own()
    await failure(sandbox.getInfo({ signal: AbortSignal.abort() }), Error)
    assert.equal((await failure(Sandbox.create('base', { timeoutMs: 60_000, requestTimeoutMs: 1 }), Error)).name, 'TimeoutError')
    await failure(sandbox.files.list('/', { signal: AbortSignal.abort() }), Error)
    assert.equal((await sandbox.getInfo()).state, 'running')
  })
})

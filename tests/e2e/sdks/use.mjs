// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// What a user of the official JavaScript SDK does; the environment says where. Prints one JSON object.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(process.env.SDKS, 'node', 'package.json'))
const { CommandExitError, NotFoundError, Sandbox, SandboxNotFoundError } = await import(pathToFileURL(require.resolve('e2b')).href)

const seen = {}
const sandbox = await Sandbox.create('base', { metadata: { sdk: 'js one' }, envs: { GREETING: 'hi' }, timeoutMs: 120_000 })
try {
  seen.running = await sandbox.isRunning()
  const done = await sandbox.commands.run('echo "$GREETING"; echo oops >&2; whoami')
  seen.stdout = done.stdout
  seen.stderr = done.stderr
  seen.failed = await sandbox.commands.run('exit 7').catch((error) => error instanceof CommandExitError && error.exitCode)
  seen.root = (await sandbox.commands.run('id -u', { user: 'root' })).stdout
  await sandbox.files.write('notes/a.txt', 'héllo')
  seen.read = await sandbox.files.read('notes/a.txt')
  seen.listed = (await sandbox.files.list('notes')).map((entry) => `${entry.type} ${entry.path}`)
  seen.missing = await sandbox.files.read('none').catch((error) => error instanceof NotFoundError)
  const background = await sandbox.commands.run('sleep 100', { background: true })
  seen.processes = (await sandbox.commands.list()).some((one) => one.pid === background.pid)
  seen.killedCommand = await sandbox.commands.kill(background.pid)
  await sandbox.setTimeout(90_000)
  seen.state = (await sandbox.getInfo()).state
  const pages = Sandbox.list({ query: { metadata: { sdk: 'js one' } } })
  seen.found = (await pages.nextItems()).some((one) => one.sandboxId === sandbox.sandboxId)
  seen.again = (await (await Sandbox.connect(sandbox.sandboxId)).commands.run('echo again')).stdout
} finally {
  seen.killed = await sandbox.kill()
}
seen.killedTwice = await sandbox.kill()
seen.gone = await sandbox.isRunning()
seen.lost = await Sandbox.connect(sandbox.sandboxId).catch((error) => error instanceof SandboxNotFoundError)
console.log(JSON.stringify(seen))

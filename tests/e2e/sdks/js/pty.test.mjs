// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// Terminals: size, input, output, environment, connecting again, ending them.
import assert from 'node:assert/strict'
import { area, failure, sdk, until } from './support.mjs'

const { CommandExitError, InvalidArgumentError, NotFoundError, SandboxError } = sdk
const bytes = (text) => new TextEncoder().encode(text)

/** A terminal whose output is collected; type(text) sends keys, seen() is all it showed, shows(pattern) waits. */
async function terminal(sandbox, options = {}) {
  let text = ''
  const decoder = new TextDecoder()
  const onData = (data) => { text += decoder.decode(data, { stream: true }) }
  const handle = await sandbox.pty.create({ cols: 80, rows: 24, onData, ...options })
  return {
    handle,
    pid: handle.pid,
    seen: () => text,
    type: (keys) => sandbox.pty.sendInput(handle.pid, bytes(keys)),
    shows: (pattern) => until(() => pattern.exec(text), () => `${pattern} in ${JSON.stringify(text.slice(-300))}`),
  }
}

area('pty', { envs: { OF_CREATE: 'created' } }, (test) => {
  test('a terminal has the size asked for and shows what is typed', async ({ sandbox }) => {
    const one = await terminal(sandbox, { cols: 93, rows: 31 })
    assert.ok(one.pid > 0)
    await one.type('stty size; echo "d""one"\n')
    await one.shows(/31 93\r\n/)
    await one.shows(/done\r\n/)
    assert.match(one.seen(), /stty size/)
    assert.equal(await sandbox.pty.kill(one.pid), true)
  })

  test('resize reaches the terminal and what runs in it', async ({ sandbox }) => {
    const one = await terminal(sandbox)
    // In the foreground until it is interrupted: nobody else hears of a resize.
    await one.type(`stty size; sh -c 'trap "echo changed" WINCH; echo re""ady; while :; do sleep 0.1; done'\n`)
    await one.shows(/24 80\r\n/)
    await one.shows(/ready\r\n/)
    await sandbox.pty.resize(one.pid, { cols: 120, rows: 50 })
    await one.shows(/changed\r\n/)
    await one.type('\x03')
    await one.shows(/\^C[^]*\$ $/) // the shell reads again: before that an interrupt may take what is typed
    await one.type('stty size\n')
    await one.shows(/50 120\r\n/)
    await sandbox.pty.kill(one.pid)
  })

  test('its environment, user and folder', async ({ sandbox }) => {
    const one = await terminal(sandbox, { user: 'root', cwd: '/tmp', envs: { MINE: 'yes' } })
    await one.type('echo "<$(id -un) $PWD $MINE $OF_CREATE $TERM $LANG>"\n')
    await one.shows(/<root \/tmp yes created xterm-256color C\.UTF-8>\r\n/)
    await one.type('exit\n')
    assert.equal((await one.handle.wait()).exitCode, 0)
  })

  test('the exit code of its shell', async ({ sandbox }) => {
    const one = await terminal(sandbox)
    await one.type('exit 9\n')
    assert.equal((await failure(one.handle.wait(), CommandExitError)).exitCode, 9)
  })

  test('Ctrl-C interrupts, Ctrl-D ends', async ({ sandbox }) => {
    const one = await terminal(sandbox)
    await one.type('echo "rea""dy"; sleep 100\n')
    await one.shows(/ready\r\n/)
    await one.type('\x03')
    await one.shows(/\^C[^]*\$ $/) // as above
    await one.type('echo "status=$""?"\n')
    await one.type('echo "go""ne on"\n')
    await one.shows(/gone on\r\n/)
    await one.type('\x04')
    await one.handle.wait()
  })

  test('connecting again: same pid, further output, and after disconnect it lives', async ({ sandbox }) => {
    const one = await terminal(sandbox)
    await one.type('echo "fir""st"\n')
    await one.shows(/first\r\n/)
    await one.handle.disconnect()
    let text = ''
    const again = await sandbox.pty.connect(one.pid, { onData: (data) => { text += Buffer.from(data) } })
    assert.equal(again.pid, one.pid)
    await one.type('echo "sec""ond"\n')
    await until(() => text.includes('second\r\n'), 'what the second connection sees')
    assert.ok(!text.includes('first\r\n'))
    await one.type('exit\n')
    assert.equal((await again.wait()).exitCode, 0)
  })

  test('it is on the list of commands until it is killed', async ({ sandbox }) => {
    const one = await terminal(sandbox, { timeoutMs: 0 })
    const found = (await sandbox.commands.list()).find((each) => each.pid === one.pid)
    assert.deepEqual([found.cmd, found.args, found.envs.TERM], ['/bin/bash', ['-i', '-l'], 'xterm-256color'])
    assert.equal(await sandbox.pty.kill(one.pid), true)
    await failure(one.handle.wait(), CommandExitError)
    assert.equal(await sandbox.pty.kill(one.pid), false)
    assert.ok(!(await sandbox.commands.list()).some((each) => each.pid === one.pid))
  })

  test('what runs in a killed terminal hears of it', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const one = await terminal(sandbox)
    await one.type(`bash -c 'trap "echo > ${dir}/hup; exit" HUP; echo "star""ted"; while :; do sleep 0.1; done'\n`)
    await one.shows(/started\r\n/)
    await one.handle.kill()
    await until(() => sandbox.files.exists(`${dir}/hup`), 'the hang-up')
  })

  test('much input and output pass whole', async ({ sandbox }) => {
    const one = await terminal(sandbox)
    await one.type('stty -echo raw; echo "rea""dy"; head -c 200000 | tr -d "\\n" | wc -c; stty sane; echo "o""ver"\n')
    await one.shows(/ready\n/)
    await one.type('y'.repeat(100_000))
    await one.type('z'.repeat(100_000))
    await one.shows(/200000/)
    await one.type('seq 20000 | tail -n 1; head -c 300000 /dev/zero | tr "\\0" w | wc -c\n')
    await one.shows(/300000/)
    await sandbox.pty.kill(one.pid)
  })

  test('input for the wrong kind and for nobody is an error', async ({ sandbox }) => {
    const one = await terminal(sandbox)
    await failure(sandbox.commands.sendStdin(one.pid, 'x'), SandboxError)
    await failure(sandbox.commands.closeStdin(one.pid), SandboxError)
    const command = await sandbox.commands.run('cat', { background: true, stdin: true })
    await failure(sandbox.pty.sendInput(command.pid, bytes('x')), SandboxError)
    await failure(sandbox.pty.resize(command.pid, { cols: 1, rows: 1 }), SandboxError)
    await failure(sandbox.pty.sendInput(999_999, bytes('x')), NotFoundError)
    await failure(sandbox.pty.resize(999_999, { cols: 1, rows: 1 }), NotFoundError)
    await failure(sandbox.pty.connect(999_999), NotFoundError)
    assert.equal(await sandbox.pty.kill(999_999), false)
    await Promise.all([command.kill(), sandbox.pty.kill(one.pid)])
  })

  test('a folder that does not exist', async ({ sandbox }) => {
    await failure(sandbox.pty.create({ cols: 80, rows: 24, cwd: '/no/such', onData: () => {} }), InvalidArgumentError)
  })
})

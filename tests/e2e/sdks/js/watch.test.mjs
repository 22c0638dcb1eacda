// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// files.watchDir: events of a folder and below it, what comes with them, how a watch ends.
import assert from 'node:assert/strict'
import { area, failure, sdk, until } from './support.mjs'

const { FileNotFoundError, InvalidArgumentError, TimeoutError } = sdk

/** A watch whose events are collected; sees(type, name) waits for one and returns it. */
async function watch(sandbox, path, options = {}) {
  const events = []
  const handle = await sandbox.files.watchDir(path, (event) => { events.push(event) }, { timeoutMs: 0, ...options })
  const find = (type, name) => events.find((event) => event.type === type && event.name === name)
  const sees = (type, name) => until(() => find(type, name), () => `${type} ${name} in ${JSON.stringify(events)}`)
  return { handle, events, find, sees }
}

area('watch', {}, (test) => {
  test('create, write, chmod, rename and remove by relative names', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const seen = await watch(sandbox, dir)
    await sandbox.files.write(`${dir}/a`, '1')
    await seen.sees('create', 'a')
    await seen.sees('write', 'a')
    await sandbox.commands.run(`chmod 600 ${dir}/a`)
    await seen.sees('chmod', 'a')
    await sandbox.files.rename(`${dir}/a`, `${dir}/b`)
    await seen.sees('rename', 'a')
    await seen.sees('create', 'b')
    await sandbox.files.remove(`${dir}/b`)
    await seen.sees('remove', 'b')
    await seen.handle.stop()
  })

  test('the order of one upload', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const seen = await watch(sandbox, dir)
    await sandbox.files.write(`${dir}/a`, '1')
    await seen.sees('write', 'a')
    assert.equal(seen.events[0].type, 'create')
    assert.deepEqual(new Set(seen.events.map((event) => event.name)), new Set(['a']))
    await seen.handle.stop()
  })

  test('a write into what is there already', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/a`, '1')
    const seen = await watch(sandbox, dir.slice('/home/user/'.length))
    await sandbox.files.write(`${dir}/a`, '2')
    await seen.sees('write', 'a')
    assert.equal(seen.find('create', 'a'), undefined)
    await seen.handle.stop()
  })

  test('without recursive nothing below is told', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(`${dir}/sub`)
    const seen = await watch(sandbox, dir)
    await sandbox.files.write(`${dir}/sub/deep`, '1')
    await sandbox.files.write(`${dir}/last`, '1')
    await seen.sees('write', 'last')
    assert.ok(!seen.events.some((event) => event.name.includes('deep')))
    await seen.handle.stop()
  })

  test('recursive: what is there, what comes later, and the first file in it', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(`${dir}/old/er`)
    const seen = await watch(sandbox, dir, { recursive: true })
    await sandbox.files.write(`${dir}/old/er/f`, '1')
    await seen.sees('write', 'old/er/f')
    for (let i = 0; i < 10; i++) {
      await sandbox.commands.run(`mkdir -p ${dir}/n${i}/m && echo 1 > ${dir}/n${i}/m/f`)
      await seen.sees('create', `n${i}`)
      await seen.sees('create', `n${i}/m`)
      await seen.sees('write', `n${i}/m/f`)
    }
    await sandbox.files.rename(`${dir}/n0`, `${dir}/moved`)
    await seen.sees('create', 'moved')
    await sandbox.files.write(`${dir}/moved/m/g`, '1')
    await seen.sees('write', 'moved/m/g')
    await seen.handle.stop()
  })

  test('entries come with what still exists', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const seen = await watch(sandbox, dir, { includeEntry: true })
    await sandbox.files.write(`${dir}/a`, 'abc')
    await until(() => seen.events.some((event) => event.type === 'write' && event.entry?.size === 3), 'the entry of a write')
    const { entry } = seen.events.findLast((event) => event.type === 'write')
    assert.deepEqual([entry.name, entry.path, entry.type, entry.owner], ['a', `${dir}/a`, 'file', 'user'])
    await sandbox.files.remove(`${dir}/a`)
    assert.equal((await seen.sees('remove', 'a')).entry, undefined)
    await seen.handle.stop()
    const plain = await watch(sandbox, dir)
    await sandbox.files.write(`${dir}/b`, '1')
    assert.equal((await plain.sees('write', 'b')).entry, undefined)
    await plain.handle.stop()
  })

  test('several watches of one folder; each ends alone', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const [first, second] = await Promise.all([watch(sandbox, dir), watch(sandbox, dir)])
    await first.handle.stop()
    await sandbox.files.write(`${dir}/a`, '1')
    await second.sees('write', 'a')
    assert.deepEqual(first.events, [])
    await second.handle.stop()
  })

  test('what cannot be watched', async ({ sandbox, dir }) => {
    await failure(sandbox.files.watchDir(`${dir}/none`, () => {}), FileNotFoundError)
    await sandbox.files.write(`${dir}/file`, '')
    await failure(sandbox.files.watchDir(`${dir}/file`, () => {}), InvalidArgumentError)
  })

  test('network mounts are a flag and make no difference elsewhere', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const seen = await watch(sandbox, dir, { allowNetworkMounts: true, user: 'root' })
    await sandbox.files.write(`${dir}/a`, '1')
    await seen.sees('write', 'a')
    await seen.handle.stop()
  })

  test('stop ends a watch, once', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const ends = []
    const seen = await watch(sandbox, dir, { onExit: (error) => { ends.push(error) } })
    await seen.handle.stop()
    await until(() => ends.length, 'the end of the watch')
    await sandbox.files.write(`${dir}/a`, '1')
    assert.deepEqual([ends.length, seen.events], [1, []])
  })

  test('its time limit ends a watch with an error', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const ends = []
    await watch(sandbox, dir, { timeoutMs: 2_000, onExit: (error) => { ends.push(error) } })
    await until(() => ends.length, 'the end of the watch')
    assert.ok(ends[0] instanceof TimeoutError, ends[0])
  })

  test('the end of the sandbox ends a watch with an error', async ({ own }) => {
    const sandbox = await own()
    const ends = []
    await watch(sandbox, '/home/user', { onExit: (error) => { ends.push(error) } })
    await sandbox.kill()
    await until(() => ends.length, 'the end of the watch')
    assert.match(ends[0].message, /sandbox was killed or reached its end of life/)
  }, { old: false })

  test('a burst of files is told whole', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    const seen = await watch(sandbox, dir)
    await sandbox.commands.run(`cd ${dir} && seq -f f%g 500 | xargs touch && echo > last`)
    await seen.sees('write', 'last')
    assert.equal(new Set(seen.events.filter((event) => event.type === 'create').map((event) => event.name)).size, 501)
    await seen.handle.stop()
  })
})

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// Snapshots as templates, and forks.
import assert from 'node:assert/strict'
import { area, failure, Sandbox, sdk, unique } from './support.mjs'

const { SandboxError, SandboxNotFoundError } = sdk

async function all(pages) {
  const found = []
  while (pages.hasNext) found.push(...(await pages.nextItems()))
  return found.map((one) => one.snapshotId)
}

area('snapshots', null, (test) => {
  test('a snapshot makes sandboxes like the one it was taken of', async ({ t, own }) => {
    const sandbox = await own()
    await sandbox.files.write('/home/user/f', 'then')
    const { snapshotId, names } = await sandbox.createSnapshot()
    t.after(() => Sandbox.deleteSnapshot(snapshotId))
    assert.deepEqual(names, [])
    assert.equal(await sandbox.isRunning(), true)
    await sandbox.files.write('/home/user/f', 'later')

    const copy = await Sandbox.create(snapshotId)
    t.after(() => copy.kill())
    assert.notEqual(copy.sandboxId, sandbox.sandboxId)
    assert.equal(await copy.files.read('/home/user/f'), 'then')
    await copy.files.write('/home/user/f', 'in the copy')
    assert.equal(await sandbox.files.read('/home/user/f'), 'later')
  })

  test('it outlives its sandbox, and is gone once deleted', async ({ t, own }) => {
    const sandbox = await own()
    await sandbox.files.write('/home/user/f', 'kept')
    const { snapshotId } = await Sandbox.createSnapshot(sandbox.sandboxId)
    await sandbox.kill()
    const copy = await Sandbox.create(snapshotId)
    t.after(() => copy.kill())
    assert.equal(await copy.files.read('/home/user/f'), 'kept')
    assert.equal(await Sandbox.deleteSnapshot(snapshotId), true)
    assert.equal(await Sandbox.deleteSnapshot(snapshotId), false)
    await failure(Sandbox.create(snapshotId), SandboxError)
    assert.equal(await copy.files.read('/home/user/f'), 'kept')
  })

  test('names, lists and pages', async ({ t, own }) => {
    const sandbox = await own()
    const name = unique()
    const made = []
    for (const options of [{ name }, {}, {}]) {
      const one = await sandbox.createSnapshot(options)
      t.after(() => Sandbox.deleteSnapshot(one.snapshotId))
      made.push(one)
    }
    assert.equal(made[0].names.length, 1)
    assert.match(made[0].names[0], new RegExp(name))
    const ids = made.map((one) => one.snapshotId)
    assert.equal(new Set(ids).size, 3)
    assert.deepEqual((await all(sandbox.listSnapshots())).sort(), ids.toSorted())
    assert.deepEqual((await all(Sandbox.listSnapshots({ sandboxId: sandbox.sandboxId, limit: 1 }))).sort(), ids.toSorted())
    assert.deepEqual(await all(Sandbox.listSnapshots({ name })), [ids[0]])
    assert.ok(ids.every(async (id) => (await all(Sandbox.listSnapshots())).includes(id)))
    const copy = await Sandbox.create(name)
    t.after(() => copy.kill())
    assert.equal(await copy.isRunning(), true)
  }, { old: false })

  test('a snapshot of nobody', async ({ own }) => {
    const sandbox = await own()
    await sandbox.kill()
    await failure(sandbox.createSnapshot(), SandboxNotFoundError)
    assert.equal(await Sandbox.deleteSnapshot('none:default'), false)
  })

  test('forks have the files and go their own ways', async ({ t, own }) => {
    const sandbox = await own({ envs: { FORKED: 'yes' } })
    await sandbox.files.write('/home/user/f', 'before')
    const forks = await sandbox.fork({ count: 2, timeoutMs: 120_000 })
    t.after(() => Promise.all(forks.map((fork) => fork.kill?.())))
    assert.ok(forks.every((fork) => fork instanceof Sandbox), forks)
    assert.equal(new Set([sandbox, ...forks].map((one) => one.sandboxId)).size, 3)
    for (const fork of forks) {
      assert.equal((await fork.commands.run('cat /home/user/f; echo $FORKED')).stdout, 'beforeyes\n')
      await fork.files.write('/home/user/f', fork.sandboxId)
    }
    assert.equal(await sandbox.files.read('/home/user/f'), 'before')
    assert.equal(await forks[0].files.read('/home/user/f'), forks[0].sandboxId)
    assert.equal(await sandbox.isRunning(), true)
  }, { old: false })

  test('a fork by id, and none of what is paused or gone', async ({ t, own }) => {
    const sandbox = await own()
    const [fork] = await Sandbox.fork(sandbox.sandboxId)
    t.after(() => fork.kill?.())
    assert.equal(await fork.isRunning(), true)
    await sandbox.pause()
    await failure(sandbox.fork(), SandboxError)
    await sandbox.kill()
    await failure(sandbox.fork(), SandboxNotFoundError)
    await failure(fork.fork({ count: 0 }), SandboxError)
  }, { old: false })
})

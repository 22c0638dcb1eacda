// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// files: what is there, lists, folders, moving, removing.
import assert from 'node:assert/strict'
import { area, failure, sdk } from './support.mjs'

const { FileNotFoundError, InvalidArgumentError, NotFoundError, SandboxError } = sdk
const names = (entries) => entries.map((entry) => entry.name)

area('files', {}, (test) => {
  test('everything about a file', async ({ sandbox, dir }) => {
    const path = `${dir}/a.txt`
    const before = Date.now()
    assert.deepEqual(await sandbox.files.write(path, 'héllo'), { name: 'a.txt', path, type: 'file', metadata: undefined })
    const info = await sandbox.files.getInfo(path)
    const { modifiedTime, symlinkTarget, ...rest } = info
    assert.deepEqual(rest, { name: 'a.txt', path, type: 'file', size: 6, mode: 0o644, permissions: '-rw-r--r--', owner: 'user', group: 'user', metadata: undefined })
    assert.ok(Math.abs(modifiedTime.getTime() - before) < 600_000)
    assert.equal(symlinkTarget, undefined)
    const folder = await sandbox.files.getInfo(dir)
    assert.deepEqual([folder.type, folder.permissions, folder.mode, folder.owner], ['dir', 'drwxr-xr-x', 0o755, 'user'])
  })

  test('links: to a file, to a folder, to nothing', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/target`, 'x')
    await sandbox.commands.run('chmod 600 target && ln -s target link && mkdir inner && ln -s inner folder && ln -s none broken', { cwd: dir })
    const link = await sandbox.files.getInfo(`${dir}/link`)
    assert.deepEqual([link.name, link.type, link.mode, link.symlinkTarget], ['link', 'file', 0o600, `${dir}/target`])
    assert.match(link.permissions, /^L/)
    assert.equal((await sandbox.files.getInfo(`${dir}/folder`)).type, 'dir')
    assert.deepEqual(names(await sandbox.files.list(dir)).sort(), ['folder', 'inner', 'link', 'target'])
    assert.equal(await sandbox.files.exists(`${dir}/broken`), true)
  })

  test('what does not exist', async ({ sandbox, dir }) => {
    assert.equal(await sandbox.files.exists(`${dir}/none`), false)
    const error = await failure(sandbox.files.getInfo(`${dir}/none`), FileNotFoundError)
    assert.ok(error instanceof NotFoundError)
    await failure(sandbox.files.list(`${dir}/none`), FileNotFoundError)
    await failure(sandbox.files.read(`${dir}/none`), FileNotFoundError)
    await failure(sandbox.files.rename(`${dir}/none`, `${dir}/other`), FileNotFoundError)
    await sandbox.files.remove(`${dir}/none`)
  })

  test('lists: depth, order, kinds', async ({ sandbox, dir }) => {
    await sandbox.commands.run(`mkdir -p ${dir}/a/b/c ${dir}/z && touch ${dir}/f ${dir}/a/f1 ${dir}/a/b/f2 ${dir}/a/b/c/f3`)
    const at = async (depth) => (await sandbox.files.list(dir, { depth })).map((entry) => entry.path.slice(dir.length + 1))
    assert.deepEqual(names(await sandbox.files.list(dir)), ['a', 'f', 'z'])
    assert.deepEqual(await at(1), ['a', 'f', 'z'])
    assert.deepEqual(await at(2), ['a', 'a/b', 'a/f1', 'f', 'z'])
    assert.deepEqual(await at(3), ['a', 'a/b', 'a/b/c', 'a/b/f2', 'a/f1', 'f', 'z'])
    assert.deepEqual(await at(9), ['a', 'a/b', 'a/b/c', 'a/b/c/f3', 'a/b/f2', 'a/f1', 'f', 'z'])
    await failure(sandbox.files.list(dir, { depth: 0 }), InvalidArgumentError)
    await failure(sandbox.files.list(`${dir}/f`), SandboxError)
    assert.deepEqual(await sandbox.files.list(`${dir}/z`), [])
  })

  test('a list through a link keeps the name that was asked', async ({ sandbox, dir }) => {
    await sandbox.commands.run(`mkdir -p ${dir}/real/in && ln -s real ${dir}/way && ln -s loop ${dir}/loop`)
    assert.deepEqual((await sandbox.files.list(`${dir}/way`)).map((entry) => entry.path), [`${dir}/way/in`])
    await failure(sandbox.files.list(`${dir}/loop`), SandboxError)
  })

  test('a large folder', async ({ sandbox, dir }) => {
    await sandbox.commands.run(`mkdir -p ${dir} && cd ${dir} && seq -f f%05g 2000 | xargs touch`)
    const found = names(await sandbox.files.list(dir))
    assert.deepEqual([found.length, found[0], found[1999]], [2000, 'f00001', 'f02000'])
  })

  test('paths: relative, home, another user, spaces and letters of all kinds', async ({ sandbox, dir }) => {
    const relative = dir.slice('/home/user/'.length)
    const name = `it's a "näme" 🦊 & more?#%20`
    assert.equal((await sandbox.files.write(`${relative}/${name}`, 'x')).path, `${dir}/${name}`)
    assert.equal(await sandbox.files.read(`~/${relative}/${name}`), 'x')
    assert.deepEqual(names(await sandbox.files.list(relative)), [name])
    assert.equal((await sandbox.files.write(`${relative}.of-root`, 'y', { user: 'root' })).path, `/root/${relative}.of-root`)
    assert.equal((await sandbox.files.getInfo(`${relative}.of-root`, { user: 'root' })).owner, 'root')
    assert.equal(await sandbox.files.exists(`${relative}.of-root`), false)
    await failure(sandbox.files.read('~root/x'), InvalidArgumentError)
  })

  test('making folders', async ({ sandbox, dir }) => {
    assert.equal(await sandbox.files.makeDir(`${dir}/a/b/c`), true)
    assert.equal(await sandbox.files.makeDir(`${dir}/a/b/c`), false)
    assert.equal((await sandbox.files.getInfo(`${dir}/a/b`)).owner, 'user')
    await sandbox.files.write(`${dir}/file`, '')
    await failure(sandbox.files.makeDir(`${dir}/file`), InvalidArgumentError)
    await failure(sandbox.files.makeDir(`${dir}/file/below`), SandboxError)
  })

  test('moving: a file, over a file, a folder, a link, into new folders', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/one`, '1')
    await sandbox.files.write(`${dir}/two`, '2')
    const moved = await sandbox.files.rename(`${dir}/one`, `${dir}/new/deep/three`)
    assert.deepEqual([moved.name, moved.path, moved.type, moved.size], ['three', `${dir}/new/deep/three`, 'file', 1])
    await sandbox.files.rename(`${dir}/new/deep/three`, `${dir}/two`)
    assert.equal(await sandbox.files.read(`${dir}/two`), '1')
    assert.equal(await sandbox.files.exists(`${dir}/new/deep/three`), false)
    await sandbox.files.rename(`${dir}/new`, `${dir}/other`)
    assert.deepEqual(names(await sandbox.files.list(`${dir}/other`)), ['deep'])
    await sandbox.commands.run(`ln -s two ${dir}/link`)
    await sandbox.files.rename(`${dir}/link`, `${dir}/link2`)
    assert.equal((await sandbox.commands.run(`readlink ${dir}/link2`)).stdout, 'two\n')
    await failure(sandbox.files.rename(`${dir}/two`, `${dir}/other`), SandboxError)
  })

  test('removing: a file, a full folder, a link but not its target', async ({ sandbox, dir }) => {
    await sandbox.commands.run(`mkdir -p ${dir}/full/of/things ${dir}/kept && touch ${dir}/f ${dir}/full/of/g ${dir}/kept/k && ln -s kept ${dir}/link`)
    for (const name of ['f', 'full', 'link']) {
      await sandbox.files.remove(`${dir}/${name}`)
      assert.equal(await sandbox.files.exists(`${dir}/${name}`), false)
    }
    assert.equal(await sandbox.files.exists(`${dir}/kept/k`), true)
  })
})

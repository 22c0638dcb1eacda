// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// git: every method, with a repository inside the sandbox as the remote one.
import assert from 'node:assert/strict'
import { area, failure, sdk } from './support.mjs'

/** A bare repository and a clone of it with one commit that was pushed. */
async function clone({ sandbox: { git, files }, dir }) {
  await git.init(`${dir}/remote.git`, { bare: true, initialBranch: 'main' })
  await git.clone(`${dir}/remote.git`, { path: `${dir}/tree` })
  await git.configureUser('A User', 'user@example.com', { scope: 'local', path: `${dir}/tree` })
  await files.write(`${dir}/tree/a.txt`, 'one\n')
  await git.add(`${dir}/tree`)
  await git.commit(`${dir}/tree`, 'first')
  await git.push(`${dir}/tree`, { remote: 'origin', branch: 'main' })
  return `${dir}/tree`
}

area('git', {}, (test) => {
  test('init, clone, add, commit, push and status', async (given) => {
    const { git, files } = given.sandbox
    const work = await clone(given)
    const clean = await git.status(work)
    assert.deepEqual([clean.currentBranch, clean.isClean, clean.ahead, clean.upstream], ['main', true, 0, 'origin/main'])
    await files.write(`${work}/b.txt`, 'two\n')
    await files.write(`${work}/a.txt`, 'changed\n')
    const dirty = await git.status(work)
    assert.deepEqual([dirty.hasUntracked, dirty.hasChanges, dirty.totalCount], [true, true, 2])
    await git.add(work, { files: ['b.txt'] })
    assert.deepEqual((await git.status(work)).fileStatus.filter((one) => one.staged).map((one) => one.name), ['b.txt'])
    await git.commit(work, 'second', { authorName: 'Another', authorEmail: 'another@example.com' })
    assert.equal((await git.status(work)).ahead, 1)
    assert.equal((await given.sandbox.commands.run('git log -1 --format="%an %ae %s"', { cwd: work })).stdout, 'Another another@example.com second\n')
  })

  test('a second clone pulls what the first one pushed', async (given) => {
    const { git, files } = given.sandbox
    const work = await clone(given)
    await git.clone(`${given.dir}/remote.git`, { path: `${given.dir}/other`, branch: 'main', depth: 1 })
    await files.write(`${work}/c.txt`, 'three\n')
    await git.add(work)
    await git.commit(work, 'third')
    await git.push(work)
    await git.pull(`${given.dir}/other`)
    assert.equal(await files.read(`${given.dir}/other/c.txt`), 'three\n')
  })

  test('branches', async (given) => {
    const { git } = given.sandbox
    const work = await clone(given)
    await git.createBranch(work, 'feature')
    assert.deepEqual(await git.branches(work), { branches: ['feature', 'main'], currentBranch: 'feature' })
    await git.checkoutBranch(work, 'main')
    await git.deleteBranch(work, 'feature', { force: true })
    assert.deepEqual((await git.branches(work)).branches, ['main'])
  })

  test('reset and restore', async (given) => {
    const { git, files } = given.sandbox
    const work = await clone(given)
    await files.write(`${work}/a.txt`, 'changed\n')
    await git.restore(work, { paths: ['a.txt'] })
    assert.equal(await files.read(`${work}/a.txt`), 'one\n')
    await files.write(`${work}/a.txt`, 'changed\n')
    await git.add(work)
    await git.reset(work, { mode: 'hard', target: 'HEAD' })
    assert.equal((await git.status(work)).isClean, true)
  })

  test('remotes and settings', async (given) => {
    const { git } = given.sandbox
    const work = await clone(given)
    await git.remoteAdd(work, 'backup', `${given.dir}/remote.git`, { fetch: true })
    assert.equal(await git.remoteGet(work, 'backup'), `${given.dir}/remote.git`)
    assert.equal(await git.remoteGet(work, 'none'), undefined)
    await git.remoteAdd(work, 'backup', 'https://example.com/other.git', { overwrite: true })
    assert.equal(await git.remoteGet(work, 'backup'), 'https://example.com/other.git')
    await git.setConfig('pull.rebase', 'true', { scope: 'local', path: work })
    assert.equal(await git.getConfig('pull.rebase', { scope: 'local', path: work }), 'true')
    assert.equal(await git.getConfig('no.such', { scope: 'local', path: work }), undefined)
  })

  test('credentials, and a push that nobody can take', async (given) => {
    const { git } = given.sandbox
    const work = await clone(given)
    await git.dangerouslyAuthenticate({ username: 'me', password: 'secret', host: 'git.invalid', protocol: 'https' })
    const asked = 'printf "protocol=https\\nhost=git.invalid\\n\\n" | git credential fill'
    assert.match((await given.sandbox.commands.run(asked)).stdout, /password=secret/)
    await failure(git.push(work, { remote: 'none', branch: 'main' }), Error)
    await failure(git.clone(`${given.dir}/nothing`, { path: `${given.dir}/x` }), sdk.CommandExitError)
  })
})

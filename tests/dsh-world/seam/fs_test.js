// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import test from 'node:test'
import { Context } from '@deepseek-ai/cordis'
import { FsError } from '@deepseek-ai/dsh-fs'
import WorldFs from '../dsh-world/fs.js'
import { fakeWorld, refuse } from './fake_world.js'

async function mount(t, routes) {
  const { seen, world } = await fakeWorld(t, routes)
  const ctx = new Context()
  ctx.reflect.provide('worldClient', world)
  const fiber = await ctx.plugin(WorldFs, { cwd: '/workspace' })
  t.after(() => fiber.dispose?.())
  return { fs: ctx.get('fs'), seen }
}

const target = (path) => ({ targetKey: path, displayPath: path })
const fails = (code, message) => (error) => {
  assert.ok(error instanceof FsError)
  assert.equal(error.code, code)
  if (message) assert.match(error.message, message)
  return true
}
const content = (bytes) => (_body, response) => void response.end(bytes)

test('resolve keeps what the daemon says and refuses a blank path by itself', async (t) => {
  const { fs, seen } = await mount(t, { 'fs/resolve': () => ({ path: '/real', display: '/workspace/link' }) })
  assert.deepEqual(await fs.resolve('link', { cwd: '/workspace' }),
    { targetKey: '/real', displayPath: '/workspace/link' })
  await assert.rejects(fs.resolve('  '), fails('FS_NOT_FOUND'))
  assert.equal(seen.length, 1)
  assert.equal(seen[0].headers['x-agentpool-session'], 's1')
})

test('stat and lstat', async (t) => {
  const { fs } = await mount(t, {
    'fs/stat': ({ path }) =>
      (path === '/f' ? { found: true, type: 'file', version: 'v', size: 3 } : { found: false }),
    'fs/lstat': () => ({ found: true, type: 'symlink', version: 'l' }),
  })
  assert.deepEqual(await fs.stat(target('/f')), { version: 'v', type: 'file', size: 3 })
  assert.equal(await fs.stat(target('/g')), undefined)
  assert.deepEqual(await fs.lstat('l', {}), { version: 'l', type: 'symlink' })
})

test('list joins display paths and keeps canonical keys', async (t) => {
  const entry = { name: 'a', path: '/real/a', type: 'file', version: 'v', size: 1 }
  const { fs } = await mount(t,
    { 'fs/list': () => ({ entries: [entry, { name: 'b', path: '/real/b', type: 'other' }] }) })
  const [first, second] = await fs.listDir({ targetKey: '/real', displayPath: '/workspace/link' })
  assert.deepEqual(first, {
    name: 'a', type: 'file', version: 'v', size: 1,
    target: { targetKey: '/real/a', displayPath: '/workspace/link/a' },
  })
  assert.equal('version' in second, false)
})

test('text is decoded across chunks and loses its byte order mark', async (t) => {
  const { fs } = await mount(t, {
    'fs/read': async (_body, response) => {
      for (const byte of Buffer.from('\ufeffgrün €')) {
        response.write(Buffer.from([byte]))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    },
  })
  assert.equal(await fs.readText(target('/f')), 'grün €')
})

test('what is no text is refused', async (t) => {
  const bodies = [Buffer.from([0x61, 0xff]), Buffer.from('a\0b'), Buffer.from([0xe2, 0x82])]
  const { fs } = await mount(t, { 'fs/read': (_body, response) => void response.end(bodies.shift()) })
  for (const name of ['/invalid', '/nul', '/cut']) {
    await assert.rejects(fs.readText(target(name)), fails('FS_NOT_TEXT'))
  }
})

test('a NUL behind the first 8192 bytes is text', async (t) => {
  const { fs } = await mount(t, { 'fs/read': content(`${'a'.repeat(8192)}\0`) })
  assert.equal((await fs.readText(target('/f'))).length, 8193)
})

test('a body that ends early is a failed read, never a short file', async (t) => {
  const { fs } = await mount(t, {
    'fs/read': (_body, response) => {
      response.setHeader('content-length', 10)
      response.write('half')
      setImmediate(() => response.destroy())
    },
  })
  await assert.rejects(fs.readText(target('/f')),
    fails('FS_IO_ERROR', /connection to the sandbox service was lost/))
})

test('readBytes never keeps more than its bound', async (t) => {
  const { fs, seen } = await mount(t, { 'fs/read': content('12345') })
  assert.deepEqual(Buffer.from(await fs.readBytes(target('/f'), undefined, 5)).toString(), '12345')
  await assert.rejects(fs.readBytes(target('/f'), undefined, 4), fails('FS_TOO_LARGE'))
  assert.deepEqual(seen.map(({ body }) => body.max_bytes), [5, 4])
})

test('readByteRange asks for the range', async (t) => {
  const { fs, seen } = await mount(t, { 'fs/read': content('23') })
  assert.deepEqual(Buffer.from(await fs.readByteRange(target('/f'), { offset: 1, length: 2 })).toString(),
    '23')
  assert.deepEqual(seen[0].body, { path: '/f', offset: 1, length: 2 })
})

test('leaving a stream early closes its connection', async (t) => {
  const closed = Promise.withResolvers()
  const { fs } = await mount(t, {
    'fs/read': (_body, response) => {
      response.write('a'.repeat(1000))
      response.on('close', closed.resolve)
    },
  })
  for await (const piece of await fs.streamText(target('/f'))) {
    assert.ok(piece.length > 0)
    break
  }
  await closed.promise
})

test('an abort detaches from a call that hangs', async (t) => {
  const asked = Promise.withResolvers()
  const { fs } = await mount(t, { 'fs/stat': () => void asked.resolve() })
  const controller = new AbortController()
  const pending = fs.stat(target('/f'), controller.signal)
  await asked.promise
  controller.abort()
  await assert.rejects(pending, fails('FS_ABORTED'))
  await assert.rejects(fs.stat(target('/f'), controller.signal), fails('FS_ABORTED'))
})

test('write sends the bytes behind its head and reports what it wrote', async (t) => {
  const { fs, seen } = await mount(t,
    { 'fs/write': () => ({ operation: 'update', version: 'n', before: 'old\n' }) })
  const expected = { kind: 'replaceIfVersion', version: 'v' }
  const outcome = await fs.writeText({ targetKey: '/real', displayPath: '/shown' }, 'a\r\n€', expected)
  assert.deepEqual(outcome, { operation: 'update', version: 'n', before: 'old\n', after: 'a\n€' })
  assert.deepEqual(seen[0].body, { path: '/real', display: '/shown', expected })
  assert.equal(seen[0].bytes, 'a\r\n€')
})

test('edit sends its strings untouched', async (t) => {
  const { fs, seen } = await mount(t, { 'fs/edit': () => ({ version: 'n', before: 'a', after: '$&' }) })
  const edit = { oldString: 'a', newString: "$& $1 $$ \u2028", replaceAll: false }
  assert.deepEqual(await fs.editText(target('/f'), edit), { version: 'n', before: 'a', after: '$&' })
  assert.deepEqual([seen[0].body.new, seen[0].body.replace_all], [edit.newString, false])
})

test('codes of the seam go through and others become an I/O error with the same sentence', async (t) => {
  const answers = [[409, 'FS_STALE_VERSION'], [503, 'WORLD_NO_HAND'], [500, 'internal']]
  const { fs } = await mount(t,
    { 'fs/write': (_body, response) => refuse(response, ...answers.shift(), 'Because.') })
  await assert.rejects(fs.writeText(target('/f'), 'x'), fails('FS_STALE_VERSION', /^Because\.$/))
  await assert.rejects(fs.writeText(target('/f'), 'x'), fails('FS_IO_ERROR', /^Because\.$/))
  await assert.rejects(fs.writeText(target('/f'), 'x'), fails('FS_IO_ERROR', /^Because\.$/))
})

test('a refusal without a reason still gives a sentence', async (t) => {
  const { fs } = await mount(t,
    { 'fs/stat': (_body, response) => void response.writeHead(502).end('<html>') })
  await assert.rejects(fs.stat(target('/f')), fails('FS_IO_ERROR', /status 502 and no reason/))
})

test('paths of this host are absent and cannot be written', async (t) => {
  const { fs, seen } = await mount(t, {})
  const path = `${process.env.DSH_HOME}/AGENTS.md`
  const own = await fs.resolve(path)
  assert.deepEqual(own, target(path))
  assert.equal(await fs.stat(own), undefined)
  assert.equal(await fs.lstat(path), undefined)
  await assert.rejects(fs.readText(own), fails('FS_NOT_FOUND'))
  await assert.rejects(fs.listDir(own), fails('FS_NOT_FOUND'))
  await assert.rejects(async () => fs.writeText(own, 'x'), fails('FS_PERMISSION_DENIED'))
  assert.deepEqual(seen, [])
})

test('synchronous members', async (t) => {
  const { fs } = await mount(t, {})
  assert.equal(fs.processPath(target('/a b')), '/a b')
  assert.equal(fs.fileUrl(target('/a b#')), 'file:///a%20b%23')
  assert.ok(fs.contains(target('/a'), target('/a')) && fs.contains(target('/a'), target('/a/b')))
  assert.ok(fs.contains(target('/'), target('/a')) && !fs.contains(target('/a'), target('/ab')))
  assert.equal(fs.sandboxMode, undefined)
  assert.equal(fs.processPathFromHostPath('/a'), undefined)
})

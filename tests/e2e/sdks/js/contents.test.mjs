// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// files: reading and writing in every form that the SDK has; metadata.
import assert from 'node:assert/strict'
import { area, failure, sdk } from './support.mjs'

const { AuthenticationError, FileNotFoundError, InvalidArgumentError, SandboxError } = sdk
const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256)

async function drain(stream) {
  const parts = []
  for await (const part of stream) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

function streamOf(...parts) {
  return new ReadableStream({
    async pull(controller) {
      const next = parts.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(typeof next === 'string' ? new TextEncoder().encode(next) : next)
    },
  })
}

area('contents', {}, (test) => {
  test('every kind of data written, every format read', async ({ sandbox, dir }) => {
    const kinds = { text: 'some text', buffer: bytes.buffer, blob: new Blob([bytes]), stream: streamOf('some ', 'text') }
    for (const [kind, data] of Object.entries(kinds)) {
      const path = `${dir}/${kind}`
      await sandbox.files.write(path, data)
      const expected = ['text', 'stream'].includes(kind) ? Buffer.from('some text') : Buffer.from(bytes)
      assert.deepEqual(Buffer.from(await sandbox.files.read(path, { format: 'bytes' })), expected, kind)
      assert.deepEqual(Buffer.from(await (await sandbox.files.read(path, { format: 'blob' })).arrayBuffer()), expected)
      assert.deepEqual(await drain(await sandbox.files.read(path, { format: 'stream' })), expected)
    }
    assert.equal(await sandbox.files.read(`${dir}/text`), 'some text')
    assert.equal(await sandbox.files.read(`${dir}/text`, { format: 'text' }), 'some text')
  })

  test('an empty file in every format', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/empty`, '')
    assert.equal(await sandbox.files.read(`${dir}/empty`), '')
    assert.equal((await sandbox.files.read(`${dir}/empty`, { format: 'bytes' })).length, 0)
    assert.equal((await sandbox.files.read(`${dir}/empty`, { format: 'blob' })).size, 0)
    assert.equal((await drain(await sandbox.files.read(`${dir}/empty`, { format: 'stream' }))).length, 0)
  }, { old: false })

  test('writing again replaces, keeps the mode and makes folders', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/new/folder/f`, 'a long first text')
    await sandbox.commands.run(`chmod 700 ${dir}/new/folder/f`)
    await sandbox.files.write(`${dir}/new/folder/f`, 'short')
    const info = await sandbox.files.getInfo(`${dir}/new/folder/f`)
    assert.deepEqual([await sandbox.files.read(`${dir}/new/folder/f`), info.mode, info.owner], ['short', 0o700, 'user'])
    assert.equal((await sandbox.files.getInfo(`${dir}/new`)).owner, 'user')
  })

  for (const [how, options] of Object.entries({ multipart: {}, 'octet-stream': { useOctetStream: true }, gzip: { gzip: true } })) {
    test(`several files in one call, ${how}`, async ({ sandbox, dir }) => {
      const files = Array.from({ length: 6 }, (_, i) => ({ path: `${dir}/s${i}/nä me ${i}.bin`, data: i % 2 ? bytes.buffer : `text ${i}` }))
      const written = await sandbox.files.write(files, options)
      assert.deepEqual(written.map((one) => one.path), files.map((one) => one.path))
      for (const file of files) {
        const expected = typeof file.data === 'string' ? Buffer.from(file.data) : Buffer.from(bytes)
        assert.deepEqual(Buffer.from(await sandbox.files.read(file.path, { format: 'bytes' })), expected)
      }
      assert.deepEqual((await sandbox.files.writeFiles(files.slice(0, 2), options)).map((one) => one.type), ['file', 'file'])
      assert.deepEqual(await sandbox.files.writeFiles([], options), [])
    })
  }

  test('gzip both ways', async ({ sandbox, dir }) => {
    const text = 'the same line again and again\n'.repeat(20_000)
    await sandbox.files.write(`${dir}/z`, text, { gzip: true })
    assert.equal(await sandbox.files.read(`${dir}/z`, { gzip: true }), text)
    assert.equal(await sandbox.files.read(`${dir}/z`), text)
    assert.equal((await sandbox.files.getInfo(`${dir}/z`)).size, text.length)
    assert.equal((await drain(await sandbox.files.read(`${dir}/z`, { gzip: true, format: 'stream' }))).length, text.length)
  })

  test('megabytes through streams', async ({ sandbox, dir }) => {
    const part = Buffer.alloc(1 << 20, 'm')
    await sandbox.files.write(`${dir}/big`, streamOf(...Array.from({ length: 8 }, () => part)))
    let size = 0
    for await (const piece of await sandbox.files.read(`${dir}/big`, { format: 'stream', streamIdleTimeoutMs: 30_000 })) size += piece.length
    assert.equal(size, 8 << 20)
    const [sum] = (await sandbox.commands.run(`tr -d m < ${dir}/big | wc -c`)).stdout.trim().split(' ')
    assert.equal(sum, '0')
  })

  test('a stream that is left early frees its connection', async ({ sandbox, dir }) => {
    await sandbox.commands.run(`mkdir -p ${dir} && truncate -s 32M ${dir}/big`)
    for (let i = 0; i < 12; i++) {
      const reader = (await sandbox.files.read(`${dir}/big`, { format: 'stream' })).getReader()
      assert.ok((await reader.read()).value.length > 0)
      await reader.cancel()
    }
    assert.equal(await sandbox.files.exists(`${dir}/big`), true)
  })

  test('uploads at once into a folder that does not exist yet', async ({ sandbox, dir }) => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => sandbox.files.write(`${dir}/same/new/${i}`, String(i))))
    assert.equal((await sandbox.files.list(`${dir}/same/new`)).length, 12)
  })

  test('the boot id as a file', async ({ sandbox }) => {
    const boot = (await sandbox.commands.run('cat /proc/sys/kernel/random/boot_id')).stdout
    assert.equal(await sandbox.files.read('/proc/sys/kernel/random/boot_id'), boot)
    assert.equal(await sandbox.files.read('/proc/sys/kernel/random/boot_id', { gzip: true }), boot)
  })

  test('what cannot be written or read', async ({ sandbox, dir }) => {
    await sandbox.files.makeDir(dir)
    await sandbox.files.write(`${dir}/file`, '')
    await failure(sandbox.files.write(dir, 'x'), InvalidArgumentError)
    await failure(sandbox.files.write(`${dir}/file/below`, 'x'), SandboxError)
    assert.match((await failure(sandbox.files.read(dir), InvalidArgumentError)).message, /is a directory/)
    assert.match((await failure(sandbox.files.read(`${dir}/none`), FileNotFoundError)).message, /does not exist/)
    await failure(sandbox.files.write(`${dir}/x`, 'x', { user: 'ghost' }), AuthenticationError)
  })

  test('a full disk says so and the sandbox goes on', async ({ own }) => {
    const sandbox = await own()
    await sandbox.commands.run('fallocate -l 100G /home/user/all || head -c 100G /dev/zero > /home/user/all', { timeoutMs: 0 }).catch(() => {})
    await failure(sandbox.files.write('/home/user/more', 'x'.repeat(4 << 20)), sdk.NotEnoughSpaceError)
    await sandbox.files.remove('/home/user/all')
    await sandbox.files.write('/home/user/more', 'x')
  })

  for (const [how, options] of Object.entries({ multipart: {}, 'octet-stream': { useOctetStream: true }, gzip: { gzip: true } })) {
    test(`metadata stays with the file, ${how}`, async ({ sandbox, dir }) => {
      const metadata = { author: 'me', 'x-purpose': 'a b=c;d' }
      const path = `${dir}/m`
      assert.deepEqual((await sandbox.files.write(path, 'x', { metadata, ...options })).metadata, metadata)
      assert.deepEqual((await sandbox.files.getInfo(path)).metadata, metadata)
      assert.deepEqual((await sandbox.files.list(dir))[0].metadata, metadata)
      assert.deepEqual((await sandbox.files.rename(path, `${path}2`)).metadata, metadata)
      assert.equal((await sandbox.files.write(`${path}2`, 'y', options)).metadata, undefined)
      assert.equal((await sandbox.files.getInfo(`${path}2`)).metadata, undefined)
    })
  }

  test('metadata: of each of several files, in lower case, from inside', async ({ sandbox, dir }) => {
    const files = [1, 2].map((i) => ({ path: `${dir}/${i}`, data: 'x' }))
    const written = await sandbox.files.write(files, { metadata: { Source: 'suite' } })
    assert.deepEqual(written.map((one) => one.metadata), [{ source: 'suite' }, { source: 'suite' }])
    await sandbox.commands.run(`setfattr -n user.e2b.author -v me ${dir}/2`)
    assert.deepEqual((await sandbox.files.getInfo(`${dir}/2`)).metadata, { source: 'suite', author: 'me' })
    await failure(sandbox.files.write(`${dir}/3`, 'x', { metadata: { 'bad key': 'x' } }), InvalidArgumentError)
    await failure(sandbox.files.write(`${dir}/3`, 'x', { metadata: { key: 'ü' } }), InvalidArgumentError)
  })
})

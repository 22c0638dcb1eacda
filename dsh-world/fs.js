// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FileSystem, FsError, FsTargetKey, FsVersion } from '@deepseek-ai/dsh-fs'
import { seamErrors, toFsError } from './fs_error.js'
import { HostPaths, contains } from './host_paths.js'
import { decodeText, joinBytes, toLf } from './text.js'
import { FRAMED_TYPE, JSON_TYPE, chunks, framed } from './transport.js'

const absent = (target) => new FsError(`"${target.displayPath}" does not exist`, 'FS_NOT_FOUND')

function info({ found, type, version, size }) {
  if (!found) return undefined
  return { version: FsVersion(version), type, ...(size === undefined ? {} : { size }) }
}

/**
 * `ctx.fs` of a session's hand, over the world socket. Thin: resolution, caching and guards live in the
 * daemon.
 */
export default class WorldFs extends FileSystem {
  static inject = ['worldClient']

  constructor(ctx, config) {
    super(ctx)
    this.world_ = ctx.worldClient
    this.host_ = new HostPaths()
    this.cwd_ = config?.cwd ?? '/workspace'
  }

  async resolve(path, { cwd, signal } = {}) {
    if (path.trim() === '') throw new FsError('file_path must be a non-empty string', 'FS_NOT_FOUND')
    const base = cwd ?? this.cwd_
    const lexical = posix.resolve(base, path.toWellFormed())
    if (this.host_.has(lexical)) return { targetKey: FsTargetKey(lexical), displayPath: lexical }
    const reply = await this.probe_('fs/resolve', { path: path.toWellFormed(), cwd: base }, signal)
    return { targetKey: FsTargetKey(reply.path), displayPath: reply.display }
  }

  processPath(target) {
    return target.targetKey
  }

  fileUrl(target) {
    return pathToFileURL(target.targetKey).href
  }

  contains(parent, child) {
    return contains(parent.targetKey, child.targetKey)
  }

  async stat(target, signal) {
    if (this.isHost_(target)) return undefined
    return info(await this.probe_('fs/stat', { path: target.targetKey }, signal))
  }

  async lstat(path, { cwd } = {}, signal) {
    if (path.trim() === '') throw new FsError('file_path must be a non-empty string', 'FS_NOT_FOUND')
    const base = cwd ?? this.cwd_
    if (this.host_.has(posix.resolve(base, path))) return undefined
    return info(await this.probe_('fs/lstat', { path: path.toWellFormed(), cwd: base }, signal))
  }

  async listDir(target, signal) {
    if (this.isHost_(target)) throw absent(target)
    const { entries } = await this.probe_('fs/list', { path: target.targetKey }, signal)
    return entries.map(({ name, path, type, version, size }) => ({
      name, type, target: { targetKey: FsTargetKey(path), displayPath: posix.join(target.displayPath, name) },
      ...(version === undefined ? {} : { version: FsVersion(version) }),
      ...(size === undefined ? {} : { size }),
    }))
  }

  async readText(target, signal) {
    let whole = ''
    for await (const piece of await this.streamText(target, signal)) whole += piece
    return whole
  }

  async streamText(target, signal) {
    return seamErrors(decodeText(await this.open_(target, {}, signal), target.displayPath))
  }

  async readBytes(target, signal, maxBytes) {
    const body = await this.open_(target, { max_bytes: maxBytes }, signal)
    return this.seam_(() => joinBytes(body, maxBytes, target.displayPath))
  }

  async readByteRange(target, { offset, length }, signal) {
    const body = await this.open_(target, { offset, length }, signal)
    return this.seam_(() => joinBytes(body, length, target.displayPath))
  }

  async writeText(target, content, expected, signal) {
    const head = { path: target.targetKey, display: target.displayPath, expected }
    const bytes = Buffer.from(content, 'utf8')
    const reply = await this.mutate_('fs/write', FRAMED_TYPE, framed(head, bytes), target, signal)
    const { operation, version, before } = reply
    return { operation, version: FsVersion(version), before: before ?? null, after: toLf(content) }
  }

  /** The guard of an edit, unlike a write's, is a version alone. */
  async editText(target, { oldString, newString, replaceAll }, guard, signal) {
    const expected = guard && { kind: 'replaceIfVersion', version: guard.version }
    const body = Buffer.from(JSON.stringify({
      path: target.targetKey, display: target.displayPath, expected,
      old: oldString.toWellFormed(), new: newString.toWellFormed(), replace_all: replaceAll === true,
    }))
    const { version, before, after } = await this.mutate_('fs/edit', JSON_TYPE, body, target, signal)
    return { version: FsVersion(version), before, after }
  }

  isHost_(target) {
    return this.host_.has(target.targetKey)
  }

  probe_(path, body, signal) {
    const { connection } = this.world_
    const deadlineMs = connection.deadlines.probe
    return this.seam_(
      () => connection.json(path, body, { session: this.world_.session(), deadlineMs, signal }))
  }

  async open_(target, range, signal) {
    if (this.isHost_(target)) throw absent(target)
    const { connection } = this.world_
    const deadlineMs = connection.deadlines.content
    const body = Buffer.from(JSON.stringify({ path: target.targetKey, ...range }))
    const response = await this.seam_(() =>
      connection.open('fs/read', JSON_TYPE, body, { session: this.world_.session(), deadlineMs, signal }))
    return chunks(response, { what: 'fs/read', silenceMs: deadlineMs, signal })
  }

  /** Sends a mutation and waits for its real outcome: an abort only asks the daemon not to begin. */
  mutate_(path, type, body, target, signal) {
    if (this.isHost_(target)) {
      throw new FsError(`"${target.displayPath}" is not part of the sandbox`, 'FS_PERMISSION_DENIED')
    }
    return this.seam_(async () => {
      if (signal?.aborted) throw new FsError(`${path} aborted`, 'FS_ABORTED')
      const { connection } = this.world_
      const session = this.world_.session()
      const request = connection.nextRequest()
      const { content, control } = connection.deadlines
      const cancel = () => {
        // Whatever becomes of it, the mutation's own answer decides.
        connection.json('cancel', { request }, { session, deadlineMs: control }).catch(() => {})
      }
      signal?.addEventListener('abort', cancel, { once: true })
      try {
        return await connection.post(path, type, body, { session, deadlineMs: content, request })
      } finally {
        signal?.removeEventListener('abort', cancel)
      }
    })
  }

  async seam_(work) {
    try {
      return await work()
    } catch (error) {
      throw toFsError(error)
    }
  }
}

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { FsError } from '@deepseek-ai/dsh-fs'

const NUL_WINDOW = 8192

const notText = (name, cause) => new FsError(`"${name}" is not UTF-8 text`, 'FS_NOT_TEXT', { cause })

/** Line ends as the seam reports file contents. */
export const toLf = (text) => text.replaceAll('\r\n', '\n')

/**
 * Decodes raw chunks as the seam's text reads do: a NUL in the first 8192 bytes or invalid UTF-8 is
 * FS_NOT_TEXT, a byte order mark is dropped, and a character that is cut by a chunk's end comes whole in the
 * next piece.
 */
export async function* decodeText(source, name) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let seen = 0
  const decode = (chunk, options) => {
    try {
      return decoder.decode(chunk, options)
    } catch (error) {
      throw notText(name, error)
    }
  }
  for await (const chunk of source) {
    if (seen < NUL_WINDOW && chunk.subarray(0, NUL_WINDOW - seen).includes(0)) throw notText(name)
    seen += chunk.length
    const text = decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

/** Joins chunks, at most `limit` bytes; one more is FS_TOO_LARGE, before it is kept. */
export async function joinBytes(source, limit, name) {
  const parts = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > limit) throw new FsError(`"${name}" is larger than ${limit} bytes`, 'FS_TOO_LARGE')
    parts.push(chunk)
  }
  return new Uint8Array(Buffer.concat(parts))
}

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { FsError } from '@deepseek-ai/dsh-fs'

/** FS_ codes go through 1:1; every other failure is FS_IO_ERROR with the daemon's sentence. */
export function toFsError(error) {
  if (error instanceof FsError) return error
  const code = /^FS_/.test(error.code ?? '') ? error.code : 'FS_IO_ERROR'
  return new FsError(error.message, code, { cause: error })
}

/** A stream whose failures are FsErrors. */
export async function* seamErrors(source) {
  try {
    yield* source
  } catch (error) {
    throw toFsError(error)
  }
}

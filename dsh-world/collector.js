// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

const isContinuation = (byte) => (byte & 0xc0) === 0x80

/** Bytes at the end of `buffer` that begin a UTF-8 character without finishing it: 0 to 3. */
function unfinished(buffer) {
  for (let back = 1; back <= 3 && back <= buffer.length; back += 1) {
    const byte = buffer[buffer.length - back]
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}

/** Bytes at the start of `buffer` that belong to a character begun before it: 0 to 3. */
function orphaned(buffer) {
  let count = 0
  while (count < 3 && count < buffer.length && isContinuation(buffer[count])) count += 1
  return count
}

/**
 * Collected output of one stream: keeps the last `maxBytes` bytes exactly and answers synchronous reads by
 * offset. Reads never cut a character: one that has not come whole yet is left for the next read, until
 * `seal`.
 */
export class Collector {
  #chunks = []
  #kept = 0
  #total = 0
  #sealed = false
  #maxBytes

  constructor(maxBytes) {
    this.#maxBytes = maxBytes
    /** Path in the hand of the complete stream, when there is one. */
    this.spillPath = undefined
  }

  push(chunk) {
    this.#chunks.push(chunk)
    this.#kept += chunk.length
    this.#total += chunk.length
    while (this.#kept > this.#maxBytes) this.#dropHead(this.#kept - this.#maxBytes)
  }

  /** No more output will come. */
  seal() {
    this.#sealed = true
  }

  /** A line of our own, on a line of its own. */
  note(sentence) {
    const last = this.#chunks.at(-1)
    const separator = last === undefined || last.at(-1) === 0x0a ? '' : '\n'
    this.push(Buffer.from(`${separator}${sentence}\n`, 'utf8'))
  }

  /**
   * Everything since byte `offset` of the whole stream; `lossy` when that has already slid out of the tail.
   */
  readFrom(offset) {
    const start = this.#total - this.#kept
    const lossy = offset < start
    const kept = Buffer.concat(this.#chunks)
    let view = lossy ? kept : kept.subarray(offset - start)
    if (lossy || offset > 0) view = view.subarray(orphaned(view))
    const held = this.#sealed ? 0 : unfinished(view)
    const text = view.subarray(0, view.length - held).toString('utf8')
    const spill = this.spillPath === undefined ? {} : { spillPath: this.spillPath }
    return { text, nextOffset: Math.max(offset, this.#total - held), lossy, ...spill }
  }

  #dropHead(excess) {
    const head = this.#chunks[0]
    if (head.length <= excess) this.#chunks.shift()
    else this.#chunks[0] = head.subarray(excess)
    this.#kept -= Math.min(excess, head.length)
  }
}

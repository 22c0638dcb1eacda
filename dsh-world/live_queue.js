// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

const INTERVAL_MS = 25
const WAITING_BYTES = 64 * 1024
const FRAME_BYTES = 16 * 1024
const FRAMES_PER_REQUEST = 256
const REQUEST_BYTES = 128 * 1024

const bytes = (frame) => Buffer.byteLength(frame.text ?? '', 'utf8')

/** Whether `next` goes on where `last` ends. */
const joins = (last, next) =>
  last?.text !== undefined && next.text !== undefined &&
  last.attempt === next.attempt && last.index === next.index &&
  last.offset + bytes(last) === next.offset && bytes(last) + bytes(next) <= FRAME_BYTES

/** Cuts a frame into pieces of at most `FRAME_BYTES`, never inside a character. */
function* pieces(frame) {
  let { offset } = frame
  let text = ''
  for (const character of frame.text) {
    if (Buffer.byteLength(text + character, 'utf8') > FRAME_BYTES) {
      yield { ...frame, offset, text }
      offset += Buffer.byteLength(text, 'utf8')
      text = ''
    }
    text += character
  }
  yield { ...frame, offset, text }
}

/**
 * Frames on their way to the daemon: the first at once, then joined and sent every 25 ms, one request at a
 * time, at most 64 KiB of text waiting; above that the oldest text goes. An attempt's end is always sent;
 * text of it that still waits is not, because the committed text has it or it is void.
 */
export class LiveQueue {
  #send
  #waiting = []
  #bytes = 0
  #timer
  #lastSent = -Infinity
  #inFlight = false
  #closed = false

  /** `send(session, frames)` performs one request; its failure loses these frames and nothing else. */
  constructor(send) {
    this.#send = send
  }

  push(session, frame) {
    if (frame === undefined || this.#closed) return
    if (frame.end) this.#dropText((waiting) => waiting.frame.attempt === frame.attempt)
    if (frame.end || bytes(frame) <= FRAME_BYTES) this.#add(session, frame)
    else for (const piece of pieces(frame)) this.#add(session, piece)
    this.#arm()
  }

  close() {
    this.#closed = true
    this.#waiting = []
    clearTimeout(this.#timer)
  }

  #add(session, frame) {
    const last = this.#waiting.at(-1)
    this.#bytes += bytes(frame)
    if (last?.session === session && joins(last.frame, frame)) last.frame.text += frame.text
    else this.#waiting.push({ session, frame: { ...frame } })
    while (this.#bytes > WAITING_BYTES) {
      const oldest = this.#waiting.find((waiting) => waiting.frame.text !== undefined)
      this.#dropText((waiting) => waiting === oldest)
    }
  }

  #dropText(chosen) {
    this.#waiting = this.#waiting.filter((waiting) => {
      if (waiting.frame.text === undefined || !chosen(waiting)) return true
      this.#bytes -= bytes(waiting.frame)
      return false
    })
  }

  #arm() {
    if (this.#inFlight || this.#timer || this.#closed || this.#waiting.length === 0) return
    const due = Math.max(0, this.#lastSent + INTERVAL_MS - performance.now())
    this.#timer = setTimeout(() => this.#flush(), due).unref()
  }

  async #flush() {
    this.#timer = undefined
    if (this.#closed || this.#waiting.length === 0) return
    this.#inFlight = true
    this.#lastSent = performance.now()
    const { session } = this.#waiting[0]
    const frames = this.#take(session)
    await this.#send(session, frames).catch(() => {})
    this.#inFlight = false
    this.#arm()
  }

  /** The leading frames of one session, as many as fit one request. */
  #take(session) {
    const frames = []
    let size = 0
    const full = () => frames.length === FRAMES_PER_REQUEST || size >= REQUEST_BYTES
    while (this.#waiting[0]?.session === session && !full()) {
      const { frame } = this.#waiting.shift()
      this.#bytes -= bytes(frame)
      size += bytes(frame) + 256
      frames.push(frame)
    }
    return frames
  }
}

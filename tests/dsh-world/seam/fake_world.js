// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

import { mkdtempSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { Connection } from '../dsh-world/connection.js'
import { deadlinesFrom } from '../dsh-world/deadlines.js'

const bodyOf = async (request) => Buffer.concat(await Array.fromAsync(request))

/**
 * A world socket whose routes a test gives: name → (body, response, framed bytes) → JSON reply, or undefined
 * when the route answered by itself. Exists to inject faults.
 */
export async function fakeWorld(t, routes) {
  const seen = []
  const server = http.createServer(async (request, response) => {
    const name = request.url.replace('/world/v1/', '')
    const raw = await bodyOf(request)
    const cut = request.headers['content-type'].includes('framed') ? raw.indexOf(0x0a) : raw.length
    const body = JSON.parse(raw.subarray(0, cut))
    if (name === 'exchange') return response.end('{"credential":"c"}')
    seen.push({ name, body, bytes: raw.subarray(cut + 1).toString(), headers: request.headers })
    const reply = await routes[name](body, response)
    if (reply !== undefined) response.end(JSON.stringify(reply))
    return undefined
  })
  const socketPath = join(mkdtempSync(join(tmpdir(), 'seam-')), 's')
  await new Promise((resolve) => server.listen(socketPath, resolve))
  const connection = new Connection({ socketPath, token: 't', deadlines: deadlinesFrom({ probe: 5000 }) })
  t.after(() => {
    connection.close()
    server.closeAllConnections()
    server.close()
  })
  return { seen, world: { connection, session: () => 's1', toolCall: () => 'call_1' } }
}

/** Answers with an error as the daemon words it. */
export function refuse(response, status, code, message) {
  response.statusCode = status
  response.end(JSON.stringify({ code, message }))
}

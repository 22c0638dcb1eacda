// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// Ports of a sandbox from outside, signed addresses of files, network options, measurements.
import assert from 'node:assert/strict'
import { area, ask, failure, Sandbox, sdk, serve, until } from './support.mjs'

const { AuthenticationError, SandboxError, SandboxNotFoundError } = sdk

area('network', {}, (test) => {
  test('a server inside is reached by its host, wherever it listens', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/page.txt`, 'served')
    const binds = { 8101: '127.0.0.1', 8102: '0.0.0.0', 8103: '::1', 8104: '::', 8105: 'localhost' }
    for (const [port, bind] of Object.entries(binds)) {
      await sandbox.commands.run(`python3 -m http.server ${port} --bind ${bind} -d ${dir}`, { background: true, timeoutMs: 0 })
      const answer = await until(async () => {
        const got = await ask(sandbox, port, { path: '/page.txt' })
        return got.status === 200 && got
      }, bind)
      assert.equal(answer.body, 'served')
    }
  })

  test('a port where nobody listens', async ({ sandbox }) => {
    const answer = await ask(sandbox, 8999)
    assert.equal(answer.status, 502)
    assert.deepEqual(JSON.parse(answer.body), { sandboxId: sandbox.sandboxId, message: 'The sandbox is running but port is not open', port: 8999, code: 502 })
  })

  test('ports may be kept from the public', async ({ own }) => {
    const sandbox = await own({ network: { allowPublicTraffic: false } })
    assert.ok(sandbox.trafficAccessToken)
    await serve(sandbox, 8000)
    assert.equal((await ask(sandbox, 8000)).status, 403)
    assert.equal((await ask(sandbox, 8000, { headers: { 'e2b-traffic-access-token': 'wrong' } })).status, 403)
    const right = { 'e2b-traffic-access-token': sandbox.trafficAccessToken }
    assert.equal((await ask(sandbox, 8000, { headers: right })).status, 200)
    assert.equal((await Sandbox.connect(sandbox.sandboxId)).trafficAccessToken, sandbox.trafficAccessToken)
    assert.equal((await sandbox.getInfo()).network.allowPublicTraffic, false)
  })

  test('the host name that a server sees may be masked', async ({ own }) => {
    const sandbox = await own({ network: { maskRequestHost: 'localhost:${PORT}' } })
    await sandbox.files.write('/home/user/host.py', [
      'import http.server',
      'class H(http.server.BaseHTTPRequestHandler):',
      '    def do_GET(self):',
      '        self.send_response(200); self.end_headers(); self.wfile.write(self.headers["Host"].encode())',
      'http.server.HTTPServer(("127.0.0.1", 8000), H).serve_forever()',
    ].join('\n'))
    await sandbox.commands.run('python3 /home/user/host.py', { background: true, timeoutMs: 0 })
    await until(async () => (await ask(sandbox, 8000)).status === 200, 'the server')
    assert.equal((await ask(sandbox, 8000)).body, 'localhost:8000')
  })

  test('rules are kept, replaced and told', async ({ own }) => {
    const sandbox = await own({ network: { allowOut: ['1.1.1.1', 'example.com'], denyOut: ({ allTraffic }) => [allTraffic] } })
    const first = (await sandbox.getInfo()).network
    assert.deepEqual([first.allowOut, first.denyOut], [['1.1.1.1', 'example.com'], ['0.0.0.0/0']])
    await sandbox.updateNetwork({ denyOut: ['10.0.0.0/8'] })
    const second = (await sandbox.getInfo()).network
    assert.deepEqual([second.allowOut ?? [], second.denyOut], [[], ['10.0.0.0/8']])
    await Sandbox.updateNetwork(sandbox.sandboxId, { allowInternetAccess: false })
    await failure(sandbox.updateNetwork({ denyOut: ['not an address'] }), SandboxError)
    await failure(Sandbox.updateNetwork('i0000000000000000none', { denyOut: [] }), SandboxNotFoundError)
  })

  test('rules that cannot be', async () => {
    const refused = (network) => failure(Sandbox.create('base', { network }), SandboxError)
    await refused({ allowOut: ['example.com'] })
    await refused({ denyOut: ['example.com'] })
    await refused({ maskRequestHost: 'not a host/at all' })
  })

  test('no internet when it is not allowed', async ({ own }) => {
    const sandbox = await own({ allowInternetAccess: false })
    assert.equal((await sandbox.getInfo()).allowInternetAccess, false)
    await failure(sandbox.commands.run('timeout 3 bash -c "exec 3<>/dev/tcp/1.1.1.1/80"'), sdk.CommandExitError)
  })

  test('signed addresses read and write files without a token', async ({ sandbox, dir }) => {
    const path = `${dir}/a file.txt`
    await sandbox.files.write(path, 'signed')
    for (const options of [undefined, { useSignatureExpiration: 10_000 }, { user: 'root', useSignatureExpiration: 10_000 }]) {
      const answer = await fetch(await sandbox.downloadUrl(path, options))
      assert.deepEqual([answer.status, await answer.text()], [200, 'signed'])
    }
    const form = new FormData()
    form.append('file', new Blob(['uploaded']), 'ignored.txt')
    const answer = await fetch(await sandbox.uploadUrl(`${dir}/up.txt`, { useSignatureExpiration: 10_000 }), { method: 'POST', body: form })
    assert.deepEqual([answer.status, await answer.json()], [200, [{ name: 'up.txt', path: `${dir}/up.txt`, type: 'file' }]])
    assert.equal(await sandbox.files.read(`${dir}/up.txt`), 'uploaded')
  })

  test('an upload address without a path takes the name of the file', async ({ sandbox, dir }) => {
    const form = new FormData()
    form.append('file', new Blob(['x']), `${dir.split('/').pop()}.txt`)
    assert.equal((await fetch(await sandbox.uploadUrl(), { method: 'POST', body: form })).status, 200)
    assert.equal(await sandbox.files.read(`${dir}.txt`), 'x')
  })

  test('signed addresses that are late, changed or of another kind', async ({ sandbox, dir }) => {
    await sandbox.files.write(`${dir}/f`, 'x')
    const late = await fetch(await sandbox.downloadUrl(`${dir}/f`, { useSignatureExpiration: -10_000 }))
    assert.deepEqual([late.status, await late.json()], [401, { code: 401, message: 'signature is already expired' }])
    const form = new FormData()
    form.append('file', 'x')
    const lateUpload = await fetch(await sandbox.uploadUrl(`${dir}/g`, { useSignatureExpiration: -10_000 }), { method: 'POST', body: form })
    assert.deepEqual([lateUpload.status, (await lateUpload.json()).message], [401, 'signature is already expired'])
    const good = new URL(await sandbox.downloadUrl(`${dir}/f`))
    good.searchParams.set('path', `${dir}/g`)
    assert.equal((await fetch(good)).status, 401)
    assert.equal((await fetch(await sandbox.downloadUrl(`${dir}/f`), { method: 'POST', body: form })).status, 401)
  })

  test('a wrong token opens nothing', async ({ sandbox }) => {
    const wrong = new Sandbox({ sandboxId: sandbox.sandboxId, envdVersion: '0.6.13', envdAccessToken: 'wrong' })
    await failure(wrong.files.read('/etc/hostname'), AuthenticationError)
    await failure(wrong.files.list('/'), AuthenticationError)
    await failure(wrong.commands.run('true'), AuthenticationError)
    await failure(wrong.commands.list(), AuthenticationError)
    assert.equal(await wrong.isRunning(), true)
  })

  test('measurements come, in their range only', async ({ sandbox }) => {
    const start = new Date(Date.now() - 5_000)
    const [one] = await until(async () => {
      const got = await sandbox.getMetrics()
      return got.length && got
    }, 'a measurement')
    assert.ok(one.timestamp instanceof Date && one.cpuCount > 0 && one.cpuUsedPct >= 0 && one.memTotal > 0)
    assert.ok(one.memUsed > 0 && one.memUsed <= one.memTotal && one.diskUsed > 0 && one.diskTotal >= one.diskUsed && one.memCache >= 0)
    assert.ok((await Sandbox.getMetrics(sandbox.sandboxId, { start, end: new Date(Date.now() + 5_000) })).length > 0)
    assert.deepEqual(await sandbox.getMetrics({ start: new Date(start - 7_200_000), end: new Date(start - 3_600_000) }), [])
    await failure(Sandbox.getMetrics('i0000000000000000none'), SandboxNotFoundError)
  }, { old: false })
})

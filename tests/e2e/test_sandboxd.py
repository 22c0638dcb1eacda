# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""sandboxd's control plane and routing, on real sandboxes."""

import datetime
import http.client
import json
import os
import re
import socket
import struct
import subprocess
import threading
import unittest
from urllib.parse import quote, urlsplit

from tests.e2e.sandboxd import Sandboxd, SandboxdCase, needs_sandboxes, program
from tests.e2e.wait import DEADLINE, until


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


@needs_sandboxes
class ControlPlane(SandboxdCase):
    def test_a_new_sandbox_runs_a_command(self):
        answer = self.service.call("POST", "/v2/sandboxes", {"templateID": "base"})
        self.assertEqual(answer.status, 201, answer)
        made = answer.json
        self.assertRegex(made["sandboxID"], r"^i[a-z0-9]{20}$")
        self.assertRegex(made["envdVersion"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(made["envdAccessToken"], r"^[0-9a-f]{64}$")
        self.assertIsNone(made["domain"])
        self.addCleanup(self.service.call, "DELETE", f"/sandboxes/{made['sandboxID']}")
        box = self.sandbox(envVars={"GREETING": "héllo"}, metadata={"k": "v"})
        result = box.run("echo out; echo err >&2; echo $GREETING; pwd; whoami; exit 3")
        self.assertEqual(result.code, 3, result)
        self.assertEqual(result.text, "out\nhéllo\n/home/user\nuser")
        self.assertEqual(result.err, b"err\n")

    def test_the_key_is_asked_for(self):
        for key in (None, "e2b_00", self.service.key + "0", ""):
            self.assertError(self.service.call("GET", "/v2/sandboxes", key=key), 401)
        self.assertEqual(self.service.call("GET", "/health", key=None).status, 200)

    def test_bad_requests_have_typed_bodies(self):
        create = lambda body: self.service.call("POST", "/sandboxes", body)
        self.assertError(create(b"{"), 400)
        self.assertError(create({}), 400)
        self.assertError(create({"templateID": "base", "timeout": 0}), 400)
        self.assertError(create({"templateID": "base", "timeout": 10**9}), 400)
        for name, value in (("A=B", "x"), ("A\0B", "x"), ("", "x"), ("A", "\0")):
            refused = create({"templateID": "base", "envVars": {name: value}})
            self.assertError(refused, 400)
            self.assertIn("envVars: the variable ", refused.json["message"])
        self.assertError(create({"templateID": "nosuch"}), 404)
        self.assertError(create({"templateID": "../base"}), 404)
        self.assertError(create({"templateID": "base", "network": {"rules": {"x.test": []}}}), 400)
        self.assertError(self.service.call("GET", "/sandboxes/UPPER"), 400)
        self.assertError(self.service.call("PATCH", "/sandboxes"), 405)
        self.assertError(self.service.call("GET", "/nothing"), 404)
        self.assertError(self.service.call("GET", "/v2/sandboxes?limit=0"), 400)
        self.assertError(self.service.call("GET", "/v2/sandboxes?nextToken=x"), 400)

    def test_an_unknown_sandbox_is_404_everywhere(self):
        calls = [("GET", ""), ("DELETE", ""), ("POST", "/timeout"), ("POST", "/connect"), ("POST", "/refreshes")]
        for method, tail in calls:
            body = {"timeout": 5} if method == "POST" else None
            self.assertError(self.service.call(method, f"/sandboxes/inone{tail}", body), 404)
        for tail in ("/snapshots", "/fork", "/pause"):
            self.assertError(self.service.call("POST", f"/sandboxes/inone{tail}", {}), 404)

    def test_detail_and_list_show_it(self):
        box = self.sandbox(metadata={"user": "a b", "k&1": "v=1"}, timeout=100)
        detail = box.detail().json
        self.assertEqual(detail["state"], "running")
        self.assertEqual(detail["metadata"], {"user": "a b", "k&1": "v=1"})
        self.assertEqual(detail["envdAccessToken"], box.token)
        self.assertAlmostEqual(time_of(detail["endAt"]) - time_of(detail["startedAt"]), 100, delta=20)
        query = quote("&".join(f"{quote(quote(k))}={quote(quote(v))}" for k, v in detail["metadata"].items()))
        answer = self.service.call("GET", f"/v2/sandboxes?state=running,paused&metadata={query}")
        self.assertEqual([row["sandboxID"] for row in answer.json], [box.id], answer)
        self.assertGreaterEqual(int(answer.headers["x-total-running"]), 1)
        self.assertNotIn("x-next-token", answer.headers)
        self.assertEqual(self.service.call("GET", "/v2/sandboxes?metadata=user%3Dother").json, [])

    def test_pages_of_a_list_meet(self):
        made = {self.sandbox(metadata={"page": "yes"}).id for _ in range(3)}
        seen, token = [], ""
        while True:
            answer = self.service.call("GET", f"/v2/sandboxes?limit=1&metadata=page%3Dyes&nextToken={token}")
            seen += [row["sandboxID"] for row in answer.json]
            token = answer.headers.get("x-next-token", "")
            if not token:
                break
        self.assertEqual(sorted(seen), sorted(made))

    def test_connect_extends_and_never_shortens(self):
        box = self.sandbox(timeout=1000)
        before = time_of(box.detail().json["endAt"])
        answer = box.connect(10)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json["envdAccessToken"], box.token)
        self.assertEqual(time_of(box.detail().json["endAt"]), before)
        self.assertEqual(box.connect(2000).status, 200)
        self.assertGreater(time_of(box.detail().json["endAt"]), before + 500)
        self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/connect", {}), 400)
        self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/resume", {"timeout": 9}), 409)

    def test_the_times_of_both_generations(self):
        for path, seconds in (("/sandboxes", 15), ("/v2/sandboxes", 300)):
            made = self.service.call("POST", path, {"templateID": "base"})
            self.assertEqual(made.status, 201, made)
            detail = self.service.call("GET", "/sandboxes/" + made.json["sandboxID"]).json
            self.service.call("DELETE", "/sandboxes/" + made.json["sandboxID"])
            # It counts from the end of the boot.
            life = time_of(detail["endAt"]) - time_of(detail["startedAt"])
            self.assertTrue(seconds <= life < seconds + DEADLINE, detail)

    def test_timeout_moves_both_ways_and_refresh_one(self):
        box = self.sandbox(timeout=1000)
        end = lambda: time_of(box.detail().json["endAt"])
        first = end()
        post = lambda tail, body: self.service.call("POST", f"/sandboxes/{box.id}/{tail}", body).status
        self.assertEqual(post("timeout", {"timeout": 100}), 204)
        shorter = end()
        self.assertLess(shorter, first - 500)
        self.assertEqual(post("refreshes", {"duration": 20}), 204)
        self.assertEqual(end(), shorter)
        self.assertEqual(post("refreshes", {"duration": 3000}), 204)
        self.assertGreater(end(), first)
        self.assertEqual(post("refreshes", {"duration": 3601}), 400)

    def test_at_its_end_it_is_gone(self):
        box = self.service.create(timeout=1000)
        self.service.call("POST", f"/sandboxes/{box.id}/timeout", {"timeout": 0})
        until(lambda: box.detail().status == 404, "the sandbox is killed at its end")
        self.assertEqual(box.call("GET", "/health").status, 502)

    def test_at_its_end_it_is_paused_when_it_was_made_so(self):
        box = self.sandbox(timeout=1000, autoPause=True)
        box.must("echo kept > /workspace/file; sync")
        self.service.call("POST", f"/sandboxes/{box.id}/timeout", {"timeout": 0})
        until(lambda: box.detail().json["state"] == "paused", "the sandbox is paused at its end")
        self.assertEqual(box.call("GET", "/health").status, 502)
        answer = box.connect()
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(answer.json["envdAccessToken"], box.token)
        self.assertEqual(box.must("cat /workspace/file"), "kept")

    def test_a_pause_without_memory_keeps_files(self):
        box = self.sandbox()
        box.must("echo kept > file; touch /dev/shm/marker")
        pause = lambda body: self.service.call("POST", f"/sandboxes/{box.id}/pause", body)
        self.assertEqual(pause({"memory": False}).status, 204)
        self.assertError(pause({"memory": False}), 409)
        self.assertEqual(box.detail().json["state"], "paused")
        self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/timeout", {"timeout": 9}), 404)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(box.connect().status)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers), [200, 200, 200, 201])  # one boot for all
        self.assertEqual(box.must("cat file; ls /dev/shm"), "kept")

    def test_killed_is_killed_once(self):
        box = self.service.create()
        self.assertEqual(box.kill().status, 204)
        self.assertError(box.kill(), 404)
        self.assertError(box.connect(), 404)
        listed = [row["sandboxID"] for row in self.service.call("GET", "/v2/sandboxes").json]
        self.assertNotIn(box.id, listed)


@needs_sandboxes
class DataPlane(SandboxdCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box = cls.service.create(timeout=3000)

    def test_files_go_in_and_out(self):
        data = bytes(range(256)) * 4096
        answer = self.box.write("/workspace/deep/file.bin", data)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.box.read("/workspace/deep/file.bin").body, data)
        self.assertEqual(self.box.must("stat -c '%U %a' /workspace/deep/file.bin"), "user 644")

    def test_chunked_bodies_pass(self):
        link = self.service.link()
        pieces = [b"a" * 10_000, b"b" * 70_000, b"c"]
        lines = {**self.box.headers(), "Content-Type": "application/octet-stream"}
        link.request("POST", "/files?path=/workspace/chunked", iter(pieces), lines, encode_chunked=True)
        self.assertEqual(link.getresponse().status, 200)
        link.close()
        self.assertEqual(self.box.read("/workspace/chunked").body, b"".join(pieces))

    def test_the_host_name_routes_too(self):
        link = self.service.link()
        lines = {"Host": f"49983-{self.box.id}.example.test", "X-Access-Token": self.box.token}
        link.request("GET", "/health", headers=lines)
        self.assertEqual(link.getresponse().status, 204)
        link.close()
        answer = self.service.call("GET", "/x", headers={"Host": "49983-UPPER.example.test"}, key=None)
        self.assertError(answer, 400)

    def test_one_connection_serves_both_planes(self):
        link = self.service.link()
        for _ in range(3):
            link.request("GET", "/health", headers=self.box.headers())
            response = link.getresponse()
            self.assertEqual((response.status, response.read()), (204, b""))
            link.request("GET", f"/sandboxes/{self.box.id}", headers={"X-API-Key": self.service.key})
            response = link.getresponse()
            self.assertEqual(json.loads(response.read())["state"], "running")
        link.close()

    def test_half_a_route_is_no_route(self):
        self.assertError(self.service.call("GET", "/health", headers={"E2b-Sandbox-Id": self.box.id}), 400)

    def test_an_unknown_sandbox_is_502(self):
        answer = self.service.call("GET", "/", headers={"E2b-Sandbox-Id": "inone", "E2b-Sandbox-Port": "80"})
        self.assertEqual(answer.status, 502)
        self.assertEqual(
            answer.json, {"sandboxId": "inone", "message": "The sandbox was not found", "code": 502}
        )

    def test_a_closed_port_is_502_with_the_port(self):
        answer = self.box.call("GET", "/", port=3999)
        self.assertEqual((answer.status, answer.json["port"], answer.json["code"]), (502, 3999, 502), answer)

    def test_init_cannot_be_reached(self):
        for path in ("/init", "/init/", "//init", "/x/../init", "/%69nit", "/freeze"):
            self.assertError(self.box.call("POST", path, {}), 404)

    def test_the_token_is_asked_for_and_stays_inside(self):
        lines = {**self.box.headers(), "X-Access-Token": "wrong"}
        answer = self.service.call("POST", "/filesystem.Filesystem/Stat", {"path": "/"}, lines, key=None)
        self.assertEqual(answer.status, 401, answer)
        code = (
            "import http.server\nclass H(http.server.BaseHTTPRequestHandler):\n"
            " def do_GET(s):\n  d=str(s.headers).encode()\n  s.send_response(200)\n"
            "  s.send_header('Content-Length',str(len(d)))\n  s.end_headers()\n  s.wfile.write(d)\n"
            "http.server.HTTPServer(('127.0.0.1',8123),H).serve_forever()"
        )
        self.box.must(f'nohup python3 -c "{code}" >/dev/null 2>&1 &')
        answer = until(
            lambda: (found := self.box.call("GET", "/x", port=8123)).status == 200 and found,
            "the port inside is reached",
        )
        shown = answer.body.decode().lower()
        self.assertNotIn(self.box.token, shown)
        self.assertNotIn("e2b-sandbox", shown)

    def test_servers_on_every_loopback_address_are_reached(self):
        for port, bind in ((8201, "127.0.0.1"), (8202, "::1"), (8203, "0.0.0.0"), (8204, "::")):
            self.box.must(f"nohup python3 -m http.server {port} --bind {bind} -d /workspace >/dev/null 2>&1 &")
            until(lambda p=port: self.box.call("GET", "/", port=p).status == 200, f"the server on {bind}")

    def test_an_upgraded_connection_is_passed_through(self):
        code = (
            "import socket\ns=socket.create_server(('127.0.0.1',8301))\nopen('/tmp/up','w').close()\nc,_=s.accept()\nd=b''\n"
            "while b'\\r\\n\\r\\n' not in d: d+=c.recv(999)\n"
            "c.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\nhi')\n"
            "while True:\n d=c.recv(999)\n if not d: break\n c.sendall(d.upper())\nc.close()"
        )
        self.assertEqual(self.box.write("/workspace/up.py", code.encode()).status, 200)
        self.box.must("nohup python3 /workspace/up.py >/dev/null 2>&1 & until test -e /tmp/up; do sleep 0.05; done")
        address = urlsplit(self.service.url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as link:
            head = "".join(f"{name}: {value}\r\n" for name, value in self.box.headers(port=8301).items())
            link.sendall(
                f"GET / HTTP/1.1\r\nHost: localhost\r\n{head}Connection: Upgrade\r\nUpgrade: echo\r\n\r\n".encode()
            )
            got = b""
            while not got.endswith(b"hi"):
                got += link.recv(999)
            self.assertIn(b"101", got)
            link.sendall(b"abc")
            got = b""
            while got != b"ABC":
                got += link.recv(999)
            link.shutdown(socket.SHUT_WR)
            self.assertEqual(link.recv(999), b"")

    def test_a_client_that_leaves_ends_the_stream_and_not_the_process(self):
        link, response = self.box.start("sleep 300.25")
        head = response.read(5)
        first = json.loads(response.read(struct.unpack(">BI", head)[1]))
        pid = first["event"]["start"]["pid"]
        connections = lambda: int(self.box.must("grep -c ' 01 ' /proc/1/net/tcp || true", "root") or 0)
        before = connections()
        link.close()
        response.close()
        until(lambda: connections() < before, "the stream inside is closed")
        self.assertEqual(self.box.must(f"kill -0 {pid} && echo alive"), "alive")
        self.box.must(f"kill -9 {pid}")

    def test_a_kill_resets_open_streams(self):
        box = self.service.create()
        link, response = box.start("sleep 300")
        response.read(5)
        self.assertEqual(box.kill().status, 204)
        with self.assertRaises(ConnectionResetError):
            while response.read(1):
                pass
        link.close()

    def test_a_page_of_another_host_needs_a_token(self):
        answer = self.service.call("POST", "/sandboxes", {"templateID": "base", "timeout": 60, "secure": False})
        self.assertEqual(answer.status, 201, answer)
        self.assertNotIn("envdAccessToken", answer.json)
        box = answer.json["sandboxID"]
        self.addCleanup(self.service.call, "DELETE", f"/sandboxes/{box}")
        lines = {"E2b-Sandbox-Id": box, "E2b-Sandbox-Port": "49983"}
        ask = lambda origin: self.service.call("GET", "/health", headers={**lines, "Origin": origin}).status
        self.assertEqual(ask("https://evil.example"), 403)
        self.assertEqual(ask("null"), 403)
        self.assertEqual(ask("http://localhost:3000"), 204)


@needs_sandboxes
class Refusals(SandboxdCase):
    options = ("--sandboxes", "1")

    def test_one_more_than_allowed_is_refused(self):
        box = self.sandbox()
        answer = self.service.call("POST", "/v2/sandboxes", {"templateID": "base"})
        self.assertError(answer, 429)
        self.assertNotIn("retry-after", answer.headers)
        box.kill()
        self.sandbox()

    def test_malformed_requests_end_the_connection(self):
        address = urlsplit(self.service.url)
        for bytes_sent in (b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"x" * 80_000):
            with socket.create_connection((address.hostname, address.port), timeout=60) as link:
                link.sendall(bytes_sent)
                answer = http.client.HTTPResponse(link)
                try:
                    answer.begin()
                    self.assertIn(answer.status, (400, 431))
                    self.assertTrue(re.match(rb"\{.*\}", answer.read()))
                except (http.client.BadStatusLine, ConnectionResetError):
                    pass  # closed without an answer
        self.assertEqual(self.service.call("GET", "/health").status, 200)

    def answer_to(self, sent):
        """The one answer to these bytes, after which the connection is closed."""
        address = urlsplit(self.service.url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as link:
            link.sendall(sent)
            answer = http.client.HTTPResponse(link)
            answer.begin()
            body = answer.read()
            self.assertEqual(link.recv(1), b"")
        return answer.status, json.loads(body)

    def test_a_malformed_body_is_400(self):
        box = self.sandbox()
        inside = {**box.headers(), "Content-Type": "application/octet-stream"}
        for size in (b"ffffffffffffffff1", b"nonsense"):
            for path, more in (("/sandboxes", {"X-API-Key": self.service.key}), ("/files?path=/tmp/x", inside)):
                lines = "".join(f"{name}: {value}\r\n" for name, value in more.items())
                head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{lines}Transfer-Encoding: chunked\r\n\r\n"
                status, body = self.answer_to(head.encode() + size + b"\r\nx\r\n")
                self.assertEqual((status, body), (400, {"code": 400, "message": "malformed body"}), (size, path))
        box.must("true")
        box.kill()


@needs_sandboxes
class CommandLine(unittest.TestCase):
    def test_help_has_the_defaults(self):
        shown = subprocess.run([program(), "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0)
        lines = {line.split()[0]: line + " " for line in shown.stdout.splitlines() if line.strip().startswith("--")}
        for option, default in (("--address", "127.0.0.1"), ("--port", "0"), ("--api-key-file", "DATA/api-key"),
                                ("--templates", "/opt/agentpool/templates"), ("--runc", "runc"), ("--network", "nat"),
                                ("--memory", "512MiB"), ("--disk", "2GiB"), ("--processes", "512"), ("--cpus", "2"),
                                ("--sandboxes", "100")):
            self.assertIn(f"={default} ", lines[option], shown.stdout)

    def refused(self, service):
        done = subprocess.run(service.argv(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done)
        return done.stderr

    def test_why_the_folder_cannot_be_locked(self):
        service = Sandboxd("--network", "none")
        self.addCleanup(service.close)
        lock = os.path.join(service.data, "lock")
        os.makedirs(lock)
        said = self.refused(service)
        self.assertIn(f"cannot open the lock file {lock}: Is a directory", said)
        self.assertNotIn("another sandboxd", said)
        os.rmdir(lock)
        service.start()
        self.assertIn(f"another sandboxd runs on the folder {service.data}; stop it first", self.refused(service))
        self.assertEqual(service.stop(), 0)

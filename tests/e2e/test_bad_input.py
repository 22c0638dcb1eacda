# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Bad input on every door: bodies, routes, headers, configuration, start."""

import os
import shutil
import socket
from urllib.parse import urlsplit

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.wait import DEADLINE


class BadRequestTest(E2eCase):

    def testMalformedBodies(self):
        session = self.client.create()
        for path in ("/v1/sessions", f"/v1/sessions/{session}/prompt"):
            for body in (
                b"{",
                b"[]",
                b"42",
                b'"text"',
                b"null",
                b"\xff\xfe",
                b'{"text":"\xff"}',
                b'{"text":"a"} x',
                b'{"text":"\\ud800"}',
                b"[" * 100000,
                b'{"a":' * 50000,
            ):
                self.assertProblem(self.client.call("POST", path, body), 400, "bad_json", "bad_request")

    def testWrongTypes(self):
        session = self.client.create()
        prompt = f"/v1/sessions/{session}/prompt"
        for body in (
            {},
            {"text": 5},
            {"text": None},
            {"text": []},
            {"text": ""},
            {"prompt": "text"},
            {"prompt": []},
            {"prompt": [5]},
            {"prompt": [{}]},
            {"prompt": [{"type": "text"}]},
            {"prompt": [{"type": "text", "text": 5}]},
            {"text": "a", "prompt": [{"type": "text", "text": "b"}]},
        ):
            self.assertProblem(self.client.call("POST", prompt, body), 400, "bad_request")
        for body in (
            {"profile": 5},
            {"title": []},
            {"mode": "perhaps"},
            {"metadata": "text"},
            {"metadata": []},
            {"title": "x" * 5000},
            {"metadata": {"a": "x" * 20000}},
        ):
            self.assertProblem(self.client.call("POST", "/v1/sessions", body), 400, "bad_request")
        self.assertProblem(
            self.client.call("POST", "/v1/sessions", {"profile": "nobody"}), 400, "unknown_profile"
        )
        self.assertEqual([e["type"] for e in self.client.log(session)], ["session_created"])

    def testContentThatIsNotServedYet(self):
        session = self.client.create()
        for block in (
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "b"}},
        ):
            self.assertProblem(
                self.client.call("POST", f"/v1/sessions/{session}/prompt", {"prompt": [block]}),
                400,
                "unsupported",
            )

    def testUnknownRoutesAndMethods(self):
        session = self.client.create()
        for path in (
            "/",
            "/v1",
            "/v2/sessions",
            "/v1/session",
            f"/v1/sessions/{session}/nothing",
            "/v1/sessions/",
            f"/v1/sessions/{session}/events/5",
            "/v1//sessions",
            "/v1/sessions/../sessions",
            "/%00",
            "/v1/sessions/%2e",
        ):
            self.assertProblem(self.client.call("GET", path), 404, "not_found")
        for method, path in (
            ("PUT", "/v1/sessions"),
            ("DELETE", "/v1/sessions"),
            ("PATCH", f"/v1/sessions/{session}"),
            ("GET", f"/v1/sessions/{session}/prompt"),
            ("POST", f"/v1/sessions/{session}/events"),
            ("POST", "/healthz"),
            ("BREW", "/v1/sessions"),
        ):
            answer = self.client.call(method, path)
            self.assertProblem(answer, 405, "method_not_allowed")
            self.assertTrue(answer.headers.get("allow"), (method, path))

    def testSizes(self):
        session = self.client.create()
        big = b'{"text":"' + b"x" * (2 << 20) + b'"}'
        try:
            self.assertProblem(
                self.client.call("POST", f"/v1/sessions/{session}/prompt", big), 413, "payload_too_large"
            )
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before the body was sent whole
        answer = self.client.call("GET", "/v1/sessions", headers={"X-Long": "x" * 60000})
        self.assertProblem(answer, 431, "header_too_large")
        self.assertEqual(self.client.call("GET", "/v1/sessions?" + "a=b&" * 2000).status, 200)

    def raw(self, data, end=False):
        """What the gateway answers to these bytes."""
        target = urlsplit(self.client.url)
        with socket.create_connection((target.hostname, target.port), 30) as link:
            link.sendall(data)
            if end:
                link.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while piece := link.recv(65536):
                    answer += piece
            except ConnectionResetError:
                pass
            return answer

    def testBytesThatAreNoHttp(self):
        for data in (
            b"\r\n\r\n",
            b"GARBAGE\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"GET /v1/sessions HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"GET /v1/sessions HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            b"POST /v1/sessions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        ):
            self.raw(data, end=True)
            self.assertEqual(self.client.call("GET", "/healthz", token=None).status, 200, data)

    def testPipelinedRequestsAreAnsweredInOrder(self):
        one = f"GET /v1/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.client.token}\r\n"
        data = (one + "\r\n" + one + "Connection: close\r\n\r\n").encode()
        self.assertEqual(self.raw(data).count(b"HTTP/1.1 200"), 2)

    def testBadQueries(self):
        session = self.client.create()
        for query in ("after=abc", "after=-1", "after=1.5", "after=99999999999999999999", "after=%00"):
            self.assertProblem(
                self.client.call("GET", f"/v1/sessions/{session}/events?{query}"), 400, "bad_request"
            )
        for query in ("limit=0", "limit=abc", "limit=-5", "cursor=%ff"):
            self.assertProblem(self.client.call("GET", f"/v1/sessions?{query}"), 400, "bad_request")

    def testProblemsHaveTheirParts(self):
        problem = self.client.call("GET", "/v1/sessions/absent").json
        self.assertEqual(problem["status"], 404)
        self.assertLessEqual({"type", "title", "status", "detail", "code"}, set(problem))


class StartTest(E2eCase):
    clean_end = False

    def refused(self, daemon, code, *words, extra=()):
        """The daemon ends with that code and one text that names all these words."""
        daemon.spawn(*extra)
        self.assertEqual(daemon.wait_exit(), code, daemon.tail())
        for word in words:
            self.assertIn(word, daemon.text())
        self.assertEqual(daemon.workers(), {})

    def testAllConfigurationErrorsAtOnce(self):
        daemon = self.own_daemon(start=False)
        with open(daemon.config, "w", encoding="utf-8") as config:
            config.write(
                '[pool]\nwarm = "many"\nunknown_key = 1\n\n[session]\nt1 = "ten"\n\n[nonsense]\na = 1\n\n'
                '[agents.x]\ncommand = 5\n'
            )
        self.refused(daemon, 2, "config.toml", "warm", "unknown_key", "t1", "nonsense", "command")
        for line in ("2", "3", "6", "8"):
            self.assertIn(f"config.toml:{line}", daemon.text())

    def testSyntaxErrorNamesTheLine(self):
        daemon = self.own_daemon(start=False)
        with open(daemon.config, "w", encoding="utf-8") as config:
            config.write("[pool]\nwarm = = 2\n")
        self.refused(daemon, 2, "config.toml:2")

    def testValuesOutOfRange(self):
        for table, key, value in (
            ("pool", "warm", "-1"),
            ("session", "t1", '"0ms"'),
            ("session", "t1", '"-5s"'),
            ("gateway", "heartbeat", '"10"'),
            ("gateway", "heartbeat", "10"),
        ):
            daemon = self.own_daemon(start=False)
            with open(daemon.config, "w", encoding="utf-8") as config:
                config.write(f"[{table}]\n{key} = {value}\n")
            self.refused(daemon, 2, key, "config.toml:2")

    def testAgentWithoutALockMustBeTrusted(self):
        daemon = self.own_daemon(start=False)
        with open(daemon.config, "a", encoding="utf-8") as config:
            config.write('[agents.other]\ncommand = ["/bin/true"]\n')
        self.refused(daemon, 2, "other", "trusted")

    def testTrustedAgentsAreSaidLoudly(self):
        daemon = self.own_daemon()
        self.assertIn("trusted", daemon.text())
        self.check_end(daemon)

    def testMissingConfiguration(self):
        daemon = self.own_daemon(start=False)
        os.unlink(daemon.config)
        self.refused(daemon, 2, "config.toml")

    def testPortInUse(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            daemon = self.own_daemon(start=False)
            daemon.spawn("--port", port)
            self.assertNotEqual(daemon.wait_exit(), 0)
            self.assertIn(port, daemon.text())
            self.assertNotIn("Traceback", daemon.text())

    def testSecondDaemonOnTheSameData(self):
        daemon = self.own_daemon()
        first, output = daemon.child, daemon.output
        daemon.spawn()
        self.assertNotEqual(daemon.wait_exit(), 0)
        self.assertIn(daemon.data, daemon.text())
        daemon.child, daemon.output = first, output
        self.assertEnded(daemon.client().run(daemon.client().create(), "still fine")[1])
        self.check_end(daemon)

    def testDataFolderThatCannotBe(self):
        daemon = self.own_daemon(start=False)
        shutil.rmtree(daemon.data)
        with open(daemon.data, "w", encoding="utf-8"):
            pass
        daemon.spawn()
        self.assertNotEqual(daemon.wait_exit(), 0)
        self.assertIn(daemon.data, daemon.text())
        os.unlink(daemon.data)

    def testMissingDsh(self):
        daemon = self.own_daemon(start=False)
        daemon.spawn("--dsh-prefix", os.path.join(daemon.work, "no-dsh"))
        self.assertNotEqual(daemon.wait_exit(), 0)
        self.assertIn("no-dsh", daemon.text())
        self.assertIn("install-dsh", daemon.text())

    def testUnknownOption(self):
        daemon = self.own_daemon(start=False)
        daemon.spawn("--no-such-option")
        self.assertNotEqual(daemon.wait_exit(DEADLINE), 0)
        self.assertIn("--no-such-option", daemon.text())

    def testEndpointsFileIsPrivateAndGoesAway(self):
        daemon = self.own_daemon()
        path = os.path.join(daemon.data, "run", "endpoints.json")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        endpoints = daemon.endpoints()
        for part in ("gateway", "ops"):
            self.assertEqual(endpoints[part]["pid"], daemon.pid)
            self.assertEqual(urlsplit(endpoints[part]["url"]).hostname, "127.0.0.1")
        self.check_end(daemon)

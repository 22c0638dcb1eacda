# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Bad input at the gateway: bodies, routes, headers, bytes."""

import socket
from urllib.parse import urlsplit

from tests.e2e.case import E2eCase
from tests.e2e.client import said


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
                b"[" * 100000,
                b'{"a":' * 50000,
            ):
                self.assertProblem(self.client.call("POST", path, body), 400, "bad_json", "bad_request")

    def testHalfASurrogatePairIsReplaced(self):
        """RFC 8259, section 8.2, allows its escape; UTF-8 has no form for it."""
        session = self.client.create()
        answer = self.client.call("POST", f"/v1/sessions/{session}/prompt", b'{"text":"a\\ud800b"}')
        self.assertEqual(answer.status, 202, answer)
        turn = answer.json["turn_id"]
        self.assertEnded(self.client.turn_end(session, turn))
        self.assertEqual(said(self.client.log(session), turn), "echo: a\ufffdb")

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
        self.assertEqual(self.client.call("GET", "/v1/sessions?limit=5" + "&" * 8000).status, 200)

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
        for query in ("limit=0", "limit=abc", "limit=-5", "cursor=%ff", "limits=5"):
            self.assertProblem(self.client.call("GET", f"/v1/sessions?{query}"), 400, "bad_request")

    def testRefusalsNameTheirCause(self):
        post = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\n"
        for data, status, words in (
            (post + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n", 400, b"chunks are malformed"),
            (post + b"Content-Length: x\r\n\r\n", 400, b"one decimal number"),
            (post + b"Content-Length: 9\r\n\r\n{", 400, b"ended before the request's body"),
            (post + b"Content-Length: 2\r\nExpect: more\r\n\r\n{}", 417, b"100-continue"),
            (b"PUT /v1/sessions/x/files/content HTTP/1.1\r\nContent-Length: 5000000000\r\n\r\n", 413, b"4294967296"),
        ):
            answer = self.raw(data, end=True)
            self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer)
            self.assertIn(words, answer)

    def testMembersThatAreGivenTwice(self):
        session = self.client.create()
        for path, body in (
            ("/v1/sessions", b'{"mode":"deny","mode":"allow"}'),
            ("/v1/sessions", b'{"metadata":{"a":{"mode":1,"mode":2}}}'),
            (f"/v1/sessions/{session}/prompt", b'{"text":"a","mode":1,"mode":2}'),
        ):
            answer = self.client.call("POST", path, body)
            self.assertProblem(answer, 400, "bad_request")
            self.assertIn("'mode' is given twice", answer.json["detail"])

    def testEncodedBodies(self):
        session = self.client.create()
        for method, path in (
            ("POST", f"/v1/sessions/{session}/prompt"),
            ("PUT", f"/v1/sessions/{session}/files/content?path=a"),
        ):
            answer = self.client.call(method, path, b"\x1f\x8b", {"Content-Encoding": "gzip"})
            self.assertProblem(answer, 415, "unsupported_encoding")
            self.assertEqual(answer.headers["accept-encoding"], "identity")

    def testAPartOfAFileIsNotWritten(self):
        path = f"/v1/sessions/{self.client.create()}/files/content?path=a"
        answer = self.client.call("PUT", path, b"XX", {"Content-Range": "bytes 2-3/10"})
        self.assertProblem(answer, 400, "bad_request")
        self.assertIn("without Content-Range", answer.json["detail"])

    def testProblemsHaveTheirParts(self):
        problem = self.client.call("GET", "/v1/sessions/absent").json
        self.assertEqual(problem["status"], 404)
        self.assertLessEqual({"type", "title", "status", "detail", "code"}, set(problem))

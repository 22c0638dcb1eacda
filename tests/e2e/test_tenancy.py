# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Devices: what one has must not exist for another."""

import os
import socket
from urllib.parse import urlsplit

from tests.e2e.case import E2eCase
from tests.e2e.client import Client

ROUTES = [
    ("GET", "", None),
    ("DELETE", "", None),
    ("POST", "/prompt", {"text": "hi"}),
    ("POST", "/cancel", None),
    ("GET", "/events", None),
    ("GET", "/events?after=1", None),
    ("GET", "/permissions", None),
    ("POST", "/permissions/p1", {"option_id": "allow-once"}),
    ("GET", "/files?path=.", None),
    ("GET", "/files/content?path=a", None),
    ("PUT", "/files/content?path=a", None),
]


class TenancyTest(E2eCase):

    # BR-138
    def testIdsAreServerMadeAndUnguessable(self):
        ids = [self.client.create() for _ in range(20)]
        self.assertEqual(len(set(ids)), 20)
        for one in ids:
            self.assertGreaterEqual(len(one), 22, "at least 128 bits")
        for first, second in zip(ids, ids[1:]):
            same = sum(1 for a, b in zip(first, second) if a == b)
            self.assertLess(same, len(first) // 2, "neighbours look alike")

    # BR-138
    def testClientsCannotChooseIds(self):
        victim = self.client.create()
        other = self.daemon.device()
        for field in (
            "id",
            "session_id",
            "sessionId",
            "worker",
            "worker_id",
            "hand",
            "sandbox_id",
            "device",
            "brain",
        ):
            answer = other.call("POST", "/v1/sessions", {"profile": "fault", field: victim})
            if answer.status == 201:
                self.assertNotEqual(answer.json["id"], victim)
                self.assertEqual(other.run(answer.json["id"], "@count")[0], "count 1")
            else:
                self.assertProblem(answer, 400, "unsupported", "bad_request")
        self.assertEqual(self.client.run(victim, "@count")[0], "count 1")

    # BR-139
    def testForeignAndAbsentAreTheSame404(self):
        session = self.client.create()
        self.client.run(session, "hello")
        log, other = self.client.log(session), self.daemon.device()
        deleted = other.create()
        other.delete(deleted)
        absent = session[:-4] + ("aaaa" if not session.endswith("aaaa") else "bbbb")
        for method, route, body in ROUTES:
            answers = {}
            for name, target in (
                ("foreign", session),
                ("absent", absent),
                ("deleted", deleted),
                ("odd", "x"),
                ("long", "ses_" + "a" * 200),
            ):
                answer = other.call(method, f"/v1/sessions/{target}{route}", body)
                headers = {k: v for k, v in answer.headers.items() if k not in ("date", "x-request-id")}
                answers[name] = (answer.status, answer.body, headers)
            for name, answer in answers.items():
                self.assertEqual(answer, answers["foreign"], (method, route, name))
            self.assertEqual(answers["foreign"][0], 404, (method, route))
            self.assertNotIn(session.encode(), answers["foreign"][1])
        self.assertEqual(self.client.log(session), log, "a foreign device left a trace")

    # BR-139
    def testIdempotencyKeysTellNothingAboutOthers(self):
        session, other = self.client.create(), self.daemon.device()
        self.client.turn_end(session, self.client.prompt(session, "hello", key="shared"))
        foreign = other.post_prompt(session, "hello", "shared")
        absent = other.post_prompt(session[:-4] + "aaaa", "hello", "shared")
        self.assertEqual((foreign.status, foreign.body), (404, absent.body))

    def testListShowsOnlyOnesOwn(self):
        other = self.daemon.device()
        mine, theirs = self.client.create(), other.create()
        self.assertIn(theirs, [s["id"] for s in other.must(200, "GET", "/v1/sessions")["sessions"]])
        self.assertNotIn(mine, [s["id"] for s in other.must(200, "GET", "/v1/sessions")["sessions"]])

    def testListIsPaged(self):
        device = self.daemon.device()
        made = [device.create() for _ in range(7)]
        seen, cursor = [], ""
        while True:
            page = device.must(200, "GET", f"/v1/sessions?limit=3{cursor}")
            self.assertLessEqual(len(page["sessions"]), 3)
            seen += [s["id"] for s in page["sessions"]]
            if not page.get("next"):
                break
            cursor = f"&cursor={page['next']}"
        self.assertEqual(sorted(seen), sorted(made))
        self.assertProblem(device.call("GET", "/v1/sessions?cursor=nonsense"), 400, "bad_request")
        foreign = self.client.call("GET", f"/v1/sessions?limit=3{cursor}")
        if foreign.status == 200:
            self.assertEqual(set(made) & {s["id"] for s in foreign.json["sessions"]}, set())

    def raw(self, *authorization):
        """Status of a request with exactly these Authorization lines."""
        target = urlsplit(self.client.url)
        with socket.create_connection((target.hostname, target.port), 30) as link:
            lines = "".join(f"{line}\r\n" for line in authorization)
            link.sendall(f"GET /v1/sessions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}\r\n".encode())
            return int(link.makefile("rb").readline().split()[1])

    # BR-140
    def testMissingAndDoubtfulTokensAre401(self):
        token = self.client.token
        bearer = f"Authorization: Bearer {token}"
        self.assertEqual(self.raw(bearer), 200)
        for lines in (
            (),
            ("Authorization:",),
            ("Authorization: Bearer",),
            ("Authorization: Bearer ",),
            ("Authorization: Bearer null",),
            ("Authorization: Bearer 0",),
            (f"Authorization: Basic {token}",),
            (f"Authorization: {token}",),
            (bearer, bearer),
            (bearer, "Authorization: Bearer x"),
            (f"Authorization: Bearer {token.swapcase()}",),
            (bearer + "x",),
            (bearer[:-1],),
            (f"Authorization: Bearer {token},{token}",),
            (f"X-Device-Token: {token}",),
        ):
            self.assertEqual(self.raw(*lines), 401, lines)

    # BR-140
    def testNoRouteWorksWithoutAToken(self):
        session = self.client.create()
        for method, route, body in ROUTES:
            answer = self.client.call(method, f"/v1/sessions/{session}{route}", body, token=None)
            self.assertProblem(answer, 401, "unauthorized")
        self.assertProblem(self.client.call("POST", "/v1/sessions", {}, token="wrong"), 401, "unauthorized")
        for path in ("/healthz", "/readyz", "/openapi.json"):
            self.assertEqual(self.client.call("GET", path, token=None).status, 200, path)

    # BR-140
    def testTokensOfOneListenerAreWorthNothingOnTheOther(self):
        ops = self.daemon.ops()
        self.assertEqual(Client(ops.url, self.client.token).call("GET", "/ops/v1/status").status, 401)
        self.assertEqual(Client(self.client.url, ops.token).call("GET", "/v1/sessions").status, 401)
        self.assertEqual(ops.call("GET", "/ops/v1/status", token=None).status, 401)
        self.assertEqual(self.client.call("GET", "/ops/v1/status").status, 404)

    def testTokenIsHashedAtRest(self):
        self.client.create()
        token = self.client.token.encode()
        for folder, _, files in os.walk(self.daemon.data):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as handle:
                    if token in handle.read():
                        self.assertIn(name, ("endpoints.json", "dev-token"))
                        self.assertEqual(os.stat(path).st_mode & 0o077, 0, path)

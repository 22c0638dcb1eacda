# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Several API keys: each is a team that sees its own sandboxes only and has limits of its own."""

import json
import os
import subprocess

from tests.e2e.sandboxd import Sandbox, Sandboxd, SandboxdCase, needs_sandboxes

ONE, TWO, OTHER, BLOCKED, SLOW = (f"e2b_{n}{'0' * 31}" for n in "12345")


def key_file(service, text):
    os.makedirs(service.data, exist_ok=True)
    with open(service.key_file, "w", encoding="utf-8") as out:
        out.write(text if isinstance(text, str) else json.dumps(text))


@needs_sandboxes
class Teams(SandboxdCase):
    @classmethod
    def setUpClass(cls):
        cls.service = Sandboxd()
        key_file(cls.service, {"teams": [
            {"name": "first", "keys": [ONE, TWO], "longest_timeout_s": 7200},
            {"name": "other", "keys": [OTHER], "running": 1, "sandboxes": 2, "disk_mib": 3 * 2048},
            {"name": "blocked", "keys": [BLOCKED], "blocked": True},
            {"name": "slow", "keys": [SLOW], "creates_per_minute": 1},
        ]})
        cls.addClassCleanup(cls.service.close)
        cls.service.start()

    def call(self, key, method, path, body=None):
        return self.service.call(method, path, body, key=key)

    def make(self, key, **fields):
        answer = self.call(key, "POST", "/v2/sandboxes", {"templateID": "base", "timeout": 3000, **fields})
        self.assertEqual(answer.status, 201, answer)
        box = Sandbox(self.service, answer.json)
        self.addCleanup(self.call, key, "DELETE", f"/sandboxes/{box.id}")
        return box

    def ids(self, key, path="/v2/sandboxes"):
        return [row["sandboxID"] for row in self.call(key, "GET", path).json]

    def test_keys_of_a_team_share_and_others_see_nothing(self):
        box = self.make(ONE)
        self.assertEqual(self.call(TWO, "GET", f"/sandboxes/{box.id}").status, 200)
        self.assertIn(box.id, self.ids(TWO))
        self.assertNotIn(box.id, self.ids(OTHER))
        self.assertNotIn(box.id, self.ids(OTHER, "/sandboxes"))
        unknown = "i" + "0" * 20
        calls = [("GET", "", None), ("DELETE", "", None), ("POST", "/connect", {"timeout": 9}), ("POST", "/pause", {}),
                 ("POST", "/resume", {}), ("POST", "/timeout", {"timeout": 9}), ("POST", "/refreshes", {"duration": 9}),
                 ("POST", "/fork", {}), ("POST", "/snapshots", {}), ("GET", "/metrics", None), ("GET", "/logs", None)]
        for method, tail, body in calls:
            answer = self.call(OTHER, method, f"/sandboxes/{box.id}{tail}", body)
            missing = self.call(OTHER, method, f"/sandboxes/{unknown}{tail}", body)
            self.assertError(answer, 404)
            self.assertEqual(answer.body.decode().replace(box.id, unknown), missing.body.decode())
        seen = self.call(OTHER, "GET", f"/sandboxes/metrics?sandbox_ids={box.id}")
        self.assertEqual(seen.json, {"sandboxes": {}})
        box.must("true")

    def test_snapshots_belong_to_a_team(self):
        box = self.make(ONE)
        made = self.call(ONE, "POST", f"/sandboxes/{box.id}/snapshots", {"name": "tool"}).json
        self.assertEqual(made["snapshotID"], "first/tool:default")
        self.assertEqual(self.call(OTHER, "GET", "/snapshots").json, [])
        for called in ("tool", "first/tool", "first/tool:default"):
            self.assertError(self.call(OTHER, "POST", "/v2/sandboxes", {"templateID": called}), 404)
        self.assertError(self.call(OTHER, "DELETE", "/templates/first%2Ftool%3Adefault"), 404)
        self.assertEqual(self.call(TWO, "DELETE", "/templates/first%2Ftool%3Adefault").status, 204)

    def test_a_blocked_team_is_403(self):
        self.assertError(self.call(BLOCKED, "GET", "/v2/sandboxes"), 403)
        self.assertError(self.call(BLOCKED, "POST", "/v2/sandboxes", {"templateID": "base"}), 403)
        self.assertError(self.call("e2b_nobody", "GET", "/v2/sandboxes"), 401)

    def test_its_longest_timeout(self):
        box = self.make(ONE, timeout=7200)
        create = lambda n: self.call(ONE, "POST", "/v2/sandboxes", {"templateID": "base", "timeout": n})
        self.assertError(create(7201), 400)
        self.assertEqual(create(7201).json["message"], "Timeout cannot be greater than 2 hours")
        self.assertError(self.call(ONE, "POST", f"/v2/sandboxes/{box.id}/connect", {"timeout": 7201}), 400)
        self.assertError(self.call(ONE, "POST", f"/sandboxes/{box.id}/timeout", {"timeout": 7201}), 400)

    def test_how_many_run_and_how_many_there_are(self):
        create = lambda: self.call(OTHER, "POST", "/v2/sandboxes", {"templateID": "base", "timeout": 3000})
        box = self.make(OTHER)
        for refused in (create(), create()):
            self.assertError(refused, 429)
            self.assertNotIn("retry-after", refused.headers)
        self.assertEqual(self.call(OTHER, "POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
        second = self.make(OTHER)
        self.assertError(self.call(OTHER, "POST", f"/v2/sandboxes/{box.id}/connect", {}), 429)
        self.assertEqual(self.call(OTHER, "POST", f"/sandboxes/{second.id}/pause", {}).status, 204)
        self.assertError(create(), 429)  # paused ones count
        self.assertEqual(self.call(OTHER, "POST", f"/v2/sandboxes/{box.id}/connect", {}).status, 201)
        self.make(ONE)  # another team has room
        made = self.call(OTHER, "POST", f"/sandboxes/{box.id}/snapshots", {})
        self.assertEqual(made.status, 201, made)
        self.assertError(self.call(OTHER, "POST", f"/sandboxes/{box.id}/snapshots", {}), 429)  # its disks
        name = made.json["snapshotID"].replace(":", "%3A")
        self.assertEqual(self.call(OTHER, "DELETE", f"/templates/{name}").status, 204)

    def test_creates_per_minute(self):
        create = lambda: self.call(SLOW, "POST", "/v2/sandboxes", {"templateID": "base"})
        self.assertError(self.call(SLOW, "POST", "/v2/sandboxes", {}), 400)  # is none
        box = self.make(SLOW)
        refused = create()
        self.assertError(refused, 429)
        self.assertEqual(refused.json["message"], "Rate limit exceeded")
        lines = refused.headers
        self.assertEqual((lines["ratelimit-limit"], lines["ratelimit-remaining"]), ("1", "0"))
        self.assertTrue(1 <= int(lines["retry-after"]) <= 60, lines)
        self.assertEqual(lines["ratelimit-reset"], lines["retry-after"])
        forks = self.call(SLOW, "POST", f"/sandboxes/{box.id}/fork", {})
        self.assertEqual([entry["error"]["code"] for entry in forks.json], [429])

    def test_a_new_start_keeps_the_teams_apart(self):
        service = Sandboxd()
        self.addCleanup(service.close)
        teams = [{"name": "a", "keys": [ONE]}, {"name": "b", "keys": [TWO]}]
        key_file(service, {"teams": teams})
        service.start()
        made = service.call("POST", "/v2/sandboxes", {"templateID": "base", "timeout": 3000}, key=ONE).json
        self.assertEqual(service.stop(), 0)
        service.start()
        self.assertEqual(service.call("GET", f"/sandboxes/{made['sandboxID']}", key=ONE).status, 200)
        self.assertEqual(service.call("GET", f"/sandboxes/{made['sandboxID']}", key=TWO).status, 404)
        self.assertEqual(service.stop(), 0)


@needs_sandboxes
class KeyFile(SandboxdCase):
    def test_a_bad_one_is_refused_with_the_reason(self):
        service = Sandboxd("--network", "none")
        self.addCleanup(service.close)
        team = lambda **more: {"teams": [{"name": "a", "keys": [ONE], **more}]}
        for content, said in (
            ("", "it is empty"),
            ("one\ntwo\n", "it is neither one key on one line nor JSON"),
            ("{", "it is no JSON"),
            ({"teams": []}, "it has no teams"),
            ({"team": []}, "there is no setting 'team'"),
            (team(runing=3), "team 'a': there is no setting 'runing'"),
            (team(running=0), "team 'a': running must be a whole number above 0"),
            (team(blocked=1), "team 'a': blocked must be true or false"),
            (team(keys=["short"]), "team 'a': key 1 is no text of 16 to 256"),
            (team(keys=[]), "team 'a' has no keys"),
            (team(name="A B"), "team 1 has no name"),
            ({"teams": [{"name": "a", "keys": [ONE]}, {"name": "a", "keys": [TWO]}]}, "there are two teams 'a'"),
            ({"teams": [{"name": "a", "keys": [ONE]}, {"name": "b", "keys": [ONE]}]}, "team 'b' has a key that is"),
        ):
            key_file(service, content)
            done = subprocess.run(service.argv(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(f"the key file {service.key_file}: {said}", done.stderr)

    def test_a_short_disk_refuses_creates(self):
        service = self.own_service("--disk-reserve", "1000000GiB")
        answer = service.call("POST", "/v2/sandboxes", {"templateID": "base"})
        self.assertError(answer, 503)
        self.assertEqual(answer.json["error_code"], "sandbox_capacity_unavailable")
        self.assertEqual(service.stop(), 0)

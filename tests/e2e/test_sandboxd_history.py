# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics and logs of sandboxes; pages and filters of their lists."""

import datetime
import time
from urllib.parse import quote

from tests.e2e.sandboxd import SandboxdCase, needs_sandboxes
from tests.e2e.wait import until

FIELDS = {"timestamp", "timestampUnix", "cpuCount", "cpuUsedPct", "memUsed", "memTotal", "memCache", "diskUsed",
          "diskTotal"}


@needs_sandboxes
class Metrics(SandboxdCase):
    def metrics(self, box, query=""):
        answer = self.service.call("GET", f"/sandboxes/{box.id}/metrics{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_they_are_sampled_from_its_group_and_its_disk(self):
        started = int(time.time())
        box = self.sandbox(timeout=3000)
        self.assertIsInstance(self.metrics(box), list)
        rows = until(lambda: self.metrics(box), "there is a sample", timeout=60)
        self.assertEqual(set(rows[0]), FIELDS)
        self.assertEqual(rows[0]["memTotal"], 512 << 20)
        self.assertEqual(rows[0]["cpuCount"], 2)
        self.assertGreater(rows[0]["memUsed"], 0)
        self.assertGreater(rows[0]["diskTotal"], 1 << 30)
        before = rows[-1]["diskUsed"]
        box.must("head -c 64M /dev/zero > /workspace/big; sync; nohup timeout 60 sh -c 'while :; do :; done' "
                 ">/dev/null 2>&1 &")
        until(lambda: self.metrics(box)[-1]["diskUsed"] > before + (60 << 20), "the file is seen", timeout=60)
        until(lambda: self.metrics(box)[-1]["cpuUsedPct"] > 5, "the work is seen", timeout=60)
        self.assertLessEqual(max(row["cpuUsedPct"] for row in self.metrics(box)), 110)
        self.assertEqual(self.metrics(box, f"?start={started - 3600}&end={started - 1800}"), [])
        self.assertEqual(self.metrics(box, f"?start={started + 36000}"), [])
        middle = rows[0]["timestampUnix"]
        self.assertIn(middle, [row["timestampUnix"] for row in self.metrics(box, f"?start={middle}&end={middle}")])
        for query in ("?start=x", "?start=-1", "?end=1.5", "?start=9&end=8"):
            self.assertError(self.service.call("GET", f"/sandboxes/{box.id}/metrics{query}"), 400)
        self.assertError(self.service.call("GET", "/sandboxes/inone/metrics"), 404)

    def test_the_latest_of_several(self):
        boxes = [self.sandbox(timeout=3000) for _ in range(2)]
        ids = ",".join([*(box.id for box in boxes), "inone"])
        ask = lambda: self.service.call("GET", f"/sandboxes/metrics?sandbox_ids={ids}").json["sandboxes"]
        found = until(lambda: len(got := ask()) == 2 and got, "both have a sample", timeout=60)
        self.assertEqual(set(found), {box.id for box in boxes})
        self.assertEqual(set(found[boxes[0].id]), FIELDS)
        self.assertError(self.service.call("GET", "/sandboxes/metrics"), 400)
        self.assertError(self.service.call("GET", f"/sandboxes/metrics?sandbox_ids={','.join(['i'] * 101)}"), 400)

    def test_a_paused_one_keeps_them(self):
        box = self.sandbox(timeout=3000)
        rows = until(lambda: self.metrics(box), "there is a sample", timeout=60)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
        self.assertEqual(self.metrics(box)[0], rows[0])


@needs_sandboxes
class Logs(SandboxdCase):
    def logs(self, box, query="", v2=True):
        answer = self.service.call("GET", f"{'/v2' if v2 else ''}/sandboxes/{box.id}/logs{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def say(self, box, text):
        """Writes to the standard error of its first process, as that does."""
        with open(f"/proc/{self.service.first_of(box)}/fd/2", "w", encoding="utf-8") as errors:
            errors.write(text)

    def test_what_happened_is_told(self):
        box = self.sandbox(timeout=3000)
        self.say(box, "a word of the first process\n")
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        self.assertEqual(box.connect().status, 201)
        seen = lambda: [entry["message"] for entry in self.logs(box)["logs"]]
        until(lambda: "a word of the first process" in seen(), "the line is there")
        shown = [word for word in seen() if "/freeze" not in word and "/unfreeze" not in word and "a word" not in word]
        self.assertEqual(shown, ["created from base", "booted", "paused with its memory", "resumed",
                                 "paused without its memory", "booted", "resumed"])
        entry = self.logs(box)["logs"][0]
        self.assertEqual(set(entry), {"timestamp", "level", "message", "fields"})
        self.assertEqual(entry["level"], "info")

    def test_pages_and_filters(self):
        box = self.sandbox(timeout=3000)
        every = self.logs(box)["logs"]
        self.assertGreaterEqual(len(every), 2)
        self.assertEqual(self.logs(box, "?limit=1")["logs"], every[:1])
        self.assertEqual(self.logs(box, "?limit=1&direction=backward")["logs"], every[-1:])
        self.assertEqual(self.logs(box, "?limit=0")["logs"], [])
        self.assertEqual([e["message"] for e in self.logs(box, "?search=boot")["logs"]], ["booted"])
        self.assertEqual(self.logs(box, "?level=error")["logs"], [])
        later = int((time.time() + 3600) * 1000)
        self.assertEqual(self.logs(box, f"?cursor={later}")["logs"], [])
        self.assertEqual(len(self.logs(box, f"?cursor={later}&direction=backward")["logs"]), len(every))
        old = self.logs(box, "?start=0&limit=1000", v2=False)
        self.assertEqual([line["line"] for line in old["logs"]], [entry["message"] for entry in every])
        self.assertEqual(old["logEntries"], every)
        for query in ("?limit=1001", "?limit=-1", "?cursor=x", "?direction=up", "?level=loud"):
            self.assertError(self.service.call("GET", f"/v2/sandboxes/{box.id}/logs{query}"), 400)
        for path in ("/sandboxes/inone/logs", "/v2/sandboxes/inone/logs"):
            self.assertError(self.service.call("GET", path), 404)

    def test_a_flood_is_bounded(self):
        box = self.sandbox(timeout=3000)
        self.say(box, "flood\n" * 6000 + "last\n")
        until(lambda: self.logs(box)["logs"][-1]["message"] == "last", "all is read")
        self.assertEqual(len(self.logs(box)["logs"]), 1000)
        self.say(box, "x" * 10_000 + "\n")
        until(lambda: self.logs(box)["logs"][-1]["message"].startswith("x"), "a long line is cut")
        self.assertLessEqual(max(len(entry["message"]) for entry in self.logs(box)["logs"]), 2000)


@needs_sandboxes
class Lists(SandboxdCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.boxes = [cls.service.create(timeout=3000, metadata={"of": "lists", "k&1": "a b=ü"}) for _ in range(4)]
        for box, memory in ((cls.boxes[1], True), (cls.boxes[2], False)):
            assert cls.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": memory}).status == 204

    def rows(self, query="", v2=True):
        answer = self.service.call("GET", f"{'/v2' if v2 else ''}/sandboxes{query}")
        self.assertEqual(answer.status, 200, answer)
        return [row["sandboxID"] for row in answer.json]

    def test_states(self):
        ids = [box.id for box in self.boxes]
        self.assertEqual(self.rows("?state=running"), [ids[3], ids[0]])
        self.assertEqual(self.rows("?state=paused"), [ids[2], ids[1]])
        self.assertEqual(self.rows("?state=running,paused"), ids[::-1])
        self.assertEqual(self.rows(), ids[::-1])
        self.assertEqual(self.rows("?order=asc"), ids)
        self.assertEqual(self.rows(v2=False), [ids[3], ids[0]])
        self.assertEqual(self.service.call("GET", "/v2/sandboxes?limit=1").headers["x-total-running"], "2")

    def test_pages_are_stable_over_both_states_and_orders(self):
        for order in ("asc", "desc"):
            seen, token = [], ""
            while True:
                answer = self.service.call("GET", f"/v2/sandboxes?limit=1&order={order}&nextToken={token}")
                seen += [row["sandboxID"] for row in answer.json]
                token = answer.headers.get("x-next-token", "")
                if not token:
                    break
                other = "desc" if order == "asc" else "asc"
                self.assertError(self.service.call("GET", f"/v2/sandboxes?order={other}&nextToken={token}"), 400)
            self.assertEqual(seen, self.rows(f"?order={order}"))
            self.assertEqual(len(seen), 4)

    def test_filters(self):
        twice = lambda pairs: quote("&".join(f"{quote(quote(k))}={quote(quote(v))}" for k, v in pairs.items()))
        self.assertEqual(len(self.rows("?metadata=" + twice({"of": "lists", "k&1": "a b=ü"}))), 4)
        self.assertEqual(len(self.rows("?metadata=" + twice({"k&1": "a b=ü"}), v2=False)), 2)
        self.assertEqual(self.rows("?metadata=" + twice({"of": "lists", "k&1": "other"})), [])
        self.assertEqual(len(self.rows("?template=base")), 4)
        self.assertEqual(self.rows("?template=other"), [])
        third = self.boxes[2].detail().json["startedAt"]
        self.assertEqual(self.rows("?startedAfter=" + quote(third)), [self.boxes[3].id, self.boxes[2].id])
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        self.assertEqual(self.rows("?startedAfter=" + quote(later.isoformat())), [])
        for query in ("limit=0", "limit=101", "limit=x", "state=dead", "order=up", "nextToken=x", "startedAfter=y",
                      "metadata=%25"):
            self.assertError(self.service.call("GET", f"/v2/sandboxes?{query}"), 400)

    def test_rows_and_detail_in_both_states(self):
        for box, state in ((self.boxes[0], "running"), (self.boxes[1], "paused"), (self.boxes[2], "paused")):
            detail = box.detail().json
            row = next(r for r in self.service.call("GET", "/v2/sandboxes").json if r["sandboxID"] == box.id)
            self.assertEqual((detail["state"], row["state"]), (state, state))
            self.assertEqual(detail["envdAccessToken"], box.token)
            self.assertEqual(detail["lifecycle"], {"autoResume": False, "onTimeout": "kill"})
            for name in ("templateID", "startedAt", "endAt", "cpuCount", "memoryMB", "diskSizeMB", "metadata"):
                self.assertEqual(detail[name], row[name])
            self.assertNotIn("envdAccessToken", row)

    def test_every_error_has_its_code(self):
        calls = [("PATCH", "/sandboxes", 405), ("PUT", "/sandboxes", 405), ("POST", "/snapshots", 405),
                 ("GET", "/nothing", 404), ("GET", "/sandboxes/a-b-c", 400), ("POST", "/sandboxes/inone/fork", 404),
                 ("DELETE", "/templates/none", 404), ("GET", "/v2/nothing", 404), ("POST", "/health", 404)]
        for method, path, status in calls:
            answer = self.service.call(method, path)
            self.assertError(answer, status)
            self.assertTrue(answer.headers["content-type"].startswith("application/json"), answer)

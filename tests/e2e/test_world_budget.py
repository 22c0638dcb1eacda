# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the world may cost: round trips to envd on the critical path, counted by a tap between the daemon and sandboxd
(design, section 5). Each turn is one tool call with the probes of the model requests before and after it."""

import json
import os
import subprocess
import unittest

from tests.e2e import settings
from tests.e2e.envd_tap import Passed, rounds
from tests.e2e.sandboxes import TappedHandsCase
from tests.e2e.wait import DEADLINE, until

TURNS = 50
HELD_UP = 0.1  # seconds per request, so that a wave is seen as one
CTL = os.path.join(settings.BUILD, "apps", "agentpoolctl", "agentpoolctl")
OPS_API = os.path.join(settings.REPO, "docs", "api", "ops.json")


def call(name, **arguments):
    return f"@{name} {json.dumps(arguments)}"


def read(path):
    return call("read", file_path=f"/workspace/{path}")


def edit(path, old, new):
    return call("edit", file_path=f"/workspace/{path}", old_string=old, new_string=new)


def write(path, content):
    return call("write", file_path=f"/workspace/{path}", content=content)


class RoundsTest(unittest.TestCase):
    """How the tap counts."""

    @staticmethod
    def passed(sent, answered):
        one = Passed("POST", "/files")
        one.sent, one.answered = sent, answered
        return one

    def testOnlyWhatWaitedIsAnotherRound(self):
        wave = [self.passed(0, 1) for _ in range(8)]
        self.assertEqual(rounds(wave), 1)
        self.assertEqual(rounds([*wave, *(self.passed(1, 2) for _ in range(8))]), 2)
        self.assertEqual(rounds([self.passed(0, 3), self.passed(1, 2), self.passed(2, 4)]), 2)
        uneven = [*(self.passed(0, 9) for _ in range(7)), *(self.passed(n, n + 1) for n in range(9))]
        self.assertEqual(rounds(uneven), 2)  # 16 on 8 connections, of which one was fast
        self.assertEqual(rounds([self.passed(0, 1), self.passed(0.5, None)]), 1)
        self.assertEqual(rounds([]), 0)


class BudgetTest(TappedHandsCase):
    def setUp(self):
        super().setUp()
        self.session = self.client.create("dsh")
        self.tool(self.session, "$ mkdir -p d; printf 'one two\\n' > d/f; printf 'needle\\n' > d/g; seq 60000 > big")

    def cost(self, line, most, requests):
        """Runs one tool call; it costs at most so many round trips, and this many requests."""
        self.envd.forget()
        self.envd.delay = HELD_UP
        try:
            result = self.tool(self.session, line)
        finally:
            self.envd.delay = 0
        self.assertFalse(result.startswith("Error"), result)
        calls = self.envd.envd()
        self.assertLessEqual(rounds(calls), most, f"{line}: {calls}")
        self.assertLessEqual(len(calls), requests, f"{line}: {calls}")
        return result

    def testProbesOfAWarmCacheCostNothing(self):
        self.envd.forget()
        self.assertEnded(self.client.run(self.session, "hello")[1])
        self.assertEqual(self.envd.envd(), [])

    def testReads(self):
        self.assertIn("one two", self.cost(read("d/f"), 2, 3))  # cold: a wave, the content
        self.assertIn("one two", self.cost(read("d/f"), 0, 0))
        self.assertIn("needle", self.cost(read("d/g"), 2, 2))  # its directory is known
        self.cost(read("big"), 2, 2)
        self.cost(read("big"), 1, 1)  # too large to be kept

    def testEditsAndWrites(self):
        self.tool(self.session, read("d/f"))
        self.cost(edit("d/f", "two", "$& two"), 1, 1)
        self.assertIn("one $& two", self.cost(read("d/f"), 0, 0))
        self.cost(edit("d/f", "two", "three"), 1, 1)
        self.cost(write("d/f", "all new\n"), 1, 1)
        self.cost(write("d/new", "new\n"), 2, 2)
        self.cost(write("e/deep/new", "new\n"), 2, 4)
        self.assertIn("all new", self.cost("$ cat d/f", 2, 12))
        self.cost(edit("d/f", "all", "quite"), 3, 4)  # the content may have to be read again
        self.assertIn("quite new", self.tool(self.session, "$ cat d/f"))

    def testLargeContent(self):
        self.tool(self.session, read("big"))
        self.cost(edit("big", "59999", "x"), 3, 3)
        self.cost(write("big", "y" * 300_000), 3, 3)

    def testCommandsAndSearches(self):
        self.cost("$ true", 2, 12)  # and the probes of the next request, in one wave
        self.assertIn("d/g", self.cost(call("grep", pattern="needle"), 1, 1))
        self.assertIn("d/g", self.cost(call("glob", pattern="**/g"), 1, 1))
        self.cost(read("d/g"), 2, 3)
        self.cost(call("grep", pattern="needle"), 1, 1)
        self.cost(read("d/g"), 0, 0)  # a search changes nothing

    def testAWaveIsOneRoundOfEachConnection(self):
        deep = "/".join(str(n) for n in range(20))
        self.tool(self.session, f"$ mkdir -p w/{deep}; echo x > w/{deep}/f")
        self.cost(read(f"w/{deep}/f"), 3 + 1, 22 + 1)  # 22 parts of the path on 8 connections, the content

    def testWhatACommandLeftRunningIsSeenInTime(self):
        """A process that left its group writes on: what is known holds 2 s at most, until it is gone."""
        loop = "for i in $(seq 300); do echo $i > d/f; sleep 0.1; [ -e stop ] && break; done"
        self.tool(self.session, f"$ setsid -f bash -c '{loop}' >/dev/null 2>&1")
        first = self.tool(self.session, read("d/f"))
        until(lambda: self.tool(self.session, read("d/f")) != first, "a change of the file is seen")
        self.tool(self.session, "$ touch stop")

        def settled():
            self.tool(self.session, read("d/f"))
            self.envd.forget()
            self.tool(self.session, read("d/f"))
            return not self.envd.envd()

        until(settled, "the cache holds again when the process is gone")


class LazinessTest(TappedHandsCase):
    """Chat costs no hand: it makes none, it wakes none, it asks none."""

    def chat(self, session):
        self.envd.forget()
        for _ in range(TURNS):
            self.assertEnded(self.client.run(session, "hello")[1])
        self.assertEqual((self.envd.control(), self.envd.envd()), ([], []))

    def testOnAnAbsentHand(self):
        self.chat(self.client.create("dsh"))
        self.assertEqual(self.sandboxd.list(), [])

    def testOnAnIdleHand(self):
        session = self.client.create("dsh")
        self.tool(session, "$ echo x > f")
        sandboxes = self.sandboxd.list()
        self.chat(session)
        self.assertEqual(self.sandboxd.list(), sandboxes)
        self.delete(session)


class TraceTest(TappedHandsCase):
    """What the operator is told about a tool call is what passed the tap."""

    def trace(self, session, *options):
        command = [CTL, "--data", self.daemon.data, "trace", session, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def testEachToolCallWithItsCallsOfEnvd(self):
        session = self.client.create("dsh")
        self.tool(session, "$ mkdir d; echo text > d/f")
        self.envd.forget()
        turn = self.client.prompt(session, read("d/f") + "\n" + edit("d/f", "text", "words") + "\n$ cat d/f")
        self.assertEnded(self.client.turn_end(session, turn, DEADLINE * 2))
        tools = json.loads(self.trace(session, turn, "--json"))["tools"]
        self.assertEqual(sum(tool["requests"] for tool in tools), len(self.envd.envd()), tools)
        named = [tool for tool in tools if tool["name"]]
        self.assertEqual([tool["name"] for tool in named], ["read", "edit", "bash"])
        self.assertEqual([tool["round_trips"] for tool in named], [2, 1, 1])
        self.assertEqual([call["what"] for call in named[0]["calls"]], ["stat", "stat", "read"])
        self.assertEqual({tool["turn_id"] for tool in tools}, {turn})
        for tool in named:
            self.assertGreater(tool["bytes"], 0)
            self.assertGreaterEqual(tool["ms_total"], tool["ms_provider"])
        text = self.trace(session, turn)
        for words in ("TOOL CALL", "read call_", "  read /workspace/d/f", "  start command"):
            self.assertIn(words, text)
        self.delete(session)
        self.assertEqual(self.daemon.ops().call("GET", f"/ops/v1/sessions/{session}/trace").status, 404)

    def assertFits(self, value, schema, api):
        """As far as the description's own words go."""
        schema = api["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
        for name in schema.get("required", []):
            self.assertIn(name, value)
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                self.assertFits(value[name], inner, api)
        for item in value if schema.get("type") == "array" else []:
            self.assertFits(item, schema["items"], api)

    def testAnswersAreAsTheDescriptionSays(self):
        session = self.client.create("dsh")
        self.tool(session, "$ true")
        with open(OPS_API, encoding="utf-8") as file:
            api = json.load(file)
        for path, route in api["paths"].items():
            if "get" not in route:
                continue
            answer = self.daemon.ops().must(200, "GET", path.replace("{id}", session))
            self.assertFits(answer, route["get"]["responses"]["200"]["content"]["application/json"]["schema"], api)

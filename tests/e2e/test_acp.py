# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The agent's side of the wire: frames of every size, noise, foreign habits and missing capabilities."""

import json

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.client import chunk_text, of_type, said
from tests.e2e.wait import DEADLINE, holds, until

MIB = 1 << 20


class FrameTest(E2eCase):

    # BR-050
    def testEndlessLineEndsOnlyItsOwnWorker(self):
        other = self.client.create()
        other_turn = self.client.prompt(other, "@mark other\n@gate end\n@say untouched")
        self.daemon.wait_mark("other")
        before = procs.rss_mib(self.daemon.pid)
        for directive in (f"@gigaline {settings.scaled(40 * MIB, 1 << 30)}", f"@line {16 * MIB + 1}"):
            session = self.client.create()
            _, end = self.client.run(session, directive, DEADLINE * 4)
            self.assertFailed(end, "protocol_error")
            self.assertEqual(self.client.run(session, "@count")[0], "count 2")
            self.assertLog(self.client.log(session))
        self.assertLess(procs.rss_mib(self.daemon.pid) - before, 600, "the line was kept in memory")
        self.daemon.open_gate("end")
        self.assertEnded(self.client.turn_end(other, other_turn))
        self.assertEqual(said(self.client.log(other), other_turn), "untouched")

    # BR-051
    def testLargeFramesPass(self):
        session = self.client.create()
        for size in (64 << 10, (64 << 10) + 1, 1 * MIB, 8 * MIB):
            text, end = self.client.run(session, f"@line {size}", DEADLINE * 2)
            self.assertEnded(end)
            self.assertEqual(text.strip("x"), "")
            self.assertLess(size - len(text), 400)
            self.assertLess(len(text), size)
        self.assertLog(self.client.log(session))

    def testManySmallChunksAreComplete(self):
        session = self.client.create()
        text, end = self.client.run(session, "@chunks 5000 20", DEADLINE * 2)
        self.assertEnded(end)
        self.assertEqual(len(text), 100000)
        self.assertEqual([int(text[i : i + 8]) for i in range(0, len(text), 20)], list(range(5000)))
        for event in of_type(self.client.log(session), "agent_message_chunk"):
            self.assertLess(len(chunk_text(event)), 16384)

    def testMessagesAreNotMergedAcrossKinds(self):
        session = self.client.create()
        self.client.run(session, "@say a\n@think b\n@say c\n@tool d\n@say e")
        kinds = [
            (e["type"], chunk_text(e) if "chunk" in e["type"] else "")
            for e in self.client.log(session)
            if e["type"].startswith(("agent_", "tool_"))
        ]
        self.assertEqual(
            kinds,
            [
                ("agent_message_chunk", "a"),
                ("agent_thought_chunk", "b"),
                ("agent_message_chunk", "c"),
                ("tool_call", ""),
                ("tool_call_update", ""),
                ("agent_message_chunk", "e"),
            ],
        )

    def testTextOfEveryKindArrivesUnchanged(self):
        session = self.client.create()
        for text in ("ü€😀 \u2028 \u0000? \\ \" </script>", "a\tb", "\ufeffbom", "\x7f"):
            self.assertEqual(self.client.run(session, text)[0], "echo: " + text)


class NoiseTest(E2eCase):
    agents = {
        "fault": {},
        "blank": {"noise": ["", "  "]},
        "banner": {"noise": ["Welcome to the agent!"]},
        "loud": {"stderr": ["one", "two \x1b[31mred\x1b[0m"]},
    }

    # BR-052
    def testNoiseInATurnIsSkippedOrEndsTheTurnNeverTheSession(self):
        for noise in (
            "plain text",
            "\\x1b[31mred\\x1b[0m",
            "42",
            '\\"text\\"',
            "null",
            "[]",
            "[1,2]",
            "{}",
            '{"jsonrpc":"2.0"}',
            "{bad",
            "\\xff\\xfe",
            '{"jsonrpc":"2.0","method":7}',
            '{"jsonrpc":"2.0","id":{},"method":"x"}',
        ):
            session = self.client.create()
            text, end = self.client.run(session, f"@raw {noise}\n@say after")
            if end.get("error"):
                self.assertFailed(end, "protocol_error")
            else:
                self.assertEqual(text, "after")
            self.assertEqual(self.client.run(session, "@count")[0], "count 2", noise)
            self.assertLog(self.client.log(session))

    # BR-052
    def testPlainTextIsAProtocolError(self):
        session = self.client.create()
        self.assertFailed(self.client.run(session, "@raw plain text\n@say after")[1], "protocol_error")

    # BR-052
    def testBlankLinesAndSlowHalvesAreFine(self):
        session = self.client.create()
        text, end = self.client.run(session, "@raw \n@raw    \n@partial 300 in two halves")
        self.assertEnded(end)
        self.assertEqual(text, "in two halves")

    # BR-052
    def testNoiseAtBoot(self):
        for profile in ("blank", "loud"):
            self.assertEqual(self.client.run(self.client.create(profile), "hello")[0], "echo: hello")
        _, end = self.client.run(self.client.create("banner"), "hello", DEADLINE * 4)
        if end.get("error"):
            self.assertFailed(end, "worker_boot_failed", "no_worker", "protocol_error")


class ToleranceTest(E2eCase):
    agents = {
        "fault": {},
        "v2": {"protocol_version": 2},
        "text": {"protocol_version": "1"},
        "none": {"protocol_version": None},
        "login": {"errors": {"session/new": [-32000, "Authentication required"]}},
    }

    def testUnknownThingsAreIgnored(self):
        session = self.client.create()
        text, end = self.client.run(
            session,
            "@unknown-update\n@unknown-notification\n@unknown-response\n@foreign-update\n"
            "@user-echo hi\n@update {\"sessionUpdate\":\"available_commands_update\","
            "\"availableCommands\":[]}\n@unknown-request\n@say fine",
        )
        self.assertEnded(end)
        self.assertEqual(text, "unknown-request -32601fine")
        self.assertLog(self.client.log(session))

    def testClientMethodsWeDoNotOfferAreRefused(self):
        session = self.client.create()
        for method in ("fs/read_text_file", "fs/write_text_file", "terminal/create", "elicitation/create"):
            text, end = self.client.run(session, f'@request {method} {{"path":"/etc/passwd"}}')
            self.assertEnded(end)
            self.assertEqual(json.loads(text)["error"]["code"], -32601, method)

    def testBadPermissionRequestIsAnError(self):
        session = self.client.create()
        text, end = self.client.run(session, '@request session/request_permission {"sessionId":5}')
        self.assertEnded(end)
        self.assertIn("error", json.loads(text))

    def testUpdateForAToolThatWasNeverAnnounced(self):
        session = self.client.create()
        self.assertEnded(self.client.run(session, "@unannounced-tool surprise")[1])
        self.assertTrue(of_type(self.client.log(session), "tool_call_update"))

    def testUsageAndPlan(self):
        session = self.client.create()
        self.client.run(session, "@usage 17 1000\n@plan write tests")
        log = self.client.log(session)
        self.assertEqual((of_type(log, "usage")[0]["used"], of_type(log, "usage")[0]["size"]), (17, 1000))
        self.assertIn("write tests", json.dumps(of_type(log, "plan")))

    def testLateUsageBelongsToTheEndedTurn(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@late-usage 100\n@say hi")
        log = until(lambda: [e for e in [self.client.log(session)] if of_type(e, "usage")], "the late usage")[
            0
        ]
        self.assertIn(of_type(log, "usage")[0].get("turn_id"), (turn, None))
        self.assertEqual(len(of_type(log, "turn_started")), 1)

    def testErrorsEndTheTurnAndTheSessionGoesOn(self):
        session = self.client.create()
        for code, message in (
            (-32603, "Internal error: turn failed: mock 401"),
            (-32000, "Authentication required"),
            (400, "bad model"),
        ):
            _, end = self.client.run(session, f"@error {code} {message}")
            self.assertFailed(end, "model_error", "agent_error")
            self.assertIn(message.split(":")[-1].strip(), end["error"]["message"])
        self.assertEqual(self.client.run(session, "@count")[0], "count 4")

    def testWrongProtocolVersionIsAFailedBoot(self):
        for profile in ("v2", "text", "none", "login"):
            session = self.client.create(profile)
            _, end = self.client.run(session, "hello", DEADLINE * 4)
            self.assertFailed(end, "worker_boot_failed", "no_worker", "protocol_error")

    # BR-056
    def testMcpServersArePassedOnOrRefused(self):
        servers = [{"type": "http", "name": "hand", "url": "http://127.0.0.1:1/mcp", "headers": []}]
        answer = self.client.call("POST", "/v1/sessions", {"profile": "fault", "mcpServers": servers})
        again = self.client.call("POST", "/v1/sessions", {"profile": "fault", "mcp_servers": servers})
        for reply, name in ((answer, "mcpServers"), (again, "mcp_servers")):
            if reply.status == 201:
                facts = json.loads(self.client.run(reply.json["id"], "@facts")[0])
                self.assertEqual(facts["params"]["mcpServers"], servers, f"{name} was accepted and dropped")
            else:
                self.assertProblem(reply, 400, "unsupported")

    def testBrainSeesTheWorkspaceAndNothingElse(self):
        session = self.client.create()
        facts = json.loads(self.client.run(session, "@facts")[0])
        self.assertEqual((facts["cwd"], facts["params"]["mcpServers"]), ("/workspace", []))

    def testSessionWithoutAPromptIsSilent(self):
        session = self.client.create()
        holds(
            lambda: len(self.client.log(session)) == 1, "nothing happens in a session without a prompt", 0.5
        )

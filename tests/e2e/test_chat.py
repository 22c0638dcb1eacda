# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""One conversation with the real dsh: the main job on real parts, only the model is scripted."""

import json
import subprocess

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type, said
from tests.e2e.wait import until


class ChatTest(E2eCase):
    model = True
    agents = {}
    config = {"pool": {"warm": 1}}

    def testThreeTurns(self):
        session = self.client.create("dsh")
        for number in (1, 2, 3):
            text, end = self.client.run(session, f"hello number {number}")
            self.assertEnded(end)
            self.assertIn(f"seen {number} user text block", text)
        events = self.client.log(session)
        self.assertLog(events)
        self.assertEqual(events[0]["type"], "session_created")
        self.assertEqual(len(of_type(events, "turn_end")), 3)
        for event in events:
            self.assertTrue(event["time"], event)
            if event["type"] not in ("session_created", "notice"):
                self.assertTrue(event["turn_id"], event)

    def testCurlAlone(self):
        gateway = self.daemon.endpoints()["gateway"]

        def curl(*arguments):
            done = subprocess.run(
                [
                    "curl",
                    "-sS",
                    "--max-time",
                    "60",
                    "-H",
                    f"Authorization: Bearer {gateway['device_token']}",
                    *arguments,
                ],
                capture_output=True,
                text=True,
                check=True,
            )
            return done.stdout

        base = gateway["url"] + "/v1/sessions"
        session = json.loads(curl("-d", "{}", "-H", "Content-Type: application/json", base))["id"]
        last = 0
        for number in (1, 2, 3):
            turn = json.loads(curl("-d", json.dumps({"text": f"turn {number}"}), f"{base}/{session}/prompt"))[
                "turn_id"
            ]
            self.client.turn_end(session, turn)
            page = json.loads(curl("-H", "Accept: application/json", f"{base}/{session}/events?after={last}"))
            self.assertEqual(
                [e["seq"] for e in page["events"]], list(range(last + 1, last + 1 + len(page["events"])))
            )
            self.assertEqual(page["events"][-1]["type"], "turn_end")
            last = page["events"][-1]["seq"]

    def testReconnectGetsExactlyTheRest(self):
        session = self.client.create("dsh")
        turn = self.client.prompt(session, "@text 20 50")
        with self.client.stream(session, after=0) as first:
            first.until("turn_started")
            cursor = int(first.last_id())
        with self.client.stream(session, last_event_id=cursor) as second:
            second.until(lambda f: f.event == "turn_end" and f.data["turn_id"] == turn)
            self.assertEqual(
                [e["seq"] for e in second.events()],
                list(range(cursor + 1, cursor + 1 + len(second.events()))),
            )
        self.assertEqual(first.events() + second.events(), self.client.log(session))

    def testLiveFramesComeBeforeTheCommittedChunk(self):
        session = self.client.create("dsh")
        with self.client.stream(session, after=0) as stream:
            stream.until("caught_up")
            self.client.prompt(session, "@text 12 40")
            chunk = stream.until("agent_message_chunk")
            live = [f.data for f in stream.seen if f.event == "live" and f.data["kind"] == "message"]
            self.assertGreater(len(live), 1)
            self.assertEqual({f.id for f in stream.seen if f.event == "live"}, {None})
            preview = ""
            for piece in live:
                self.assertEqual(piece["offset"], len(preview), "a preview goes on where the last one ended")
                preview += piece["text"]
            self.assertTrue(said([chunk.data]).startswith(preview), preview)
            stream.until("turn_end")
        self.assertEqual(of_type(self.client.log(session), "live"), [])

    def testLiveCanBeSwitchedOff(self):
        session = self.client.create("dsh")
        with self.client.stream(session, after=0, live=0) as stream:
            self.client.prompt(session, "@text 12 40")
            stream.until("turn_end")
            self.assertNotIn("live", [f.event for f in stream.seen])

    def testAbandonedAttemptIsTakenBack(self):
        session = self.client.create("dsh")
        with self.client.stream(session, after=0) as stream:
            stream.until("caught_up")
            # both attempts speak, then pause: what they said is shown before it is cut off or committed
            turn = self.client.prompt(session, "@text 3\n@sleep 1000\n@cut 5 1")
            end = stream.until(lambda f: f.event == "turn_end" and f.data["turn_id"] == turn, 60)
            self.assertEnded(end.data)
            live = [f.data for f in stream.seen if f.event == "live"]
        back = [index for index, frame in enumerate(live) if frame.get("taken_back")]
        self.assertEqual(len(back), 1, live)
        before = {frame["attempt"] for frame in live[: back[0]]}
        after = {frame["attempt"] for frame in live[back[0] + 1 :]}
        self.assertEqual(before, {live[back[0]]["attempt"]}, "what was shown is taken back")
        self.assertEqual(len(after), 1, live)
        self.assertNotEqual(after, before, "the second attempt is told apart from the first")
        self.assertNotIn("lost1", said(self.client.log(session), turn))
        self.assertIn("word1", said(self.client.log(session), turn))

    def testModelErrorEndsTheTurnAndTheSessionGoesOn(self):
        session = self.client.create("dsh")
        _, end = self.client.run(session, "@error 401")
        self.assertFailed(end, "model_error")
        text, end = self.client.run(session, "and now?")
        self.assertEnded(end)
        self.assertIn("seen 2 user text block", text)

    def testToolWithoutAHandFailsInOneSentence(self):
        session = self.client.create("dsh")
        _, end = self.client.run(session, "$ echo hi")
        self.assertEnded(end)
        events = self.client.log(session)
        update = of_type(events, "tool_call_update")[-1]
        self.assertIn("sandbox", json.dumps(update))
        self.assertLog(events)

    def testCancelEndsTheTurn(self):
        session = self.client.create("dsh")
        turn = self.client.prompt(session, "@text 500 100")
        with self.client.stream(session, after=0) as stream:
            stream.until("live")
        self.assertIn(self.client.cancel(session).status, (200, 202, 204))
        self.assertEnded(self.client.turn_end(session, turn), "cancelled")
        self.assertEnded(self.client.run(session, "next")[1])

    def testNoCredentialInTheBrainsEnvironmentButItsOwn(self):
        self.client.run(self.client.create("dsh"), "hello")
        token = self.daemon.endpoints()["gateway"]["device_token"].encode()
        for pid in self.daemon.workers():
            with open(f"/proc/{pid}/environ", "rb") as environment:
                self.assertNotIn(token, environment.read())


class ReleaseTest(E2eCase):
    model = True
    agents = {}
    config = settings.merged({"pool": {"warm": 1}}, settings.t1("500ms"))

    def testReleasedBrainKnowsTheConversation(self):
        session = self.client.create("dsh")
        self.assertIn("seen 1 user text block", self.client.run(session, "first")[0])
        self.client.wait_state(session, "detached")
        text, end = self.client.run(session, "second")
        self.assertEnded(end)
        self.assertIn("seen 2 user text block", text)
        self.assertLog(self.client.log(session))

    def testRestartKeepsSessionsAndToken(self):
        session = self.client.create("dsh", title="kept")
        self.client.run(session, "first")
        before, token = self.client.log(session), self.client.token
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        client = self.daemon.client()
        self.assertEqual(client.token, token)
        self.assertEqual(client.session(session)["title"], "kept")
        self.assertEqual(client.log(session)[: len(before)], before)
        text, end = client.run(session, "second")
        self.assertEnded(end)
        self.assertIn("seen 2 user text block", text)

    def testIdleWorkersAreRefilled(self):
        session = self.client.create("dsh")
        self.client.run(session, "hello")
        until(lambda: self.daemon.workers(), "a warm worker waits")

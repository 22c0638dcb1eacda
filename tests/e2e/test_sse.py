# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Event streams: who reads, from where, how slowly, and what happens to the others."""

import threading

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type, said
from tests.e2e.wait import DEADLINE, SLACK, until


def ended(turn):
    return lambda frame: frame.event == "turn_end" and frame.data["turn_id"] == turn


class SseTest(E2eCase):
    config = settings.QUICK_HEARTBEAT

    def filled(self, directive, profile="fault"):
        """A session after one turn with that prompt; its log."""
        session = self.client.create(profile)
        self.assertEnded(self.client.run(session, directive, DEADLINE * 4)[1])
        return session, self.client.log(session)

    # BR-001
    def testDeadConnectionsLeaveNothing(self):
        session, _ = self.filled("hello")
        until(lambda: "warm" in self.daemon.ops().call("GET", "/ops/v1/workers").body.decode(), "the next worker is there")
        baseline = procs.fds(self.daemon.pid)
        for _ in range(settings.scaled(100, 2000)):
            self.client.stream(session, after=0).reset()
        until(
            lambda: procs.fds(self.daemon.pid) <= baseline + 2,
            "descriptors return to the baseline",
            DEADLINE,
        )
        half = procs.rss_mib(self.daemon.pid)
        for _ in range(settings.scaled(100, 2000)):
            self.client.stream(session, after=0).reset()
        until(
            lambda: procs.fds(self.daemon.pid) <= baseline + 2,
            "descriptors return to the baseline",
            DEADLINE,
        )
        self.assertLess(procs.rss_mib(self.daemon.pid) - half, 64, "memory grows with dead connections")

    # BR-005
    def testAbruptEndsDoNotTouchOtherRequests(self):
        session, log = self.filled("@tools 300 1000")
        failures, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                answer = self.client.call("GET", f"/v1/sessions/{session}")
                if answer.status != 200:
                    failures.append(answer)

        asker = threading.Thread(target=ask)
        asker.start()
        try:
            for index in range(settings.scaled(50, 500)):
                stream = self.client.stream(session, after=0)
                stream.sock.recv(1 + 97 * index % 4096)
                stream.reset()
        finally:
            stop.set()
            asker.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.client.log(session), log)

    # BR-006
    def testHeartbeatKeepsAQuietStreamOpenWithoutNumbers(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@gate quiet\n@say done")
        with self.client.stream(session, after=0) as stream:
            stream.until("turn_started")
            for _ in range(3):
                stream.until(lambda f: f.comment is not None and f.event is None, 0.5 * SLACK + 5)
            self.daemon.open_gate("quiet")
            stream.until(ended(turn))
            events = stream.events()
        self.assertLog(events)
        self.assertEqual(events, self.client.log(session))

    # BR-007
    def testHeaderAndFirstBytesComeAtOnce(self):
        session, log = self.filled("hello")
        with self.client.stream(session, after=len(log)) as stream:
            self.assertEqual(stream.status, 200)
            self.assertEqual(stream.headers["content-type"].split(";")[0], "text/event-stream")
            self.assertEqual(stream.headers.get("x-accel-buffering"), "no")
            self.assertIn("no-transform", stream.headers.get("cache-control", ""))
            self.assertNotIn("content-encoding", stream.headers)
            first = stream.next(1.0 * SLACK)
            self.assertIsNone(
                first.id, "there is no event to send, so the first frame is a comment or caught_up"
            )

    # BR-008
    def testOldCursorGetsEverythingFromTheLog(self):
        session, log = self.filled("@tools 1500")
        self.assertGreater(len(log), 3000)
        with self.client.stream(session, last_event_id=5) as stream:
            stream.until("caught_up", DEADLINE * 2)
            self.assertEqual(stream.events(), log[5:])

    # BR-012
    def testTwoViewersSeeEverything(self):
        session = self.client.create()
        with self.client.stream(session, after=0, live=0) as one, self.client.stream(
            session, after=0, live=0
        ) as two:
            turn = self.client.prompt(session, "@tools 100")
            one.until(ended(turn))
            with self.client.stream(session, after=0, live=0) as three:
                three.until(ended(turn))
            two.until(ended(turn))
        self.assertLog(one.events())
        self.assertEqual(one.events(), two.events())
        self.assertEqual(one.events(), three.events())

    # BR-013
    def testReconnectCostsOnlyWhatIsNew(self):
        session, log = self.filled("@tools 300 1000")
        with self.client.stream(session, after=0, live=0) as whole:
            whole.until("caught_up")
        cursor = len(log)
        for number in range(10):
            self.assertEnded(self.client.run(session, f"say {number}")[1])
            with self.client.stream(session, last_event_id=cursor, live=0) as stream:
                stream.until("caught_up")
                self.assertEqual(
                    [e["seq"] for e in stream.events()],
                    list(range(cursor + 1, cursor + 1 + len(stream.events()))),
                )
                self.assertLess(stream.raw_bytes, 10000)
                self.assertLess(stream.raw_bytes * 20, whole.raw_bytes)
                cursor = int(stream.last_id())

    # BR-015
    def testNothingIsLostBetweenCreateAndSubscribe(self):
        for _ in range(settings.scaled(50, 1000)):
            session = self.client.create()
            turns = []
            prompter = threading.Thread(
                target=lambda s=session, t=turns: t.append(self.client.prompt(s, "@say hi\n@late-usage 10"))
            )
            prompter.start()
            with self.client.stream(session, after=0) as stream:
                prompter.join()
                stream.until(ended(turns[0]))
                until_end = stream.events()
            self.assertLog(until_end)
            log = until(
                lambda s=session: [e for e in [self.client.log(s)] if of_type(e, "usage")],
                "the usage after turn_end is in the log",
            )[0]
            self.assertLog(log)
            self.assertEqual(log[: len(until_end)], until_end)
            self.client.delete(session)  # its worker is free again

    # BR-017
    def testAnswerWithoutAnyViewerIsReplayed(self):
        session = self.client.create()
        for pid in self.daemon.workers():
            procs.kill(pid)
        turn = self.client.prompt(session, "@say nobody sees this")
        until(lambda: any(e["type"] == "turn_end" for e in self.client.log(session)), "the turn ends")
        log = self.client.log(session)
        self.assertEqual(said(log, turn), "nobody sees this")

    # BR-021
    def testCursorMeansNothingInAnotherSession(self):
        session, log = self.filled("@tools 20")
        other = self.daemon.device()
        mine = other.create()
        absent = other.call("GET", "/v1/sessions/ses_absent/events", headers={"Last-Event-ID": "3"})
        foreign = other.call("GET", f"/v1/sessions/{session}/events", headers={"Last-Event-ID": "3"})
        self.assertEqual((foreign.status, foreign.body), (404, absent.body))
        with other.stream(mine, last_event_id=len(log)) as stream:
            stream.until(lambda f: f.event in ("caught_up", "gap"))
            for event in stream.events():
                self.assertNotIn("tool", event["type"])

    def testCursorOutsideTheLogIsToldNotIgnored(self):
        session, log = self.filled("hello")
        with self.client.stream(session, last_event_id=len(log) + 1000) as stream:
            self.assertEqual(stream.status, 200)
            gap = stream.until(lambda f: f.event in ("gap", "caught_up"))
            self.assertEqual(gap.event, "gap")
        for bad in ("abc", "1.5", "99999999999999999999999999", "1 2"):
            answer = self.client.call("GET", f"/v1/sessions/{session}/events", headers={"Last-Event-ID": bad})
            self.assertProblem(answer, 400, "bad_request")

    def testJsonPages(self):
        session, log = self.filled("@tools 30")
        events, after = [], 0
        while True:
            page = self.client.must(
                200,
                "GET",
                f"/v1/sessions/{session}/events?after={after}",
                headers={"Accept": "application/json"},
            )
            if not page["events"]:
                break
            events += page["events"]
            after = events[-1]["seq"]
        self.assertEqual(events, log)

    def testFramesCarryTheirSeqAsId(self):
        session, _ = self.filled("@say a\n@tool b\n@think c")
        with self.client.stream(session, after=0, live=0) as stream:
            stream.until("caught_up")
            for frame in stream.seen:
                if frame.id is not None:
                    self.assertEqual((int(frame.id), frame.event), (frame.data["seq"], frame.data["type"]))
            self.assertIsNone(stream.seen[-1].id)


class AfterRestartTest(E2eCase):

    # BR-018
    def testFinishedTurnAfterARestartIsKnownAtOnce(self):
        session = self.client.create()
        self.assertEnded(self.client.run(session, "hello")[1])
        log = self.client.log(session)
        self.assertEqual(self.daemon.stop(), 0)
        client = self.daemon.start().client()
        with client.stream(session, last_event_id=len(log)) as stream:
            self.assertEqual(stream.until(lambda f: f.event is not None).event, "caught_up")
        with client.stream(session, last_event_id=0) as stream:
            stream.until("caught_up")
            self.assertEqual(stream.events(), log)
        answer = client.call("GET", f"/v1/sessions/{session}/events", headers={"Last-Event-ID": "-1"})
        self.assertProblem(answer, 400, "bad_request")
        self.assertIn(client.state(session), ("detached", "ready"))


class FullHouseTest(E2eCase):
    config = {"limits": {"viewers": 3}}

    def testViewerOverTheLimitHearsWhyAndFindsRoomLater(self):
        session = self.client.create()
        streams = [self.client.stream(session, after=0) for _ in range(3)]
        with self.client.stream(session, after=0) as late:
            self.assertEqual(late.drain(DEADLINE), "ended in order")
            self.assertEqual([frame.event for frame in late.seen if frame.event], ["refused"])
            self.assertIn("limits.viewers", late.seen[-1].data["message"])
        for stream in streams:
            stream.close()

        def comes():
            with self.client.stream(session, after=0) as again:
                return again.until(lambda frame: frame.event).event != "refused"

        until(comes, "a place is free")

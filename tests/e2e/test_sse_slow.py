# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Viewers that are slow, stuck, half closed or many."""

import threading
import time

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.sse import Closed
from tests.e2e.wait import DEADLINE, SLACK, pause, until


def ended(turn):
    return lambda frame: frame.event == "turn_end" and frame.data["turn_id"] == turn


class SlowViewerTest(E2eCase):
    config = settings.QUICK_EVICTION

    # BR-002
    def testOneStuckViewerHarmsNobody(self):
        session = self.client.create()
        stuck = self.client.stream(session, after=0, receive_buffer=4096)
        self.addCleanup(stuck.close)
        readers = [self.client.stream(session, after=0, live=0) for _ in range(settings.scaled(10, 50))]
        turn = self.client.prompt(session, f"@tools {settings.scaled(2000, 20000)} 4000")
        failures = []

        def read(stream):
            try:
                stream.until(ended(turn), DEADLINE * 4)
            except (TimeoutError, Closed) as error:
                failures.append(error)

        threads = [threading.Thread(target=read, args=(stream,)) for stream in readers]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            begin = time.monotonic()
            self.assertEqual(self.client.call("GET", "/healthz", token=None).status, 200)
            self.assertLess(time.monotonic() - begin, 1.0 * SLACK)
            threads[0].join(0.2)
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        log = self.client.log(session)
        self.assertLog(log)
        for stream in readers:
            self.assertEqual(stream.events(), log[: len(stream.events())])
            stream.close()
        port, peer = self.client.address.port, stuck.sock.getsockname()[1]
        until(lambda: not procs.holds_connection(port, peer), "the stuck viewer is given up")
        stuck.drain(DEADLINE)  # what was under way, then the end
        seen = stuck.events()
        self.assertLess(len(seen), len(log), "the stuck viewer was not evicted")
        with self.client.stream(session, last_event_id=len(seen)) as again:
            again.until("caught_up", DEADLINE * 2)
            self.assertEqual(seen + again.events(), log)

    # BR-003
    def testHalfClosedViewerIsClosed(self):
        port = self.client.address.port
        session = self.client.create()
        streams = [
            self.client.stream(session, after=0, receive_buffer=4096) for _ in range(settings.scaled(5, 100))
        ]
        for stream in streams:
            stream.sock.shutdown(1)
        self.assertEnded(self.client.run(session, "@tools 500 4000", DEADLINE * 2)[1])
        until(lambda: procs.close_waits(port) == 0, "no connection is left in CLOSE_WAIT", 2 * SLACK + 5)
        for stream in streams:
            stream.close()

    # BR-010
    def testThrottledViewerMissesNothing(self):
        session = self.client.create()
        stream = self.client.stream(session, after=0, live=0, receive_buffer=4096)
        turn = self.client.prompt(session, "@tools 100 3000")
        seen = []
        try:
            while not any(ended(turn)(frame) for frame in stream.seen):
                stream.next()
                if len(stream.seen) % 20 == 0:
                    pause(0.1)
        except Closed:
            pass  # evicted: allowed, as long as the cursor brings the rest
        seen = stream.events()
        stream.close()
        self.client.turn_end(session, turn)
        self.assertEqual(seen + self.client.log(session, after=len(seen)), self.client.log(session))

    # BR-011
    def testBigBacklogMakesProgressAtEveryAttempt(self):
        session = self.client.create()
        self.assertEnded(
            self.client.run(session, f"@tools {settings.scaled(300, 3000)} 10000", DEADLINE * 4)[1]
        )
        log, seen, attempts = self.client.log(session), [], 0
        while len(seen) < len(log):
            attempts += 1
            self.assertLess(attempts, len(log))
            stream = self.client.stream(session, last_event_id=len(seen), receive_buffer=8192)
            before = len(seen)
            while stream.raw_bytes < 256 * 1024 and len(seen) + len(stream.events()) < len(log):
                stream.next()
            seen += stream.events()
            self.assertGreater(len(seen), before, "an attempt made no progress")
            stream.reset()
        self.assertEqual(seen, log)

    def testManyIdleStreams(self):
        session = self.client.create()
        streams = [self.client.stream(session, after=0) for _ in range(settings.scaled(50, 1000))]
        self.assertEqual({stream.status for stream in streams}, {200})
        turn = self.client.prompt(session, "hello")
        for stream in streams:
            stream.until(ended(turn))
            stream.close()

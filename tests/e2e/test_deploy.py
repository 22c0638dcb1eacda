# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A stop under load: readyz says so, turns end within the limit, streams end with a hint, exit."""

import signal

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type
from tests.e2e.wait import DEADLINE, until


class DeployTest(E2eCase):
    clean_end = False

    # BR-158
    def testTermDrainsStreamsAndTurns(self):
        daemon = self.own_daemon(config=settings.merged(settings.QUICK_END, settings.QUICK_DRAIN))
        client = daemon.client()
        sessions = [client.create() for _ in range(settings.scaled(5, 50))]
        count = settings.scaled(30, 1000)
        streams = [client.stream(sessions[n % len(sessions)], after=0) for n in range(count)]
        turns = [
            client.prompt(
                session, "@mark inside\n@gate finish" if n % 2 == 0 else "@mark inside\n@gate never-opened"
            )
            for n, session in enumerate(sessions)
        ]
        daemon.wait_mark("inside", count=len(sessions))
        daemon.child.send_signal(signal.SIGTERM)
        until(lambda: self.refused(client), "/readyz says 503 or nobody listens")
        daemon.open_gate("finish")
        for number, stream in enumerate(streams):
            stream.drain()  # a viewer sees the turn's end, whichever it is, and then a hint when to come back
            self.assertEqual(len(of_type(stream.events(), "turn_end")), 1, f"stream {number}")
            self.assertTrue(any(frame.retry for frame in stream.seen), "no retry hint before the end")
        self.assertEqual(daemon.wait_exit(DEADLINE * 2), 0, "it waits for no viewer that holds its end open")
        for stream in streams:
            stream.close()
        daemon.wait_no_workers()
        self.assertEqual(daemon.findings(), [])
        client = daemon.start().client()
        for number, (session, turn) in enumerate(zip(sessions, turns)):
            end = client.turn_end(session, turn)
            if number % 2 == 0:
                self.assertEnded(end)
            else:
                self.assertFailed(end, "interrupted")
            self.assertLog(client.log(session))
        self.check_end(daemon)

    def refused(self, client):
        try:
            return client.call("GET", "/readyz", token=None).status == 503
        except OSError:
            return True

    def testPromptsAreRefusedWhileStopping(self):  # BR-103
        daemon = self.own_daemon()
        client = daemon.client()
        busy, idle = client.create(), client.create()
        client.prompt(busy, "@mark inside\n@gate finish")
        daemon.wait_mark("inside")
        daemon.child.send_signal(signal.SIGTERM)
        until(lambda: self.refused(client), "/readyz says 503 or nobody listens")
        try:
            self.assertProblem(client.post_prompt(idle, "too late"), 503, "shutting_down")
        except OSError:
            pass  # the listener is closed: as good
        until(lambda: len(daemon.workers()) == 1, "the brains that were kept ready are gone")
        daemon.open_gate("finish")
        self.assertEqual(daemon.wait_exit(DEADLINE * 2), 0)
        self.assertEqual(daemon.seen_by_brains("too late"), 0)

    def testSecondTermStopsAtOnce(self):
        daemon = self.own_daemon()
        client = daemon.client()
        session = client.create()
        client.prompt(session, "@mark inside\n@gate never-opened")
        daemon.wait_mark("inside")
        daemon.child.send_signal(signal.SIGTERM)
        until(lambda: self.refused(client), "/readyz says 503 or nobody listens")
        daemon.child.send_signal(signal.SIGTERM)
        daemon.wait_exit()
        daemon.wait_no_workers()

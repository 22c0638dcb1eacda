# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What viewers, readers and waiting must not set in motion; what an operator sees through agentpoolctl."""

import os
import subprocess

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.wait import DEADLINE, until

PROGRAM = os.path.join(settings.BUILD, "apps", "agentpoolctl", "agentpoolctl")


class OperatorTest(E2eCase):
    config = settings.NO_DSH

    def ctl(self, *words, stdin="", code=0):
        """One command, run to its end; its stdout."""
        done = subprocess.run(
            [PROGRAM, "--data", self.daemon.data, *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def testOperatorsSeeEveryActorAndItsTimers(self):
        session = self.client.create()
        self.client.run(session, "hello")
        status = self.ctl("status")
        for actor in ("store", "worker_pool", "session_registry", "timer_service", "broker"):
            self.assertIn(actor, status)
        self.assertIn(session, self.ctl("sessions"))
        self.assertIn("T1", self.ctl("sessions", "--json"), "the session's timer with its due time")
        self.assertIn("assigned", self.ctl("workers"))


class AttentionTest(E2eCase):
    """What viewers and readers must not set in motion."""

    config = settings.merged(settings.NO_DSH, {"session": {"turn_limit": "2s", "cancel_grace": "500ms"}})

    def testViewersStartNoProcess(self):  # BR-045
        session = self.client.create()
        self.client.run(session, "hello")
        until(lambda: "warm" in self.states_of_workers(), "the pool has refilled")
        before = self.daemon.count("boots")
        streams = [self.client.stream(session) for _ in range(settings.scaled(40, 400))]
        for stream in streams:
            stream.until("caught_up")
            stream.close()
        for _ in range(20):
            self.client.session(session)
        self.assertEqual(self.daemon.count("boots"), before)

    def states_of_workers(self):
        return {one["state"] for one in self.daemon.ops().must(200, "GET", "/ops/v1/workers")["actors"]}

    def testReadyMeansThatAPromptIsTaken(self):  # BR-035
        session = self.client.create()
        for number in range(settings.scaled(60, 1000)):
            turn = self.client.prompt(session, f"hello {number}")
            self.assertEnded(self.client.turn_end(session, turn))
            self.client.wait_state(session, "ready")

    def testUsageIsDurableAndATurnHasALimit(self):  # BR-039
        session = self.client.create()
        turn = self.client.prompt(session, "@usage 77 1000\n@never")
        end = self.client.turn_end(session, turn)
        self.assertFailed(end, "deadline")
        usage = [event for event in self.client.log(session) if event["type"] == "usage"]
        self.assertEqual([event["used"] for event in usage], [77], "recorded although the turn never ended by itself")

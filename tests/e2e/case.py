# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Base of the end-to-end tests: one daemon per class, and the checks that hold for every one of them."""

import faulthandler
import os
import unittest

from tests.e2e import procs, settings
from tests.e2e.harness import Daemon
from tests.e2e.wait import DEADLINE, SLACK, until


# A suite that hangs says where, before ctest ends it after 900 s.
if not settings.SOAK:
    faulthandler.dump_traceback_later(870)

# Without root all workers run as the daemon, and nothing ends what left its group (docs/operations.md).
needs_root = unittest.skipUnless(os.geteuid() == 0, "only root gives workers users of their own")


class E2eCase(unittest.TestCase):
    """A class says what its daemon is like. After its last test the daemon must end with 0 and leave
    nothing behind."""

    config = None  # configuration tables over the defaults of the suite
    agents = {"fault": {}}
    model = False  # the demo model and the real dsh
    agent_keys = None  # further keys of every agent profile
    clean_end = True  # False for classes whose tests start daemons of their own only

    @classmethod
    def setUpClass(cls):
        cls.daemon = None
        if cls.clean_end:
            cls.daemon = Daemon(cls.config, cls.agents, cls.model, cls.agent_keys)
            cls.addClassCleanup(cls.daemon.close)
            cls.daemon.start()

    @classmethod
    def tearDownClass(cls):
        if cls.daemon:
            cls.check_end(cls.daemon)

    @classmethod
    def check_end(cls, daemon):
        """SIGTERM ends the daemon with 0, in time, without a survivor and without a sanitizer's report."""
        code = daemon.stop(DEADLINE * 2)
        daemon.wait_no_workers()
        found = daemon.findings()
        if found:
            raise AssertionError("a sanitizer reported:\n" + found[0])
        if code != 0:
            raise AssertionError(f"the daemon ended with {code}:\n{daemon.tail()}")

    def own_daemon(self, config=None, agents=None, model=False, start=True, agent_keys=None):
        """A daemon for this test alone."""
        daemon = Daemon(config, {"fault": {}} if agents is None else agents, model, agent_keys)
        self.addCleanup(daemon.close)
        return daemon.start() if start else daemon

    def setUp(self):
        self.client = self.daemon.client() if self.daemon else None

    def assertLog(self, events):
        """What holds for every event log: seq 1, 2, 3…, turns that begin once and end at most once, in
        order."""
        self.assertEqual([e["seq"] for e in events], list(range(1, len(events) + 1)))
        running = None
        started, ended = set(), set()
        for event in events:
            turn = event.get("turn_id")
            if event["type"] == "turn_started":
                self.assertIsNone(running, f"turn {turn} started inside turn {running}")
                self.assertNotIn(turn, started)
                started.add(turn)
                running = turn
            elif event["type"] == "turn_end":
                self.assertNotIn(turn, ended, "a turn ended twice")
                ended.add(turn)
                running = None
        users = [e["turn_id"] for e in events if e["type"] == "user_message"]
        self.assertEqual(len(users), len(set(users)), "a user message is there twice")

    def assertEnded(self, event, reason="end_turn"):
        self.assertEqual(event.get("stop_reason"), reason, event)

    def assertFailed(self, event, *codes):
        self.assertIn((event.get("error") or {}).get("code"), codes, event)

    def assertProblem(self, answer, status, *codes):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(
            answer.headers.get("content-type", "").split(";")[0], "application/problem+json", answer
        )
        self.assertIn(answer.code, codes, answer)

    def assertGone(self, pid, within=1.0):
        until(lambda: not procs.alive(pid), f"process {pid} ({procs.command(pid)}) is gone", within * SLACK)

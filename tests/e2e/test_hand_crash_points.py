# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The named points of a hand's life and of a command (docs/hands.md, section 5): the daemon, the brain or the provider
is killed at each of them, and afterwards the event log, the processes, the mounts and the provider's list are compared."""

import os
import signal
import subprocess

from tests.e2e import crash_points, procs, settings
from tests.e2e.sandboxes import HandsCase
from tests.e2e.wait import DEADLINE, SLACK, until

HANDS = os.path.join(settings.REPO, "docs", "hands.md")
POINTS = [name for name in crash_points.names(HANDS) if name.startswith("hand.")]


class CrashPointTest(HandsCase):
    """The daemon is killed at each named point of a hand's life; the restart leaves nothing behind."""

    def crash(self, point):
        daemon = self.own_daemon(self.config, agents={}, model=True, start=False)
        daemon.spawn(crash_point=point)
        session = self.drive(daemon)
        if daemon.child.poll() is None:
            self.assertEqual(daemon.stop(DEADLINE * 2), 0)
            self.skipTest(f"a session with a command does not pass {point}")
        self.assertEqual(daemon.wait_exit(), -9, daemon.tail())
        daemon.wait_no_workers()
        daemon.start()
        client = daemon.client()
        if session and client.call("GET", f"/v1/sessions/{session}").status == 200:
            self.client = client
            until(
                lambda: client.state(session) in ("ready", "detached"), "the open turn is ended", DEADLINE * 2
            )
            self.assertLog(client.log(session))
            self.assertEqual(self.tool(session, "$ echo again", DEADLINE * 4), "again\n")
            self.assertEqual(len(self.sandboxd.list()), 1, "one session, one hand")
            self.assertIn(client.delete(session).status, (200, 202, 204))
        self.assertProviderEmpty()
        self.check_end(daemon)

    def crash_beside(self, point, what):
        """The daemon stands still at the point while another process is killed."""
        daemon = self.own_daemon(self.config, agents={}, model=True, start=False)
        daemon.spawn(crash_point=point + ":stop")
        until(lambda: daemon.endpoints() and daemon.client().ready(), "ready")
        self.client = daemon.client()
        session = self.client.create("dsh")
        turn = self.client.prompt(session, "$ echo one > f; cat f")
        until(lambda: procs.stat(daemon.child.pid)[:1] == ["T"], f"the daemon stands at {point}", DEADLINE * 2)
        if what == "brain":
            for pid in daemon.workers():
                procs.kill(pid)
        else:
            self.sandboxd.kill()
            until(lambda: not self.sandboxd.processes(), "nothing of its sandboxes runs on", 2 * SLACK)
            self.sandboxd.start()
        daemon.child.send_signal(signal.SIGCONT)
        end = self.client.turn_end(session, turn, DEADLINE * 4)
        self.assertFailed(end, "brain_lost") if what == "brain" else self.assertEnded(end)
        again = self.tool(session, "$ echo again", DEADLINE * 4)
        self.assertTrue(again.startswith("again\n"), again)
        self.assertEqual(len(self.sandboxd.list()), 1, "one session, one hand")
        self.assertLog(self.client.log(session))
        self.assertIn(self.client.delete(session).status, (200, 202, 204))
        self.assertProviderEmpty()
        self.assertEqual(self.sandboxd.mounts(), [])
        self.check_end(daemon)

    def drive(self, daemon):
        """A session that makes, uses and deletes a hand, until the daemon dies; its id when it was told."""
        session = None
        try:
            until(
                lambda: daemon.child.poll() is not None or (daemon.endpoints() and daemon.client().ready()),
                "ready",
            )
            client = daemon.client()
            session = client.create("dsh")
            client.turn_end(session, client.prompt(session, "$ echo one > f; cat f"), DEADLINE * 2)
            client.delete(session)
            daemon.child.send_signal(15)
            daemon.wait_exit(DEADLINE * 2)
        except Exception as error:  # the daemon is gone, which is what this is about
            try:
                daemon.child.wait(SLACK)
            except subprocess.TimeoutExpired:
                raise error from None
        return session


def add(point):
    title = "".join(word.capitalize() for word in point.replace("_", ".").replace("-", ".").split("."))
    setattr(CrashPointTest, f"testKilledAt{title}", lambda self: self.crash(point))
    if not point.startswith("hand.kill"):
        for what in ("brain", "provider"):
            name = f"test{what.capitalize()}KilledAt{title}"
            setattr(CrashPointTest, name, lambda self, what=what: self.crash_beside(point, what))


for name in POINTS:
    add(name)

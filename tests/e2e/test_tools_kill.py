# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of dsh, of agentpoold and of sandboxd while a command runs; afterwards the event log, the processes, the
mounts and the provider's list are compared."""

from tests.e2e import crash_points, procs, settings
from tests.e2e.client import of_type
from tests.e2e.sandboxes import HandsCase
from tests.e2e.wait import DEADLINE, SLACK, until

COMMAND = "$ echo made > before; echo begun; sleep 2718; echo after > after"
POINTS = [
    name
    for name in crash_points.names()
    if name.split(".")[0] in ("hand", "hands", "broker", "reaper", "world")
]


class KillTest(HandsCase):
    more = settings.merged(settings.QUICK_END, settings.QUICK_DRAIN)

    def setUp(self):
        super().setUp()
        self.session = self.client.create("dsh")
        self.tool(self.session, "$ true")
        self.hands = self.sandboxd.provider().list()
        self.assertEqual(len(self.hands), 1)
        self.turn = self.client.prompt(self.session, COMMAND)
        self.wait_live(self.session, "begun\n", self.turn)

    def tearDown(self):
        self.delete(self.session)
        self.assertProviderEmpty()
        self.assertLeftOver([])

    def check_log(self):
        log = self.client.log(self.session)
        self.assertLog(log)
        self.assertEqual(len([e for e in of_type(log, "turn_end") if e["turn_id"] == self.turn]), 1)
        return log

    def testKilledBrain(self):
        for pid in self.daemon.workers():
            procs.kill(pid)
        end = self.client.turn_end(self.session, self.turn, 2 * SLACK)
        self.assertFailed(end, "brain_lost")
        self.assertNoneRuns(self.session, "sleep 2718")
        self.assertEqual(self.tool(self.session, "$ ls"), "before\n")
        self.assertEqual(self.sandboxd.provider().list(), self.hands)
        self.check_log()

    def testKilledDaemon(self):
        before = self.client.log(self.session)
        self.daemon.kill()
        self.daemon.wait_no_workers()
        self.daemon.start()
        self.client = self.daemon.client()
        self.assertFailed(self.client.turn_end(self.session, self.turn), "interrupted")
        self.assertEqual(self.check_log()[: len(before)], before)
        self.assertEqual(self.sandboxd.provider().list(), self.hands, "the same hand, and no other")
        self.assertIn("before\n", self.tool(self.session, "$ ls"))
        self.assertEqual(self.sandboxd.provider().list(), self.hands)

    def testKilledProvider(self):
        self.sandboxd.kill()
        self.assertTrue(self.sandboxd.descendants, "there was something to end")
        until(lambda: not self.sandboxd.processes(), "nothing of its sandboxes runs on", 2 * SLACK)
        self.assertEqual(self.sandboxd.mounts(), [])
        self.sandboxd.start()
        end = self.client.turn_end(self.session, self.turn, DEADLINE * 6)
        self.assertEnded(end)
        (result,) = self.results(self.session, self.turn)
        self.assertNotIn("[exit code: 0]", result)
        self.assertRegex(result, r"[A-Z][^\n]+\.", "one English sentence says what happened")
        self.assertEqual(
            self.tool(self.session, "$ cat before; ls after 2>&1 | tail -1", DEADLINE * 4).splitlines()[0],
            "made",
        )
        self.assertEqual(self.sandboxd.provider().list(), self.hands, "the same id and disk")
        self.assertNoneRuns(self.session, "sleep 2718")
        self.check_log()

    def testKilledAll(self):
        self.daemon.kill()
        self.sandboxd.kill()
        self.daemon.wait_no_workers()
        until(lambda: not self.sandboxd.processes(), "nothing of its sandboxes runs on", 2 * SLACK)
        self.sandboxd.start()
        self.daemon.start()
        self.client = self.daemon.client()
        self.assertFailed(self.client.turn_end(self.session, self.turn), "interrupted")
        self.assertEqual(self.tool(self.session, "$ cat before", DEADLINE * 4), "made\n")
        self.assertEqual(self.sandboxd.provider().list(), self.hands)
        self.check_log()


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
            self.assertEqual(len(self.sandboxd.provider().list()), 1, "one session, one hand")
            self.assertIn(client.delete(session).status, (200, 202, 204))
        self.assertProviderEmpty()
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
        except Exception:  # the daemon is gone, which is what this is about
            if daemon.child.poll() is None:
                raise
        return session


def add(point):
    title = "".join(word.capitalize() for word in point.replace("_", ".").replace("-", ".").split("."))
    setattr(CrashPointTest, f"testKilledAt{title}", lambda self: self.crash(point))


for name in POINTS:
    add(name)

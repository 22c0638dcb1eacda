# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of dsh, of agentpoold and of sandboxd while a command runs; afterwards the event log, the processes, the
mounts and the provider's list are compared."""

from tests.e2e import procs, settings
from tests.e2e.client import of_type
from tests.e2e.sandboxes import HandsCase
from tests.e2e.wait import DEADLINE, SLACK, until

COMMAND = "$ echo made > before; echo begun; sleep 2718; echo after > after"


class KillTest(HandsCase):
    more = settings.merged(settings.QUICK_END, settings.QUICK_DRAIN)

    def setUp(self):
        super().setUp()
        self.session = self.client.create("dsh")
        self.tool(self.session, "$ true")
        self.hands = self.sandboxd.list()
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
        self.assertEqual(self.sandboxd.list(), self.hands)
        self.check_log()

    def testKilledDaemon(self):
        before = self.client.log(self.session)
        self.daemon.kill()
        self.daemon.wait_no_workers()
        self.daemon.start()
        self.client = self.daemon.client()
        self.assertFailed(self.client.turn_end(self.session, self.turn), "interrupted")
        self.assertEqual(self.check_log()[: len(before)], before)
        self.assertEqual(self.sandboxd.list(), self.hands, "the same hand, and no other")
        self.assertIn("before\n", self.tool(self.session, "$ ls"))
        until(
            lambda: self.tool(self.session, "$ pgrep -fx 'sleep 2718' || echo none") == "none\n",
            "what nobody waits for is ended",
        )
        self.assertEqual(self.sandboxd.list(), self.hands)

    def testKilledDaemonKeepsTheAnswersOfKeyedChanges(self):
        def change(method, rest, body=None, key=None):
            line = {"Idempotency-Key": key or f"{rest} {body}"}
            return self.client.call(method, f"/v1/sessions/{self.session}/files{rest}", body, line)

        calls = (
            ("DELETE", "/content?path=before"),
            ("POST", "/mkdir", {"path": "d"}),
            ("POST", "/move", {"from": "d", "to": "e"}),
            ("POST", "/move", {"from": "none", "to": "e"}),
        )
        first = [change(*one) for one in calls]
        self.assertEqual([one.status for one in first], [204, 201, 200, 404])
        self.daemon.kill()
        self.daemon.wait_no_workers()
        self.daemon.start()
        self.client = self.daemon.client()
        again = [change(*one) for one in calls]
        self.assertEqual([(one.status, one.body) for one in again], [(one.status, one.body) for one in first])
        self.assertEqual(self.tool(self.session, "$ ls"), "e\n")
        other = change("POST", "/mkdir", {"path": "other"}, f"/mkdir {calls[1][2]}")
        self.assertProblem(other, 422, "idempotency_mismatch")

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
        self.assertEqual(self.sandboxd.list(), self.hands, "the same id and disk")
        self.assertNoneRuns(self.session, "sleep 2718")
        self.check_log()

    def testTheFirstFileRequestAfterARestartOfTheProviderIsServed(self):
        self.client.cancel(self.session)
        self.client.turn_end(self.session, self.turn)
        files = f"/v1/sessions/{self.session}/files"
        for method, path, body, status in (
                ("GET", "/content?path=before", None, 200), ("GET", "?path=", None, 200),
                ("PUT", "/content?path=small", b"x", 201), ("PUT", "/content?path=large", b"x" * 1_000_000, 201),
                ("DELETE", "/content?path=small", None, 204)):
            self.sandboxd.kill()
            until(lambda: not self.sandboxd.processes(), "nothing of its sandboxes runs on", 2 * SLACK)
            self.sandboxd.start()
            answer = self.client.call(method, files + path, body)
            self.assertEqual(answer.status, status, answer)
        self.assertEqual(self.sandboxd.list(), self.hands)

    def testKilledAll(self):
        self.daemon.kill()
        self.sandboxd.kill()
        self.daemon.wait_no_workers()
        until(lambda: not self.sandboxd.processes(), "nothing of its sandboxes runs on", 2 * SLACK)
        self.sandboxd.start()
        self.daemon.start()
        self.client = self.daemon.client()
        self.assertFailed(self.client.turn_end(self.session, self.turn), "interrupted")
        result = self.tool(self.session, "$ cat before", DEADLINE * 4)
        self.assertTrue(result.startswith("made\n"), result)
        self.assertIn("running commands, background jobs and terminals are gone", result)
        self.assertEqual(self.sandboxd.list(), self.hands)
        self.check_log()

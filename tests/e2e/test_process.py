# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Processes: brains that die, stay or hang, and a daemon that is killed."""

import json

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase, needs_root
from tests.e2e.client import said
from tests.e2e.wait import DEADLINE, SLACK, holds


def facts(client, session):
    """What the fault agent of that session says of itself."""
    return json.loads(client.run(session, "@facts")[0])


class BrainLossTest(E2eCase):
    config = settings.QUICK_END
    agents = {
        "fault": {},
        "stubborn": {"ignore_eof": True, "ignore_sigterm": True},
        "deaf": {"ignore_eof": True},
    }

    # BR-041
    def testLostBrainEndsTheTurnAndTheNextPromptResumes(self):
        for how in ("@kill9", "@die 3", "@die 0", "@stderr out of memory\n@die 134"):
            session = self.client.create()
            self.client.run(session, "first")
            turn = self.client.prompt(session, "@say dying\n" + how)
            end = self.client.turn_end(session, turn, 2 * SLACK)
            self.assertFailed(end, "brain_lost")
            if "stderr" in how:
                self.assertIn("out of memory", end["error"]["message"])
            self.assertEqual(said(self.client.log(session), turn), "dying")
            self.assertEqual(self.client.run(session, "@count")[0], "count 3")
            self.assertLog(self.client.log(session))

    # BR-041
    def testIdleBrainThatDiesIsReplacedAtTheNextPrompt(self):
        session = self.client.create()
        pid = facts(self.client, session)["pid"]
        procs.kill(pid)
        self.assertGone(pid)
        self.client.wait_state(session, "detached")  # seen without a prompt; before that: the next test
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")
        self.assertNotEqual(facts(self.client, session)["pid"], pid)

    # BR-041
    def testKilledAtTheVeryPromptIsOneTurn(self):
        session = self.client.create()
        pid = facts(self.client, session)["pid"]
        procs.kill(pid)
        turn = self.client.prompt(session, "@say at once")
        end = self.client.turn_end(session, turn)
        if end.get("error"):
            self.assertFailed(end, "brain_lost")
        self.assertLessEqual(self.daemon.seen_by_brains("@say at once"), 1)
        self.assertEnded(self.client.run(session, "next")[1])

    # BR-042
    def testAgentThatIgnoresEofAndTermIsKilled(self):
        for profile in ("deaf", "stubborn"):
            session = self.client.create(profile)
            pid = facts(self.client, session)["pid"]
            self.assertLess(self.client.delete(session).status, 300)
            self.assertGone(pid, 2.0)
            self.assertEnded(self.client.run(self.client.create(profile), "the slot is free")[1])

    @needs_root
    def testDeletedSessionLeavesNoGrandchild(self):
        for kind in ("group", ""):
            session = self.client.create()
            text, _ = self.client.run(session, f"@child {kind}".strip())
            self.client.delete(session)
            self.assertGone(int(text.split()[1]), 4.0)

    @needs_root
    def testGrandchildThatHoldsThePipeHangsNothing(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@child pipe\n@kill9")
        self.assertFailed(self.client.turn_end(session, turn, 2 * SLACK), "brain_lost")
        self.assertEnded(self.client.run(session, "next")[1])

    def testClosedStdoutIsALostBrain(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@close-stdout")
        self.assertFailed(self.client.turn_end(session, turn), "brain_lost", "protocol_error")
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")

    def testFloodOnStderrHarmsNothing(self):
        session = self.client.create()
        self.assertEqual(self.client.run(session, "@stderr-flood 4000000\n@say fine")[0], "fine")


class CrashLoopTest(E2eCase):
    agents = {
        "fault": {},
        "flaky": {"exit_after_new_ms": 200},
        "broken": {"exit_before_initialize": 3, "stderr": ["no such model file"]},
        "recovers": {"first_boots": 2, "exit_before_initialize": 4},
    }
    config = {"session": {"attach_deadline": "10s"}}

    # BR-047
    def testCrashLoopBacksOffAndSaysWhy(self):
        session = self.client.create("broken")
        turn = self.client.prompt(session, "hello")
        end = self.client.turn_end(session, turn)
        self.assertFailed(end, "worker_boot_failed", "no_worker")
        self.assertIn("no such model file", end["error"]["message"])
        boots = self.daemon.count("boots", "broken")
        holds(lambda: self.daemon.count("boots", "broken") <= boots + 12, "boots back off", 3.0)
        workers = self.daemon.ops().call("GET", "/ops/v1/workers").body.decode()
        self.assertIn("no such model file", workers)

    # BR-047
    def testAgentThatDiesAfterEverySessionIsNoEndlessLoop(self):
        session = self.client.create("flaky")
        turn = self.client.prompt(session, "@sleep 60000")
        end = self.client.turn_end(session, turn, DEADLINE * 2)
        self.assertFailed(end, "brain_lost", "worker_boot_failed", "no_worker")
        self.assertEnded(self.client.run(self.client.create(), "the pool is not drained by it")[1])
        self.assertLess(self.daemon.count("boots", "flaky"), 30)

    def testBootThatFailsTwiceWorksTheThirdTime(self):
        session = self.client.create("recovers")
        _, end = self.client.run(session, "hello")
        if end.get("error"):
            self.assertFailed(end, "worker_boot_failed", "no_worker")
            _, end = self.client.run(session, "hello")
        self.assertEnded(end)
        self.assertEqual(self.daemon.count("boots", "recovers"), 3)


class RealBrainLossTest(E2eCase):
    model = True
    agents = {}
    config = {"pool": {"warm": 1}}

    def brains(self):
        return [pid for pid, text in self.daemon.workers().items() if "node" in text.split()[0]]

    # BR-041
    def testKilledDshEndsTheTurnAndTheNextPromptKnowsTheConversation(self):
        session = self.client.create("dsh")
        self.assertIn("seen 1 user text block", self.client.run(session, "first")[0])
        turn = self.client.prompt(session, "@text 500 100")
        with self.client.stream(session, after=0) as stream:
            stream.until("live")
        for pid in self.brains():
            procs.kill(pid)
        self.assertFailed(self.client.turn_end(session, turn, 2 * SLACK), "brain_lost")
        text, end = self.client.run(session, "second")
        self.assertEnded(end)
        self.assertIn("seen 3 user text block", text)
        self.assertLog(self.client.log(session))

    # BR-040 BR-044
    def testKilledDaemonLeavesNoDshAndLosesNothing(self):
        session, waiting = self.client.create("dsh"), self.client.create("dsh")
        self.client.run(session, "first")
        turn = self.client.prompt(session, "@text 500 100")
        with self.client.stream(session, after=0) as stream:
            stream.until("live")
        before = self.client.log(session)
        accepted = self.client.prompt(waiting, "hello")
        self.daemon.kill()
        self.daemon.wait_no_workers()
        client = self.daemon.start().client()
        self.assertFailed(client.turn_end(session, turn), "interrupted")
        self.assertEqual(client.log(session)[: len(before)], before)
        end = client.turn_end(waiting, accepted)
        if end.get("error"):
            self.assertFailed(end, "interrupted")
        text, end = client.run(session, "second")
        self.assertEnded(end)
        self.assertIn("seen 3 user text block", text)
        for each in (session, waiting):
            self.assertLog(client.log(each))

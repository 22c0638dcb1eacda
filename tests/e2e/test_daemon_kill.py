# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A daemon that is killed or stopped while its brains are busy."""

import signal

from tests.e2e import settings
from tests.e2e.case import E2eCase, needs_root
from tests.e2e.client import of_type, said
from tests.e2e.wait import DEADLINE, until


class DaemonKillTest(E2eCase):
    clean_end = False

    def busy(self, daemon, count):
        """Sessions with a turn that waits for a gate, all of them in the brain."""
        client = daemon.client()
        sessions = [client.create() for _ in range(count)]
        turns = [client.prompt(session, "@child\n@mark inside\n@gate never-opened") for session in sessions]
        daemon.wait_mark("inside", count=count)
        return sessions, turns

    # BR-040 BR-044
    def testKilledDaemonLeavesNoBrain(self):
        daemon = self.own_daemon()
        for _ in range(settings.scaled(2, 100)):
            before = daemon.count("inside")
            client = daemon.client()
            for _ in range(settings.scaled(4, 20)):
                client.prompt(client.create(), "@mark inside\n@gate never-opened")
            daemon.wait_mark("inside", count=before + settings.scaled(4, 20))
            self.assertGreaterEqual(len(daemon.workers()), settings.scaled(4, 20))
            daemon.kill()
            daemon.wait_no_workers()
            daemon.start()
        self.check_end(daemon)

    # BR-040
    @needs_root
    def testGrandchildrenOfAKilledDaemonAreGoneAfterTheRestart(self):
        daemon = self.own_daemon()
        client = daemon.client()
        session = client.create()
        client.prompt(session, "@child\n@mark inside\n@gate never-opened")
        daemon.wait_mark("inside")
        child = int(
            said(
                until(lambda: of_type(client.log(session), "agent_message_chunk"), "the child's pid")
            ).split()[1]
        )
        daemon.kill()
        daemon.start()
        self.assertGone(child, 2.0)
        self.check_end(daemon)

    def testOpenTurnIsClosedOnceAndTheAcceptedPromptRunsOnce(self):
        daemon = self.own_daemon(agents={"fault": {}, "slow": {"boot_delay_ms": 3000}})
        client = daemon.client()
        done, open_session, waiting = client.create(), client.create(), client.create("slow")
        client.run(done, "hello")
        log = client.log(done)
        turn = client.prompt(open_session, "@say half\n@mark inside\n@gate never-opened")
        daemon.wait_mark("inside")
        until(lambda: said(client.log(open_session), turn) == "half", "what was said is durable")
        accepted = client.prompt(waiting, "@say runs once")
        daemon.kill()
        daemon.wait_no_workers()
        client = daemon.start().client()
        self.assertEqual(client.log(done), log)
        end = client.turn_end(open_session, turn)
        self.assertFailed(end, "interrupted")
        self.assertEqual(said(client.log(open_session), turn), "half")
        self.assertEnded(client.turn_end(waiting, accepted))
        self.assertEqual(daemon.seen_by_brains("@say runs once"), 1)
        self.assertEqual(client.run(open_session, "@count")[0], "count 2")
        daemon.kill()
        client = daemon.start().client()
        for session in (done, open_session, waiting):
            self.assertLog(client.log(session))
        self.assertEqual(
            len([e for e in of_type(client.log(open_session), "turn_end") if e["turn_id"] == turn]), 1
        )
        self.assertEqual(daemon.seen_by_brains("@say runs once"), 1)
        self.check_end(daemon)

    # BR-046
    @needs_root
    def testTermDrainsAndAwaitsEveryChild(self):
        daemon = self.own_daemon(config=settings.merged(settings.QUICK_DRAIN, settings.QUICK_END))
        sessions, turns = self.busy(daemon, settings.scaled(5, 50))
        self.assertGreaterEqual(len(daemon.workers()), len(sessions))
        self.check_end(daemon)
        client = daemon.start().client()
        for session, turn in zip(sessions, turns):
            self.assertFailed(client.turn_end(session, turn), "interrupted")
            self.assertLog(client.log(session))
        self.check_end(daemon)

    # BR-046
    def testTermLetsATurnFinish(self):
        daemon = self.own_daemon()
        client = daemon.client()
        session = client.create()
        turn = client.prompt(session, "@mark inside\n@gate soon\n@say finished")
        daemon.wait_mark("inside")
        daemon.child.send_signal(signal.SIGTERM)
        until(lambda: not client.ready(), "readyz says that it stops")
        daemon.open_gate("soon")
        self.assertEqual(daemon.wait_exit(DEADLINE * 2), 0)
        client = daemon.start().client()
        self.assertEnded(client.turn_end(session, turn))
        self.assertEqual(said(client.log(session), turn), "finished")

    def testInterruptStopsLikeTerm(self):
        daemon = self.own_daemon()
        daemon.child.send_signal(signal.SIGINT)
        self.assertEqual(daemon.wait_exit(), 0)
        daemon.wait_no_workers()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Turns: what ends one, what must not, and that nothing stays busy for ever."""

import random

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type, said
from tests.e2e.wait import DEADLINE, SLACK, until


class TurnTest(E2eCase):
    config = settings.merged(settings.QUICK_END, settings.t1("1s"))
    agents = {"fault": {}, "slow": {"boot_delay_ms": 1500}}

    # BR-028
    def testTurnGoesOnWithoutViewers(self):
        session = self.client.create()
        with self.client.stream(session, after=0) as stream:
            turn = self.client.prompt(session, "@tools 10\n@mark seen\n@gate alone\n@tools 10\n@say finished")
            stream.until("turn_started")
            stream.reset()
        self.daemon.wait_mark("seen")
        self.daemon.open_gate("alone")
        self.assertEnded(self.client.turn_end(session, turn))
        log = self.client.log(session)
        self.assertEqual(len(of_type(log, "tool_call")), 20)
        self.assertEqual(said(log, turn), "finished")

    # BR-029
    def testIdleTimerNeverCountsInATurn(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@facts\n@sleep 4000\n@say survived")
        with self.client.stream(session, after=0) as first:
            first.until("turn_started")
        with self.client.stream(session, last_event_id=2, live=0) as quiet:
            quiet.until(lambda f: f.event == "turn_end" and f.data["turn_id"] == turn)
            self.assertTrue(said(quiet.events(), turn).endswith("survived"))
            self.client.wait_state(session, "detached")
            self.assertEqual(self.client.run(session, "@count")[0], "count 2")

    def testCancel(self):
        session = self.client.create()
        for number, wait in enumerate(("@sleep 60000", "@gate nothing", "@chunks 100000 10 5"), 1):
            turn = self.client.prompt(session, "@mark busy\n" + wait)
            self.daemon.wait_mark("busy", count=number)
            self.assertLess(self.client.cancel(session).status, 300)
            self.assertEnded(self.client.turn_end(session, turn), "cancelled")
        self.assertLog(self.client.log(session))

    def testCancelBeforeTheBrainIsThere(self):
        session = self.client.create("slow")
        turn = self.client.prompt(session, "hello")
        self.assertLess(self.client.cancel(session).status, 300)
        end = self.client.turn_end(session, turn)
        self.assertTrue(end.get("stop_reason") == "cancelled" or end["error"]["code"] == "cancelled", end)
        self.assertEqual(self.daemon.seen_by_brains("hello"), 0)
        self.assertEnded(self.client.run(session, "next")[1])

    def testCancelWithoutATurnDoesNothing(self):
        session = self.client.create()
        self.assertLess(self.client.cancel(session).status, 300)
        self.assertEnded(self.client.run(session, "hello")[1])
        self.assertLess(self.client.cancel(session).status, 300)
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")

    def testCancelThatIsNotAnsweredReplacesTheWorker(self):
        for number, wait in enumerate(("@never", "@cancel ignore\n@gate nothing"), 1):
            session = self.client.create()
            turn = self.client.prompt(session, "@facts\n@mark deaf\n" + wait)
            self.daemon.wait_mark("deaf", count=number)
            self.client.cancel(session)
            end = self.client.turn_end(session, turn)
            self.assertTrue(
                end.get("stop_reason") == "cancelled" or end["error"]["code"] in ("cancelled", "deadline"),
                end,
            )
            self.assertEqual(self.client.run(session, "@count")[0], "count 2")

    def testCancelAnsweredByAnErrorIsCancelled(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@cancel error\n@mark erring\n@gate nothing")
        self.daemon.wait_mark("erring")
        self.client.cancel(session)
        end = self.client.turn_end(session, turn)
        self.assertTrue(end.get("stop_reason") == "cancelled" or end.get("error"), end)
        self.assertEnded(self.client.run(session, "next")[1])

    def testDeleteEndsARunningTurn(self):
        session = self.client.create()
        self.client.prompt(session, "@mark deleting\n@gate nothing")
        self.daemon.wait_mark("deleting")
        with self.client.stream(session, after=0) as stream:
            stream.until("turn_started")
            self.assertLess(self.client.delete(session).status, 300)
            stream.drain()
        self.assertProblem(self.client.call("GET", f"/v1/sessions/{session}"), 404, "not_found")
        self.assertProblem(self.client.delete(session), 404, "not_found")

    # BR-033
    def testRandomCommandsNeverWedgeASession(self):
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        for _ in range(settings.scaled(6, 100)):
            session, history = self.client.create(), []
            for _ in range(dice.randrange(3, 12)):
                history.append(self.random_command(session, dice))
                self.assertLess(history[-1][1], 500, (seed, history))
            if any(action == "delete" for action, _ in history):
                answer = self.client.call("GET", f"/v1/sessions/{session}")
                self.assertEqual(answer.status, 404, (seed, history))
            else:
                self.check_alive(session, f"(seed {seed}, {history})")

    def random_command(self, session, dice):
        """One command to the session: (what, status)."""
        action = dice.choice(("prompt", "prompt", "slow prompt", "cancel", "cancel", "look"))
        action = "delete" if dice.random() < 0.02 else action
        if "prompt" in action:
            answer = self.client.post_prompt(session, "hi" if action == "prompt" else "@sleep 300")
        elif action == "cancel":
            answer = self.client.cancel(session)
        elif action == "delete":
            answer = self.client.delete(session)
        else:
            answer = self.client.call("GET", f"/v1/sessions/{session}")
        return action, answer.status

    def check_alive(self, session, why):
        until(
            lambda: self.client.post_prompt(session, "@say still here").status == 202,
            f"a prompt is taken {why}",
        )
        until(lambda: said(self.client.log(session)).endswith("still here"), f"it runs {why}")
        self.assertLog(self.client.log(session))

    def testAgentOpenedTurn(self):
        session = self.client.create()
        with self.client.stream(session, after=0, live=0) as stream:
            turn = self.client.prompt(session, "@late 600 a job finished\n@say waiting")
            stream.until(lambda f: f.event == "turn_end" and f.data["turn_id"] == turn)
            opened = stream.until("turn_started")
            self.assertEqual(opened.data["origin"], "agent")
            self.assertNotEqual(opened.data["turn_id"], turn)
            stream.until("agent_message_chunk")
            self.assertEqual(said(stream.events(), opened.data["turn_id"]), "a job finished")
            end = stream.until("turn_end", 5 * SLACK + 5)
            self.assertEqual(end.data["turn_id"], opened.data["turn_id"])
        self.assertLog(self.client.log(session))

    def testPromptEndsAnAgentOpenedTurn(self):
        session = self.client.create()
        with self.client.stream(session, after=0, live=0) as stream:
            self.client.prompt(session, "@late 600 a job finished")
            stream.until(lambda f: f.event == "turn_started" and f.data.get("origin") == "agent")
            turn = self.client.prompt(session, "@say mine")
            stream.until(lambda f: f.event == "turn_end" and f.data["turn_id"] == turn)
        self.assertLog(self.client.log(session))

    def testStopReasonsPassThrough(self):
        session = self.client.create()
        for reason in ("max_tokens", "max_turn_requests", "refusal", "end_turn"):
            self.assertEnded(self.client.run(session, f"@stop {reason}")[1], reason)


class HangTest(E2eCase):
    config = settings.merged(settings.QUICK_START_LIMITS, settings.QUICK_STALL, settings.QUICK_END)
    agents = {
        "fault": {},
        "initialize": {"hang": {"initialize": 1}},
        "new": {"hang": {"session/new": 1}},
        "prompt": {"each_prompt": ["@never"]},
        "late": {"hang": {"session/new": 2}},
    }

    # BR-032
    def testHangingAgentsAreEndedAndTheirSessionsCanBeDeleted(self):
        for profile in ("initialize", "new", "late"):
            session = self.client.create(profile)
            turn = self.client.prompt(session, "hello")
            end = self.client.turn_end(session, turn, DEADLINE * 4)
            self.assertFailed(end, "worker_boot_failed", "no_worker", "deadline", "brain_lost", "agent_error")
            self.assertLess(self.client.delete(session).status, 300)
            self.assertEqual(self.client.call("GET", f"/v1/sessions/{session}").status, 404)

    # BR-032
    def testDeleteWorksWhileTheAgentHangs(self):
        for profile in ("initialize", "new", "prompt", "late"):
            session = self.client.create(profile)
            self.client.prompt(session, "hello")
            self.assertLess(self.client.delete(session).status, 300, profile)
            self.assertEqual(self.client.call("GET", f"/v1/sessions/{session}").status, 404, profile)

    # BR-034
    def testTurnWithoutProgressIsEnded(self):
        session = self.client.create()
        turn = self.client.prompt(session, "@facts\n@say half a sen\n@never")
        end = self.client.turn_end(session, turn)
        self.assertFailed(end, "deadline")
        self.assertNotEqual(self.client.state(session), "running")
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")

    # BR-034
    def testProgressKeepsATurnAlive(self):
        session = self.client.create()
        self.assertEnded(self.client.run(session, "@tools 12 10 250")[1])

    def testHungProcessesAreGone(self):
        session = self.client.create("initialize")
        self.client.prompt(session, "hello")
        until(lambda: self.daemon.count("boots", "initialize") >= 1, "the agent boots")
        self.client.delete(session)
        hung = [pid for pid, text in self.daemon.workers().items() if "script-initialize" in text]
        for pid in hung:
            self.assertGone(pid, 6.0)
        self.assertEqual([pid for pid in hung if procs.alive(pid)], [])

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Approvals: a question of the agent stays open until somebody answers, and never counts as a yes by
itself."""

import concurrent.futures
import json

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type, said
from tests.e2e.wait import holds, until


class ApprovalTest(E2eCase):
    config = settings.merged(settings.QUICK_END, settings.t1("500ms"))

    def asked(self, form=""):
        """A session whose agent waits for an answer: (session, turn, the request's id)."""
        session = self.client.create(mode="ask")
        turn = self.client.prompt(session, f"@permission{form}\n@say went on")
        request = until(lambda: self.client.permissions(session), "the question is open")[0]
        return session, turn, request["request_id"]

    def answer(self, session, request, option="allow-once", client=None):
        return (client or self.client).call(
            "POST", f"/v1/sessions/{session}/permissions/{request}", {"option_id": option}
        )

    def testAnswerReachesTheAgent(self):
        for option, word in (("allow-once", "allow-once"), ("reject-once", "reject-once")):
            session, turn, request = self.asked()
            self.assertEqual(self.client.state(session), "awaiting_permission")
            self.assertLess(self.answer(session, request, option).status, 300)
            self.assertEnded(self.client.turn_end(session, turn))
            self.assertEqual(said(self.client.log(session), turn), f"permission selected {word}went on")
            log = self.client.log(session)
            self.assertEqual(
                (len(of_type(log, "permission_requested")), len(of_type(log, "permission_resolved"))), (1, 1)
            )
            self.assertEqual(self.client.permissions(session), [])

    # BR-058 BR-020
    def testQuestionWithoutAViewerStaysOpenAndIsShownAtAttach(self):
        session, turn, request = self.asked()
        holds(
            lambda: self.client.permissions(session),
            "nobody denies it by itself, T1 does not release it",
            1.5,
        )
        with self.client.stream(session, after=0) as stream:
            shown = stream.until("permission_requested")
            self.assertEqual(shown.data["request_id"], request)
            self.answer(session, request)
            resolved = stream.until("permission_resolved")
            self.assertEqual(resolved.data["request_id"], request)
            stream.until(lambda f: f.event == "turn_end" and f.data["turn_id"] == turn)

    # BR-020
    def testQuestionAfterAReconnectArrivesLive(self):
        session = self.client.create(mode="ask")
        self.client.prompt(session, "@mark before\n@gate reconnected\n@permission")
        self.daemon.wait_mark("before")
        with self.client.stream(session, after=0) as stream:
            stream.until("caught_up")
            self.daemon.open_gate("reconnected")
            request = stream.until("permission_requested").data["request_id"]
        self.assertLess(self.answer(session, request).status, 300)

    # BR-059
    def testCancelAnswersOpenQuestions(self):
        for form in ("", " deaf", " bare"):
            session, turn, request = self.asked(form)
            self.client.cancel(session)
            self.assertEnded(self.client.turn_end(session, turn), "cancelled")
            self.assertEqual(len(of_type(self.client.log(session), "permission_resolved")), 1)
            self.assertProblem(self.answer(session, request), 404, "unknown_permission", "not_found")
            self.assertEnded(self.client.run(session, "next")[1])

    # BR-060
    def testFirstAnswerWins(self):
        session, turn, request = self.asked()
        with self.client.stream(session, after=0) as other:
            self.assertLess(self.answer(session, request, "reject-once").status, 300)
            self.assertProblem(self.answer(session, request, "allow-once"), 404, "unknown_permission")
            other.until("permission_resolved")
        self.assertEnded(self.client.turn_end(session, turn))
        self.assertIn("reject-once", said(self.client.log(session), turn))

    # BR-060
    def testOneOfManyAnswersAtOnceWins(self):
        session, turn, request = self.asked()
        options = ["allow-once", "reject-once"] * 4
        with concurrent.futures.ThreadPoolExecutor(len(options)) as devices:
            answers = list(devices.map(lambda option: self.answer(session, request, option).status, options))
        won = [option for option, status in zip(options, answers) if status == 200]
        self.assertEqual((len(won), answers.count(404)), (1, 7), answers)
        self.assertEnded(self.client.turn_end(session, turn))
        log = self.client.log(session)
        self.assertEqual([e["option_id"] for e in of_type(log, "permission_resolved")], won)
        self.assertIn(won[0], said(log, turn))

    def testSeveralQuestionsAreAnsweredInAnyOrder(self):
        session = self.client.create(mode="ask")
        turn = self.client.prompt(session, "@permissions 3")
        asked = until(
            lambda: len(self.client.permissions(session)) == 3 and self.client.permissions(session),
            "three are open",
        )
        numbers = {one["tool_call"]["raw_input"]["command"]: one["request_id"] for one in asked}
        for number, option in ((2, "allow-once"), (3, "reject-once"), (1, "allow-once")):
            self.assertEqual(self.client.state(session), "awaiting_permission")
            self.assertLess(self.answer(session, numbers[f"echo {number}"], option).status, 300)
        self.assertEnded(self.client.turn_end(session, turn))
        self.assertEqual(
            said(self.client.log(session), turn).split(), ["2=allow-once", "3=reject-once", "1=allow-once"]
        )

    # BR-059
    def testCancelAnswersAllOfSeveral(self):
        session = self.client.create(mode="ask")
        turn = self.client.prompt(session, "@permissions 3")
        until(lambda: len(self.client.permissions(session)) == 3, "three are open")
        self.client.cancel(session)
        self.assertEnded(self.client.turn_end(session, turn), "cancelled")
        resolved = of_type(self.client.log(session), "permission_resolved")
        self.assertEqual([(e["outcome"], e["by"]) for e in resolved], [("cancelled", "cancel")] * 3)
        self.assertEqual(self.client.permissions(session), [])

    def testQuestionShowsTheToolCallThatWasAnnounced(self):
        session, _, request = self.asked()
        (shown,) = self.client.permissions(session)
        call = shown["tool_call"]
        self.assertEqual(
            (call["title"], call["kind"], call["raw_input"]), ("bash", "execute", {"command": "true"})
        )
        # The list is of what is open, the log of what is durable already.
        (event,) = until(lambda: of_type(self.client.log(session), "permission_requested"), "it is in the log")
        self.assertEqual(event["tool_call"], call)
        self.assertEqual(call["tool_call_id"], shown["tool_call_id"])
        self.answer(session, request)

    def testAgentMayAskInATurnOfItsOwn(self):
        session = self.client.create(mode="ask")
        self.assertEnded(self.client.run(session, "@late-permission 50\n@say first")[1])
        request = until(lambda: self.client.permissions(session), "the question is open")[0]["request_id"]
        self.assertEqual(self.client.state(session), "awaiting_permission")
        self.assertLess(self.answer(session, request).status, 300)
        log = self.client.log(session)
        self.assertEqual(of_type(log, "turn_started")[-1]["origin"], "agent")
        self.assertEqual(of_type(log, "permission_resolved")[-1]["outcome"], "selected")

    def testBadAnswersLeaveItOpen(self):
        session, turn, request = self.asked()
        for option in ("no-such-option", "", 5, None):
            self.assertProblem(self.answer(session, request, option), 400, "bad_request")
        self.assertProblem(self.answer(session, "nothing"), 404, "unknown_permission")
        self.assertEqual(self.answer(session, request, client=self.daemon.device()).status, 404)
        self.assertEqual(len(self.client.permissions(session)), 1)
        self.answer(session, request)
        self.assertEnded(self.client.turn_end(session, turn))

    # BR-063
    def testLostBrainIsNoYes(self):
        session = self.client.create(mode="ask")
        turn = self.client.prompt(session, "@facts\n@permission\n@say went on")
        request = until(lambda: self.client.permissions(session), "the question is open")[0]["request_id"]
        procs.kill(json.loads(said(self.client.log(session), turn))["pid"])
        self.assertFailed(self.client.turn_end(session, turn), "brain_lost")
        self.assertEqual(self.client.permissions(session), [])
        self.assertEqual(self.answer(session, request).status, 404)
        log = self.client.log(session)
        self.assertEqual(len(of_type(log, "permission_resolved")), 1)
        self.assertNotIn("allow", str(of_type(log, "permission_resolved")[0].get("option_id")))
        self.assertNotIn("went on", said(log, turn))

    # BR-063
    def testKilledDaemonIsNoYes(self):
        daemon = self.own_daemon()
        client = daemon.client()
        session = client.create(mode="ask")
        turn = client.prompt(session, "@permission\n@say went on")
        until(lambda: client.permissions(session), "the question is open")
        daemon.kill()
        client = daemon.start().client()
        self.assertFailed(client.turn_end(session, turn), "interrupted")
        self.assertEqual(client.permissions(session), [])
        log = client.log(session)
        self.assertEqual(len(of_type(log, "permission_resolved")), 1)
        self.assertNotIn("went on", said(log, turn))
        self.check_end(daemon)

    # BR-062
    def testModesThatDoNotAskDecideAtOnce(self):
        for mode, word in (("allow", "allow-once"), ("deny", "reject-once")):
            session = self.client.create(mode=mode)
            text, end = self.client.run(session, "@permission")
            self.assertEnded(end)
            self.assertEqual(text, f"permission selected {word}")


class DshApprovalTest(E2eCase):
    """The policy row in the real dsh. What is decided here needs no sandbox: a tool that may run fails for want
    of one, in another sentence than a tool that may not."""

    model = True
    agents = {}
    config = {"pool": {"warm": 1}}

    tools = (
        ("bash", "execute", "$ echo hi"),
        ("write", "edit", '@write {"file_path":"/workspace/a","content":"x"}'),
    )

    def results(self, session):
        """What the model read of each finished tool call."""
        ended = [
            e for e in of_type(self.client.log(session), "tool_call_update") if e["status"] != "in_progress"
        ]
        return ["".join(part["content"]["text"] for part in e["content"]) for e in ended]

    def ask(self, session, prompt):
        turn = self.client.prompt(session, prompt)
        return turn, until(lambda: self.client.permissions(session), "the question is open")[0]

    def answer(self, session, question, kind):
        option = next(o["optionId"] for o in question["options"] if o["kind"] == kind)
        path = f"/v1/sessions/{session}/permissions/{question['request_id']}"
        self.client.must(200, "POST", path, {"option_id": option})

    def testAskAsksAndARejectedToolDoesNotRun(self):
        for title, kind, prompt in self.tools:
            session = self.client.create("dsh", mode="ask")
            turn, question = self.ask(session, prompt)
            self.assertEqual((question["tool_call"]["title"], question["tool_call"]["kind"]), (title, kind))
            self.assertTrue(question["tool_call"]["raw_input"])
            self.answer(session, question, "reject_once")
            self.assertEnded(self.client.turn_end(session, turn))
            self.assertEqual(self.results(session), [f'Error: the user rejected tool "{title}"'])

    def testAllowedToolGoesOnToTheWorld(self):
        session = self.client.create("dsh", mode="ask")
        turn, question = self.ask(session, "$ echo hi")
        self.answer(session, question, "allow_once")
        self.assertEnded(self.client.turn_end(session, turn))
        self.assertIn("sandbox", self.results(session)[0])
        self.assertNotIn("rejected", self.results(session)[0])

    def testEachCallIsAskedForAnew(self):
        session = self.client.create("dsh", mode="ask")
        turn, first = self.ask(session, "$ echo one\n$ echo two")
        self.answer(session, first, "allow_once")
        second = until(
            lambda: [p for p in self.client.permissions(session) if p["request_id"] != first["request_id"]],
            "the second question is open",
        )[0]
        self.assertEqual(second["tool_call"]["raw_input"]["command"], "echo two")
        self.answer(session, second, "reject_once")
        self.assertEnded(self.client.turn_end(session, turn))

    def testDenyRefusesWithoutAQuestion(self):
        session = self.client.create("dsh", mode="deny")
        for title, _, prompt in self.tools:
            self.assertEnded(self.client.run(session, prompt)[1])
            self.assertIn(f'does not allow "{title}"', self.results(session)[-1])
        self.assertEqual(of_type(self.client.log(session), "permission_requested"), [])

    def testAllowAsksNothing(self):
        session = self.client.create("dsh", mode="allow")
        for _, _, prompt in self.tools:
            self.assertEnded(self.client.run(session, prompt)[1])
            self.assertNotIn("allow", self.results(session)[-1])
        self.assertEqual(of_type(self.client.log(session), "permission_requested"), [])

    def testToolsThatChangeNothingNeverAsk(self):
        prompt = '@read {"file_path":"/workspace/a"}\n@todo_write {"todos":[{"content":"c","status":"pending"}]}\n@job_list {}'
        for mode in ("ask", "deny"):
            session = self.client.create("dsh", mode=mode)
            self.assertEnded(self.client.run(session, prompt)[1])
            log = self.client.log(session)
            self.assertEqual(of_type(log, "permission_requested"), [])
            self.assertEqual(len(of_type(log, "plan")), 1)

    # BR-059
    def testCancelWithAnOpenQuestion(self):
        session = self.client.create("dsh", mode="ask")
        turn, _ = self.ask(session, "$ echo hi")
        self.client.cancel(session)
        self.assertEnded(self.client.turn_end(session, turn), "cancelled")
        self.assertEqual(self.client.permissions(session), [])
        self.assertEnded(self.client.run(session, "and on")[1])

    # BR-063
    def testKilledBrainIsNoYes(self):
        session = self.client.create("dsh", mode="ask")
        turn, question = self.ask(session, "$ echo hi")
        for pid in self.daemon.workers():
            procs.kill(pid)
        self.assertFailed(self.client.turn_end(session, turn), "brain_lost")
        path = f"/v1/sessions/{session}/permissions/{question['request_id']}"
        self.assertEqual(self.client.call("POST", path, {"option_id": "allow-once"}).status, 404)
        self.assertEnded(self.client.run(session, "and on")[1])

    # BR-064
    def testViewersComeAndGo(self):
        session = self.client.create("dsh", mode="ask")
        turn, question = self.ask(session, "$ echo hi")
        for _ in range(3):
            with self.client.stream(session, after=0) as stream:
                self.assertEqual(
                    stream.until("permission_requested").data["request_id"], question["request_id"]
                )
        self.assertEqual(self.client.state(session), "awaiting_permission")
        self.answer(session, question, "reject_once")
        self.assertEnded(self.client.turn_end(session, turn))

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Approvals: a question of the agent stays open until somebody answers, and never counts as a yes by
itself."""

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

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Prompts that are sent twice, at once, or with a key."""

import threading

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.client import new_key, of_type, said
from tests.e2e.wait import until


class PromptTest(E2eCase):
    config = settings.merged(settings.QUICK_END, settings.BIG_BODIES)

    # BR-024
    def testRetriedPromptIsOneTurn(self):
        session, key = self.client.create(), new_key()
        turn = self.client.prompt(session, "@gate retried\n@say once", key)
        self.assertEqual(
            [self.client.prompt(session, "@gate retried\n@say once", key) for _ in range(3)], [turn] * 3
        )
        self.assertProblem(
            self.client.post_prompt(session, "@gate retried\n@say once", new_key()), 409, "turn_running"
        )
        self.daemon.open_gate("retried")
        self.assertEnded(self.client.turn_end(session, turn))
        self.assertEqual(self.client.prompt(session, "@gate retried\n@say once", key), turn)
        log = self.client.log(session)
        self.assertEqual(len(of_type(log, "user_message")), 1)
        self.assertEqual(said(log), "once")
        self.assertEqual(self.daemon.seen_by_brains("@gate retried"), 1)

    # BR-024
    def testRetriesInParallelAreOneTurn(self):
        session, key, answers = self.client.create(), new_key(), []

        def post():
            answers.append(self.client.post_prompt(session, "@gate together\n@say once", key))

        threads = [threading.Thread(target=post) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.daemon.open_gate("together")
        accepted = {answer.json["turn_id"] for answer in answers if answer.status == 202}
        self.assertEqual(len(accepted), 1)
        for answer in answers:
            if answer.status != 202:
                self.assertProblem(answer, 409, "idempotency_in_progress")
        self.client.turn_end(session, accepted.pop())
        self.assertEqual(self.daemon.seen_by_brains("@gate together"), 1)

    def testKeySurvivesARestart(self):
        session, key, create_key = None, new_key(), new_key()
        session = self.client.create(key=create_key)
        turn = self.client.prompt(session, "@say kept", key)
        self.client.turn_end(session, turn)
        self.assertEqual(self.daemon.stop(), 0)
        client = self.daemon.start().client()
        self.assertEqual(client.prompt(session, "@say kept", key), turn)
        self.assertEqual(client.create(key=create_key), session)
        self.assertEqual(len(of_type(client.log(session), "user_message")), 1)

    def testKeyForAnotherRequestIsRefused(self):
        session, key = self.client.create(), new_key()
        self.client.turn_end(session, self.client.prompt(session, "one", key))
        self.assertProblem(self.client.post_prompt(session, "two", key), 422, "idempotency_mismatch")

    def testKeysCountPerDeviceAndSession(self):
        key, other = new_key(), self.daemon.device()
        one, two, three = self.client.create(), self.client.create(), other.create()
        turns = {
            self.client.prompt(one, "same", key),
            self.client.prompt(two, "same", key),
            other.prompt(three, "same", key),
        }
        self.assertEqual(len(turns), 3)

    def testBadKeys(self):
        session = self.client.create()
        for key in ("", "x" * 256, "tab\there"):
            answer = (
                self.client.post_prompt(session, "hi", key)
                if key
                else self.client.call(
                    "POST", f"/v1/sessions/{session}/prompt", {"text": "hi"}, {"Idempotency-Key": ""}
                )
            )
            self.assertProblem(answer, 400, "bad_request")

    # BR-025
    def testRetriedCreateIsOneSession(self):
        key = new_key()
        made = [self.client.create(key=key, title="keyed") for _ in range(3)]
        self.assertEqual(len(set(made)), 1)
        listed = self.client.must(200, "GET", "/v1/sessions")["sessions"]
        self.assertEqual(sum(1 for s in listed if s.get("title") == "keyed"), 1)

    # BR-025
    def testCreatesInParallelWithOneKeyAreOneSession(self):
        key, answers = new_key(), []

        def post():
            answers.append(
                self.client.call("POST", "/v1/sessions", {"profile": "fault"}, {"Idempotency-Key": key})
            )

        threads = [threading.Thread(target=post) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({answer.json["id"] for answer in answers if answer.status == 201}), 1, answers)
        self.assertLessEqual({answer.status for answer in answers}, {201, 409})

    # BR-026
    def testOneOfManyParallelPromptsRuns(self):
        session, answers = self.client.create(), []

        def post(number):
            answers.append(self.client.post_prompt(session, f"@gate one\n@say number {number}"))

        threads = [threading.Thread(target=post, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        accepted = [answer.json["turn_id"] for answer in answers if answer.status == 202]
        self.assertEqual(len(accepted), 1)
        for answer in answers:
            if answer.status != 202:
                self.assertProblem(answer, 409, "turn_running")
        self.daemon.open_gate("one")
        self.assertEnded(self.client.turn_end(session, accepted[0]))
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")
        self.assertLog(self.client.log(session))

    def testPromptTakesContentBlocks(self):
        session = self.client.create()
        blocks = [
            {"type": "text", "text": "@say from blocks"},
            {"type": "resource_link", "uri": "file:///x", "name": "x"},
        ]
        turn = self.client.must(202, "POST", f"/v1/sessions/{session}/prompt", {"prompt": blocks})["turn_id"]
        self.client.turn_end(session, turn)
        self.assertEqual(said(self.client.log(session), turn), "from blocks")

    def testBigPromptArrivesWhole(self):
        session, text = self.client.create(), "ü€😀" * 60000
        self.assertEqual(self.client.run(session, text)[0], "echo: " + text)

    def testPromptBeforeAnyWorkerIsThere(self):
        session = self.client.create()
        turn = self.client.prompt(session, "hello")
        self.assertProblem(self.client.post_prompt(session, "again"), 409, "turn_running")
        self.assertEnded(self.client.turn_end(session, turn))
        until(lambda: self.client.state(session) == "ready", "the session is ready")

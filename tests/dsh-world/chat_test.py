# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A worker's life without tools: warm up, chat, close, end; and what a killed brain still knows."""

import os
import shutil
import unittest

from dsh_case import DshCase
from fake_model import say


class ChatTest(DshCase):
    def test_throwaway_session_makes_a_worker_warm_without_a_word_to_the_world(self):
        dsh = self.start()
        session = dsh.new_session()
        self.assertEqual(dsh.call("session/close", sessionId=session)["result"], {})
        self.assertEqual(dsh.end()[0], 0)
        self.assertEqual((dsh.stderr, self.world.requests), (b"", []))

    def test_chat_asks_the_world_only_for_the_workspace(self):
        dsh = self.start()
        session = dsh.new_session()
        self.model.script = [say("one"), say("two")]
        for answer in ("one", "two"):
            dsh.updates = []
            self.assertEqual(dsh.prompt(session, "hi")["result"]["stopReason"], "end_turn")
            self.assertEqual(dsh.texts(), [answer])
        asked = [(name, who, body) for name, who, body in self.world.requests if name != "live"]
        probes = [("fs/resolve", session, {"path": "/workspace", "cwd": "/workspace"}),
                  ("fs/stat", session, {"path": "/workspace"})]
        self.assertEqual(asked, [("exchange", None, {"token": "one-time"}), *probes, *probes])
        self.assertEqual(dsh.stderr, b"")

    def test_each_session_of_a_process_is_named_to_the_world(self):
        dsh = self.start()
        first, second = dsh.new_session(), dsh.new_session()
        pending = [dsh.send("session/prompt", {"sessionId": one, "prompt": [{"type": "text", "text": "hi"}]})
                   for one in (first, second)]
        for request in pending:
            self.assertEqual(dsh.wait(request)["result"]["stopReason"], "end_turn")
        stats = [who for name, who, _ in self.world.requests if name == "fs/stat"]
        self.assertCountEqual(stats, [first, second])

    def test_model_is_chosen_by_the_environment(self):
        dsh = self.start(AGENTPOOL_MODEL="another-model")
        dsh.prompt(dsh.new_session(), "hi")
        self.assertEqual(self.model.requests[0]["model"], "another-model")

    def test_end_of_input_ends_within_a_second_with_an_open_connection(self):
        dsh = self.start()
        dsh.prompt(dsh.new_session(), "hi")
        self.assertNotEqual(self.world.bodies("fs/stat"), [])
        code, seconds = dsh.end()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)  # five times the promised second

    def test_a_killed_brain_still_knows_its_last_answer(self):
        dsh = self.start()
        session = dsh.new_session()
        self.model.script = [say("the answer is 42")]
        dsh.prompt(session, "what is it")
        dsh.stop()
        self.world.token = "one-time"
        again = self.start()
        self.assertNotIn("error",
            again.call("session/resume", sessionId=session, cwd="/workspace", mcpServers=[]))
        again.prompt(session, "again")
        self.assertIn("the answer is 42", str(self.model.requests[-1]["messages"]))

    def test_a_session_moves_between_warm_workers(self):
        dsh = self.start()
        session = dsh.new_session()
        self.model.script = [say("blue")]
        dsh.prompt(session, "colour")
        dsh.call("session/close", sessionId=session)
        folder = os.path.join("sessions", "--workspace--", session)
        kept = os.path.join(self.folder, "kept")
        os.rename(os.path.join(self.home, folder), kept)
        self.world.token = "one-time"
        other = self.start()
        other.call("session/close", sessionId=other.new_session())
        os.rename(kept, os.path.join(self.home, folder))
        self.assertNotIn("error",
            other.call("session/resume", sessionId=session, cwd="/workspace", mcpServers=[]))
        other.prompt(session, "again")
        self.assertIn("blue", str(self.model.requests[-1]["messages"]))
        other.call("session/close", sessionId=session)
        shutil.rmtree(os.path.join(self.home, folder))
        self.assertEqual(other.prompt(other.new_session(), "hi")["result"]["stopReason"], "end_turn")


if __name__ == "__main__":
    unittest.main()

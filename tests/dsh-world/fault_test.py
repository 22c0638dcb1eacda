# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A daemon that hangs, refuses or goes away: the conversation goes on or ends with a reason, and dsh always
ends."""

import json
import socket
import threading
import unittest

from dsh_case import DshCase
from dsh_process import DEADLINE_S, edit_profile
from fake_model import call, say
from fake_world import Refusal

ROW = "name: '@agentpool/dsh-world/client'"


class FaultTest(DshCase):
    def hang(self, name):
        """From now on the world takes requests of this name and never answers."""
        release = threading.Event()
        self.addCleanup(release.set)
        asked = threading.Event()

        def answer(*_):
            asked.set()
            release.wait(DEADLINE_S)
            raise Refusal(503, "internal", "released")

        self.world.answers[name] = answer
        return asked

    def deadlines(self, **values):
        edit_profile(self.home, ROW, f"{ROW}, config: {json.dumps({'deadlines': values})}")

    def test_a_hanging_probe_ends_the_turn_with_a_reason_and_the_next_turn_works(self):
        self.deadlines(probe=300)
        self.hang("fs/stat")
        dsh = self.start()
        session = dsh.new_session()
        error = dsh.prompt(session, "hi")["error"]
        self.assertIn('The sandbox service did not answer "fs/stat" within 300 ms', error["message"])
        del self.world.answers["fs/stat"]
        self.assertEqual(dsh.prompt(session, "hi")["result"]["stopReason"], "end_turn")

    def test_a_hanging_start_of_a_command_is_a_failed_tool_call(self):
        self.deadlines(start=300)
        self.hang("process/spawn")
        result = self.run_tool("bash", {"command": "true", "description": "d"})
        self.assertEqual(result,
            'Error: The sandbox service did not answer "process/spawn" within 300 ms; try again later.')

    def test_a_silent_command_is_an_unknown_outcome(self):
        self.deadlines(silence=300)
        release = threading.Event()
        self.addCleanup(release.set)

        def run():
            yield {"event": "started", "process": "p-1"}
            release.wait(DEADLINE_S)

        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream(run())
        result = self.run_tool("bash", {"command": "true", "description": "d"})
        self.assertIn("How the command ended is unknown.", result)

    def test_end_of_input_ends_a_process_that_waits_for_a_hanging_world(self):
        asked = self.hang("fs/stat")
        dsh = self.start()
        dsh.send("session/prompt",
            {"sessionId": dsh.new_session(), "prompt": [{"type": "text", "text": "hi"}]})
        self.assertTrue(asked.wait(DEADLINE_S))
        code, seconds = dsh.end()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)  # five times the promised second

    def test_end_of_input_ends_a_process_with_a_running_command(self):
        self.hang("process/terminate")
        running, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def run():
            yield {"event": "started", "process": "p-1"}
            running.set()
            release.wait(DEADLINE_S)

        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream(run())
        self.model.script = [call("bash", {"command": "sleep 9", "description": "d"})]
        dsh = self.start()
        dsh.send("session/prompt",
            {"sessionId": dsh.new_session(), "prompt": [{"type": "text", "text": "hi"}]})
        self.assertTrue(running.wait(DEADLINE_S))
        code, seconds = dsh.end()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)  # five times the promised second

    def test_cancel_leaves_a_hanging_probe_at_once(self):
        asked = self.hang("fs/stat")
        dsh = self.start()
        session = dsh.new_session()
        request = dsh.send("session/prompt",
            {"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]})
        self.assertTrue(asked.wait(DEADLINE_S))
        dsh.notify("session/cancel", {"sessionId": session})
        self.assertEqual(dsh.wait(request)["result"]["stopReason"], "cancelled")

    def test_a_used_token_is_said_and_the_process_stays(self):
        self.world.token = None
        dsh = self.start()
        session = dsh.new_session()
        self.assertIn("The token is not valid or was used before.",
            dsh.prompt(session, "hi")["error"]["message"])
        self.assertEqual(dsh.call("session/close", sessionId=session)["result"], {})

    def test_a_session_of_another_worker_is_refused_with_the_daemons_reason(self):
        def refuse(*_):
            raise Refusal(403, "foreign_session", "The session belongs to another worker.")

        self.world.answers["fs/resolve"] = refuse
        dsh = self.start()
        reply = dsh.prompt(dsh.new_session(), "hi")
        self.assertIn("The session belongs to another worker.", reply["error"]["message"])

    def test_a_world_that_is_gone_is_said(self):
        dsh = self.start()
        session = dsh.new_session()
        dsh.prompt(session, "hi")
        self.world.answers["fs/stat"] = lambda handler, *_: handler.connection.shutdown(socket.SHUT_RDWR)
        self.assertIn("connection to the sandbox service was lost",
            dsh.prompt(session, "hi")["error"]["message"])

    def test_an_aborted_write_asks_the_daemon_and_waits_for_the_truth(self):
        asked, cancelled = threading.Event(), threading.Event()

        def write(*_):
            asked.set()
            assert cancelled.wait(DEADLINE_S)
            return {"operation": "create", "version": "1", "before": None}

        self.world.answers["fs/write"] = write
        self.world.answers["cancel"] = lambda *_: cancelled.set() or {}
        self.model.script = [call("write", {"file_path": "/workspace/a", "content": "x"}), say("done")]
        dsh = self.start()
        session = dsh.new_session()
        request = dsh.send("session/prompt",
            {"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]})
        self.assertTrue(asked.wait(DEADLINE_S))
        dsh.notify("session/cancel", {"sessionId": session})
        self.assertEqual(dsh.wait(request)["result"]["stopReason"], "cancelled")
        self.assertTrue(cancelled.is_set())


if __name__ == "__main__":
    unittest.main()

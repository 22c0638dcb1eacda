# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Commands: what the model reads for each way a command can go (docs/world-protocol.md section 5)."""

import json
import threading
import unittest

from dsh_case import DshCase
from dsh_process import DEADLINE_S
from fake_model import call, say
from fake_world import NO_HAND, output

STARTED = {"event": "started", "process": "p-1"}
GONE = {"event": "gone"}


def ended(code=0, signal=None):
    return {"event": "exit", "exit_code": None if signal else code, "signal": signal}


class ProcessTest(DshCase):
    def spawns(self, events):
        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream(events)

    def bash(self, command="true", **more):
        return self.run_tool("bash", {"command": command, "description": "d", **more})

    def test_without_a_hand_a_command_fails_with_one_sentence_and_the_turn_goes_on(self):
        self.assertEqual(self.bash(), f"Error: {NO_HAND}")

    def test_without_a_hand_a_search_says_so_too(self):
        for tool in ("grep", "glob"):
            self.world.token = "one-time"
            self.assertEqual(self.run_tool(tool, {"pattern": "x"}),
                f"Error: {tool} search failed (exit 2): {NO_HAND}")

    def test_command_is_sent_without_facts_of_this_host(self):
        self.spawns([STARTED, output(b"hi\n"), ended(), GONE])
        self.assertEqual(self.bash("echo hi"), "hi\n")
        (spec,) = self.world.bodies("process/spawn")
        self.assertEqual((spec["argv"], spec["cwd"], spec["seam"], spec["stdin"]),
                         (["bash", "-c", "echo hi"], "/workspace", "bash", "none"))
        self.assertEqual([name for name in spec["env"] if name.startswith("DSH_")], [])
        self.assertEqual(spec["stdout"], {"mode": "collect", "max_bytes": 64000, "spill_bytes": 67108864})
        self.assertNotIn(self.home, json.dumps(spec))

    def test_output_cut_inside_a_character_stays_whole(self):
        text = "grün 🙂\n"
        self.spawns([STARTED, *[output(bytes([byte])) for byte in text.encode()], ended(), GONE])
        self.assertEqual(self.bash(), text)

    def test_exit_code_and_stderr_reach_the_model(self):
        self.spawns([STARTED, output(b"no\n", "stderr"), ended(7), GONE])
        self.assertEqual(self.bash(), "[stderr]\nno\n[exit code: 7]")

    def test_long_output_names_the_file_in_the_hand(self):
        spill = {"event": "spill", "stream": "stdout", "path": "/tmp/full.log"}
        self.spawns([STARTED, output(b"x" * 70000), spill, ended(), GONE])
        result = self.bash()
        self.assertIn("/tmp/full.log", result)
        self.assertLess(len(result), 66000)

    def test_a_stream_that_stops_is_an_unknown_outcome_never_a_success(self):
        self.spawns([STARTED, output(b"half\n")])
        result = self.bash()
        self.assertIn("half\n", result)
        self.assertIn("How the command ended is unknown.", result)
        self.assertIn("SIGKILL", result)

    def test_a_lost_sandbox_is_told_in_its_own_words(self):
        lost = {"event": "error", "code": "WORLD_LOST", "message": "It burned down."}
        self.spawns([STARTED, output(b"half\n"), lost])
        self.assertIn("It burned down. How the command ended is unknown.", self.bash())

    def test_a_line_that_is_no_event_is_an_unknown_outcome(self):
        self.spawns([STARTED, ["no event"]])
        self.assertIn("How the command ended is unknown.", self.bash())

    def test_search_runs_the_program_of_the_hand(self):
        self.spawns([STARTED, ended(1), GONE])
        self.run_tool("grep", {"pattern": "needle"})
        (spec,) = self.world.bodies("process/spawn")
        self.assertEqual((spec["argv"][0], spec["seam"]), ("rg", "search"))
        self.assertNotIn("node_modules", json.dumps(spec))

    def test_timeout_terminates_the_group_and_says_so(self):
        killed = threading.Event()
        self.world.answers["process/terminate"] = lambda *_: killed.set() or {}

        def run():
            yield STARTED
            yield output(b"working\n")
            assert killed.wait(DEADLINE_S)
            yield ended(signal="SIGTERM")
            yield GONE

        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream(run())
        result = self.bash(timeoutMs=300)
        self.assertIn("working\n", result)
        self.assertIn("[timed out after 300ms]", result)
        self.assertEqual(self.world.bodies("process/terminate"), [{"process": "p-1"}])

    def test_a_background_job_is_read_and_killed(self):
        killed = threading.Event()
        self.world.answers["process/terminate"] = lambda *_: killed.set() or {}

        def run():
            yield STARTED
            yield output(b"tick\n")
            assert killed.wait(DEADLINE_S)
            yield ended(signal="SIGTERM")
            yield GONE

        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream(run())
        dsh = self.start()
        session = dsh.new_session()
        self.model.script = [call("bash",
            {"command": "serve", "description": "d", "run_in_background": True}), say("on")]
        dsh.prompt(session, "start")
        job = self.model.last_results()[-1]
        (name,) = [word.strip(".,;:\"'()[]") for word in job.split() if word.startswith("bash-")][:1]
        self.model.script = [call("job_kill", {"job_id": name}), say("off")]
        dsh.prompt(session, "stop")
        self.assertTrue(killed.wait(DEADLINE_S))
        dsh.call("session/close", sessionId=session)
        self.assertEqual(dsh.end()[0], 0)


if __name__ == "__main__":
    unittest.main()

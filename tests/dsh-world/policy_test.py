# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The approval policy: what asks, what runs and what is refused in each mode (docs/world-protocol.md
section 8)."""

import unittest

from dsh_case import DshCase
from dsh_process import edit_profile
from fake_model import call, say
from fake_world import Refusal, output
from process_test import GONE, STARTED, ended

WRITE = ("write", {"file_path": "/workspace/a.txt", "content": "x"})
EDIT = ("edit", {"file_path": "/workspace/a.txt", "old_string": "x", "new_string": "y"})
BASH = ("bash", {"command": "true", "description": "d"})
QUIET = [
    ("read", {"file_path": "/workspace/a.txt"}),
    ("grep", {"pattern": "x"}),
    ("glob", {"pattern": "*"}),
    ("todo_write", {"todos": [{"content": "c", "status": "pending", "activeForm": "c"}]}),
    ("job_list", {}),
    ("job_output", {"job_id": "bash-1"}),
    ("job_kill", {"job_id": "bash-1"}),
]
MUTATIONS = ("fs/write", "fs/edit", "process/spawn")


def choose(option):
    return {"outcome": {"outcome": "selected", "optionId": option}}


class PolicyTest(DshCase):
    def setUp(self):
        super().setUp()
        self.world.mode = "ask"
        self.world.answers["fs/write"] = lambda *_: {"operation": "create", "version": "v", "before": None}
        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream([STARTED, ended(), GONE])
        self.dsh = self.start()
        self.session = self.dsh.new_session()

    def answering(self, result):
        """The client answers every question with this result; or not at all, when it is None."""

        def answer(question):
            if result is not None:
                self.dsh.write({"id": question["id"], **result})

        self.dsh.answer = answer

    def tool(self, name, arguments):
        """One call in one turn; what the model read, and how many mutations reached the world."""
        self.model.script = [call(name, arguments), say("done")]
        self.assertEqual(self.dsh.prompt(self.session, "go")["result"]["stopReason"], "end_turn")
        return self.model.last_results()[-1]

    def mutations(self):
        return [name for name, _, _ in self.world.requests if name in MUTATIONS]

    def test_ask_asks_before_each_tool_that_changes_the_world(self):
        self.answering({"result": choose("allow-once")})
        for name, arguments in (WRITE, EDIT, BASH):
            self.dsh.questions.clear()
            self.tool(name, arguments)
            (question,) = self.dsh.questions
            self.assertEqual(question["params"]["toolCall"]["toolCallId"], f"call_{name}")
            self.assertEqual(
                [option["kind"] for option in question["params"]["options"]], ["allow_once", "reject_once"]
            )
        self.assertEqual(self.mutations(), ["fs/write", "fs/edit", "process/spawn"])

    def test_the_question_comes_after_the_tool_call_and_before_anything_ran(self):
        seen = []

        def answer(question):
            updates = [one["params"]["update"]["sessionUpdate"] for one in self.dsh.updates]
            seen.append((updates.count("tool_call"), self.mutations()))
            self.dsh.write({"id": question["id"], "result": choose("allow-once")})

        self.dsh.answer = answer
        self.tool(*BASH)
        self.assertEqual(seen, [(1, [])])

    def test_a_rejected_tool_does_not_run_and_the_model_reads_so(self):
        self.answering({"result": choose("reject-once")})
        for name, arguments in (WRITE, EDIT, BASH):
            self.assertEqual(self.tool(name, arguments), f'Error: the user rejected tool "{name}"')
        self.assertEqual(self.mutations(), [])

    def test_a_cancelled_unknown_or_failed_answer_is_no_permission(self):
        for answer in (
            {"result": {"outcome": {"outcome": "cancelled"}}},
            {"result": choose("sudo")},
            {"error": {"code": -32603, "message": "no"}},
            {"result": {}},
        ):
            self.answering(answer)
            self.assertTrue(self.tool(*BASH).startswith("Error: "), answer)
        self.assertEqual(self.mutations(), [])

    def test_tools_that_change_nothing_never_ask(self):
        for mode in ("ask", "deny"):
            self.world.mode = mode
            for name, arguments in QUIET:
                self.tool(name, arguments)
        self.assertEqual(self.dsh.questions, [])

    def test_allow_does_not_ask(self):
        self.world.mode = "allow"
        for name, arguments in (WRITE, BASH):
            self.tool(name, arguments)
        self.assertEqual((self.dsh.questions, self.mutations()), ([], ["fs/write", "process/spawn"]))

    def test_listed_kinds_do_not_ask_and_the_others_do(self):
        self.world.answers["session"] = lambda *_: {"mode": "ask", "kinds": ["edit"]}
        self.answering({"result": choose("allow-once")})
        self.tool(*WRITE)
        self.assertEqual(self.dsh.questions, [])
        self.tool(*BASH)
        self.assertEqual(len(self.dsh.questions), 1)

    def test_deny_refuses_in_one_sentence_without_asking(self):
        self.world.mode = "deny"
        for name, arguments in (WRITE, EDIT, BASH):
            self.assertEqual(
                self.tool(name, arguments),
                f'Error: this session does not allow "{name}"; do not try it again',
            )
        self.assertEqual((self.dsh.questions, self.mutations()), ([], []))

    def test_an_unknown_mode_is_no_permission(self):
        for answer in ({"mode": "maybe", "kinds": []}, {"mode": "allow"}, {}):
            self.world.answers["session"] = lambda *_, answer=answer: answer
            self.assertIn("does not allow", self.tool(*BASH))
        self.assertEqual(self.mutations(), [])

    def test_a_world_that_does_not_say_the_mode_is_no_permission(self):
        def fail(*_):
            raise Refusal(500, "internal", "It is broken.")

        self.world.answers["session"] = fail
        result = self.tool(*BASH)
        self.assertEqual(
            result, 'Error: "bash" was not run, because nobody could say whether it may: It is broken.'
        )
        self.assertEqual(self.mutations(), [])

    def test_the_mode_is_asked_for_every_call(self):
        self.world.mode = "allow"
        self.tool(*BASH)
        self.world.mode = "deny"
        self.assertIn("does not allow", self.tool(*BASH))

    def test_a_cancel_with_an_open_question_ends_the_turn(self):  # BR-059
        self.dsh.answer = lambda _: self.dsh.notify("session/cancel", {"sessionId": self.session})
        self.model.script = [call(*BASH), say("done")]
        self.assertEqual(self.dsh.prompt(self.session, "go")["result"]["stopReason"], "cancelled")
        self.assertEqual(self.mutations(), [])
        self.answering({"result": choose("allow-once")})
        self.tool(*BASH)
        self.assertEqual(self.mutations(), ["process/spawn"])

    def test_a_command_names_its_tool_call(self):
        self.world.mode = "allow"
        self.world.answers["process/spawn"] = lambda handler, *_: handler.stream(
            [STARTED, output(b"hi\n"), ended(), GONE]
        )
        self.tool(*BASH)
        self.tool("grep", {"pattern": "x"})
        self.tool("bash", {**BASH[1], "run_in_background": True})
        specs = self.world.bodies("process/spawn")
        self.assertEqual([spec.get("tool_call") for spec in specs], ["call_bash", "call_grep", "call_bash"])

    def test_without_the_policy_there_is_no_brain(self):
        other = DshCase()
        other.setUp()
        self.addCleanup(other.doCleanups)
        edit_profile(
            other.home,
            "{id: world-policy, name: '@agentpool/dsh-world/policy'}",
            "{id: world-policy, name: '@agentpool/dsh-world/policy', disabled: true}",
        )
        with self.assertRaisesRegex(Exception, "did not activate"):
            other.spawn().initialize()


if __name__ == "__main__":
    unittest.main()

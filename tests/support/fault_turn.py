# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""One prompt of the fault agent: a generator over its directives that the agent's loop advances."""

import os

from fault_brain import new_id
import fault_rudeness  # noqa: F401: registers its directives
import fault_world  # noqa: F401: the same
from fault_directives import DIRECTIVES


class Turn:
    """One session/prompt, from the request to its reply and what is to come after it."""

    def __init__(self, agent, session, request_id, lines):
        self.agent = agent
        self.session = session
        self.request_id = request_id
        self.stop_reason = "end_turn"
        self.answered = False
        self.late = []
        self.on_cancel = self.cancelled
        self.steps = self.run(lines)

    def run(self, lines):
        for line in lines:
            name, _, argument = line[1:].partition(" ")
            if name not in DIRECTIVES:
                self.fail(-32602, f"Invalid params: unknown directive @{name}")
            else:
                yield from DIRECTIVES[name](self, argument)
            if self.answered:
                return

    def frame(self, kind, text, message_id):
        body = {"sessionUpdate": kind, "messageId": message_id, "content": {"type": "text", "text": text}}
        return {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": self.session.id, "update": body},
        }

    def message(self, text, kind="agent_message_chunk", message_id=None):
        self.agent.send(self.frame(kind, text, message_id or new_id()))

    def update(self, body):
        self.agent.send(
            {
                "jsonrpc": "2.0",
                "method": "session/update",
                "params": {"sessionId": self.session.id, "update": body},
            }
        )

    def request(self, method, params):
        self.agent.asked += 1
        self.agent.send({"jsonrpc": "2.0", "id": self.agent.asked - 1, "method": method, "params": params})
        return self.agent.asked - 1

    def after_reply(self, milliseconds, action):
        self.late.append((milliseconds / 1000, action))

    def advance(self, value=None):
        """Runs to the next wait or to the reply."""
        if self.answered:
            return
        try:
            self.park(self.steps.send(value))
        except StopIteration:
            self.finish({"result": {"stopReason": self.stop_reason}})

    def park(self, wait):
        if wait[0] == "sleep":
            self.agent.after(wait[1], self.advance)
        elif wait[0] == "answer":
            self.agent.waiting[wait[1]] = self
        elif wait[0] == "gate":
            if os.path.exists(wait[1]):
                self.agent.after(0, self.advance)
            elif not self.answered:
                self.agent.after(0.005, lambda: self.park(wait))

    def cancelled(self):
        self.finish({"result": {"stopReason": "cancelled"}})

    def fail(self, code, message):
        self.finish({"error": {"code": code, "message": message}})

    def finish(self, body):
        if self.answered:
            return
        self.answered = True
        self.session.turn = None
        self.agent.send({"jsonrpc": "2.0", "id": self.request_id, **body})
        for delay, action in self.late:
            self.agent.after(delay, action)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the fault agent over pipes: what the end-to-end tests rely on must hold by itself."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time
import unittest

AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fault_agent.py")
LIMIT = 20.0


class Pipe:
    """The agent as a child, with calls that wait for one answer and keep the updates seen meanwhile."""

    def __init__(self, home, **script):
        path = os.path.join(home, f"script-{os.urandom(4).hex()}.json")
        with open(path, "w", encoding="utf-8") as handle:
            json.dump({"state_dir": home, **script}, handle)
        self.child = subprocess.Popen(
            ["/usr/bin/python3", "-S", "-E", AGENT, "--script", path, "--home", home],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.rest, self.updates, self.asked, self.ids = b"", [], [], 100

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")

    def line(self, limit=LIMIT):
        """The next line of stdout; None at its end or when the limit passed."""
        end = time.monotonic() + limit
        while b"\n" not in self.rest:
            if not select.select([self.child.stdout], [], [], max(0, end - time.monotonic()))[0]:
                return None
            data = os.read(self.child.stdout.fileno(), 1 << 20)
            if not data:
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def start(self, method, **params):
        self.ids += 1
        self.send({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
        return self.ids

    def answer(self, request_id, limit=LIMIT):
        while True:
            line = self.line(limit)
            if line is None:
                return None
            message = json.loads(line)
            if "method" in message:
                (self.asked if "id" in message else self.updates).append(message)
                if "id" in message:
                    return message
            elif message["id"] == request_id:
                return message

    def call(self, method, **params):
        return self.answer(self.start(method, **params))

    def open(self):
        self.call("initialize", protocolVersion=1)
        return self.call("session/new", cwd="/workspace", mcpServers=[])["result"]["sessionId"]

    def prompt(self, session, text):
        return self.call("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def texts(self):
        """The texts of all message chunks so far; forgets them."""
        seen, self.updates = self.updates, []
        return [
            u["params"]["update"]["content"]["text"]
            for u in seen
            if u["params"].get("update", {}).get("sessionUpdate") == "agent_message_chunk"
        ]

    def close(self):
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            stream.close()
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait(LIMIT)


class FaultAgentTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def agent(self, **script):
        pipe = Pipe(self.folder.name, **script)
        self.addCleanup(pipe.close)
        return pipe

    def testTellsWhenItReadACall(self):
        agent = self.agent()
        session = agent.open()
        before = time.monotonic_ns()
        agent.prompt(session, "@clock")
        read = json.loads(agent.texts()[0])
        self.assertLess(read["session/new"], before)
        self.assertLess(before, read["session/prompt"])
        self.assertLess(read["session/prompt"], time.monotonic_ns())

    def testEchoesAndCounts(self):
        agent = self.agent()
        session = agent.open()
        self.assertEqual(agent.prompt(session, "hello")["result"]["stopReason"], "end_turn")
        agent.prompt(session, "@count\n@history")
        self.assertEqual(agent.texts(), ["echo: hello", "count 2", '["hello", "@count\\n@history"]'])

    def testCapabilities(self):
        reply = self.agent().call("initialize", protocolVersion=1)["result"]
        self.assertEqual(reply["protocolVersion"], 1)
        self.assertEqual(
            sorted(reply["agentCapabilities"]["sessionCapabilities"]), ["close", "list", "resume"]
        )

    def testStateSurvivesTheProcess(self):
        first = self.agent()
        session = first.open()
        first.prompt(session, "one")
        first.child.kill()
        second = self.agent(replay=True)
        second.call("initialize", protocolVersion=1)
        listed = second.call("session/list", cwd="/workspace")["result"]["sessions"]
        self.assertEqual([entry["sessionId"] for entry in listed], [session])
        self.assertIn(
            "result", second.call("session/resume", sessionId=session, cwd="/workspace", mcpServers=[])
        )
        self.assertEqual(second.texts(), ["replayed: one"])
        second.prompt(session, "@count")
        self.assertEqual(second.texts(), ["count 2"])

    def testOneSessionHasOneOwner(self):
        first, second = self.agent(), self.agent()
        session = first.open()
        second.call("initialize", protocolVersion=1)
        reply = second.call("session/resume", sessionId=session, cwd="/workspace", mcpServers=[])
        self.assertEqual(reply["error"]["code"], -32603)
        self.assertIn("result", first.call("session/close", sessionId=session))
        self.assertIn(
            "result", second.call("session/resume", sessionId=session, cwd="/workspace", mcpServers=[])
        )

    def testLoadReplaysBeforeTheReply(self):
        first = self.agent()
        session = first.open()
        first.prompt(session, "one")
        first.child.kill()
        second = self.agent(resume="load")
        self.assertTrue(
            second.call("initialize", protocolVersion=1)["result"]["agentCapabilities"]["loadSession"]
        )
        self.assertEqual(
            second.call("session/resume", sessionId=session, cwd="/workspace")["error"]["code"], -32601
        )
        self.assertIn(
            "result", second.call("session/load", sessionId=session, cwd="/workspace", mcpServers=[])
        )
        self.assertEqual(second.texts(), ["replayed: one"])

    def testChunksAndTools(self):
        agent = self.agent()
        session = agent.open()
        agent.prompt(session, "@chunks 3 10\n@tools 2 12")
        kinds = [u["params"]["update"]["sessionUpdate"] for u in agent.updates]
        self.assertEqual(kinds, ["agent_message_chunk"] * 3 + ["tool_call", "tool_call_update"] * 2)
        self.assertEqual(agent.texts(), ["00000000aa", "00000001bb", "00000002cc"])

    def testCancelEndsEveryWait(self):
        agent = self.agent()
        session = agent.open()
        for wait in ("@sleep 60000", "@gate nothing", "@permission"):
            pending = agent.start(
                "session/prompt", sessionId=session, prompt=[{"type": "text", "text": wait}]
            )
            if wait == "@permission":
                self.assertEqual(agent.answer(pending)["method"], "session/request_permission")
            agent.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
            self.assertEqual(agent.answer(pending)["result"]["stopReason"], "cancelled", wait)

    def testNeverIgnoresCancel(self):
        agent = self.agent()
        session = agent.open()
        pending = agent.start(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "@never"}]
        )
        agent.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
        other = agent.call("session/new", cwd="/workspace", mcpServers=[])["result"]["sessionId"]
        agent.prompt(other, "still here")
        self.assertEqual(agent.texts(), ["echo: still here"])
        self.assertIsNone(agent.answer(pending, 0.05))

    def testPermissionSaysTheAnswer(self):
        agent = self.agent()
        session = agent.open()
        pending = agent.start(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "@permission"}]
        )
        asked = agent.answer(pending)
        self.assertEqual(asked["id"], 0)
        agent.send(
            {
                "jsonrpc": "2.0",
                "id": 0,
                "result": {"outcome": {"outcome": "selected", "optionId": "allow-once"}},
            }
        )
        agent.answer(pending)
        self.assertEqual(agent.texts(), ["permission selected allow-once"])

    def testPermissionsAreAskedAtOnceAndAnsweredInAnyOrder(self):
        agent = self.agent()
        session = agent.open()
        pending = agent.start(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "@permissions 2"}]
        )
        asked = [agent.answer(pending)["id"] for _ in range(2)]
        for request in reversed(asked):
            outcome = {"outcome": "selected", "optionId": f"o{request}"}
            agent.send({"jsonrpc": "2.0", "id": request, "result": {"outcome": outcome}})
        agent.answer(pending)
        self.assertEqual(agent.texts(), ["2=o1 ", "1=o0 "])

    def testGateAndMark(self):
        agent = self.agent()
        session = agent.open()
        pending = agent.start(
            "session/prompt",
            sessionId=session,
            prompt=[{"type": "text", "text": "@mark here\n@gate go\n@say went"}],
        )
        self.assertIsNone(agent.answer(pending, 0.05))
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "here")))
        with open(os.path.join(self.folder.name, "go"), "w", encoding="utf-8"):
            pass
        agent.answer(pending)
        self.assertEqual(agent.texts(), ["went"])

    def testFrameSizesAreExact(self):
        agent = self.agent()
        session = agent.open()
        agent.send(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "session/prompt",
                "params": {"sessionId": session, "prompt": [{"type": "text", "text": "@line 70000"}]},
            }
        )
        self.assertEqual(len(agent.line()), 70000)

    def testRawPartialAndErrors(self):
        agent = self.agent()
        session = agent.open()
        pending = agent.start(
            "session/prompt",
            sessionId=session,
            prompt=[{"type": "text", "text": "@raw \\x1b[31mred\\xff\n@partial 20 whole\n@error -32603 no"}],
        )
        self.assertEqual(agent.line(), b"\x1b[31mred\xff")
        self.assertEqual(agent.answer(pending)["error"], {"code": -32603, "message": "no"})
        self.assertEqual(agent.texts(), ["whole"])
        self.assertEqual(agent.prompt(session, "@nonsense")["error"]["code"], -32602)

    def testLateUpdateComesAfterTheReply(self):
        agent = self.agent()
        session = agent.open()
        agent.prompt(session, "@late 20 later")
        self.assertEqual(agent.texts(), [])
        self.assertIn(b"later", agent.line())

    def testEndsByEofTermAndDirective(self):
        by_eof, by_term, by_die, by_kill = [self.agent() for _ in range(4)]
        by_eof.child.stdin.close()
        self.assertEqual(by_eof.child.wait(LIMIT), 0)
        session = by_term.open()
        pending = by_term.start(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "@sleep 60000"}]
        )
        by_term.call("session/list")
        by_term.child.terminate()
        self.assertEqual(by_term.answer(pending)["result"]["stopReason"], "cancelled")
        self.assertEqual(by_term.child.wait(LIMIT), 0)
        by_die.prompt(by_die.open(), "@die 7")
        self.assertEqual(by_die.child.wait(LIMIT), 7)
        by_kill.prompt(by_kill.open(), "@kill9")
        self.assertEqual(by_kill.child.wait(LIMIT), -signal.SIGKILL)

    def testStubbornAgentNeedsKill(self):
        agent = self.agent(ignore_eof=True, ignore_sigterm=True)
        agent.open()
        agent.child.stdin.close()
        agent.child.terminate()
        with self.assertRaises(subprocess.TimeoutExpired):
            agent.child.wait(0.1)

    def testFaultsOfTheFirstBoots(self):
        script = {"first_boots": 2, "exit_before_initialize": 3}
        self.assertEqual([self.agent(**script).child.wait(LIMIT) for _ in range(2)], [3, 3])
        self.assertIn("result", self.agent(**script).call("initialize", protocolVersion=1))

    def testBootFaults(self):
        agent = self.agent(
            noise=["plain text", ""],
            stderr=["warming up"],
            protocol_version="1",
            hang={"session/new": 2},
            errors={"session/close": [-32000, "login"]},
        )
        reply = agent.line(), agent.line()
        self.assertEqual(reply, (b"plain text", b""))
        self.assertEqual(agent.call("initialize", protocolVersion=1)["result"]["protocolVersion"], "1")
        session = agent.call("session/new", cwd="/workspace", mcpServers=[])["result"]["sessionId"]
        hung = agent.start("session/new", cwd="/workspace", mcpServers=[])
        self.assertEqual(agent.call("session/close", sessionId=session)["error"]["code"], -32000)
        self.assertIsNone(agent.answer(hung, 0.05))
        self.assertEqual(os.read(agent.child.stderr.fileno(), 100), b"warming up\n")

    def testChildIsInASessionOfItsOwn(self):
        agent = self.agent()
        agent.prompt(agent.open(), "@child")
        pid = int(agent.texts()[0].split()[1])
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        self.assertNotEqual(os.getsid(pid), os.getsid(agent.child.pid))

    def testBadInputIsAnswered(self):
        agent = self.agent()
        agent.child.stdin.write(b"{bad\n\n")
        self.assertEqual(json.loads(agent.line())["error"]["code"], -32700)
        self.assertEqual(agent.call("session/fork")["error"]["code"], -32601)


if __name__ == "__main__":
    unittest.main()

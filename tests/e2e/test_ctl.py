# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""agentpoolctl against the real daemon: conversations in the terminal and the operator's tables."""

import json
import os
import signal
import socket
import subprocess

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.wait import DEADLINE, until

PROGRAM = os.path.join(settings.BUILD, "apps", "agentpoolctl", "agentpoolctl")


class Terminal:
    """A chat whose lines come from the test and whose output goes to a file."""

    def __init__(self, daemon, *options):
        self.path = os.path.join(daemon.work, "terminal.log")
        with open(self.path, "wb") as output:
            self.child = subprocess.Popen(
                [PROGRAM, "--data", daemon.data, "chat", *options],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def type(self, text):
        self.child.stdin.write(text.encode() + b"\n")
        self.child.stdin.flush()

    def screen(self):
        with open(self.path, encoding="utf-8") as output:
            return output.read()

    def wait(self, text):
        until(lambda: text in self.screen(), f"the terminal shows {text!r}")

    def leave(self):
        self.child.stdin.close()
        return self.child.wait(DEADLINE)

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait(DEADLINE)
        if not self.child.stdin.closed:
            self.child.stdin.close()


def session_of(screen):
    return screen.split()[1]


class CtlTest(E2eCase):
    def run_ctl(self, *options, text=None, data=None):
        done = subprocess.run(
            [PROGRAM, "--data", data or self.daemon.data, *options],
            input=text,
            capture_output=True,
            text=True,
            timeout=DEADLINE * 2,
        )
        return done.returncode, done.stdout, done.stderr

    def terminal(self, *options):
        made = Terminal(self.daemon, *options)
        self.addCleanup(made.close)
        return made

    def testChatHoldsAConversationAndGoesOn(self):
        code, screen, _ = self.run_ctl("chat", "--profile", "fault", text="hello\n\n@tools 1\n@say done\n")
        self.assertEqual(code, 0)
        self.assertEqual(screen.count("echo: hello"), 1)
        self.assertIn("* probe\n", screen)
        session = session_of(screen)
        code, screen, _ = self.run_ctl("chat", "--session", session, text="again\n")
        self.assertEqual(code, 0)
        self.assertIn("> hello\n", screen)
        self.assertNotIn("> again", screen)
        self.assertTrue(screen.endswith("echo: again\n"), screen)
        self.assertEqual([e["seq"] for e in self.client.log(session)][0], 1)

    def testChatAsksForApprovals(self):
        session = self.client.create(mode="ask")
        chat = self.terminal("--session", session)
        for word, option in (("y", "allow-once"), ("n", "reject-once")):
            asked = chat.screen().count("[y/n]")
            chat.type("@permission")
            until(lambda: chat.screen().count("[y/n]") > asked, "the question is shown")
            self.assertIn("execute bash: true", chat.screen())
            chat.type("what?")  # no answer: asked again
            until(lambda: chat.screen().count("[y/n]") > asked + 1, "the question is shown again")
            chat.type(word)
            chat.wait(f"permission selected {option}")
        self.assertEqual(chat.leave(), 0)

    # BR-060
    def testQuestionOfBeforeIsAskedAtAttach(self):
        session = self.client.create(mode="ask")
        self.client.prompt(session, "@permission")
        until(lambda: self.client.permissions(session), "the question is open")
        chat = self.terminal("--session", session)
        chat.wait("[y/n]")
        chat.type("y")
        chat.wait("permission selected allow-once")
        self.assertEqual(chat.leave(), 0)

    # BR-058
    def testQuestionStaysOpenWhenNobodyIsThere(self):
        session = self.client.create(mode="ask")
        code, _, error = self.run_ctl("chat", "--session", session, text="@permission\n")
        self.assertEqual(code, 1)
        self.assertIn("nobody answers here; it stays open", error)
        self.assertEqual(len(self.client.permissions(session)), 1)
        self.client.cancel(session)

    def testInterruptCancelsTheTurnThenLeaves(self):
        chat = self.terminal("--profile", "fault")
        chat.type("@gate never-opened")
        chat.wait("session ")
        session = session_of(chat.screen())
        until(lambda: self.client.state(session) == "running", "the turn runs")
        chat.child.send_signal(signal.SIGINT)
        chat.wait("! the turn ended: cancelled")
        chat.type("and on")
        chat.wait("echo: and on\n")  # the line ends with the turn
        # One that still meets the turn is heard as a cancel.
        until(lambda: chat.child.send_signal(signal.SIGINT) or chat.child.poll() is not None, "the program ends")
        self.assertEqual(chat.child.returncode, 130)

    # BR-016
    def testChatComesBackAfterTheDaemonDied(self):  # BR-016
        daemon = self.own_daemon(config={"pool": {"uid": "off"}})
        chat = Terminal(daemon, "--profile", "fault")
        self.addCleanup(chat.close)
        chat.type("@say half")
        chat.type("@gate never-opened")
        chat.wait("half")
        session = session_of(chat.screen())
        until(lambda: daemon.client().state(session) == "running", "the second turn runs")
        daemon.kill()
        chat.wait("trying again")
        daemon.start()
        chat.wait("interrupted")
        chat.type("next")
        chat.wait("echo: next")
        self.assertEqual(chat.leave(), 0)
        self.assertEqual(chat.screen().count("half"), 1)
        self.check_end(daemon)

    def testTablesShowTheNode(self):
        session = self.client.create()
        self.client.run(session, "hello")
        code, table, _ = self.run_ctl("sessions")
        self.assertEqual(code, 0)
        self.assertIn(session, table)
        lines = self.run_ctl("workers")[1].splitlines()
        self.assertEqual(lines[0].split()[:5], ["ID", "STATE", "SINCE", "PID", "SESSION"])
        row = next(line.split() for line in lines if session in line)
        self.assertEqual(row[1], "assigned")
        self.assertTrue(procs.alive(int(row[3])))
        table = self.run_ctl("status")[1]
        for kind in ("store", "session_registry", "worker_pool", "timer_service"):
            self.assertIn(kind, table)
        self.assertTrue(json.loads(self.run_ctl("status", "--json")[1])["actors"])

    def testChatTakesAMode(self):
        code, screen, _ = self.run_ctl("chat", "--profile", "fault", "--mode", "deny", text="hello\n")
        self.assertEqual(code, 0, screen)
        self.assertEqual(self.client.session(session_of(screen))["mode"], "deny")
        for wrong in (("--mode", "maybe"), ("--mode", "ask", "--session", session_of(screen))):
            self.assertEqual(self.run_ctl("chat", *wrong)[0], 2)

    def testListShowsAllPagesAndDeleteRemoves(self):
        made = {self.client.create(title=f"number {i}") for i in range(201)}  # a page has 200
        code, table, _ = self.run_ctl("list")
        self.assertEqual(code, 0)
        self.assertLessEqual(made, {line.split()[0] for line in table.splitlines()})
        listed = json.loads(self.run_ctl("list", "--json")[1])["sessions"]
        self.assertLessEqual(made, {one["id"] for one in listed})
        gone = made.pop()
        self.assertEqual(self.run_ctl("delete", gone)[:2], (0, f"session {gone} is deleted\n"))
        self.assertNotIn(gone, self.run_ctl("list")[1])
        code, _, error = self.run_ctl("delete", gone)
        self.assertEqual((code, error), (1, f"agentpoolctl: this device has no session {gone}\n"))

    def testProviderIsOneSentence(self):
        code, text, _ = self.run_ctl("provider")
        self.assertEqual((code, text.count("\n")), (0, 1))
        self.assertIn("no sandboxes are configured on this server", text)

    def testAProviderThatDoesNotAnswerIsShown(self):
        daemon = self.own_daemon(start=False)
        key = os.path.join(daemon.work, "key")
        with open(key, "w", encoding="utf-8") as file:
            file.write("k\n")
        with socket.socket() as bound:  # nobody listens
            bound.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{bound.getsockname()[1]}"
            with open(daemon.config, "a", encoding="utf-8") as config:
                config.write(f'[hands]\nprovider = "e2b"\nurl = "{url}"\napi_key_file = "{key}"\n')
            daemon.start()
            told = until(
                lambda: (got := self.run_ctl("provider", data=daemon.data))[0] == 1 and got,
                "the failure is known",
                DEADLINE * 2,
            )
            self.assertIn(f"the sandbox provider at {url} fails", told[1])
            self.assertIn("no provider", self.run_ctl("status", data=daemon.data)[1])
            ready = daemon.client().call("GET", "/readyz")
            self.assertEqual((ready.status, ready.json["sandboxes"]), (200, "fails"))
            self.check_end(daemon)

    def testMadeDeviceWorks(self):
        code, text, _ = self.run_ctl("devices", "create", "a phone")
        self.assertEqual(code, 0)
        token = text.split("token ")[1].split()[0]
        self.assertEqual(self.client.call("GET", "/v1/sessions", token=token).json["sessions"], [])

    def testMistakesAreOneSentence(self):
        for options, words in (
            (("chat", "--session", "ses_nobody"), "no session ses_nobody"),
            (("chat", "--profile", "nobody"), "no agent profile"),
        ):
            code, _, error = self.run_ctl(*options, text="x\n")
            self.assertEqual(code, 1)
            self.assertIn(words, error)
            self.assertEqual(error.count("\n"), 1)
        code, _, error = self.run_ctl("status", data="/nowhere")
        self.assertEqual(code, 1)
        self.assertIn("no agentpoold runs on /nowhere; start it with scripts/run", error)
        for wrong in ((), ("devices",), ("status", "--nothing"), ("status", "nonsense")):
            self.assertEqual(self.run_ctl(*wrong)[0], 2)
        for options, name, known in (
            (("nonsense",), "nonsense", "chat, list, delete, sessions, workers, hands, status, provider, trace, devices, template, doctor"),
            (("devices", "nonsense"), "devices nonsense", "create"),
        ):
            sentence = f"agentpoolctl: there is no command '{name}'; the known ones are: {known}\n"
            self.assertEqual(self.run_ctl(*options), (2, "", sentence))
        self.assertEqual(self.run_ctl("--help")[0], 0)

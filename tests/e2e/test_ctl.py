# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""agentpoolctl as a person uses it, and what an operator sees through it."""

import os
import signal
import subprocess

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.wait import DEADLINE, until

PROGRAM = os.path.join(settings.BUILD, "apps", "agentpoolctl", "agentpoolctl")


class CtlTest(E2eCase):
    config = settings.NO_DSH

    def ctl(self, *words, stdin="", code=0):
        """One command, run to its end; its stdout."""
        done = subprocess.run(
            [PROGRAM, "--data", self.daemon.data, *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def chat(self, *words):
        """A running chat whose output goes to a file."""
        path = os.path.join(self.daemon.work, f"chat-{self.id()}.log")
        output = open(path, "wb")
        self.addCleanup(output.close)
        child = subprocess.Popen(
            [PROGRAM, "--data", self.daemon.data, "chat", *words],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        self.addCleanup(child.stdin.close)
        self.addCleanup(child.wait, DEADLINE)
        self.addCleanup(child.kill)

        def shown():
            with open(path, encoding="utf-8", errors="replace") as handle:
                return handle.read()

        return child, shown

    def testChatShowsTheAnswerAndGoesOnWithASession(self):
        out = self.ctl("chat", "--profile", "fault", stdin="@count\n")
        self.assertIn("count 1", out)
        session = out.split("session ", 1)[1].split()[0]
        again = self.ctl("chat", "--session", session, stdin="@count\n")
        self.assertIn("count 1", again, "what was said before is shown")
        self.assertIn("count 2", again)

    def testInterruptCancelsTheTurnAndTheChatGoesOn(self):
        child, shown = self.chat("--profile", "fault")
        child.stdin.write(b"@gate ctl-cancel\n")
        child.stdin.flush()
        session = until(lambda: self.session_of(shown()), "the chat names its session")
        until(lambda: self.client.state(session) == "running", "the turn runs")
        child.send_signal(signal.SIGINT)
        until(lambda: self.client.state(session) == "ready", "the turn is cancelled")
        self.assertIsNone(child.poll(), "one Ctrl-C does not leave the chat")

    @staticmethod
    def session_of(text):
        return text.split("session ", 1)[1].split()[0] if "session " in text else None

    def testChatReconnectsAfterTheDaemonWasKilled(self):  # BR-016
        daemon = self.own_daemon(settings.NO_DSH)
        output = os.path.join(daemon.work, "chat.log")
        with open(output, "wb") as handle:
            child = subprocess.Popen(
                [PROGRAM, "--data", daemon.data, "chat", "--profile", "fault"],
                stdin=subprocess.PIPE,
                stdout=handle,
                stderr=subprocess.STDOUT,
            )
        self.addCleanup(child.stdin.close)
        self.addCleanup(child.wait, DEADLINE)
        self.addCleanup(child.kill)
        child.stdin.write(b"@never\n")
        child.stdin.flush()

        def shown():
            with open(output, encoding="utf-8", errors="replace") as handle:
                return handle.read()

        until(lambda: self.session_of(shown()), "the chat names its session")
        session = self.session_of(shown())
        until(lambda: daemon.client().state(session) == "running", "the turn runs")
        port = daemon.endpoints()["gateway"]["url"].rsplit(":", 1)[1]
        daemon.kill()
        daemon.spawn("--port", port)
        until(lambda: daemon.endpoints() and daemon.client().ready(), "the daemon is back")
        until(lambda: "interrupted" in shown().lower(), "the chat shows how the turn ended")
        child.stdin.close()
        child.wait(DEADLINE)
        self.check_end(daemon)

    def testOperatorsSeeEveryActorAndItsTimers(self):
        session = self.client.create()
        self.client.run(session, "hello")
        status = self.ctl("status")
        for actor in ("store", "worker_pool", "session_registry", "timer_service", "broker"):
            self.assertIn(actor, status)
        self.assertIn(session, self.ctl("sessions"))
        self.assertIn("T1", self.ctl("sessions", "--json"), "the session's timer with its due time")
        self.assertIn("assigned", self.ctl("workers"))

    def testClearSentenceWithoutADaemon(self):
        done = subprocess.run(
            [PROGRAM, "--data", os.path.join(self.daemon.work, "nowhere"), "status"],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def testNewDeviceFromTheCommandLine(self):
        out = self.ctl("devices", "create", "a phone")
        token = out.split("token ", 1)[1].split()[0]
        other = type(self.client)(self.client.url, token)
        self.assertEqual(other.must(200, "GET", "/v1/sessions")["sessions"], [])


class AttentionTest(E2eCase):
    """What viewers and readers must not set in motion."""

    config = settings.merged(settings.NO_DSH, {"session": {"turn_limit": "2s", "cancel_grace": "500ms"}})

    def testViewersStartNoProcess(self):  # BR-045
        session = self.client.create()
        self.client.run(session, "hello")
        until(lambda: "warm" in self.states_of_workers(), "the pool has refilled")
        before = self.daemon.count("boots")
        streams = [self.client.stream(session) for _ in range(settings.scaled(40, 400))]
        for stream in streams:
            stream.until("caught_up")
            stream.close()
        for _ in range(20):
            self.client.session(session)
        self.assertEqual(self.daemon.count("boots"), before)

    def states_of_workers(self):
        return {one["state"] for one in self.daemon.ops().must(200, "GET", "/ops/v1/workers")["actors"]}

    def testReadyMeansThatAPromptIsTaken(self):  # BR-035
        session = self.client.create()
        for number in range(settings.scaled(60, 1000)):
            turn = self.client.prompt(session, f"hello {number}")
            self.assertEnded(self.client.turn_end(session, turn))
            self.client.wait_state(session, "ready")

    def testUsageIsDurableAndATurnHasALimit(self):  # BR-039
        session = self.client.create()
        turn = self.client.prompt(session, "@usage 77 1000\n@never")
        end = self.client.turn_end(session, turn)
        self.assertFailed(end, "deadline")
        usage = [event for event in self.client.log(session) if event["type"] == "usage"]
        self.assertEqual([event["used"] for event in usage], [77], "recorded although the turn never ended by itself")

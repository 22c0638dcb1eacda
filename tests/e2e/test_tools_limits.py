# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A sandbox at its limits, one that hangs, one that is cut off: what the model and the app are told, what is left
behind and what works afterwards."""

import http.client
import os
import signal

from tests.e2e import procs
from tests.e2e.sandboxd import FIRST, cgroups
from tests.e2e.sandboxes import TappedHandsCase
from tests.e2e.wait import DEADLINE, SLACK, until

BOMB = "bomb() { bomb | bomb & }; bomb"
START = "/process.Process/Start"


class LimitsTest(TappedHandsCase):
    def setUp(self):
        super().setUp()
        self.session = self.client.create("dsh")
        self.assertEqual(self.tool(self.session, "$ echo up"), "up\n")
        (self.hand,) = self.sandboxd.list()

    def tearDown(self):
        self.delete(self.session)
        self.assertProviderEmpty()

    def put(self, path, body):
        return self.client.call("PUT", f"/v1/sessions/{self.session}/files/content?path={path}", body)

    def names(self):
        listed = self.client.must(200, "GET", f"/v1/sessions/{self.session}/files?path=")
        return sorted(entry["name"] for entry in listed["entries"])

    def taken(self):
        """Processes of the hand's commands."""
        (counts,) = [path for path in map("{}/commands/pids.current".format, cgroups(self.hand)) if os.path.exists(path)]
        with open(counts, encoding="ascii") as count:
            return int(count.read())

    def testACancelEndsAForkBomb(self):
        turn = self.client.prompt(self.session, f"$ echo begun; {BOMB}; sleep 2719")
        self.wait_live(self.session, "begun\n", turn)
        until(lambda: self.taken() > 470, "the bomb has gone off")
        for name, size in (("small", 5), ("large", 1_000_000)):  # the files API has processes of its own
            self.assertEqual(self.put(name, b"x" * size).status, 201)
        self.client.cancel(self.session)
        self.client.turn_end(self.session, turn, 2 * SLACK)
        until(lambda: self.taken() < 20, "the bomb is gone")
        self.assertEqual(self.tool(self.session, "$ echo calm"), "calm\n")
        self.assertEqual(self.names(), ["large", "small"])

    def testABombThatACommandLeftIsEndedWhenNothingStartsAnyMore(self):
        self.tool(self.session, f"$ {BOMB}; true")  # it is over, the bomb goes on
        refusal = ("No process can be started in the sandbox: all 480 of its processes are in use; what earlier commands "
                   "left running is being ended, try again in a moment.")
        said = until(lambda: (text := self.tool(self.session, "$ echo x")) != "x\n" and text, "it is refused", 6 * SLACK)
        self.assertIn(refusal, said)
        self.assertNotIn("setsid", said)
        until(lambda: self.taken() < 20, "the bomb is gone")
        self.assertEqual(self.tool(self.session, "$ echo x"), "x\n")

    def testAPublicationThatIsCutOffLeavesNothing(self):
        self.assertEqual(self.put("f", b"old").status, 201)
        for body in (b"new", b"y" * 1_000_000):
            self.envd.cut = START
            answer = self.put("f", body)
            self.assertIn(answer.code, ("outcome_unknown", "hand_unreachable"), answer)
            until(lambda: self.names() == ["f"], "nothing is left beside the file", 2 * SLACK)
            self.assertEqual(self.file(self.session, "f").body, b"old")
        self.assertEqual(self.put("f", b"new").status, 200)

    def testASandboxThatDestroyedItselfIsReplacedWithASentence(self):
        self.tool(self.session, "$ cd /; sudo rm -rf /workspace")  # this much is mended
        self.assertEqual(self.tool(self.session, "$ pwd; touch x; ls"), "/workspace\nx\n")
        self.tool(self.session, "$ sudo chmod 000 /")  # and this
        until(lambda: self.tool(self.session, "$ echo up") == "up\n", "the workspace can be entered again")
        for harm in ("sudo rm /etc/passwd", "sudo rm $(command -v setsid)",
                     "sudo rm -rf --no-preserve-root / 2>/dev/null; true"):
            self.tool(self.session, f"$ {harm}")
            (harmed,) = self.sandboxd.list()
            turn = self.client.prompt(self.session, "only talk to me")  # chat goes on meanwhile
            self.assertEnded(self.client.turn_end(self.session, turn))
            said = until(lambda: (text := self.tool(self.session, "$ echo up")).startswith("up\n") and text,
                         "a command runs again", 6 * SLACK)
            self.assertIn("could not run anything any more", said)
            until(lambda: self.sandboxd.list() and harmed not in self.sandboxd.list(), "the old one is gone")
        self.assertEqual(self.tool(self.session, "$ echo up"), "up\n")

    def testAnUploadThatARestartCutOffLeavesNothing(self):
        self.assertEqual(self.put("f", b"old").status, 201)
        link = http.client.HTTPConnection(self.client.address.hostname, self.client.address.port, timeout=DEADLINE)
        self.addCleanup(link.close)
        link.putrequest("PUT", f"/v1/sessions/{self.session}/files/content?path=f")
        link.putheader("Authorization", f"Bearer {self.client.token}")
        link.putheader("Content-Length", "10000000")
        link.endheaders(b"x" * 1_000_000)
        until(lambda: len(self.names()) == 2, "the upload is in the middle")
        self.sandboxd.kill()
        until(lambda: not self.sandboxd.processes(), "nothing of its sandboxes runs on", 2 * SLACK)
        self.sandboxd.start()
        until(lambda: self.names() == ["f"], "what nobody finishes is gone", 2 * SLACK)
        self.assertEqual(self.file(self.session, "f").body, b"old")

    def testAHangingEnvdIsUnreachableAndComesBack(self):
        (envd,) = [pid for pid in procs.descendants(self.sandboxd.child.pid)
                   if procs.command(pid).startswith(FIRST)]
        os.kill(envd, signal.SIGSTOP)
        self.addCleanup(procs.kill, envd, signal.SIGCONT)
        self.client.timeout = 4 * DEADLINE
        answers = [self.file(self.session, "none") for _ in range(2)]
        self.assertEqual({answer.status // 100 for answer in answers}, {5}, answers)
        for answer in answers:
            self.assertIn(answer.code, ("hand_unreachable", "outcome_unknown", "deadline"), answer)
        self.assertEqual(self.sandboxd.list(), [self.hand])
        os.kill(envd, signal.SIGCONT)
        until(lambda: self.file(self.session, "none").status == 404, "the hand answers again", 4 * SLACK)
        self.assertEqual(self.tool(self.session, "$ echo up"), "up\n")

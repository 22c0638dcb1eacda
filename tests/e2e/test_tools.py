# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The main job on real parts: dsh's tools work in a real sandbox, and the files are in the app's hands."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from tests.e2e import procs, settings
from tests.e2e.client import of_type
from tests.e2e.sandboxes import HandsCase
from tests.e2e.wait import DEADLINE, until

BIG = settings.scaled(20_000_000, 1_000_000_000)  # bytes of one command's output


def call(name, **arguments):
    return f"@{name} {json.dumps(arguments)}"


class ToolsTest(HandsCase):
    def setUp(self):
        super().setUp()
        self.session = self.client.create("dsh")

    def tearDown(self):
        self.delete(self.session)
        self.assertProviderEmpty()

    def testEchoAndCat(self):
        turn = self.client.prompt(self.session, "$ echo hello > a.txt && cat a.txt")
        self.assertEnded(self.client.turn_end(self.session, turn, DEADLINE * 2))
        log = self.client.log(self.session)
        self.assertLog(log)
        (announced,) = of_type(log, "tool_call")
        self.assertEqual((announced["title"], announced["kind"]), ("bash", "execute"))
        self.assertEqual(self.results(self.session), ["hello\n"])
        answer = self.file(self.session, "a.txt")
        self.assertEqual((answer.status, answer.body), (200, b"hello\n"))
        self.assertEqual(answer.headers["content-length"], "6")
        head = self.client.call("HEAD", f"/v1/sessions/{self.session}/files/content?path=a.txt")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual({**head.headers, "x-request-id": 0}, {**answer.headers, "x-request-id": 0})
        self.assertEqual(len(self.sandboxd.list()), 1)

    def testChatCostsNoHand(self):
        self.assertEnded(self.client.run(self.session, "hello")[1])
        self.assertEqual(self.sandboxd.list(), [])
        self.assertEqual(of_type(self.client.log(self.session), "hand_state"), [])

    def testEveryTool(self):
        result = self.tool(
            self.session, call("write", file_path="/workspace/src/a.py", content="needle = 1\n")
        )
        self.assertIn("Created file", result)
        self.assertIn("needle = 1", self.tool(self.session, call("read", file_path="/workspace/src/a.py")))
        self.tool(
            self.session, call("edit", file_path="/workspace/src/a.py", old_string="= 1", new_string="= 2")
        )
        self.assertEqual(self.file(self.session, "src/a.py").body, b"needle = 2\n")
        self.assertIn("src/a.py", self.tool(self.session, call("grep", pattern="needle")))
        self.assertIn("src/a.py", self.tool(self.session, call("glob", pattern="**/*.py")))
        self.tool(self.session, call("todo_write", todos=[{"content": "c", "status": "in_progress"}]))
        (plan,) = of_type(self.client.log(self.session), "plan")
        self.assertEqual(plan["entries"], [{"content": "c", "priority": "medium", "status": "in_progress"}])
        self.assertEqual(
            self.tool(self.session, "$ python3 src/a.py; whoami; pwd; echo $HOME"),
            "user\n/workspace\n/home/user\n",
        )
        for result in self.results(self.session):
            self.assertFalse(result.startswith("Error"), result)

    def testADeepPathIsLikeAnyOther(self):
        self.tool(self.session, "$ true")
        self.assertProblem(self.file(self.session, "/".join(["x"] * 2000)), 404, "file_not_found")
        deep = "/".join(["y"] * 400)
        body = b"deep"
        put = self.client.call("PUT", f"/v1/sessions/{self.session}/files/content?path={deep}", body)
        self.assertEqual((put.status, self.file(self.session, deep).body), (201, body), put)

    def testExitCodesAndStreams(self):
        result = self.tool(self.session, "$ echo out; echo err >&2; exit 7")
        for part in ("out\n", "err\n", "[exit code: 7]"):
            self.assertIn(part, result)

    def testFileThatChangedSinceItWasReadIsNotEdited(self):
        edit = call("edit", file_path="/workspace/f", old_string="one", new_string="two")
        self.assertIn("Error", self.tool(self.session, "$ echo one > f\n" + edit), "it was never read")
        self.tool(self.session, call("read", file_path="/workspace/f") + "\n$ echo one more > f")
        self.assertIn("re-read", self.tool(self.session, edit))
        self.assertEqual(self.file(self.session, "f").body, b"one more\n")
        self.assertFalse(
            self.tool(self.session, call("read", file_path="/workspace/f") + "\n" + edit).startswith("Error")
        )
        self.assertEqual(self.file(self.session, "f").body, b"two more\n")

    def testFileThatWasNotReadIsNotOverwritten(self):
        self.tool(self.session, "$ echo old > f")
        self.assertIn(
            "Error", self.tool(self.session, call("write", file_path="/workspace/f", content="new"))
        )
        self.assertEqual(self.file(self.session, "f").body, b"old\n")

    def testTimeoutKillsTheWholeGroup(self):
        slow = call("bash", command="echo on; sleep 3141 & sleep 3141", description="d", timeoutMs=1000)
        result = self.tool(self.session, slow)
        self.assertIn("[timed out after 1000ms]", result)
        self.assertIn("on\n", result)
        self.assertNoneRuns(self.session, "sleep 3141")

    def testStuckCommandHoldsNothingElse(self):  # BR-097
        stuck = call("bash", command="trap '' TERM; echo on; while :; do sleep 3147; done", description="d", timeoutMs=3000)
        turn = self.client.prompt(self.session, stuck)
        self.wait_live(self.session, "on\n", turn)
        put = self.client.call("PUT", f"/v1/sessions/{self.session}/files/content?path=f", b"beside")
        self.assertLess(put.status, 300, put)
        self.assertEqual(self.file(self.session, "f").body, b"beside")
        self.assertEnded(self.client.turn_end(self.session, turn, DEADLINE * 2))
        self.assertIn("[timed out after 3000ms]", self.results(self.session, turn)[0])
        self.assertNoneRuns(self.session, "sleep 3147")

    def testBackgroundChildDoesNotHoldTheCall(self):
        self.assertEqual(self.tool(self.session, "$ sleep 3142 >/dev/null 2>&1 & echo begun"), "begun\n")
        self.assertIn("up\n", self.tool(self.session, "$ pgrep -fx 'sleep 3142' > /dev/null && echo up"))

    def testJobsOverTurns(self):
        started = call("bash", command="echo tick; sleep 3143", description="d", run_in_background=True)
        job = next(
            word.strip(".,;:\"'()[]")
            for word in self.tool(self.session, started).split()
            if word.startswith("bash-")
        )
        self.assertIn(job, self.tool(self.session, call("job_list")))
        until(
            lambda: "tick" in self.tool(self.session, call("job_output", job_id=job)), "the job has said tick"
        )
        self.tool(self.session, call("job_kill", job_id=job))
        self.assertNoneRuns(self.session, "sleep 3143")

    def testOutputIsSeenLive(self):
        command = "echo one; until [ -e go ]; do sleep 0.05; done; echo grün two"
        turn = self.client.prompt(self.session, "$ " + command)
        frame = self.wait_live(self.session, "one\n", turn)
        (announced,) = of_type(self.client.log(self.session), "tool_call")
        self.assertEqual((frame["tool_call_id"], frame["turn_id"]), (announced["tool_call_id"], turn))
        put = self.client.call("PUT", f"/v1/sessions/{self.session}/files/content?path=go", b"")
        self.assertLess(put.status, 300, put)
        self.assertEnded(self.client.turn_end(self.session, turn, DEADLINE))
        self.assertEqual(self.results(self.session, turn), ["one\ngrün two\n"])

    def testCancelEndsTheCommand(self):
        turn = self.client.prompt(self.session, "$ echo on; sleep 3144")
        self.wait_live(self.session, "on\n", turn)
        self.client.cancel(self.session)
        self.assertEnded(self.client.turn_end(self.session, turn), "cancelled")
        self.assertNoneRuns(self.session, "sleep 3144")

    def testMuchOutputIsBounded(self):  # BR-137
        before = procs.rss_mib(self.daemon.pid)
        result = self.tool(self.session, f"$ head -c {BIG} /dev/zero | tr '\\0' x; echo end", DEADLINE * 4)
        self.assertLess(len(result), 100_000)
        self.assertIn("end", result)
        if BIG <= 67_108_864:
            path = result.rpartition("full output: ")[2].split("]")[0]
            self.assertEqual(self.tool(self.session, f"$ wc -c < {path}").strip(), str(BIG + 4))
        self.assertLess(
            procs.rss_mib(self.daemon.pid), before + 100, "the daemon's memory stays flat, in MiB"
        )

    def testHostIsNotThere(self):
        result = self.tool(self.session, f"$ ls {settings.REPO} {self.daemon.data} 2>&1; env")
        self.assertIn("No such file", result)
        for secret in ("DEEPSEEK", "AGENTPOOL_WORLD", "DSH_", self.daemon.data + "/"):
            self.assertNotIn(secret, result.replace(f"cannot access '{self.daemon.data}'", ""))

    def testAFileInTheWayIsAConflict(self):
        files = f"/v1/sessions/{self.session}/files"
        self.client.must(201, "PUT", f"{files}/content?path=f", b"file")
        for answer in (
            self.client.call("PUT", f"{files}/content?path=f/x", b"below"),
            self.client.call("POST", f"{files}/mkdir", {"path": "f/x"}),
            self.client.call("POST", f"{files}/move", {"from": "f", "to": "f/x"}),
        ):
            self.assertEqual((answer.status, answer.json["code"]), (409, "file_conflict"), answer)

    def testOnlyADirectoryWithSomethingInItNeedsRecursive(self):
        files = f"/v1/sessions/{self.session}/files"
        self.client.must(201, "POST", f"{files}/mkdir", {"path": "full/empty"})
        refused = self.client.call("DELETE", f"{files}/content?path=full")
        self.assertProblem(refused, 409, "file_conflict")
        self.assertIn("not empty", refused.json["detail"])
        for path in ("full/empty", "full"):
            self.client.must(204, "DELETE", f"{files}/content?path={path}")
        self.assertProblem(self.client.call("DELETE", f"{files}/content?path=full"), 404, "file_not_found")
        self.tool(self.session, "$ sudo mkdir -p locked/inner")
        self.assertProblem(self.client.call("DELETE", f"{files}/content?path=locked/inner"), 403, "envd_denied")

    def testAnUploadThatMeetsTheDeletionOfItsSession(self):
        session = self.client.create("dsh")
        files = f"/v1/sessions/{session}/files"
        self.client.must(201, "PUT", f"{files}/content?path=a", b"a")
        target = urlsplit(self.client.url)
        with socket.create_connection((target.hostname, target.port), DEADLINE) as link:
            link.sendall(
                f"PUT {files}/content?path=b HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n"
                f"Authorization: Bearer {self.client.token}\r\n\r\n".encode()
                + b"x" * 500_000
            )

            def staged():
                listed = self.client.must(200, "GET", f"{files}?path=")["entries"]
                return any(entry["name"].startswith(".agentpool-") for entry in listed)

            until(staged, "a part of the upload is in the hand")
            self.delete(session)
            answer = link.makefile("rb").read()
        self.assertTrue(answer.startswith(b"HTTP/1.1 404 "), answer)
        self.assertIn(b'"not_found"', answer)

    def testFilesThatMeetTheDeletionOfTheirSession(self):
        session = self.client.create("dsh")
        files = f"/v1/sessions/{session}/files"
        self.client.must(201, "PUT", f"{files}/content?path=a", b"a")
        seen = set()
        with ThreadPoolExecutor() as pool:
            deletion = pool.submit(self.client.delete, session)
            while not deletion.done():
                for method, path, body in (
                    ("PUT", "/content?path=b", b"b"),
                    ("POST", "/mkdir", {"path": "d"}),
                    ("GET", "?path=", None),
                ):
                    seen.add(self.client.call(method, files + path, body).status)
        self.assertEqual(deletion.result().status, 204)
        self.assertLessEqual(seen, {200, 201, 404})

    def testTwoSessionsHaveTwoHands(self):
        other = self.client.create("dsh")
        self.tool(self.session, "$ echo mine > f")
        self.assertIn("No such file", self.tool(other, "$ cat f"))
        self.assertEqual(len(self.sandboxd.list()), 2)
        self.delete(other)
        until(lambda: len(self.sandboxd.list()) == 1, "the other hand is gone")
        self.assertEqual(self.tool(self.session, "$ cat f"), "mine\n")


class ReleaseTest(HandsCase):
    more = settings.t1("500ms")

    def testHandOutlivesItsBrain(self):
        session = self.client.create("dsh")
        self.tool(session, "$ echo kept > f; (sleep 3145 >/dev/null 2>&1 &)")
        hands = self.sandboxd.list()
        self.client.wait_state(session, "detached")
        self.assertEqual(self.tool(session, "$ cat f; pgrep -fxc 'sleep 3145'"), "kept\n1\n")
        self.assertEqual(self.sandboxd.list(), hands)
        self.delete(session)
        self.assertProviderEmpty()

    def testRestartOfTheDaemonKeepsHands(self):
        session = self.client.create("dsh")
        self.tool(session, "$ echo kept > f; (sleep 3146 >/dev/null 2>&1 &)")
        hands = self.sandboxd.list()
        self.assertEqual(self.daemon.stop(DEADLINE), 0)
        self.daemon.start()
        self.client = self.daemon.client()
        self.assertEqual(self.sandboxd.list(), hands)
        self.assertEqual(self.tool(session, "$ cat f; pgrep -fxc 'sleep 3146'"), "kept\n1\n")
        self.assertEqual(self.sandboxd.list(), hands)


class ApprovalInTheHandTest(HandsCase):
    """The daemon holds the mode also when the plugin would not."""

    def testGrantedToolRunsAndTheNextOneIsAskedFor(self):
        session = self.client.create("dsh", mode="ask")
        turn = self.client.prompt(
            session, "$ echo one > f; cat f\n" + call("write", file_path="/workspace/g", content="x")
        )
        for kind, option in (("execute", "allow-once"), ("edit", "reject-once")):
            question = until(lambda: self.client.permissions(session), "the question is open")[0]
            self.assertEqual(question["tool_call"]["kind"], kind)
            path = f"/v1/sessions/{session}/permissions/{question['request_id']}"
            self.client.must(200, "POST", path, {"option_id": option})
            until(lambda: question not in self.client.permissions(session), "it is answered")
        self.assertEnded(self.client.turn_end(session, turn, DEADLINE * 2))
        self.assertEqual(self.results(session, turn), ["one\n", 'Error: the user rejected tool "write"'])
        self.assertEqual(self.file(session, "g").status, 404)

    def testDenyChangesNothing(self):
        session = self.client.create("dsh", mode="deny")
        self.assertIn("does not allow", self.tool(session, "$ touch f"))
        self.assertIn(
            "does not allow", self.tool(session, call("write", file_path="/workspace/f", content="x"))
        )
        self.assertEqual(self.sandboxd.list(), [], "a refused tool makes no hand")

    def testJobThatWasAllowedRunsOn(self):
        session = self.client.create("dsh", mode="ask")
        started = call(
            "bash",
            command="until [ -e go ]; do sleep 0.05; done; echo done > out",
            description="d",
            run_in_background=True,
        )
        turn = self.client.prompt(session, started)
        question = until(lambda: self.client.permissions(session), "the question is open")[0]
        path = f"/v1/sessions/{session}/permissions/{question['request_id']}"
        self.client.must(200, "POST", path, {"option_id": "allow-once"})
        self.assertEnded(self.client.turn_end(session, turn, DEADLINE * 2))
        self.client.call("PUT", f"/v1/sessions/{session}/files/content?path=go", b"")
        until(lambda: self.file(session, "out").body == b"done\n", "the job has ended")


class NoProviderTest(HandsCase):
    """A provider that is not there costs a tool call, never the conversation."""

    @classmethod
    def tap(cls, url):
        return "http://127.0.0.1:1"

    def testToolFailsInOneSentenceAndTheConversationGoesOn(self):
        session = self.client.create("dsh")
        result = self.tool(session, "$ echo hi", DEADLINE * 6)
        self.assertTrue(result.startswith("Error"), result)
        self.assertNotIn("127.0.0.1", result)
        self.assertEqual(result.strip().count("\n"), 0, result)
        text, end = self.client.run(session, "and on")
        self.assertEnded(end)
        self.assertIn("seen 2 user text block", text)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The pool: who gets which worker, and when a worker counts as warm."""

import json
import os
import re
import threading

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase, needs_root
from tests.e2e.wait import DEADLINE, until


class PoolTest(E2eCase):
    config = settings.t1("5s")
    agents = {"fault": {}, "slow": {"boot_delay_ms": 400}}

    def in_parallel(self, count, action):
        """Runs action(0…count-1) in threads; returns the results in order of their end, raises the first
        error."""
        results, errors = [], []

        def work(number):
            try:
                results.append(action(number))
            except Exception as error:  # noqa: BLE001: handed to the test's thread
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return results

    # BR-102
    def testEveryWorkerIsAssignedOnce(self):
        count = settings.scaled(10, 1000)

        def start(number):
            session = self.client.create()
            turn = self.client.prompt(session, f"@facts\n@mark assigned\n@gate all")
            return session, turn

        started = self.in_parallel(count, start)
        self.daemon.wait_mark("assigned", count=count)
        self.daemon.open_gate("all")
        facts = []
        for session, turn in started:
            self.assertEnded(self.client.turn_end(session, turn, DEADLINE * 2))
            facts.append(
                json.loads(
                    "".join(
                        e["content"]["text"]
                        for e in self.client.log(session)
                        if e["type"] == "agent_message_chunk"
                    )
                )
            )
        self.assertEqual(len({f["pid"] for f in facts}), count, "two sessions share a worker")
        self.assertEqual(len({f["session"] for f in facts}), count)
        self.assertEqual({f["prompts"] for f in facts}, {1})
        for session, _ in started:
            self.assertLess(self.client.delete(session).status, 300)
        until(lambda: not [f for f in facts if procs.alive(f["pid"])], "released workers end")

    # BR-102
    def testParallelPromptsOfOneSessionUseOneWorker(self):
        session, boots = self.client.create("slow"), self.daemon.count("boots", "slow")
        answers = self.in_parallel(
            10, lambda number: self.client.post_prompt(session, f"@facts\n@say {number}")
        )
        self.assertEqual(sorted(answer.status for answer in answers), [202] + [409] * 9)
        turn = next(answer.json["turn_id"] for answer in answers if answer.status == 202)
        self.assertEnded(self.client.turn_end(session, turn))
        self.assertEqual(self.daemon.count("boots", "slow"), boots + 1)

    # BR-108
    def testBurstDuringBootWaitsForInitializedWorkers(self):
        count = settings.scaled(4, 50)

        def run(number):
            return self.client.run(self.client.create("slow"), f"number {number}", DEADLINE * 2)

        for text, end in self.in_parallel(count, run):
            self.assertEnded(end)
            self.assertIn("echo: number", text)

    # BR-108
    def testRefillFollowsTheClaim(self):
        until(
            lambda: [t for t in self.daemon.workers().values() if "script-fault" in t], "a worker waits warm"
        )
        for _ in range(5):
            boots = self.daemon.count("boots")
            session = self.client.create()
            self.assertEnded(self.client.run(session, "hello")[1])
            until(
                lambda b=boots: self.daemon.count("boots") > b,
                "a claimed worker is replaced without any poll",
            )

    @needs_root
    def testWorkersRunAsDifferentUsers(self):
        facts = []
        for _ in range(2):
            session = self.client.create()
            facts.append(json.loads(self.client.run(session, "@facts")[0]))
        self.assertNotIn(0, {f["uid"] for f in facts})
        self.assertEqual(len({f["uid"] for f in facts}), 2)

    def daemon_is_root(self):
        status = procs.read(self.daemon.pid, "status").decode()
        return next(line.split()[1] for line in status.splitlines() if line.startswith("Uid:")) == "0"

    def testWorkersHaveNoPrivileges(self):
        session = self.client.create()
        pid = json.loads(self.client.run(session, "@facts")[0])["pid"]
        status = dict(
            line.split(":", 1) for line in procs.read(pid, "status").decode().splitlines() if ":" in line
        )
        self.assertEqual(status["NoNewPrivs"].strip(), "1")
        if self.daemon_is_root():
            self.assertEqual(int(status["CapEff"], 16), 0)
            self.assertEqual(int(status["CapBnd"], 16), 0)


class ReleaseTest(E2eCase):
    config = settings.t1("500ms")

    def testIdleBrainIsReleasedAndResumed(self):
        session = self.client.create()
        first = json.loads(self.client.run(session, "@facts")[0])
        self.client.wait_state(session, "detached")
        self.assertGone(first["pid"], 2.0)
        second = json.loads(self.client.run(session, "@facts")[0])
        self.assertNotEqual(first["pid"], second["pid"])
        self.assertEqual(first["session"], second["session"])
        self.assertEqual(self.client.run(session, "@count")[0], "count 3")
        self.assertLog(self.client.log(session))

    def testReleaseLeavesNothingOfTheSessionBehind(self):
        session = self.client.create()
        self.client.run(session, "secret words")
        self.client.wait_state(session, "detached")
        self.assertEqual(self.daemon.seen_by_brains("secret words"), 1)
        self.assertLess(self.client.delete(session).status, 300)
        until(
            lambda: self.daemon.seen_by_brains("secret words") == 0,
            "the brain log is deleted with the session",
        )

    def testManyReleasesAndResumes(self):
        sessions = [self.client.create() for _ in range(3)]
        for number in range(1, settings.scaled(3, 30) + 1):
            for session in sessions:
                self.assertEqual(self.client.run(session, "@count")[0], f"count {number}")
            for session in sessions:
                self.client.wait_state(session, "detached")
        for session in sessions:
            self.assertLog(self.client.log(session))


class RestartTest(E2eCase):

    def testSessionsTokenAndBrainsSurvive(self):
        session, token = self.client.create(title="kept", metadata={"a": 1}), self.client.token
        self.client.run(session, "first")
        log, listed = self.client.log(session), self.client.must(200, "GET", "/v1/sessions")
        for stop in (self.daemon.stop, self.daemon.kill):
            stop()
            client = self.daemon.start().client()
            self.assertEqual(client.token, token)
            self.assertEqual(client.log(session), log)
            self.assertEqual(
                [s["id"] for s in client.must(200, "GET", "/v1/sessions")["sessions"]],
                [s["id"] for s in listed["sessions"]],
            )
            self.assertEqual(
                (client.session(session)["title"], client.session(session)["metadata"]), ("kept", {"a": 1})
            )
        self.assertEqual(client.run(session, "@count")[0], "count 2")

    # BR-109
    def testEverySessionGoesOnInTheVersionThatIsInstalledNow(self):
        def install(version):
            with open(self.daemon.config, encoding="utf-8") as config:
                text = re.sub(r", VERSION = \"\w*\"", "", config.read())
            text = re.sub(r"env = \{([^}]*)\}", rf'env = {{\1, VERSION = "{version}"}}', text)
            self.daemon.write(os.path.basename(self.daemon.config), text)

        old = self.client.create()
        for version in ("v1", "v2"):
            self.assertEqual(self.daemon.stop(), 0)
            self.daemon.wait_no_workers()
            install(version)
            self.client = self.daemon.start().client()
            for session in (old, self.client.create()):
                self.assertEqual(self.client.run(session, "@env VERSION")[0], version)

    def testDevicesSurvive(self):
        other = self.daemon.device("second")
        session = other.create()
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        other.url = self.daemon.endpoints()["gateway"]["url"]
        again = type(other)(other.url, other.token)
        self.assertEqual(again.session(session)["id"], session)

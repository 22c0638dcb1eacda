# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Pauses that keep memory: what stands still, what comes back, and what a dead sandboxd leaves of them."""

import datetime
import glob
import json
import os
import struct
import threading
import time

from tests.e2e import procs
from tests.e2e.sandboxd import SandboxdCase, cgroups, loops_below, needs_sandboxes
from tests.e2e.wait import until


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def at_once(count, call):
    """The answers of `count` calls at the same time."""
    answers = [None] * count
    gate = threading.Barrier(count)

    def ask(i):
        gate.wait()
        answers[i] = call()

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def frozen(box):
    """What the kernel says of the sandbox's group, in either kind of hierarchy."""
    for path in glob.glob(f"/sys/fs/cgroup/freezer/agentpool/*/{box.id}/freezer.state"):
        with open(path, encoding="utf-8") as state:
            return state.read().strip() == "FROZEN"
    for path in glob.glob(f"/sys/fs/cgroup/agentpool/*/{box.id}/cgroup.events"):
        with open(path, encoding="utf-8") as state:
            return "frozen 1" in state.read()
    return None


def state_of(pid):
    return procs.read(pid, "stat").decode().rpartition(")")[2].split()[0]


@needs_sandboxes
class Pause(SandboxdCase):
    def pause(self, box, body=None):
        return self.service.call("POST", f"/sandboxes/{box.id}/pause", body)

    def test_processes_stand_still_and_go_on(self):
        box = self.sandbox(timeout=3000)
        box.must("nohup bash -c 'for i in $(seq 100000); do echo $i > /tmp/count; sleep 0.05; done' >/dev/null 2>&1 &"
                 " echo $! > /tmp/pid; touch /dev/shm/marker")
        pid = box.must("cat /tmp/pid")
        box.must("until test -s /tmp/count; do sleep 0.05; done")
        boot = box.must("cat /proc/sys/kernel/random/boot_id; stat -c %Y /proc/1")
        inside = [one for one in self.service.below() if one not in self.service.networks()]
        self.assertEqual(self.pause(box, {}).status, 204)
        self.assertEqual(box.call("GET", "/health").status, 502)
        self.assertEqual(box.call("GET", "/health").json["code"], 502)
        self.assertEqual(box.detail().json["state"], "paused")
        self.assertTrue(frozen(box))
        self.assertEqual({state_of(one) for one in self.service.networks()}, {"T"})
        first = self.service.first_of(box)
        self.assertIn(first, inside)
        answer = box.connect()
        self.assertEqual((answer.status, answer.json["envdAccessToken"]), (201, box.token), answer)
        self.assertFalse(frozen(box))
        self.assertEqual(box.must("cat /proc/sys/kernel/random/boot_id; stat -c %Y /proc/1"), boot)
        self.assertEqual(box.must(f"ls /dev/shm; kill -0 {pid} && cat /tmp/pid"), f"marker\n{pid}")
        count = int(box.must("cat /tmp/count"))
        until(lambda: int(box.must("cat /tmp/count") or 0) > count, "the process goes on")

    def test_a_process_can_be_attached_to_after_it(self):
        box = self.sandbox(timeout=3000)
        link, response = box.start("sleep 2; echo done; exit 7", timeout_ms=600_000)
        head = response.read(5)
        pid = json.loads(response.read(struct.unpack(">BI", head)[1]))["event"]["start"]["pid"]
        self.assertEqual(self.pause(box).status, 204)
        with self.assertRaises(ConnectionResetError):  # open streams end, as with a killed one
            while response.read(1):
                pass
        link.close()
        self.assertEqual(box.connect().status, 201)
        body = json.dumps({"process": {"pid": pid}}).encode()
        lines = {**box.headers(), "Content-Type": "application/connect+json", "Connect-Protocol-Version": "1"}
        link = self.service.link()
        link.request("POST", "/process.Process/Connect", struct.pack(">BI", 0, len(body)) + body, lines)
        shown = link.getresponse().read()
        link.close()
        self.assertIn(b'"exitCode":7', shown.replace(b" ", b""))

    def test_the_clock_of_its_timeout_stops(self):
        box = self.sandbox(timeout=1000)
        asked = time.time()
        self.assertEqual(self.pause(box).status, 204)
        end = time_of(box.detail().json["endAt"])
        self.assertLess(abs(end - asked), 120)  # the time of the pause, not of the timeout
        self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/timeout", {"timeout": 0}), 404)
        self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/refreshes", {"duration": 1}), 404)
        self.assertEqual(time_of(box.detail().json["endAt"]), end)
        self.assertEqual(box.connect(500).status, 201)
        self.assertGreater(time_of(box.detail().json["endAt"]), time.time() + 300)

    def test_pauses_join_and_a_second_one_is_told(self):
        box = self.sandbox(timeout=3000)
        answers = at_once(4, lambda: self.pause(box, {}))
        self.assertIn([a.status for a in answers].count(204), (1, 2, 3, 4))
        self.assertFalse([a for a in answers if a.status not in (204, 409)], answers)
        again = self.pause(box)
        self.assertError(again, 409)
        self.assertEqual(again.json["message"], f"Error pausing sandbox - sandbox '{box.id}' is already paused")
        self.assertError(self.pause(box, {"memory": False}), 409)
        answers = at_once(4, box.connect)
        self.assertEqual(sorted(a.status for a in answers), [200, 200, 200, 201])
        self.assertTrue(all(a.json["envdAccessToken"] == box.token for a in answers))
        self.assertError(self.service.call("POST", "/sandboxes/inone/pause", {}), 404)
        box.kill()
        self.assertError(self.pause(box), 404)

    def test_resume_of_the_older_generation(self):
        box = self.sandbox(timeout=3000)
        resume = lambda: self.service.call("POST", f"/sandboxes/{box.id}/resume", {"timeout": 600, "autoPause": False})
        self.assertError(resume(), 409)
        self.assertEqual(self.pause(box).status, 204)
        answers = at_once(3, resume)
        self.assertIn(201, [a.status for a in answers])
        self.assertFalse([a for a in answers if a.status not in (201, 409)], answers)
        box.must("true")
        self.assertEqual(self.pause(box).status, 204)
        self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/connect", {}), 400)
        self.assertEqual(self.service.call("POST", f"/v2/sandboxes/{box.id}/connect").status, 201)
        box.kill()
        self.assertError(resume(), 404)

    def test_a_kill_of_a_frozen_one_leaves_nothing(self):
        box = self.service.create(timeout=3000)
        box.must("nohup sleep 1000.25 >/dev/null 2>&1 &")
        everything = set(self.service.below())
        self.assertEqual(self.pause(box).status, 204)
        mine = [one for one in everything if f"ID={box.id}" in procs.read(one, "environ").decode("utf-8", "replace")]
        self.assertGreaterEqual(len(mine), 2)
        self.assertEqual(box.kill().status, 204)
        until(lambda: not [one for one in mine if procs.alive(one)], "its processes are gone")
        self.assertEqual(cgroups(box.id), [])
        self.assertError(box.detail(), 404)
        self.assertError(box.connect(), 404)
        self.assertFalse(os.path.exists(os.path.join(self.service.data, "sandboxes", box.id)))

    def test_connect_without_memory_boots_it(self):
        box = self.sandbox(timeout=3000)
        box.must("echo kept > /workspace/file; touch /dev/shm/marker; nohup sleep 1000.75 >/dev/null 2>&1 &")
        again = lambda: self.service.call("POST", f"/v2/sandboxes/{box.id}/connect", {"memory": False})
        self.assertEqual(again().status, 200)  # a running one is only extended
        self.assertEqual(box.must("ls /dev/shm"), "marker")
        self.assertEqual(self.pause(box).status, 204)
        answer = again()
        self.assertEqual((answer.status, answer.json["envdAccessToken"]), (201, box.token), answer)
        self.assertEqual(box.must("cat /workspace/file; ls /dev/shm; pgrep -f '[s]leep 1000.75' || true"), "kept")

    def test_auto_pause_keeps_memory_or_not(self):
        for memory, shown in ((True, "marker"), (False, "")):
            box = self.sandbox(timeout=3000, autoPause=True, autoPauseMemory=memory)
            box.must("touch /dev/shm/marker")
            self.service.call("POST", f"/sandboxes/{box.id}/timeout", {"timeout": 0})
            until(lambda b=box: b.detail().json["state"] == "paused", "the sandbox is paused at its end")
            self.assertEqual(box.connect().status, 201)
            self.assertEqual(box.must("ls /dev/shm"), shown)

    def test_the_network_works_after_it(self):
        box = self.sandbox(timeout=3000)
        for _ in range(2):
            self.assertEqual(self.pause(box).status, 204)
            self.assertEqual(box.connect().status, 201)
        self.assertEqual({state_of(one) for one in self.service.networks()} & {"T"}, set())
        network = next(iter(self.service.networks()))
        os.kill(network, 9)
        until(lambda: self.service.networks() - {network}, "its network process is started again")

    def test_a_frozen_first_process_that_dies_is_seen(self):
        box = self.sandbox(timeout=3000)
        box.must("echo kept > /workspace/file; sync")
        first = self.service.first_of(box)
        self.assertEqual(self.pause(box).status, 204)
        os.kill(first, 9)  # at once in the unified hierarchy, else when it is thawed
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(box.must("cat /workspace/file"), "kept")
        self.assertNotEqual(self.service.first_of(box), first)


@needs_sandboxes
class FewFrozen(SandboxdCase):
    options = ("--sandboxes", "1", "--network", "none")

    def test_their_number_is_bounded(self):
        pause = lambda box, body: self.service.call("POST", f"/sandboxes/{box.id}/pause", body)
        first = self.sandbox(timeout=3000)
        self.assertEqual(pause(first, {}).status, 204)
        second = self.sandbox(timeout=3000, autoPause=True)
        self.assertError(pause(second, {}), 429)
        self.assertError(first.connect(), 429)  # one runs
        self.assertError(self.service.call("POST", f"/v2/sandboxes/{first.id}/connect", {"memory": False}), 429)
        second.must("touch /dev/shm/marker")
        self.service.call("POST", f"/sandboxes/{second.id}/timeout", {"timeout": 0})
        until(lambda: second.detail().json["state"] == "paused", "the sandbox is paused at its end")
        until(lambda: first.connect().status == 201, "there is room again")
        self.assertEqual(pause(first, {"memory": False}).status, 204)
        self.assertEqual(second.connect().status, 201)
        self.assertEqual(second.must("ls /dev/shm"), "")


@needs_sandboxes
class AutoResume(SandboxdCase):
    def made(self, **fields):
        return self.sandbox(autoPause=True, autoResume={"enabled": True}, **fields)

    def test_traffic_wakes_it(self):
        box = self.made(timeout=3000)
        self.assertEqual(box.detail().json["lifecycle"], {"autoResume": True, "onTimeout": "pause"})
        box.must("touch /dev/shm/marker")
        for ask in (lambda: box.must("ls /dev/shm") == "marker", lambda: box.call("GET", "/health").status == 204,
                    lambda: box.write("/workspace/x", b"1").status == 200):
            self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
            self.assertEqual(box.detail().json["state"], "paused")
            self.assertTrue(ask())
            self.assertEqual(box.detail().json["state"], "running")

    def test_many_requests_share_one_resume(self):
        box = self.made(timeout=3000)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
        answers = at_once(6, lambda: box.call("GET", "/health").status)
        self.assertEqual(answers, [204] * 6)
        self.assertEqual(self.service.text().count(f"{box.id} did not"), 0)

    def test_its_time_is_that_of_its_create_or_the_least(self):
        for asked, least, most in ((1000, 900, 1100), (20, 250, 400)):
            box = self.made(timeout=asked)
            self.service.call("POST", f"/sandboxes/{box.id}/timeout", {"timeout": 3000})
            self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
            self.assertEqual(box.call("GET", "/health").status, 204)
            left = time_of(box.detail().json["endAt"]) - time.time()
            self.assertTrue(least - 100 < left < most + 100, left)

    def test_without_it_or_without_memory_nothing_wakes(self):
        plain = self.sandbox(timeout=3000)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{plain.id}/pause", {}).status, 204)
        files = self.made(timeout=3000)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{files.id}/pause", {"memory": False}).status, 204)
        for box in (plain, files):
            self.assertEqual(box.call("GET", "/health").status, 502)
            self.assertEqual(box.detail().json["state"], "paused")
            self.assertEqual(box.connect().status, 201)
        for fields in ({"autoPause": True, "autoPauseMemory": False, "autoResume": {"enabled": True}},
                       {"autoPauseMemory": False}):
            self.assertError(self.service.call("POST", "/v2/sandboxes", {"templateID": "base", **fields}), 400)


@needs_sandboxes
class FrozenLoss(SandboxdCase):
    """The kernel of the older hierarchy does not end a frozen process that it killed until somebody thaws it."""

    def test_a_killed_service_leaves_no_frozen_process(self):
        service = self.own_service()
        boxes = [service.create(timeout=3000, metadata={"n": str(n)}) for n in range(2)]
        for box in boxes:
            box.must("echo kept > /workspace/file; touch /dev/shm/marker; sync")
            self.assertEqual(service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
        service.kill()
        until(lambda: not service.processes(), "all its processes are gone")
        until(lambda: not loops_below(service.work), "its loop devices are gone")
        until(lambda: not [one for box in boxes for one in cgroups(box.id)], "its control groups are gone")
        service.start()
        rows = {row["sandboxID"]: row["state"] for row in service.call("GET", "/v2/sandboxes").json}
        self.assertEqual(rows, {box.id: "paused" for box in boxes})
        for box in boxes:
            self.assertEqual(box.connect().status, 201)
            self.assertEqual(box.must("cat /workspace/file; ls /dev/shm"), "kept")
        self.assertEqual(service.stop(), 0)

    def test_an_orderly_end_with_frozen_ones(self):
        service = self.own_service()
        box = service.create(timeout=3000)
        end = service.call("POST", f"/sandboxes/{box.id}/pause", {})
        self.assertEqual(end.status, 204)
        ended = box.detail().json["endAt"]
        processes = service.below()
        self.assertEqual(service.stop(), 0)
        until(lambda: not [pid for pid in processes if procs.alive(pid)], "its processes are gone")
        self.assertEqual(cgroups(box.id), [])
        service.start()
        detail = box.detail().json
        self.assertEqual((detail["state"], detail["endAt"]), ("paused", ended))
        self.assertEqual(box.connect().status, 201)

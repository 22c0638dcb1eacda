# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What is left after kill -9 of sandboxd at any instant, and what the next one makes of it; output without end."""

import contextlib
import http.client
import os
import signal
import threading

from tests.e2e import procs
from tests.e2e.sandboxd import FIRST, SandboxdCase, cgroups, loops_below, mounts_below, namespaces, needs_sandboxes
from tests.e2e.wait import pause, until


@needs_sandboxes
class Loss(SandboxdCase):
    def dead(self, service):
        """kill -9, then: no process, mount, loop device or network of it is left."""
        processes = service.below()
        networks = set()
        for pid in processes:
            with contextlib.suppress(OSError):  # what makes a sandbox ends by itself
                networks.add(os.readlink(f"/proc/{pid}/ns/net"))
        networks.discard(os.readlink("/proc/self/ns/net"))
        service.kill()
        until(lambda: not [pid for pid in processes if procs.alive(pid)], "all its processes are gone")
        until(lambda: not loops_below(service.work), "all its loop devices are gone")
        self.assertEqual(mounts_below(service.work), [])
        until(lambda: not networks & namespaces("net"), "all its networks are gone")
        return processes

    def test_after_a_kill_nothing_runs_and_everything_is_kept(self):
        service = self.own_service()
        box = service.create(timeout=3000, metadata={"of": "loss"})
        box.must("echo kept > /workspace/file; touch /dev/shm/marker; sudo touch /etc/installed; sync")
        box.must("nohup sleep 1000.5 >/dev/null 2>&1 &")
        self.assertGreater(len(self.dead(service)), 3)
        service.start()
        row = service.call("GET", "/v2/sandboxes").json[0]
        self.assertEqual((row["sandboxID"], row["state"], row["metadata"]), (box.id, "paused", {"of": "loss"}))
        self.assertEqual(box.call("GET", "/health").status, 502)
        answer = box.connect()
        self.assertEqual((answer.status, answer.json["envdAccessToken"]), (201, box.token), answer)
        self.assertEqual(box.must("cat /workspace/file; ls /etc/installed; ls /dev/shm"), "kept\n/etc/installed")
        self.assertEqual(box.must("pgrep -c -f '[s]leep 1000.5' || true"), "0")
        self.assertEqual(box.kill().status, 204)
        self.assertEqual(cgroups(box.id), [])
        self.assertEqual(service.stop(), 0)

    def test_a_stopped_first_process_does_not_outlive_it(self):
        service = self.own_service()
        box = service.create(timeout=3000)
        first = [pid for pid in service.below() if procs.command(pid).startswith(FIRST)]
        self.assertEqual(len(first), 1)
        os.kill(first[0], 19)  # SIGSTOP: it cannot see the end of its lifeline
        self.dead(service)
        service.start()
        self.assertEqual(box.connect().status, 201)
        box.must("true")

    def test_a_kill_in_the_middle_of_creating_leaves_nothing(self):
        for delay in (0.0, 0.05, 0.15, 0.3):
            service = self.own_service()
            threads = [threading.Thread(target=self.try_create, args=(service,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            pause(delay)
            self.dead(service)
            for thread in threads:
                thread.join()
            begun = {one for name in ("runc", "sandboxes") for one in os.listdir(os.path.join(service.data, name))}
            service.start()
            self.assertEqual([left for one in begun for left in cgroups(one)], [])
            for row in service.call("GET", "/v2/sandboxes").json:  # those that were finished are whole
                self.assertEqual(service.call("POST", f"/v2/sandboxes/{row['sandboxID']}/connect", {}).status, 201)
                self.assertEqual(service.call("DELETE", f"/sandboxes/{row['sandboxID']}").status, 204)
            self.assertEqual(os.listdir(os.path.join(service.data, "sandboxes")), [])
            self.assertEqual(os.listdir(os.path.join(service.data, "runc")), [])
            self.assertEqual(service.stop(), 0)

    @staticmethod
    def try_create(service):
        try:
            service.call("POST", "/v2/sandboxes", {"templateID": "base"})
        except (OSError, http.client.HTTPException):
            pass  # the service was killed

    def test_an_orderly_end_keeps_the_sandboxes(self):
        service = self.own_service()
        box = service.create(timeout=3000)
        box.must("echo kept > /workspace/file")
        processes = service.below()
        self.assertEqual(service.stop(), 0)
        until(lambda: not [pid for pid in processes if procs.alive(pid)], "its processes are gone")
        self.assertEqual(loops_below(service.work), [])
        self.assertEqual(cgroups(box.id), [])
        service.start()
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(box.must("cat /workspace/file"), "kept")

    # BR-091: the death of what serves inside is seen at once, and the disk is worth keeping.
    def test_the_death_of_envd_pauses_the_sandbox(self):
        box = self.sandbox(timeout=3000)
        box.must("echo kept > /workspace/file; sync")
        os.kill(self.service.first_of(box), 9)
        until(lambda: box.detail().json["state"] == "paused", "the sandbox is paused")
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(box.must("cat /workspace/file"), "kept")

    def test_an_envd_that_hangs_is_no_running_sandbox(self):
        box = self.sandbox(timeout=3000)
        box.must("echo kept > /workspace/file")
        end = box.detail().json["endAt"]
        first = self.service.first_of(box)
        os.kill(first, signal.SIGSTOP)
        answers = [box.connect(6000), self.service.call("POST", f"/sandboxes/{box.id}/connect", {"timeout": 6000})]
        for answer in answers:
            self.assertError(answer, 504)
            self.assertEqual(answer.json["error_code"], "sandbox_envd_unresponsive")
        self.assertEqual(box.detail().json["endAt"], end)
        self.assertEqual(self.service.call("GET", "/health").status, 200)
        os.kill(first, signal.SIGCONT)
        self.assertEqual(box.connect().status, 200)
        self.assertEqual(box.must("cat /workspace/file"), "kept")
        os.kill(first, signal.SIGSTOP)
        self.assertEqual(box.kill().status, 204)


@needs_sandboxes
class Output(SandboxdCase):
    def test_a_gigabyte_passes_through_flat_memory(self):
        box = self.sandbox(timeout=3000)
        box.must("true")
        before = self.service.rss_mib()
        link, response = box.start("head -c 1G /dev/zero", timeout_ms=600_000)
        total, highest = 0, 0
        while piece := response.read(1 << 20):
            total += len(piece)
            if total % (64 << 20) < (1 << 20):
                highest = max(highest, self.service.rss_mib())
        link.close()
        self.assertGreater(total, 2**30)
        self.assertLess(highest - before, 48)

    def test_a_reader_that_stops_holds_the_command_up(self):
        box = self.sandbox(timeout=3000)
        before = self.service.rss_mib()
        link, response = box.start("yes", timeout_ms=600_000)
        response.read(5)
        until(lambda: box.run("pgrep -x yes").code == 0, "yes runs")
        written = lambda: box.must("awk '/^wchar/ {print $2}' /proc/$(pgrep -x yes)/io")
        until(lambda: written() == written(), "yes waits for its reader")
        self.assertLess(self.service.rss_mib() - before, 48)
        self.assertEqual(box.must("echo other"), "other")
        link.close()
        response.close()
        box.must("pkill -9 -x yes")

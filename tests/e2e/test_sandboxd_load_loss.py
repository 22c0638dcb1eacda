# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of sandboxd while eight clients create, pause, resume, copy and kill: what is left is counted."""

import contextlib
import http.client
import os
import random
import threading

from tests.e2e import procs
from tests.e2e.sandboxd import Sandbox, SandboxdCase, cgroups, loops_below, mounts_below, namespaces, needs_sandboxes
from tests.e2e.wait import pause, until

SEED = 20261130
CLIENTS = 8
KINDS = ("net", "mnt", "pid", "user", "ipc", "uts", "cgroup")


class Client(threading.Thread):
    """Calls at random until the service is gone; what it was promised stays in `alive` and `gone`."""

    def __init__(self, service, seed):
        super().__init__()
        self.service, self.random = service, random.Random(seed)
        self.alive, self.gone, self.unsure = {}, set(), set()
        self.wrong = []

    def run(self):
        try:
            while True:
                self.step()
        except (OSError, http.client.HTTPException):
            pass  # the service was killed

    def step(self):
        if not self.alive or (len(self.alive) < 3 and self.random.random() < 0.4):
            return self.create()
        box = self.alive[self.random.choice(sorted(self.alive))]
        action = self.random.choice((self.pause, self.pause, self.connect, self.connect, self.fork, self.kill))
        return action(box)

    def expect(self, answer, *statuses):
        if answer.status not in statuses:
            self.wrong.append(repr(answer))
        return answer

    def create(self):
        fields = {"templateID": "base", "timeout": 3000, "metadata": {"seed": str(SEED)}}
        answer = self.expect(self.service.call("POST", "/v2/sandboxes", fields), 201)
        if answer.status == 201:
            box = Sandbox(self.service, answer.json)
            self.alive[box.id] = box

    def pause(self, box):
        body = {"memory": self.random.random() < 0.7}
        self.expect(self.service.call("POST", f"/sandboxes/{box.id}/pause", body), 204, 409)

    def connect(self, box):
        self.expect(box.connect(3000), 200, 201)

    def fork(self, box):
        answer = self.expect(self.service.call("POST", f"/sandboxes/{box.id}/fork", {"timeout": 3000}), 201, 409)
        for entry in answer.json if answer.status == 201 else []:
            made = Sandbox(self.service, entry["sandbox"])
            self.alive[made.id] = made

    def kill(self, box):
        del self.alive[box.id]
        self.unsure.add(box.id)
        self.expect(box.kill(), 204)
        self.unsure.discard(box.id)
        self.gone.add(box.id)


@needs_sandboxes
class LoadLoss(SandboxdCase):
    options = ("--network", "none")

    def spaces(self, processes):
        own = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in KINDS}
        found = {kind: set() for kind in KINDS}
        for pid in processes:
            for kind in KINDS:
                with contextlib.suppress(OSError):
                    found[kind].add(os.readlink(f"/proc/{pid}/ns/{kind}"))
        return {kind: links - {own[kind]} for kind, links in found.items()}

    @staticmethod
    def inhabitants(kind, links):
        """Who lives in one of these namespaces, for the message."""
        found = {}
        for pid in procs.pids():
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/ns/{kind}") in links:
                    found[pid] = procs.command(pid)[:80]
        return found

    def assertNothingIsLeft(self, service, processes, spaces, ids):
        until(lambda: not [pid for pid in processes if procs.alive(pid)], "all its processes are gone", 60)
        until(lambda: not loops_below(service.work), "all its loop devices are gone", 60)
        self.assertEqual(mounts_below(service.work), [])
        for kind, links in spaces.items():
            until(lambda k=kind, n=links: not n & namespaces(k),
                  f"all its namespaces are gone: {kind} {self.inhabitants(kind, links)}")
        until(lambda: not [one for box in ids for one in cgroups(box)], "all its control groups are gone")

    def test_a_kill_under_load_leaves_a_right_list_and_nothing_else(self):
        service = self.own_service(*self.options)
        chance = random.Random(SEED)
        known = {}
        for round_number in range(3):
            clients = [Client(service, f"{SEED}-{round_number}-{n}") for n in range(CLIENTS)]
            for client, box in zip(clients * 100, sorted(known)):
                client.alive[box] = known[box]
            for client in clients:
                client.start()
            pause(chance.uniform(2, 8))
            processes = service.below()
            spaces = self.spaces(processes)
            service.kill()
            for client in clients:
                client.join()
            self.assertEqual([one for client in clients for one in client.wrong], [])
            ids = set(os.listdir(os.path.join(service.data, "sandboxes"))) | {
                one for client in clients for one in (*client.alive, *client.gone)}
            self.assertNothingIsLeft(service, processes, spaces, ids)
            service.start()
            known = self.check_list(service, clients)
        descriptors = self.service_descriptors(service)
        for box in self.listed(service):
            self.assertEqual(service.call("DELETE", f"/sandboxes/{box}").status, 204)
        self.assertEqual(os.listdir(os.path.join(service.data, "sandboxes")), [])
        self.assertEqual(os.listdir(os.path.join(service.data, "snapshots")), [])
        self.assertEqual(os.listdir(os.path.join(service.data, "runc")), [])
        until(lambda: self.service_descriptors(service) <= descriptors, "no descriptor is left of them")
        self.assertEqual(service.stop(), 0)

    @staticmethod
    def listed(service):
        """{id: state}, over all pages."""
        found, token = {}, ""
        while True:
            answer = service.call("GET", f"/v2/sandboxes?nextToken={token}")
            found.update({row["sandboxID"]: row["state"] for row in answer.json})
            token = answer.headers.get("x-next-token", "")
            if not token:
                return found

    def check_list(self, service, clients):
        """Every sandbox that a client was promised is there and boots; none is there that was killed."""
        listed = self.listed(service)
        promised = {box for client in clients for box in client.alive}
        self.assertEqual(promised - set(listed), set())
        self.assertEqual({box for client in clients for box in client.gone} & set(listed), set())
        self.assertEqual(set(listed.values()) - {"paused"}, set())
        self.assertEqual(set(os.listdir(os.path.join(service.data, "sandboxes"))), set(listed))
        boxes = {box: one for client in clients for box, one in client.alive.items() if box in listed}
        before = self.service_descriptors(service)
        for one in boxes.values():
            self.assertEqual(one.connect(3000).status, 201)
            one.must("true")
            self.assertEqual(service.call("POST", f"/sandboxes/{one.id}/pause", {"memory": False}).status, 204)
        until(lambda: self.service_descriptors(service) <= before, "boots and pauses leave no descriptor")
        return boxes

    @staticmethod
    def service_descriptors(service):
        return sum(procs.fds(pid) for pid in service.below() if procs.command(pid).startswith(service.argv()[0]))

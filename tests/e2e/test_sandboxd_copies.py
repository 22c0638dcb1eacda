# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Snapshots and forks: copies of a sandbox's disk under ids of their own."""

import os
from urllib.parse import quote

from tests.e2e.sandboxd import Sandbox, SandboxdCase, needs_sandboxes


@needs_sandboxes
class Snapshots(SandboxdCase):
    def snapshot(self, box, **body):
        answer = self.service.call("POST", f"/sandboxes/{box.id}/snapshots", body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def remove(self, called):
        return self.service.call("DELETE", "/templates/" + quote(called, safe=""))

    def listed(self, query=""):
        answer = self.service.call("GET", "/snapshots" + query)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_it_has_the_files_and_the_original_goes_on(self):
        box = self.sandbox(timeout=3000, metadata={"m": "1"}, envVars={"A": "b"})
        box.must("echo one > /workspace/file; echo root > /tmp/r; sudo cp /tmp/r /etc/installed; ln -s file /workspace/l;"
                 " setfattr -n user.k -v v /workspace/file; nohup sleep 1000.125 >/dev/null 2>&1 &")
        made = self.snapshot(box)
        self.assertRegex(made["snapshotID"], r"^[a-z0-9]+:default$")
        self.assertEqual(made["names"], [])
        self.assertEqual(box.must("pgrep -c -f '[s]leep 1000.125'"), "1")
        box.must("echo two > /workspace/file")
        for called in (made["snapshotID"], made["snapshotID"].split(":")[0]):
            copy = self.sandbox(templateID=called, timeout=3000)
            self.assertNotEqual(copy.token, box.token)
            self.assertEqual(copy.detail().json["metadata"], {})
            self.assertEqual(copy.must("cat /workspace/file /etc/installed; readlink /workspace/l"), "one\nroot\nfile")
            self.assertEqual(copy.must("stat -c %U:%G /workspace/file /etc/installed /workspace"),
                             box.must("stat -c %U:%G /workspace/file /etc/installed /workspace"))
            self.assertEqual(copy.must("getfattr --only-values -n user.k /workspace/file"), "v")
            self.assertEqual(copy.must("pgrep -c -f '[s]leep 1000.125' || true"), "0")
            copy.must("echo mine > /workspace/file; sudo touch /etc/more; sudo rm /etc/installed; rm -r /workspace/l")
            self.assertEqual(copy.detail().json["templateID"], made["snapshotID"])
        self.assertEqual(box.must("cat /workspace/file; ls /etc/installed"), "two\n/etc/installed")
        self.assertEqual(self.remove(made["snapshotID"]).status, 204)
        self.assertError(self.remove(made["snapshotID"]), 404)
        self.assertError(self.service.call("POST", "/v2/sandboxes", {"templateID": made["snapshotID"]}), 404)
        self.assertEqual(copy.must("cat /workspace/file"), "mine")  # it keeps its disk
        pause = self.service.call("POST", f"/sandboxes/{copy.id}/pause", {"memory": False})
        self.assertEqual((pause.status, copy.connect().status), (204, 201))
        self.assertEqual(copy.must("cat /workspace/file; ls /etc/more; ls /etc/installed 2>&1 | grep -c 'No such'"),
                         "mine\n/etc/more\n1")

    def test_names_lists_and_pages(self):
        box, other = self.sandbox(timeout=3000), self.sandbox(timeout=3000)
        box.must("echo one > /workspace/file")
        first = self.snapshot(box, name="tool")
        self.assertEqual(first, {"snapshotID": "default/tool:default", "names": ["default/tool:default"]})
        plain = self.snapshot(other)
        self.assertEqual([row["snapshotID"] for row in self.listed()], [plain["snapshotID"], first["snapshotID"]])
        self.assertEqual(self.listed(f"?sandboxID={box.id}"), [first])
        for name in ("tool", "default/tool", "tool:default", "default/tool:default"):
            self.assertEqual(self.listed("?name=" + quote(name)), [first])
            made = self.sandbox(templateID=name, timeout=3000)
            self.assertEqual(made.must("cat /workspace/file"), "one")
            made.kill()
        self.assertEqual(self.listed("?name=none"), [])
        page = self.service.call("GET", "/snapshots?limit=1")
        self.assertEqual(page.json, [plain])
        rest = self.service.call("GET", "/snapshots?limit=1&nextToken=" + page.headers["x-next-token"])
        self.assertEqual(rest.json, [first])
        self.assertNotIn("x-next-token", rest.headers)
        box.must("echo two > /workspace/file")
        self.assertEqual(self.snapshot(box, name="tool"), first)  # the name moves to the new one
        self.assertEqual(len(self.listed()), 2)
        self.assertEqual(self.sandbox(templateID="tool", timeout=3000).must("cat /workspace/file"), "two")
        for body in ({"name": "No"}, {"name": 7}, {"name": "a:b"}, {"name": ""}):
            self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/snapshots", body), 400)
        for query in ("?limit=0", "?limit=101", "?nextToken=x"):
            self.assertError(self.service.call("GET", "/snapshots" + query), 400)
        for called in (first["snapshotID"], plain["snapshotID"]):
            self.assertEqual(self.remove(called).status, 204)
        self.assertEqual(self.listed(), [])
        self.assertEqual(os.listdir(os.path.join(self.service.data, "snapshots")), [])

    def test_of_what_does_not_run_there_is_none(self):
        box = self.sandbox(timeout=3000)
        for memory in (True, False):
            self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": memory}).status, 204)
            self.assertError(self.service.call("POST", f"/sandboxes/{box.id}/snapshots", {}), 409)
            self.assertEqual(box.connect().status, 201)
        self.assertError(self.service.call("POST", "/sandboxes/inone/snapshots", {}), 404)

    def test_it_outlives_the_service(self):
        service = self.own_service()
        box = service.create(timeout=3000)
        box.must("echo kept > /workspace/file")
        made = service.call("POST", f"/sandboxes/{box.id}/snapshots", {"name": "kept"}).json
        service.kill()
        service.start()
        self.assertEqual(service.call("GET", "/snapshots").json, [made])
        self.assertEqual(service.create(templateID="kept", timeout=3000).must("cat /workspace/file"), "kept")
        self.assertEqual(service.stop(), 0)


@needs_sandboxes
class Forks(SandboxdCase):
    def fork(self, box, **body):
        return self.service.call("POST", f"/sandboxes/{box.id}/fork", body)

    def test_each_has_its_own_files_and_token(self):
        box = self.sandbox(timeout=3000, metadata={"m": "1"}, envVars={"A": "b"})
        box.must("echo one > /workspace/file; nohup sleep 1000.0625 >/dev/null 2>&1 &")
        answer = self.fork(box, count=3, timeout=600)
        self.assertEqual(answer.status, 201, answer)
        forks = [Sandbox(self.service, entry["sandbox"]) for entry in answer.json]
        for one in forks:
            self.addCleanup(one.kill)
        self.assertEqual(len({one.id for one in forks} | {box.id}), 4)
        self.assertEqual(len({one.token for one in forks} | {box.token}), 4)
        for number, one in enumerate(forks):
            self.assertEqual(one.must("cat /workspace/file; echo $A; whoami"), "one\nb\nuser")
            self.assertEqual(one.must("pgrep -c -f '[s]leep 1000.0625' || true"), "0")
            one.must(f"echo {number} > /workspace/file")
            detail = one.detail().json
            self.assertEqual((detail["metadata"], detail["templateID"], detail["state"]), ({"m": "1"}, "base", "running"))
        self.assertEqual([one.must("cat /workspace/file") for one in [*forks, box]], ["0", "1", "2", "one"])
        self.assertEqual(box.must("pgrep -c -f '[s]leep 1000.0625'"), "1")
        again = self.fork(forks[0])  # a fork of a fork, by the defaults
        self.assertEqual(len(again.json), 1)
        grandchild = Sandbox(self.service, again.json[0]["sandbox"])
        self.addCleanup(grandchild.kill)
        self.assertEqual(grandchild.must("cat /workspace/file; stat -c %U /workspace/file"), "0\nuser")
        self.assertEqual([name for name in os.listdir(os.path.join(self.service.data, "snapshots"))], [])

    def test_what_is_refused(self):
        box = self.sandbox(timeout=3000)
        for body in ({"count": 0}, {"count": 101}, {"count": "1"}, {"timeout": 0}, {"timeout": 10**9}):
            self.assertError(self.fork(box, **body), 400)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {}).status, 204)
        self.assertError(self.fork(box), 409)
        box.kill()
        self.assertError(self.fork(box), 404)


@needs_sandboxes
class FewForks(SandboxdCase):
    options = ("--sandboxes", "3")

    def test_each_fails_alone(self):
        box = self.sandbox(timeout=3000)
        answer = self.service.call("POST", f"/sandboxes/{box.id}/fork", {"count": 4, "timeout": 600})
        self.assertEqual(answer.status, 201, answer)
        made = [entry["sandbox"] for entry in answer.json if "sandbox" in entry]
        for one in made:
            self.addCleanup(Sandbox(self.service, one).kill)
        failed = [entry["error"] for entry in answer.json if "error" in entry]
        self.assertEqual((len(made), [one["code"] for one in failed]), (2, [429, 429]))
        box.must("true")

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""sandboxd on other OCI runtimes than runc: what works on each, and that nothing is left."""

import os
import shutil
import subprocess
import tempfile
import unittest

from tests.e2e import procs
from tests.e2e.sandboxd import CONF, TEMPLATES, Sandboxd, SandboxdCase, cgroups, envd, loops_below, needs_sandboxes, program
from tests.e2e.wait import DEADLINE, until


def needs(runtime):
    """The runtime is no dependency: where it is missing there is nothing to test."""
    missing = shutil.which(runtime) is None
    return unittest.skipIf(missing, f"there is no {runtime} on this machine; apt-get install {runtime}")


def check(runtime):
    """What `sandboxd --check` says of a runtime."""
    with tempfile.TemporaryDirectory(prefix="ap-check-") as folder:
        done = subprocess.run([program(), "--check", "--data", folder, "--conf", CONF, "--envd", envd(), "--templates",
                               TEMPLATES, "--runtime", runtime], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE * 2)
        left = os.listdir(folder)
    return done.returncode, done.stderr, left


def refused_here(runtime):
    """crun 1.8 refuses machines that have both kinds of control groups; then --check says so."""
    return os.geteuid() == 0 and shutil.which(runtime) and os.path.exists(program()) and check(runtime)[0] == 3


class OnRuntime:
    """The smoke suite; a subclass names the runtime."""

    runtime = ""

    def test_a_sandbox_lives_from_create_to_kill(self):
        service = self.service
        made = service.create(metadata={"k": "v"}, envVars={"GREETING": "héllo"})
        self.assertIn(made.id, service.list())
        before = service.below()
        self.assertTrue(any(self.runtime in procs.command(pid) or made.id in procs.command(pid)
                            or "envd" in procs.command(pid) for pid in before))
        self.assertEqual(made.must("echo $GREETING; whoami; pwd"), "héllo\nuser\n/home/user")
        ended = made.run("echo out; echo err >&2; exit 3")
        self.assertEqual((ended.code, ended.out, ended.err), (3, b"out\n", b"err\n"))
        self.assertEqual(made.kill().status, 204)
        self.assertNotIn(made.id, service.list())
        self.assertEqual(made.call("GET", "/health").status, 502)
        until(lambda: not [pid for pid in service.below() if pid in before and made.id in procs.command(pid)],
              "its processes are gone")
        until(lambda: not cgroups(made.id), "its control groups are gone")
        self.assertFalse(os.path.exists(os.path.join(service.data, "sandboxes", made.id)))
        self.assertEqual(os.listdir(os.path.join(service.data, "runc")), [])

    def test_files(self):
        box = self.sandbox()
        data = bytes(range(256)) * 4096
        self.assertEqual(box.write("/home/user/d/a.bin", data).status, 200)
        self.assertEqual(box.read("/home/user/d/a.bin").body, data)
        # Not by stat(1): the gVisor of Debian 12 answers its statx with EINVAL.
        size = "import os; s = os.stat('d/a.bin'); print(s.st_uid, s.st_size)"
        self.assertEqual(box.must(f'python3 -c "{size}"; sha256sum < d/a.bin | wc -c'), f"1000 {len(data)}\n68")
        box.must("echo b > d/b && ln -s b d/l && rm d/a.bin")
        self.assertEqual(box.read("/home/user/d/l").body, b"b\n")
        self.assertEqual(box.read("/home/user/d/a.bin").status, 404)
        listed = box.call("POST", "/filesystem.Filesystem/ListDir", {"path": "/home/user/d"},
                          {"Content-Type": "application/json"})
        self.assertEqual(sorted(entry["name"] for entry in listed.json["entries"]), ["b", "l"])

    def test_users(self):
        box = self.sandbox()
        self.assertEqual(box.must("id -u; touch /etc/x", "root"), "0")
        self.assertNotEqual(box.run("touch /etc/y").code, 0)
        self.assertEqual(box.must("python3 -c 'print(6 * 7)'"), "42")
        self.check_sudo(box)

    def check_sudo(self, box):
        self.assertEqual(box.must("sudo -n id -u"), "0")

    def test_a_port_inside_is_served(self):
        box = self.sandbox()
        link, response = box.start("cd /tmp && echo served > index.html && exec python3 -m http.server 8000")
        self.addCleanup(link.close)
        self.assertEqual(response.status, 200)
        until(lambda: box.call("GET", "/", port=8000).status == 200, "the server answers")
        self.assertEqual(box.call("GET", "/", port=8000).body, b"served\n")

    def test_a_killed_command_is_gone(self):
        box = self.sandbox()
        link, response = box.start("echo ready; exec sleep 1000")
        self.addCleanup(link.close)
        self.assertEqual(response.status, 200)
        until(lambda: box.run("pgrep -x sleep").code == 0, "it runs")
        pid = int(box.must("pgrep -x sleep"))
        self.assertEqual(box.signal(pid).status, 200)
        until(lambda: box.run("pgrep -x sleep").code == 1, "it is gone")

    def test_it_comes_back_with_its_disk(self):
        service = self.own_service(*self.options)
        box = service.create(timeout=3000)
        box.must("echo kept > f; sync")
        self.assertEqual(service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(box.must("cat f"), "kept")
        box.must("sync")
        service.kill()
        until(lambda: not service.processes(), "all its processes ended with it")
        service.start()
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(box.must("cat f"), "kept")
        self.assertEqual(service.stop(), 0)
        self.assertFalse(loops_below(service.work))


@needs("runsc")
@needs_sandboxes
class Runsc(OnRuntime, SandboxdCase):
    runtime = "runsc"
    options = ("--runtime", "runsc")

    def check_sudo(self, box):
        """It has none: documented, and it says so itself."""
        said = box.run("sudo -n id -u")
        self.assertNotEqual(said.code, 0)
        self.assertTrue(said.err)

    def test_the_kernel_is_not_the_machines(self):
        box = self.sandbox()
        self.assertNotEqual(box.must("uname -r"), os.uname().release)


@needs("crun")
@needs_sandboxes
@unittest.skipIf(refused_here("crun"), "crun cannot run a sandbox on this machine; sandboxd --check says why")
class Crun(OnRuntime, SandboxdCase):
    runtime = "crun"
    options = ("--runtime", "crun")


@needs_sandboxes
class Check(unittest.TestCase):
    """`--check` names what is wrong with a runtime, and the fix."""

    def test_runtimes(self):
        self.assertEqual(check("runc")[:2], (0, ""))
        for runtime, said in (("nosuch-runtime", "there is no nosuch-runtime on this machine; install it with"),
                              ("/usr/bin/env", "is no OCI runtime"), ("/usr/bin/false", "cannot be run"),
                              (os.path.join(CONF, "runtime.json"), "there is no ")):
            status, err, _ = check(runtime)
            self.assertEqual(status, 3, runtime)
            self.assertIn(said, err)

    def test_a_runtime_that_fails_is_tried_before_it_is_used(self):
        with tempfile.TemporaryDirectory(prefix="ap-runtime-") as folder:
            path = os.path.join(folder, "other")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n[ \"$1\" = --version ] && echo other version 1 && exit\nexit 1\n")
            os.chmod(path, 0o755)
            status, err, left = check(path)
        self.assertEqual(status, 3, err)
        self.assertIn("other cannot run a sandbox on this machine: ", err)
        self.assertIn("choose runc with --runtime", err)
        self.assertEqual([name for name in left if name.startswith("trial")], [])

    @needs("runsc")
    def test_a_disk_of_another_kind_of_runtime_is_refused(self):
        service = Sandboxd("--network", "none")
        self.addCleanup(service.close)
        service.start()
        box = service.create(timeout=3000)
        self.assertEqual(service.stop(), 0)
        service.options = ("--network", "none", "--runtime", "runsc")
        service.start()
        answer = box.connect()
        self.assertEqual(answer.status, 500, answer)
        self.assertIn("its disk was written below runc or crun; start sandboxd with that --runtime", answer.json["message"])
        self.assertEqual(box.kill().status, 204)
        self.assertEqual(service.stop(), 0)


if __name__ == "__main__":
    unittest.main()

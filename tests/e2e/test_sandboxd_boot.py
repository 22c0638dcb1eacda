# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The next boot: of a disk that its owner made anything of, and of a service that was killed a moment ago."""

import fcntl
import os
import threading

from tests.e2e import procs
from tests.e2e.sandboxd import FIRST, Sandboxd, SandboxdCase, cgroups, loops_below, needs_sandboxes
from tests.e2e.wait import until

PAUSE = {"memory": False}
# Each would be run by a boot that trusts the disk, as its first process.
FAKE = """
set -e
cp -a /usr/bin/setpriv /usr/bin/setpriv.real
printf '#!/bin/sh\\ntouch /ran\\nexec /usr/bin/setpriv.real "$@"\\n' > /usr/bin/setpriv.new
mkdir /fake && printf '#!/bin/sh\\ntouch /ran\\nexec sleep 1000\\n' > /fake/envd
chmod 755 /usr/bin/setpriv.new /fake/envd
mv /usr/bin/setpriv.new /usr/bin/setpriv
mv /usr/local /usr/local2 && mkdir /usr/local && ln -s /proc/self/cwd/fake /usr/local/bin
sync
"""
UNUSABLE = {
    "a FIFO": ("rm /etc/passwd /etc/group; mkfifo /etc/passwd /etc/group", ["/etc/passwd", "/etc/group"]),
    "no end": ("ln -sf /dev/zero /etc/passwd", ["/etc/passwd"]),
    "a long line": ("head -c 200000 /dev/zero | tr '\\0' x > /etc/passwd", ["/etc/passwd"]),
    "a way around": ("mv /etc /etc2; mkfifo /passwd; ln -s /proc/self/cwd /etc", ["/etc"]),
}


def holds(service, path):
    """Whether a process of the service has the file open."""
    return any(path in procs.links(pid, "fd") for pid in service.below())


@needs_sandboxes
class Disk(SandboxdCase):
    def health(self, box):
        return box.call("GET", "/health").status

    def test_nothing_of_the_disk_runs_before_envd(self):
        service = self.own_service()
        faked, emptied = service.create(timeout=3000), service.create(timeout=3000)
        faked.must(FAKE, "root")
        emptied.run("rm -rf --no-preserve-root /", "root")
        self.assertNotEqual(emptied.run("true").code, 0)
        service.kill()
        service.start()
        for box in (faked, emptied):
            self.assertEqual(box.connect().status, 201)
            self.assertEqual(self.health(box), 204)
            self.assertTrue(procs.command(service.first_of(box)).startswith(FIRST))
        self.assertEqual(faked.must("test ! -e /ran && head -1 /fake/envd && cat /proc/1/comm"), "#!/bin/sh\nenvd")
        self.assertEqual(service.stop(), 0)

    def test_the_place_of_envd_cannot_be_taken(self):
        box = self.sandbox(timeout=3000)
        for command in (f"rm {FIRST}", f"mv {FIRST} /dev/other", f"mv /tmp/x {FIRST}", f"echo x > {FIRST}", "mv /dev /dev2",
                        "rmdir /proc", "mv /sys /sys2"):
            self.assertNotEqual(box.run(f"touch /tmp/x; {command}", "root").code, 0, command)

    def test_user_files_that_nobody_can_read_are_set_aside(self):
        for name, (command, renamed) in UNUSABLE.items():
            box = self.sandbox(timeout=3000)
            box.must(command, "root")
            self.assertEqual(self.health(box), 204, name)  # envd reads them for every call
            self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", PAUSE).status, 204)
            self.assertEqual(box.connect().status, 201, name)
            self.assertEqual(self.health(box), 204, name)
            for path in renamed:
                self.assertIn(f"sandbox {box.id}: its {path} was no file that can be read", self.service.text())

    def test_a_disk_is_mounted_once(self):
        box = self.sandbox(timeout=3000)
        box.must("true")
        with open(os.path.join(self.service.data, "sandboxes", box.id, "disk.img"), "rb") as image:
            with self.assertRaises(BlockingIOError):
                fcntl.flock(image, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", PAUSE).status, 204)
            until(lambda: not self.taken(image), "its last write")
            booted = threading.Thread(target=box.connect)
            booted.start()
            until(lambda: holds(self.service, image.name), "the boot waits for it")
            fcntl.flock(image, fcntl.LOCK_UN)
        booted.join()
        self.assertEqual(box.must("echo back"), "back")

    @staticmethod
    def taken(image):
        """Whether somebody else has it; else it is ours now."""
        try:
            return fcntl.flock(image, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True

@needs_sandboxes
class Restart(SandboxdCase):
    def test_at_once_again_and_again(self):
        service = self.own_service()
        box = service.create(timeout=3000)
        for count in range(20):
            box.must(f"echo {count} > /workspace/file; head -c 5M /dev/urandom > /workspace/more; sync /workspace/file")
            service.kill()
            service.start()
            self.assertEqual(box.connect().status, 201)
            self.assertLessEqual(len(loops_below(service.work)), 1)  # the disk is mounted once
            self.assertEqual(box.must("cat /workspace/file"), str(count))
        self.assertEqual(service.stop(), 0)

    def test_a_folder_that_is_just_left_is_waited_for(self):
        service = Sandboxd("--network", "none")
        self.addCleanup(service.close)
        os.makedirs(service.data)
        path = os.path.join(service.data, "lock")
        with open(path, "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            starting = threading.Thread(target=service.start)
            starting.start()
            until(lambda: service.child and holds(service, path), "it asks for the lock")
        starting.join()
        self.assertEqual(service.call("GET", "/health").status, 200)
        self.assertEqual(service.stop(), 0)

    def test_control_groups_of_the_dead_go_and_of_the_living_stay(self):
        box = self.sandbox(timeout=3000)
        empty = os.path.join(os.path.dirname(cgroups(box.id)[0]), "begun")
        os.mkdir(empty)
        self.addCleanup(os.rmdir, empty)
        dead = self.own_service()
        lost = dead.create(timeout=3000)
        self.assertTrue(cgroups(lost.id))
        dead.kill()  # and never started again
        other = self.own_service()
        self.assertEqual(cgroups(lost.id), [])
        self.assertTrue(os.path.isdir(empty))
        self.assertEqual(box.must("echo alive"), "alive")
        own = {os.path.dirname(folder) for folder in cgroups(other.create().id)}
        self.assertTrue(own)
        self.assertEqual(other.stop(), 0)
        self.assertEqual([folder for folder in own if os.path.exists(folder)], [])

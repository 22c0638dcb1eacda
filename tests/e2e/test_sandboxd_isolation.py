# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What a sandbox can see and reach: two of them beside each other, and the host behind them. The suite makes a
network of its own: `near`, where sandboxd runs, with every kind of address that must stay hidden, and `far`
behind it, which a sandbox may reach."""

import contextlib
import os
import pathlib
import socket
import subprocess
import threading

from tests.e2e import procs
from tests.e2e.sandboxd import FIRST, Sandboxd, SandboxdCase, cgroups, envelopes, in_network, needs_sandboxes
from tests.e2e.wait import until

HIDDEN = ("127.0.0.1", "192.0.2.77", "10.0.2.77", "10.0.2.3", "198.51.100.1", "10.44.0.1", "172.20.0.1", "192.168.7.1", "169.254.169.254")
NEIGHBOUR = "198.51.100.2"  # the other end of the cable, in the host's own network
FAR = "203.0.113.80"
PORT = 7777
PROCESSES, COMMANDS = 200, 168  # of a sandbox, and of its commands: 32 are kept back
BOMB = "bomb() { bomb | bomb & }; bomb"
# Takes every process that it can get, and keeps it.
HOARD = """
import os, time
while True:
    try:
        if os.fork() == 0:
            time.sleep(3600)
    except OSError:
        time.sleep(0.01)
"""


class Network:
    """A network namespace that lives as long as its holder."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "100000"])
        path = f"/proc/{self.holder.pid}/ns/net"
        own = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink(path) != own, "the network is there")
        self.descriptor = os.open(path, os.O_RDONLY)
        self.ip("link set lo up")

    def ip(self, words):
        subprocess.run(["nsenter", f"--net=/proc/self/fd/{self.descriptor}", "ip", *words.split()],
                       check=True, pass_fds=[self.descriptor])

    def listen(self):
        """Says hello to everybody who connects, at every address of the network."""
        with in_network(self.descriptor):
            server = socket.create_server(("", PORT))
        threading.Thread(target=self.serve, args=(server,), daemon=True).start()
        return server

    @staticmethod
    def serve(server):
        with contextlib.suppress(OSError):
            while True:
                link, _ = server.accept()
                link.sendall(b"hello")
                link.close()

    def close(self):
        os.close(self.descriptor)
        self.holder.kill()
        self.holder.wait()


CONNECT = """
import socket, sys
for address in sys.argv[2:]:
    for device in (None, b'tap0'):
        s = socket.socket()
        s.settimeout(5)
        try:
            if device: s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
            s.connect((address, int(sys.argv[1])))
            print(address, s.recv(9).decode())
        except OSError as error:
            print(address, 'no')
        s.close()
"""

SYSTEM_CALLS = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for name, number, *args in [('unshare', 272, 0x10000000), ('keyctl', 250, 0, 0), ('bpf', 321, 0, 0, 0),
    ('io_uring_setup', 425, 1, 0), ('userfaultfd', 323, 0), ('perf_event_open', 298, 0, 0, 0, 0, 0),
    ('init_module', 175, 0, 0, 0), ('kexec_load', 246, 0, 0, 0, 0), ('mount', 165, 0, 0, 0, 0, 0),
    ('setns', 308, 0, 0), ('clone3', 435, 0, 0), ('vsock', 41, 40, 1, 0), ('packet', 41, 17, 3, 0),
    ('tiocsti', 16, 0, 0x5412, 0), ('ptrace', 101, 16, 1, 0, 0), ('ptrace-high', 101, 16, 1 << 32 | 1, 0, 0),
    ('clone', 56, 0x10000000 | 17, 0, 0, 0, 0)]:
    ctypes.set_errno(0)
    result = libc.syscall(number, *map(ctypes.c_long, args))
    print(name, errno.errorcode.get(ctypes.get_errno(), 'ok') if result < 0 else 'ok', flush=True)
    if name == 'clone' and result == 0: import os; os._exit(0)
"""


@needs_sandboxes
class Isolation(SandboxdCase):
    @classmethod
    def setUpClass(cls):
        cls.near, cls.far = Network(), Network()
        cls.addClassCleanup(cls.near.close)
        cls.addClassCleanup(cls.far.close)
        cls.near.ip(f"link add cable type veth peer name cable netns {cls.far.holder.pid}")
        for address in ("10.44.0.1/24", "172.20.0.1/16", "192.168.7.1/24", "169.254.169.254/32", "192.0.2.77/32", "10.0.2.77/32",
                        "10.0.2.3/32"):
            cls.near.ip(f"address add {address} dev lo")
        cls.near.ip("address add 198.51.100.1/24 dev cable")
        cls.near.ip("link set cable up")
        cls.far.ip("address add 198.51.100.2/24 dev cable")
        cls.far.ip(f"address add {FAR}/32 dev lo")
        cls.far.ip("link set cable up")
        cls.near.ip("route add default via 198.51.100.2")
        for network in (cls.near, cls.far):
            cls.addClassCleanup(network.listen().close)
        limits = ("--memory", "512MiB", "--disk", "300MiB", "--processes", str(PROCESSES))
        cls.service = Sandboxd(*limits, network=cls.near.descriptor)
        cls.addClassCleanup(cls.service.close)
        cls.service.start()
        cls.one, cls.two = cls.service.create(timeout=3000), cls.service.create(timeout=3000)

    def both(self, command, user=None):
        return self.one.must(command, user), self.two.must(command, user)

    def test_processes_are_its_own(self):
        self.one.must("exec -a secret-of-one sleep 300 >/dev/null 2>&1 &")
        seen = self.two.must("cat /proc/[0-9]*/cmdline | tr '\\0' ' '", "root")
        self.assertNotIn("secret-of-one", seen)
        self.assertNotIn("sandboxd", seen)
        self.assertNotIn("unittest", seen)
        self.assertTrue(self.two.must("tr '\\0' ' ' < /proc/1/cmdline").startswith(FIRST))
        mine = [pid for pid in self.service.below() if "secret-of-one" in procs.command(pid)]
        self.assertEqual(len(mine), 1)
        killed = self.two.run(f"kill -9 {mine[0]}", "root")  # the number on the host means nothing inside
        self.assertNotEqual(killed.code, 0)
        self.assertTrue(procs.alive(mine[0]))

    def test_users_are_its_own(self):
        maps = [self.one.must("cat /proc/self/uid_map").split(), self.two.must("cat /proc/self/uid_map").split()]
        for inside, outside, size in maps:
            self.assertEqual((inside, size), ("0", "65536"))
            self.assertGreater(int(outside), 100_000)
        self.assertNotEqual(maps[0][1], maps[1][1])
        self.assertEqual(self.both("id -un; id -u; id -g"), ("user\n1000\n1000",) * 2)
        sleeper = self.one.must("sleep 301 >/dev/null 2>&1 & echo $!")
        self.assertTrue(sleeper)
        sleeping = lambda: [pid for pid in self.service.below() if procs.command(pid) == "sleep 301"]
        owner = until(sleeping, "it sleeps")
        self.assertEqual(os.stat(f"/proc/{owner[0]}").st_uid, int(maps[0][1]) + 1000)

    def test_sudo_works(self):
        self.assertEqual(self.both("sudo -n id -u"), ("0", "0"))
        self.one.must("sudo -n touch /etc/changed && sudo -n chown user /etc/changed")
        self.assertEqual(self.one.must("sudo -n -u user id -un"), "user")

    def test_roots_are_its_own(self):
        self.one.must("echo one > /workspace/mine; sudo rm -rf /usr/share/zoneinfo /opt; sudo touch /root/one")
        self.assertEqual(self.two.must("cat /workspace/mine 2>/dev/null; ls / | grep -c opt; sudo ls /root"), "1")
        self.assertEqual(self.both("stat -c %U /workspace /home/user"), ("user\nuser",) * 2)
        again = self.service.create()  # the template below is as it was
        self.addCleanup(again.kill)
        again.must("test -d /opt && test ! -e /etc/changed")

    def test_files_of_the_host_are_not_there(self):
        secret = os.path.join(self.service.work, "secret")
        with open(secret, "w", encoding="utf-8") as handle:
            handle.write("x")
        os.chmod(secret, 0o644)
        for path in (secret, self.service.data, os.path.abspath(__file__), f"/proc/1/root{secret}"):
            self.assertNotEqual(self.one.run(f"stat {path}", "root").code, 0, path)
        mounts = self.one.must("cat /proc/self/mountinfo", "root").splitlines()
        sources = {line.split(" - ")[1].split()[1] for line in mounts}
        self.assertFalse([source for source in sources if source.startswith("/")], mounts)
        self.assertNotIn(os.path.basename(self.service.work) + "/d/bin", "".join(mounts))
        devices = self.one.must("find /dev -type b -o -type c | sort", "root").split()
        allowed = {"full", "null", "ptmx", "random", "tty", "urandom", "zero", "console"}
        extra = {os.path.basename(d) for d in devices if not d.startswith("/dev/pts/")} - allowed
        self.assertEqual(extra, set())
        self.assertNotEqual(self.one.run("mknod /tmp/disk b 254 0", "root").code, 0)

    def test_root_inside_has_few_capabilities(self):
        bound = int(self.one.must("awk '/CapBnd/ {print $2}' /proc/self/status", "root"), 16)
        for name, bit in (("SYS_ADMIN", 21), ("NET_ADMIN", 12), ("SYS_PTRACE", 19), ("SYS_MODULE", 16),
                          ("NET_RAW", 13), ("MKNOD", 27), ("SYS_RESOURCE", 24), ("DAC_READ_SEARCH", 2)):
            self.assertFalse(bound >> bit & 1, name)
        for command in ("mount -t tmpfs none /mnt", "hostname other", "dmesg", "ip link add x type dummy",
                        "echo 1 > /proc/sys/kernel/panic", "echo b > /proc/sysrq-trigger", "unshare -Ur true"):
            self.assertNotEqual(self.one.run(command, "root").code, 0, command)

    def test_system_calls_into_the_kernels_depths_are_refused(self):
        self.one.write("/workspace/calls.py", SYSTEM_CALLS.encode())
        for user in ("user", "root"):
            lines = dict(line.split() for line in self.one.must("python3 /workspace/calls.py", user).splitlines())
            self.assertEqual(lines.pop("clone3"), "ENOSYS")
            self.assertEqual({lines.pop("vsock"), lines.pop("packet")}, {"EAFNOSUPPORT"})
            self.assertEqual(set(lines.values()), {"EPERM"}, lines)

    def test_what_the_runtime_hides(self):
        masked = "for f in /proc/kcore /proc/keys /proc/timer_list; do [ ! -e $f ] || stat -c %F $f; done"
        self.assertEqual(set(self.one.must(masked, "root").splitlines()), {"character special file"})
        self.assertEqual(self.one.must("ls /sys/firmware | wc -l", "root"), "0")
        mounts = dict(line.split()[1:4:2] for line in self.one.must("cat /proc/mounts").splitlines())
        for path in ("/sys", "/proc/sys", "/proc/irq"):
            self.assertEqual(mounts.get(path, "none").split(",")[0], "ro", path)
        self.assertNotEqual(self.one.run("echo 1 > /proc/sys/net/ipv4/ip_forward", "root").code, 0)
        self.assertNotIn("agentpool", self.one.must("cat /proc/self/cgroup"))

    def test_processors_are_limited(self):
        limits = {"cpu.cfs_quota_us": "200000", "cpu.max": "200000 100000"}
        files = [pathlib.Path(folder, name) for folder in cgroups(self.one.id) for name in limits]
        found = {file.name: file.read_text(encoding="utf-8").strip() for file in files if file.exists()}
        self.assertTrue(found)
        self.assertLessEqual(found.items(), limits.items())

    def test_the_disk_has_an_end(self):
        before = os.statvfs(self.service.work).f_bavail
        size = int(self.one.must("df -m --output=size / | tail -1"))
        self.assertTrue(200 <= size <= 310, size)
        filled = self.one.run("head -c 1G /dev/zero > /workspace/big; rm -f /workspace/other; echo x > /workspace/other; sync")
        self.assertIn(b"No space left", filled.err, filled)
        answer = self.one.write("/workspace/upload", b"x" * 5_000_000)
        self.assertEqual(answer.status, 507, answer)
        self.two.must("head -c 50M /dev/zero > /workspace/fits && sync")
        self.assertLess((before - os.statvfs(self.service.work).f_bavail) * 4096, 900 * 2**20)
        self.one.must("rm -f /workspace/big /workspace/upload && echo again > /workspace/a")

    def test_memory_has_an_end(self):
        box = self.service.create(timeout=3000)
        self.addCleanup(box.kill)
        used = box.run("python3 -c \"x=b'x'*(3<<30); print(len(x))\"")
        self.assertNotEqual(used.code, 0, used)
        self.assertEqual(box.must("echo alive"), "alive")

    def bombed(self, **how):
        """A sandbox in which a fork bomb has taken all that commands get: (sandbox, pid, stream)."""
        box = self.service.create(timeout=3000)
        self.addCleanup(box.kill)
        link, response = box.start(f"echo up; {BOMB}; sleep 60", **how)
        self.addCleanup(link.close)
        pid = next(envelopes(response))[1]["event"]["start"]["pid"]
        until(lambda: self.processes_of(box) >= COMMANDS, "the bomb has gone off")
        return box, pid, response

    def assertCalm(self, box):
        """All processes of the bomb are free again."""
        until(lambda: self.processes_of(box) < 20, "the bomb is gone")
        self.assertEqual(box.must("echo calm"), "calm")

    def test_a_fork_bomb_stays_inside(self):
        box, _, _ = self.bombed()
        self.assertLess(self.processes_of(box), PROCESSES)
        for user in (None, "root"):
            refused = until(lambda u=user: (done := box.run("echo x", u)).error and done, "a command is refused")
            self.assertEqual(refused.error, {"code": "resource_exhausted", "message":
                f"no process can be started in the sandbox: all {COMMANDS} of its processes are in use"})
        own = box.run("echo $(echo kept)", "root", tag="agentpool:own")
        self.assertEqual((own.text, own.code), ("kept", 0))
        self.assertEqual(self.two.must("echo calm"), "calm")
        self.assertEqual(box.kill().status, 204)
        self.assertEqual(self.processes_of(box), 0)

    def test_what_is_kept_back_is_bounded_too(self):
        box, _, _ = self.bombed()
        box.run(f"setsid python3 -c '{HOARD}' >/dev/null 2>&1 &", "root", tag="agentpool:own")
        refused = until(lambda: box.run("echo x", tag="agentpool:own").error, "nothing is kept back any more")
        self.assertEqual(refused["code"], "resource_exhausted")
        self.assertLessEqual(self.processes_of(box), PROCESSES)
        self.assertEqual(self.two.must("echo calm"), "calm")

    def test_a_killed_fork_bomb_gives_its_processes_back(self):
        for user in (None, "root"):
            box, pid, _ = self.bombed(user=user)
            self.assertEqual(box.signal(pid).status, 200)
            self.assertCalm(box)

    def test_a_fork_bomb_ends_at_its_deadline(self):
        box, _, response = self.bombed(timeout_ms=8_000)
        *_, (flags, last) = envelopes(response)
        self.assertEqual((flags, last["error"]["code"]), (2, "deadline_exceeded"))
        self.assertCalm(box)

    def test_each_user_is_limited_too(self):
        self.assertEqual(self.both("ulimit -u; ulimit -Hu"), (f"{COMMANDS}\n{COMMANDS}",) * 2)
        self.assertEqual(self.one.must("sudo -n bash -c 'ulimit -Hu'"), str(COMMANDS))

    @staticmethod
    def processes_of(box):
        for folder in cgroups(box.id):
            with contextlib.suppress(OSError), open(f"{folder}/pids.current", encoding="utf-8") as count:
                return int(count.read())
        return 0

    def test_the_network_is_its_own(self):
        self.one.must("nohup python3 -m http.server 8080 >/dev/null 2>&1 &")
        until(lambda: self.one.call("GET", "/", port=8080).status == 200, "the server of one")
        self.assertEqual(self.two.call("GET", "/", port=8080).status, 502)
        self.assertEqual(self.both("ls /sys/class/net | tr '\\n' ' '"), ("lo tap0",) * 2)

    def reached(self, *addresses, box=None):
        box = box or self.one
        box.write("/workspace/connect.py", CONNECT.encode())
        for user in ("user", "root"):
            lines = box.must(f"python3 /workspace/connect.py {PORT} {' '.join(addresses)}", user).splitlines()
            yield user, {line for line in lines if line.endswith("hello")}, lines

    def test_the_way_out_works(self):
        for user, hello, lines in self.reached(FAR):
            self.assertIn(f"{FAR} hello", hello, (user, lines))

    def own_network(self):
        before = self.service.networks()
        box = self.service.create(timeout=3000)
        self.addCleanup(box.kill)
        mine = self.service.networks() - before
        self.assertEqual(len(mine), 1)
        return box, before, mine.pop()

    def test_a_network_process_that_dies_is_started_again(self):
        box, others, network = self.own_network()
        procs.kill(network)
        until(lambda: self.service.networks() - others - {network}, "another one was started")
        says_hello = lambda: all(f"{FAR} hello" in hello for _, hello, _ in self.reached(FAR, box=box))
        until(says_hello, "the way out works again")
        for user, hello, lines in self.reached(*HIDDEN, box=box):
            self.assertEqual(hello, set(), (user, lines))
        self.assertIn(f"sandbox {box.id}: its network process (slirp4netns) died", self.service.text())
        until(lambda: f"sandbox {box.id}: its network process runs again" in self.service.text(), "it is said")

    def test_a_network_process_that_does_not_live_is_given_up(self):
        box, others, _ = self.own_network()
        given_up = lambda: f"sandbox {box.id}: its network process did not live" in self.service.text()

        def end_it():
            for pid in self.service.networks() - others:
                procs.kill(pid)
            return given_up()

        until(end_it, "it is given up")
        self.assertEqual(self.service.networks() - others, set())
        self.assertEqual(box.must("echo alive; ls /sys/class/net"), "alive\nlo")
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        self.assertEqual(box.connect().status, 201)
        self.assertIn("tap0", box.must("ls /sys/class/net"))

    def test_the_host_cannot_be_reached(self):
        with in_network(self.near.descriptor):
            for address in HIDDEN:  # they are there
                self.assertEqual(socket.create_connection((address, PORT), 5).recv(9), b"hello", address)
        aliases = ("198.18.255.2", "198.18.255.3", "198.18.255.1", "0.0.0.0")
        for user, hello, lines in self.reached(*HIDDEN, NEIGHBOUR, *aliases):
            self.assertEqual(hello, set(), (user, lines))

    def test_a_sandbox_without_internet_reaches_nothing(self):
        box = self.service.create(allow_internet_access=False, timeout=3000)
        self.addCleanup(box.kill)
        box.write("/workspace/connect.py", CONNECT.encode())
        said = box.must(f"python3 /workspace/connect.py {PORT} {FAR} {' '.join(HIDDEN)}")
        self.assertNotIn("hello", said)
        self.assertEqual(box.must("ls /sys/class/net"), "lo")


@needs_sandboxes
class NoNetwork(SandboxdCase):
    options = ("--network", "none")

    def test_a_service_without_network_gives_none(self):
        box = self.sandbox()
        self.assertEqual(box.must("ls /sys/class/net"), "lo")
        self.assertEqual(box.call("GET", "/health").status, 204)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The real sandboxd as a child of the test, and a client that speaks its wire with nothing but http.client."""

import base64
import contextlib
import ctypes
import glob
import http.client
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import unittest
from urllib.parse import quote, urlsplit

from tests.e2e import procs, settings
from tests.e2e.client import Answer
from tests.e2e.wait import DEADLINE, until

TEMPLATES = os.environ.get("AGENTPOOL_TEMPLATES", "/opt/agentpool/templates")
# Another one shows that the tests see each line of it.
CONF = os.environ.get("AGENTPOOL_SANDBOX_CONF", os.path.join(settings.REPO, "conf", "sandbox"))
CLONE_NEWNET = 0x40000000
FIRST = "/dev/envd"  # how the first process of every sandbox is called

def why_none():
    """Why this machine cannot isolate sandboxes, in sandboxd's own words; what was not built is no reason."""
    if os.geteuid() != 0:
        return "only root can isolate sandboxes"
    if not all(map(os.path.exists, (program(), envd(), os.path.join(TEMPLATES, "base", "rootfs")))):
        return None
    with tempfile.TemporaryDirectory(prefix="ap-check-") as folder:
        asked = [program(), "--check", "--data", folder, "--conf", CONF, "--envd", envd(), "--templates", TEMPLATES]
        done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE)
    return done.stderr.strip() if done.returncode == 3 else None


def needs_sandboxes(case):
    reason = why_none()
    return unittest.skip(reason)(case) if reason else case


def first_existing(*paths):
    return next((path for path in paths if os.path.exists(path)), paths[0])


def program():
    return os.path.join(settings.BUILD, "sandboxd", "sandboxd")


def envd():
    """The static one: an instrumented envd needs libraries that no sandbox has."""
    release = os.path.join(settings.REPO, "build", "release", "sandboxd", "envd", "envd")
    built = os.path.join(settings.BUILD, "sandboxd", "envd", "envd")
    return os.environ.get("AGENTPOOL_ENVD") or first_existing(release, built)


@contextlib.contextmanager
def in_network(descriptor):
    """Sockets made inside live in this network namespace; None: no change."""
    if descriptor is None:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        yield
    finally:
        libc.setns(own, CLONE_NEWNET)
        os.close(own)


class Result:
    """How a command ended."""

    def __init__(self):
        self.pid, self.code, self.error = 0, None, None
        self.out = self.err = b""

    @property
    def text(self):
        return self.out.decode("utf-8", "replace").strip()

    def __repr__(self):
        return f"<exit {self.code} {self.error} {self.out[-2000:]!r} {self.err[-2000:]!r}>"


def envelopes(response):
    """(flags, message) of a Connect stream until its end."""
    while True:
        head = response.read(5)
        if not head:
            return
        flags, size = struct.unpack(">BI", head)
        yield flags, json.loads(response.read(size))


class Sandbox:
    def __init__(self, service, made):
        self.service, self.made = service, made
        self.id, self.token = made["sandboxID"], made.get("envdAccessToken")

    def headers(self, user=None, port=49983):
        lines = {"E2b-Sandbox-Id": self.id, "E2b-Sandbox-Port": str(port)}
        if self.token:
            lines["X-Access-Token"] = self.token
        if user:
            lines["Authorization"] = "Basic " + base64.b64encode(f"{user}:".encode()).decode()
        return lines

    def start(self, command, user=None, timeout_ms=60_000, envs=None, timeout=DEADLINE * 4, tag=None):
        """The open stream of a bash command: (connection, response)."""
        more = {} if tag is None else {"tag": tag}
        process = {"cmd": "/bin/bash", "args": ["-l", "-c", command], "envs": envs or {}}
        body = json.dumps({"process": process, "stdin": False, **more}).encode()
        lines = {
            **self.headers(user),
            "Content-Type": "application/connect+json",
            "Connect-Protocol-Version": "1",
            "Connect-Timeout-Ms": str(timeout_ms),
        }
        link = self.service.link(timeout)
        link.request("POST", "/process.Process/Start", struct.pack(">BI", 0, len(body)) + body, lines)
        return link, link.getresponse()

    def run(self, command, user=None, timeout_ms=60_000, envs=None, tag=None):
        """Runs a bash command as `user` to its end."""
        link, response = self.start(command, user, timeout_ms, envs, tag=tag)
        result = Result()
        try:
            if response.status != 200:
                raise AssertionError(f"Start answered {Answer(response)}")
            for flags, message in envelopes(response):
                if flags & 2:
                    result.error = message.get("error")
                    break
                event = message.get("event", {})
                result.pid = event.get("start", {}).get("pid", result.pid)
                data = event.get("data", {})
                result.out += base64.b64decode(data.get("stdout", ""))
                result.err += base64.b64decode(data.get("stderr", ""))
                if "end" in event:
                    result.code = event["end"].get("exitCode", 0)
        finally:
            link.close()
        return result

    def must(self, command, user=None):
        """The output of a command that must succeed."""
        result = self.run(command, user)
        if result.code != 0:
            raise AssertionError(f"{command!r} ended with {result}")
        return result.text

    def call(self, method, path, body=None, headers=None, port=49983):
        return self.service.call(method, path, body, {**self.headers(port=port), **(headers or {})}, key=None)

    def write(self, path, data):
        return self.call(
            "POST", "/files?path=" + quote(path), data, {"Content-Type": "application/octet-stream"}
        )

    def read(self, path):
        return self.call("GET", "/files?path=" + quote(path))

    def signal(self, pid, name="SIGNAL_SIGKILL"):
        body = {"process": {"pid": pid}, "signal": name}
        return self.call("POST", "/process.Process/SendSignal", body, {"Content-Type": "application/json"})

    def detail(self):
        return self.service.call("GET", f"/sandboxes/{self.id}")

    def connect(self, timeout=300):
        return self.service.call("POST", f"/v2/sandboxes/{self.id}/connect", {"timeout": timeout})

    def kill(self):
        return self.service.call("DELETE", f"/sandboxes/{self.id}")


class Sandboxd:
    """sandboxd with a folder and an API key of its own; each start() after the first has the same port. `network` is
    a namespace (open descriptor) to run it in."""

    def __init__(self, *options, network=None, templates=TEMPLATES):
        self.work = tempfile.mkdtemp(prefix="sandboxd-")
        os.chmod(self.work, 0o711)
        self.data = os.path.join(self.work, "d")
        self.key_file = os.path.join(self.data, "api-key")
        self.options, self.network, self.templates = options, network, templates
        self.child, self.url, self.port, self.starts = None, None, 0, 0
        self.descendants = []

    def argv(self, *extra):
        return [
            program(),
            *("--data", self.data, "--port", str(self.port), "--templates", self.templates, "--envd", envd()),
            *("--conf", CONF, *self.options, *extra),
        ]

    def start(self):
        for path in (program(), os.path.join(self.templates, "base", "rootfs")):
            if not os.path.exists(path):
                raise AssertionError(f"there is no {path}: build sandboxd and run scripts/build-template first")
        self.starts += 1
        self.log = os.path.join(self.work, f"log-{self.starts}")
        enter = [] if self.network is None else ["nsenter", f"--net=/proc/self/fd/{self.network}"]
        keep = [] if self.network is None else [self.network]
        with open(self.log, "wb") as log:
            self.child = subprocess.Popen(
                [*enter, *self.argv()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                pass_fds=keep,
                text=True,
            )
        line = self.child.stdout.readline()
        if not line.startswith("ready "):
            raise AssertionError(f"sandboxd said {line!r} and:\n{self.text()}")
        self.url = line.split()[1]
        self.port = urlsplit(self.url).port
        with open(self.key_file, encoding="utf-8") as key:
            self.key = key.read().strip()
        return self

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    @property
    def pid(self):
        return self.child.pid

    def networks(self):
        """The network processes of its sandboxes."""
        return {pid for pid in self.below() if procs.command(pid).startswith("slirp4netns")}

    def first_of(self, box):
        """The first process of a sandbox."""
        return next(pid for pid in self.below() if procs.command(pid).startswith(FIRST)
                    and box.id in procs.read(pid, "environ").decode())

    def below(self):
        """All living processes of this service, sandboxes included."""
        return procs.descendants(self.pid)

    def processes(self):
        """What lives of the processes that it had when it was killed: envd, networks, commands of sandboxes."""
        return {pid: procs.command(pid) for pid in self.descendants if procs.alive(pid)}

    def mounts(self):
        """Mounts below its folder that the test's own namespace sees."""
        return mounts_below(self.work)

    def list(self):
        """The ids of all sandboxes, sorted."""
        answer = self.call("GET", "/sandboxes")
        if answer.status != 200:
            raise AssertionError(f"list answered {answer}\n{self.text()}")
        return sorted(one["sandboxID"] for one in answer.json)

    def link(self, timeout=DEADLINE * 4):
        address = urlsplit(self.url)
        link = http.client.HTTPConnection(address.hostname, address.port, timeout=timeout)
        with in_network(self.network):
            link.connect()
        return link

    def call(self, method, path, body=None, headers=None, key=...):
        """One request. `body` may be bytes (sent as they are) or anything JSON; `key=None` sends no key."""
        lines = dict(headers or {})
        if key is not None:
            lines["X-API-Key"] = self.key if key is ... else key
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        link = self.link()
        try:
            link.request(method, path, data, lines)
            return Answer(link.getresponse())
        finally:
            link.close()

    def create(self, **fields):
        answer = self.call("POST", "/v2/sandboxes", {"templateID": "base", **fields})
        if answer.status != 201:
            raise AssertionError(f"create answered {answer}\n{self.text()}")
        return Sandbox(self, answer.json)

    def rss_mib(self):
        """Resident memory of the service's own processes, without its sandboxes."""
        total = 0
        for pid in [self.pid, *self.below()]:
            if procs.command(pid).startswith(program()):
                total += int(procs.read(pid, "statm").split()[1]) * 4096
        return total / 2**20

    def kill(self):
        """kill -9, reaped."""
        self.descendants = self.below()
        self.child.kill()
        self.child.wait(DEADLINE)
        self.child.stdout.close()

    def stop(self):
        """SIGTERM; the exit status."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        return self.child.wait(DEADLINE * 2)

    def close(self):
        """Ends it and removes its folder; for cleanup, checks nothing."""
        if self.child and self.child.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
            until(lambda: not self.mounts(), "its mounts are gone")
        if self.child:
            self.child.stdout.close()
        shutil.rmtree(self.work, ignore_errors=True)


def mounts_below(folder):
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        return [line for line in mounts if folder in line]


def loops_below(folder):
    """Loop devices whose file lies in the folder."""
    found = []
    for name in os.listdir("/sys/block"):
        try:
            with open(f"/sys/block/{name}/loop/backing_file", encoding="utf-8") as backing:
                if folder in backing.read():
                    found.append(name)
        except OSError:
            pass
    return found


def namespaces(kind="net"):
    """Namespaces of this kind that some process lives in."""
    found = set()
    for pid in procs.pids():
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
    return found


def cgroups(sandbox):
    """The control groups of a sandbox, one for each hierarchy."""
    return [found for above in ("/*", "") for found in glob.glob(f"/sys/fs/cgroup{above}/agentpool/*/{sandbox}")]


class SandboxdCase(unittest.TestCase):
    """One sandboxd per class; after its last test it must end with 0 and leave nothing behind."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.service = Sandboxd(*cls.options)
        cls.addClassCleanup(cls.service.close)
        cls.service.start()

    @classmethod
    def tearDownClass(cls):
        processes = cls.service.below()
        code = cls.service.stop()
        until(lambda: not any(procs.alive(pid) for pid in processes), "its processes are gone")
        until(lambda: not loops_below(cls.service.work), "its loop devices are gone")
        if code != 0:
            raise AssertionError(f"sandboxd ended with {code}:\n{cls.service.text()}")

    def sandbox(self, **fields):
        made = self.service.create(**fields)
        self.addCleanup(made.kill)
        return made

    def own_service(self, *options, **more):
        service = Sandboxd(*options, **more)
        self.addCleanup(service.close)
        return service.start()

    def assertError(self, answer, status):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.json["code"], status, answer)
        self.assertTrue(answer.json["message"], answer)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

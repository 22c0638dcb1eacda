# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What answers envd's calls: our envd as a plain process, ours in a sandbox behind sandboxd, and another envd that
AGENTPOOL_REFERENCE_ENVD starts. All get the same requests, in turns."""

import contextlib
import dataclasses
import http.client
import json
import os
import shlex
import socket
import struct
import subprocess
import tempfile
import time

from benchlib.tools.stack import provider
from tests.e2e import settings
from tests.e2e.sandboxd import free_port
from tests.e2e.wait import DEADLINE

OURS, INSIDE, REFERENCE = "envd", "in a sandbox", "reference"
STREAM = {"Content-Type": "application/connect+json", "Connect-Protocol-Version": "1"}
UNARY = {"Content-Type": "application/json", "Connect-Protocol-Version": "1"}


def envelope(message):
    data = json.dumps(message).encode()
    return struct.pack(">BI", 0, len(data)) + data


@dataclasses.dataclass
class Peer:
    name: str
    port: int
    home: str  # a folder to work in, as the peer sees it
    headers: dict = dataclasses.field(default_factory=dict)
    pid: int = 0  # 0: it has none of its own here

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def link(self):
        one = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE * 5)
        one.connect()
        one.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return one

    def call(self, link, method, path, body=None, headers=None):
        """The body of the answer, which must be a success."""
        link.request(method, path, body, {**self.headers, **(headers or {})})
        answer = link.getresponse()
        data = answer.read()
        if answer.status // 100 != 2:
            raise RuntimeError(f"{self.name}: {method} {path} -> {answer.status} {data[:300]!r}")
        return data

    def write(self, path, data):
        self.call(self.link(), "POST", "/files?path=" + path, data, {"Content-Type": "application/octet-stream"})


@contextlib.contextmanager
def plain(name, command):
    """A peer as a child in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="ap-wire-") as home:
        port = free_port()
        argv = [word.replace("{port}", str(port)) for word in command]
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            one = Peer(name, port, home, pid=child.pid)
            await_health(one, child)
            yield one
        finally:
            child.terminate()
            child.wait(DEADLINE)


def await_health(one, child):
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            return one.call(one.link(), "GET", "/health")
        except OSError:
            if child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{one.name} does not serve") from None
            time.sleep(0.05)  # nothing tells when it does


@contextlib.contextmanager
def peers(inside=True):
    """All there are."""
    with contextlib.ExitStack() as stack:
        ours = os.path.join(settings.BUILD, "sandboxd", "envd", "envd")
        found = [stack.enter_context(plain(OURS, [ours, "--listen", "127.0.0.1", "--port", "{port}"]))]
        if wanted := os.environ.get("AGENTPOOL_REFERENCE_ENVD"):
            found.append(stack.enter_context(plain(REFERENCE, shlex.split(wanted))))
        if inside:
            service = stack.enter_context(provider())
            box = service.create(timeout=3600)
            stack.callback(box.kill)
            found.append(Peer(INSIDE, service.port, "/home/user", box.headers("user")))
        yield found

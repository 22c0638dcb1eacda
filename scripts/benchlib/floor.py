# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the machine itself costs, measured between the daemon's figures: one durable write, and the scripted
agent without a daemon."""

import json
import os
import subprocess
import tempfile
import time

from tests.e2e import settings


class Disk:
    """A file for durable writes of one page."""

    def __init__(self, folder):
        self.handle = os.open(os.path.join(folder, "floor"), os.O_RDWR | os.O_CREAT, 0o600)
        self.page = os.urandom(4096)

    def write(self):
        """Seconds of one append and fdatasync."""
        start = time.monotonic()
        os.write(self.handle, self.page)
        os.fdatasync(self.handle)
        return time.monotonic() - start

    def close(self):
        os.close(self.handle)


class Agent:
    """The fault agent over pipes, with one session."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="ap-floor-")
        program = os.path.join(settings.REPO, "tests", "support", "fault_agent.py")
        self.child = subprocess.Popen(
            ["/usr/bin/python3", "-S", "-E", program, "--home", self.home.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.calls = 0
        self.call("initialize", {"protocolVersion": 1})
        self.session = self.call("session/new", {"cwd": "/workspace", "mcpServers": []})["sessionId"]

    def call(self, method, params):
        self.calls += 1
        message = {"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()
        while True:
            line = self.child.stdout.readline()
            if not line:
                raise RuntimeError("the scripted agent ended")
            answer = json.loads(line)
            if answer.get("id") == self.calls:
                return answer["result"]

    def turn(self, text):
        """Seconds of one prompt."""
        start = time.monotonic()
        block = {"type": "text", "text": text}
        self.call("session/prompt", {"sessionId": self.session, "prompt": [block]})
        return time.monotonic() - start

    def close(self):
        self.child.stdin.close()
        self.child.wait(10)
        self.child.stdout.close()
        self.home.cleanup()

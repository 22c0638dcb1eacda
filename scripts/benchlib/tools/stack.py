# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""sandboxd and a daemon that lends hands from it, and the three ways to a command: a turn, the world, envd."""

import base64
import contextlib
import http.client
import json
import os
import struct
import time
from urllib.parse import urlsplit

from benchlib import rig
from tests.e2e import settings
from tests.e2e.sandboxd import Sandboxd, envelopes

TURN_LIMIT = 300


@contextlib.contextmanager
def provider(*options):
    """A sandboxd of its own, with no sandbox left at the end."""
    one = Sandboxd(*options)
    try:
        yield one.start()
        if one.stop() != 0:
            raise RuntimeError(f"sandboxd ended badly: {one.text()[-500:]}")
    finally:
        one.close()


@contextlib.contextmanager
def stack(model=False):
    """(provider, daemon): scripted agents, or with `model` the real dsh and the demo model."""
    with provider() as service:
        hands = {
            "provider": "e2b",
            "url": service.url,
            "api_key_file": service.key_file,
            "template": "base",
        }
        config = settings.merged(rig.STAYS_IN_MEMORY, {"hands": hands})
        keys = None if model else {"world": True}
        with rig.daemon(config, agents={} if model else None, model=model, agent_keys=keys) as one:
            yield service, one


class Worker:
    """A scripted agent whose turns are requests on its world socket."""

    def __init__(self, one):
        self.talk = rig.Conversation(one)

    def call(self, path, body, framed=None):
        """What tests/support/fault_world.py says of one request, with `seconds`."""
        wanted = {"path": "/world/v1/" + path, "body": body}
        if framed is not None:
            wanted["framed"] = framed
        answer = json.loads(self.talk.turn("@world " + json.dumps(wanted))["text"])
        if answer["status"] != 200:
            raise RuntimeError(f"{path} -> {answer['status']}: {answer['text']}")
        return {**answer, "seconds": answer["ns"] / 1e9}

    def spawn(self, argv, limit=1_000_000):
        """A command to its exit; seconds until the exit event."""
        collect = {"mode": "collect", "max_bytes": limit}
        body = {"argv": argv, "cwd": "/workspace", "env": {}, "grace_ms": 5000, "stdin": "none", "seam": "bash"}
        answer = self.call("process/spawn", {**body, "stdout": collect, "stderr": collect})
        if '"exit_code":0' not in answer["text"]:
            raise RuntimeError(f"{argv} did not end with 0: {answer['text']}")
        return answer["exit_ns"] / 1e9

    def close(self):
        self.talk.close()


class Hand:
    """envd of a sandbox on one kept-alive connection, as plainly as Python can."""

    def __init__(self, service, sandbox):
        """`sandbox`: id and envd's token."""
        self.id, token = sandbox
        address = urlsplit(service.url)
        self.link = http.client.HTTPConnection(address.hostname, address.port, timeout=TURN_LIMIT)
        self.headers = {"E2b-Sandbox-Id": self.id, "E2b-Sandbox-Port": "49983", "X-Access-Token": token}

    @classmethod
    def lent_by(cls, service):
        """The only sandbox that the daemon has made."""
        (listed,) = service.call("GET", "/sandboxes").json
        detail = service.call("GET", "/sandboxes/" + listed["sandboxID"]).json
        return cls(service, (detail["sandboxID"], detail["envdAccessToken"]))

    def unary(self, method, message):
        lines = {**self.headers, "Content-Type": "application/json", "Connect-Protocol-Version": "1"}
        self.link.request("POST", method, json.dumps(message), lines)
        return json.loads(self.link.getresponse().read())

    def run(self, process, user="user"):
        """(seconds to the end event, bytes of output) of one Start."""
        data = json.dumps({"process": process, "stdin": False}).encode()
        basic = base64.b64encode(f"{user}:".encode()).decode()
        lines = {
            **self.headers,
            "Content-Type": "application/connect+json",
            "Connect-Protocol-Version": "1",
            "Authorization": "Basic " + basic,
        }
        start = time.monotonic()
        self.link.request("POST", "/process.Process/Start", struct.pack(">BI", 0, len(data)) + data, lines)
        response = self.link.getresponse()
        took, size, code = None, 0, None
        for flags, message in envelopes(response):
            event = message.get("event", {})
            size += len(event.get("data", {}).get("stdout", "")) * 3 // 4
            if "end" in event:
                took, code = time.monotonic() - start, event["end"].get("exitCode", 0)
            if flags & 2:
                break
        response.read()
        if code != 0:
            raise RuntimeError(f"{process} ended with {code}")
        return took, size

    def close(self):
        self.link.close()

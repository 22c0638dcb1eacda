# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Directives of a fault agent that uses its world socket as a brain's plugin does."""

import http.client
import json
import os
import socket
import time

from fault_directives import directive


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("agentpool", timeout=300)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class World:
    """One kept connection to the world socket of this worker."""

    def __init__(self):
        self.link = UnixConnection(os.environ["AGENTPOOL_WORLD_SOCKET"])
        token = os.environ["AGENTPOOL_WORLD_TOKEN"]
        answer = self.send("/world/v1/exchange", json.dumps({"token": token}).encode(), {})
        self.credential = json.loads(answer.read())["credential"]

    def send(self, path, body, headers):
        self.link.request("POST", path, body, {"Content-Type": "application/json", **headers})
        return self.link.getresponse()

    def call(self, session, path, body, framed=None):
        """{status, ns, exit_ns, bytes, text}: nanoseconds from the request to the last byte of the answer, and
        to the line that has the event `exit` when there is one; the first bytes as text."""
        headers = {"Authorization": "Bearer " + self.credential, "X-Agentpool-Session": session}
        data = json.dumps(body).encode()
        if framed is not None:
            data += b"\n" + framed.encode()
            headers["Content-Type"] = "application/vnd.agentpool.framed"
        start = time.monotonic_ns()
        answer = self.send(path, data, headers)
        seen, size, exit_ns, tail = b"", 0, None, b""
        while piece := answer.read1(1 << 18):
            size += len(piece)
            seen += piece[: max(0, 2000 - len(seen))]
            tail = (tail + piece)[-400:]
            if exit_ns is None and b'"event":"exit"' in tail:
                exit_ns = time.monotonic_ns() - start
        took = time.monotonic_ns() - start
        answer.read()  # read1 leaves an answer of known length open
        text = (seen if size <= 2000 else seen[:1000] + tail).decode("utf-8", "replace")
        return {"status": answer.status, "ns": took, "exit_ns": exit_ns, "bytes": size, "text": text}


@directive("world")
def world(turn, argument):
    """JSON: {path, body, framed?}: one request on the world socket; says what World.call returns, as JSON."""
    agent = turn.agent
    if not hasattr(agent, "world"):
        agent.world = World()
    wanted = json.loads(argument)
    answer = agent.world.call(turn.session.id, wanted["path"], wanted["body"], wanted.get("framed"))
    turn.message(json.dumps(answer))
    yield from ()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A byte relay in front of sandboxd that notes the requests which pass, and when each was answered. It changes nothing,
but when it is told to it holds requests up, or cuts one connection off."""

import re
import socket
import threading
import time
from urllib.parse import urlsplit

from tests.e2e.wait import pause

REQUEST = re.compile(rb"(GET|POST|PUT|DELETE|PATCH|HEAD) (/[^ ]*) HTTP/1\.1\r\n")
OVERLAP = 8192  # a request line that is cut by two reads
CONNECTIONS = 8  # of the daemon to one sandbox, beside those of streams
ENVD = re.compile(r"/(process\.Process|filesystem\.Filesystem)/|/files$")


class Passed:
    """One request. It is answered with the first byte that comes back: what an asker knows then it may ask on."""

    def __init__(self, method, path):
        self.method, self.path = method, path
        self.sent, self.answered = time.monotonic(), None

    @property
    def end(self):
        return self.answered or float("inf")

    def __repr__(self):
        return f"{self.method} {self.path}"


def chain(passed):
    """The longest chain of requests of which each was sent when the one before was answered."""
    count, free = 0, float("-inf")
    for one in sorted(passed, key=lambda one: one.end):
        if one.sent >= free:
            count, free = count + 1, one.end
    return count


def rounds(passed):
    """Round trips on the critical path. Of what was asked together on more than the connections that there are,
    ⌈n/k⌉: the rest only waited for a connection. Exact when requests are held up longer than the asker needs to send
    all of a wave."""
    count, together, until = 0, [], float("-inf")
    for one in [*sorted(passed, key=lambda one: one.sent), None]:
        if together and (one is None or one.sent >= until):
            waves = -(-len(together) // CONNECTIONS)
            count += waves if waves > 1 else chain(together)
            together = []
        if one is not None:
            together.append(one)
            until = max(until, one.end)
    return count


class EnvdTap:
    def __init__(self, url):
        target = urlsplit(url)
        self.target = (target.hostname, target.port)
        self.seen, self.lock = [], threading.Lock()
        self.passed = []
        self.delay = 0  # seconds that each request is held up
        self.cut = None  # the path of a request: the next one to it is not passed on, its connection ends
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            waiting = []  # the requests of this connection that were not answered
            for way in ((client, server, True, waiting), (server, client, False, waiting)):
                threading.Thread(target=self.relay, args=way, daemon=True).start()

    def relay(self, source, sink, requests, waiting):
        held = b""
        try:
            while data := source.recv(65536):
                if requests:
                    before = len(self.seen)
                    held = self.note(held + data, waiting)
                    if self.cut and self.cut in self.seen[before:]:
                        self.cut = None
                        break
                    if self.delay and len(self.seen) > before:
                        pause(self.delay)
                else:
                    self.answer(waiting)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def answer(self, waiting):
        with self.lock:
            if waiting:
                waiting.pop(0).answered = time.monotonic()

    def note(self, data, waiting):
        """Notes the requests in `data`; what may be the start of another one is kept."""
        end = 0
        for match in REQUEST.finditer(data):
            with self.lock:
                path = match[2].decode("latin-1").partition("?")[0]
                self.seen.append(path)
                self.passed.append(Passed(match[1].decode(), path))
                waiting.append(self.passed[-1])
            end = match.end()
        return data[max(end, len(data) - OVERLAP) :]

    def calls(self):
        """The paths so far, in order."""
        with self.lock:
            return list(self.seen)

    def envd(self):
        """The requests to envd so far."""
        with self.lock:
            return [one for one in self.passed if ENVD.match(one.path)]

    def control(self):
        """The requests so far that make, wake or end sandboxes."""
        with self.lock:
            return [one for one in self.passed if one.method in ("POST", "DELETE") and one.path.startswith("/sandboxes")]

    def count(self, path):
        return self.calls().count(path)

    def forget(self):
        with self.lock:
            self.seen.clear()
            self.passed.clear()

    def close(self):
        self.listener.close()

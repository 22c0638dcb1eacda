# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes and time of the fault agent: unbuffered stdio and timers in one thread."""

import json
import os
import time


class Terminated(Exception):
    """SIGTERM came."""


class Loop:
    def __init__(self):
        self.timers = []
        self.writing = self.stopping = self.hung_up = False
        self.read_at = 0

    @staticmethod
    def encode(message):
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"

    def send(self, message):
        self.write(self.encode(message))

    def write(self, data):
        if self.hung_up:
            return
        self.writing = True
        try:
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            self.hung_up = True
        self.writing = False
        if self.stopping:
            raise Terminated

    def hang_up(self):
        self.hung_up = True
        os.close(1)

    def after(self, delay, action):
        self.timers.append((time.monotonic() + delay, action))

    def fire_timers(self):
        now = time.monotonic()
        due = sorted((t for t in self.timers if t[0] <= now), key=lambda t: t[0])
        for timer in due:
            self.timers.remove(timer)
            timer[1]()

    def wait_input(self, poller):
        """Bytes of stdin, b"" at its end, None when a timer came first."""
        if self.timers:
            left = max(0.0, min(t[0] for t in self.timers) - time.monotonic())
            if not poller.poll(left * 1000):
                return None
        data = os.read(0, 65536)
        self.read_at = time.monotonic_ns()
        return data

    def terminate(self, number, frame):
        self.stopping = True
        if not self.writing:
            raise Terminated

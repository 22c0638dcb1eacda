# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Many requests at once: a closed loop for given requests, and an open loop at a fixed rate."""

import collections
import select
import time

from benchlib.link import connect, decode

LIMIT = 120.0


class Slot:
    """A connection and the request that is on it."""

    def __init__(self, url):
        self.sock = connect(url)
        self.rest = b""
        self.since = 0.0

    def send(self, request, since):
        self.since = since
        self.sock.sendall(request)

    def receive(self):
        """(status, body) when the response is whole, else None."""
        data = self.sock.recv(65536)
        if not data:
            raise ConnectionError("the gateway closed a connection under load")
        self.rest += data
        answer = decode(self.rest)
        if answer is None:
            return None
        self.rest = answer[2]
        return answer[:2]


class Outcome:
    """Latencies in seconds, bodies, and how many answers had which status."""

    def __init__(self):
        self.latencies, self.bodies, self.statuses = [], [], collections.Counter()
        self.seconds = 0.0

    def add(self, latency, answer):
        self.latencies.append(latency)
        self.statuses[answer[0]] += 1
        self.bodies.append(answer[1])

    @property
    def rate(self):
        return len(self.latencies) / self.seconds

    def must(self, status):
        """Raises unless every answer had that status."""
        if set(self.statuses) - {status}:
            raise RuntimeError(f"statuses {dict(self.statuses)}, expected only {status}")
        return self


def closed(url, requests, connections):
    """Sends each request once: every connection sends its next one when it has its answer."""
    queue = collections.deque(requests)
    slots = {}
    poller = select.epoll()
    for _ in range(min(connections, len(queue))):
        slot = Slot(url)
        slots[slot.sock.fileno()] = slot
        poller.register(slot.sock, select.EPOLLIN)
    done = Outcome()
    wanted, start = len(queue), time.monotonic()
    try:
        for slot in slots.values():
            slot.send(queue.popleft(), time.monotonic())
        while len(done.latencies) < wanted:
            ready = poller.poll(LIMIT)
            if not ready:
                raise TimeoutError(f"no answer within {LIMIT:g} s")
            for number, _ in ready:
                slot = slots[number]
                answer = slot.receive()
                if answer:
                    done.add(time.monotonic() - slot.since, answer)
                    if queue:
                        slot.send(queue.popleft(), time.monotonic())
        done.seconds = time.monotonic() - start
    finally:
        poller.close()
        for slot in slots.values():
            slot.sock.close()
    return done


def paced(url, request, rate, seconds, connections):
    """An open loop: request number k is due at k / rate, whatever the answers do, and its latency counts from
    then, so that a stall is charged to all requests that it delays."""
    idle = collections.deque(Slot(url) for _ in range(connections))
    all_slots, busy = list(idle), {}
    done = Outcome()
    wanted = int(rate * seconds)
    start, sent = time.monotonic(), 0
    try:
        while len(done.latencies) < wanted:
            while sent < wanted and idle and start + sent / rate <= time.monotonic():
                slot = idle.popleft()
                slot.send(request, start + sent / rate)
                busy[slot.sock] = slot
                sent += 1
            due = start + sent / rate - time.monotonic() if sent < wanted and idle else LIMIT
            for sock in select.select(list(busy), [], [], max(due, 0))[0]:  # its time-out has microseconds
                answer = busy[sock].receive()
                if answer:
                    slot = busy.pop(sock)
                    done.add(time.monotonic() - slot.since, answer)
                    idle.append(slot)
        done.seconds = time.monotonic() - start
    finally:
        for slot in all_slots:
            slot.sock.close()
    return done

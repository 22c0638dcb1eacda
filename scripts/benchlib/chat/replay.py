# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""8,000 events through the event stream from 0 to caught_up."""

import time

from benchlib import rig
from benchlib.link import connect, encode
from benchlib.report import Row, at_most
from benchlib.stats import median, percentile

EVENTS = 8000
END = b"event: caught_up"


def replay(gateway, session):
    """(seconds, bytes) of one replay; the bytes are only read, so that the reader costs little."""
    path = f"/v1/sessions/{session}/events?after=0&live=0"
    request = encode(gateway["url"], gateway["device_token"], "GET", path)
    start = time.monotonic()
    seen, tail = [], b""
    with connect(gateway["url"]) as sock:
        sock.sendall(request)
        while END not in tail:
            data = sock.recv(1 << 18)
            if not data:
                raise ConnectionError("the stream ended before it had caught up")
            seen.append(data)
            tail = tail[-len(END) :] + data
        return time.monotonic() - start, b"".join(seen)


def rows(bench):
    with rig.daemon(rig.STAYS_IN_MEMORY) as one:
        talk = rig.Conversation(one)
        talk.turn(f"@tools {EVENTS // 2} 64")
        times, size = [], 0
        for _ in range(bench.count(20, 5)):
            seconds, data = replay(one.endpoints()["gateway"], talk.id)
            if data.count(b"\nid: ") < EVENTS:
                raise RuntimeError("the replay lacks events")
            times.append(seconds)
            size = len(data)
        talk.close()
    note = f"connect → caught_up, {size / 1024:.0f} KiB, page cache warm"
    yield Row("replay", f"{EVENTS} events, p50", median(times) * 1e3, "ms", at_most(50), len(times), note)
    yield Row("replay", f"{EVENTS} events, p95", percentile(times, 95) * 1e3, "ms", None, len(times))

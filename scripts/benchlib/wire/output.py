# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""16 MiB of a command's output, and what envd's memory does under all of it."""

import time

from benchlib import rig
from benchlib.report import Row, at_least, at_most
from benchlib.stats import median
from benchlib.wire.peer import OURS, STREAM, envelope, peers

ANCHOR_RATE = 174  # MB/s of another envd; the aim is three times it
ANCHOR_RSS = 36  # MiB at its peak; the aim is a third of it


def once(peer, size):
    """MB/s until the stream's end; the events are counted as bytes on the wire, not decoded."""
    link = peer.link()
    body = envelope({"process": {"cmd": "head", "args": ["-c", str(size), "/dev/zero"]}, "stdin": False})
    start = time.monotonic()
    link.request("POST", "/process.Process/Start", body, {**peer.headers, **STREAM})
    answer, came, room = link.getresponse(), 0, bytearray(1 << 18)
    while got := answer.readinto(room):
        came += got
    took = time.monotonic() - start
    if came < size * 4 // 3:
        raise RuntimeError(f"{peer.name}: {came} bytes came for {size}")
    return size / 1e6 / took


def rows(bench):
    size = bench.count(16, 2) << 20
    found, resident = {}, {}
    with peers() as all_peers:
        for _ in range(bench.count(10, 1)):
            for peer in all_peers:
                found.setdefault(peer.name, []).append(once(peer, size))
        for peer in all_peers:
            if peer.pid:
                resident[peer.name] = rig.rss_kib(peer.pid) / 1024
    for name, rates in found.items():
        target = at_least(3 * ANCHOR_RATE) if name == OURS else None
        yield Row("output", f"{size >> 20} MiB of output, {name}", median(rates), "MB/s", target, len(rates))
    for name, mib in resident.items():
        target = at_most(ANCHOR_RSS / 3) if name == OURS else None
        yield Row("output", f"resident after it, {name}", mib, "MiB", target)

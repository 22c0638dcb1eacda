# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""64 MiB up and down, one at a time and eight at once."""

import http.client
import os
import threading
import time

from benchlib.report import Row, at_least
from benchlib.stats import median
from benchlib.wire.peer import OURS, peers

MIB = 1 << 20
ANCHORS = {("down", 1): 1400, ("down", 8): 1208, ("up", 1): 686, ("up", 8): 900}  # MB/s of another envd


def up(peer, number, data):
    headers = {"Content-Type": "application/octet-stream"}
    peer.call(peer.link(), "POST", f"/files?path={peer.home}/large-{number}", data, headers)


def down(peer, number, data):
    link = peer.link()
    link.request("GET", f"/files?path={peer.home}/large-{number}", headers={**peer.headers, "Accept-Encoding": "identity"})
    answer, size, room = link.getresponse(), 0, bytearray(MIB)
    while got := answer.readinto(room):
        size += got
    if answer.status != http.client.OK or size != len(data):
        raise RuntimeError(f"{peer.name}: {size} bytes came of {len(data)}")


def at_once(job, peer, count, data):
    """MB/s of `count` transfers side by side."""
    failures = []

    def run(number):
        try:
            job(peer, number, data)
        except Exception as error:  # told below, with the others
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    start = time.monotonic()
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if failures:
        raise failures[0]
    return count * len(data) / 1e6 / (time.monotonic() - start)


def rows(bench):
    data = os.urandom(MIB) * bench.count(64, 4)
    found = {}
    with peers() as all_peers:
        for count in (1, 8):
            for _ in range(bench.count(5, 1)):
                for peer in all_peers:
                    for name, job in (("up", up), ("down", down)):
                        rate = at_once(job, peer, count, data)
                        found.setdefault((name, count, peer.name), []).append(rate)
    for (name, count, peer), rates in found.items():
        target = at_least(ANCHORS[name, count]) if peer == OURS else None
        note = "Python at the other end" if count == 1 else "Python's threads at the other end share one lock"
        what = f"{len(data) // MIB} MiB {name}, {count} at once, {peer}"
        yield Row("transfer", what, median(rates), "MB/s", target, len(rates), note)

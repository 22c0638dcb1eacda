# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Read, write and edit of a small file in the world; a large file through the files API, beside envd alone."""

import http.client
import os
import time
from urllib.parse import urlsplit

from benchlib.report import Row
from benchlib.stats import median
from benchlib.tools.stack import TURN_LIMIT, Hand, Worker, stack

SMALL = "/workspace/small.txt"
LARGE = "large.bin"
MIB = 1 << 20


def small(bench, worker):
    """{name: seconds} of each of read, write and edit."""
    found = {"write 4 KiB": [], "read 4 KiB": [], "edit 4 KiB": []}
    target = {"path": SMALL, "display": SMALL}
    for round_ in range(bench.count(100, 5)):
        text = f"line {round_}\n" + "x" * 4080
        found["write 4 KiB"].append(worker.call("fs/write", target, text)["seconds"])
        found["read 4 KiB"].append(worker.call("fs/read", {"path": SMALL})["seconds"])
        change = {**target, "old": f"line {round_}", "new": "line", "replace_all": False}
        found["edit 4 KiB"].append(worker.call("fs/edit", change)["seconds"])
    return found


def timed(url, method, path, headers, body=None):
    """Seconds of one exchange on a connection of its own, and the size of the answer."""
    address = urlsplit(url)
    link = http.client.HTTPConnection(address.hostname, address.port, timeout=TURN_LIMIT)
    start = time.monotonic()
    link.request(method, path, body, headers)
    answer = link.getresponse()
    size = 0
    while piece := answer.read(1 << 18):
        size += len(piece)
    took = time.monotonic() - start
    link.close()
    if answer.status // 100 != 2:
        raise RuntimeError(f"{method} {path} -> {answer.status}")
    return took, size


def large(bench, service, one, session):
    """{name: seconds} of 64 MiB up and down, through the API and to envd alone, in turns."""
    size = bench.count(64, 8) * MIB
    content = os.urandom(MIB) * (size // MIB)
    gateway = one.endpoints()["gateway"]
    hand = Hand.lent_by(service)
    ways = {
        "files API": (
            gateway["url"],
            f"/v1/sessions/{session}/files/content?path={LARGE}",
            "PUT",
            {"Authorization": "Bearer " + gateway["device_token"], "Content-Type": "application/octet-stream"},
        ),
        "envd alone": (
            service.url,
            "/files?path=/workspace/raw.bin&username=user",
            "POST",
            {**hand.headers, "Content-Type": "application/octet-stream"},
        ),
    }
    found = {}
    for _ in range(bench.count(5, 1)):
        for name, (url, path, method, headers) in ways.items():
            up, _ = timed(url, method, path, headers, content)
            down, came = timed(url, "GET", path, headers)
            if came != size:
                raise RuntimeError(f"{came} bytes came back of {size}")
            found.setdefault(f"{name}: up", []).append(size / MIB / up)
            found.setdefault(f"{name}: down", []).append(size / MIB / down)
    hand.close()
    return size, found


def rows(bench):
    with stack() as (service, one):
        worker = Worker(one)
        worker.spawn(["true"])
        for name, times in small(bench, worker).items():
            yield Row("files", f"world: {name}, p50", median(times) * 1e3, "ms", None, len(times))
        size, found = large(bench, service, one, worker.talk.id)
        for name, rates in found.items():
            what = f"{size // MIB} MiB, {name}"
            yield Row("files", what, median(rates), "MiB/s", None, len(rates))
        worker.close()

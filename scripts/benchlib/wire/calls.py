# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Small calls in a closed loop of one and of eight connections, every peer in turns."""

import contextlib
import json
import os
import tempfile

from benchlib import wrk
from benchlib.report import Row, at_most
from benchlib.stats import median
from benchlib.wire.peer import INSIDE, OURS, REFERENCE, STREAM, UNARY, envelope, peers

ENTRIES = 100
# What another envd took on a machine of this size, p50 in ms with one and with eight connections.
ANCHORS = {
    "Stat": (0.19, 0.37),
    "ListDir of 100": (3.22 / 3, 12.67 / 3),
    "read 1 KiB": (0.15, 0.36),
    "write 1 KiB": (0.34, 1.09),
    "Start /bin/true": (2.64, 10.93),
}


def prepare(peer):
    peer.write(peer.home + "/small", os.urandom(1024))
    link = peer.link()
    for number in range(ENTRIES):
        path = f"{peer.home}/many/{number:03}"
        peer.call(link, "POST", "/files?path=" + path, b"x", {"Content-Type": "application/octet-stream"})


def requests(peer):
    """{name: (method, path, headers, body)}."""

    def rpc(method, message):
        return "POST", method, UNARY, json.dumps(message).encode()

    octets = {"Content-Type": "application/octet-stream"}
    true = envelope({"process": {"cmd": "/bin/true"}, "stdin": False})
    return {
        "Stat": rpc("/filesystem.Filesystem/Stat", {"path": peer.home + "/small"}),
        "ListDir of 100": rpc("/filesystem.Filesystem/ListDir", {"path": peer.home + "/many", "depth": 1}),
        "read 1 KiB": ("GET", f"/files?path={peer.home}/small", {}, b""),
        "write 1 KiB": ("POST", f"/files?path={peer.home}/written", octets, b"y" * 1024),
        "Start /bin/true": ("POST", "/process.Process/Start", STREAM, true),
    }


@contextlib.contextmanager
def script(peer, request):
    """(URL, options of wrk) of a request."""
    method, path, headers, body = request
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as file:
        file.write(wrk.lua(method, {**peer.headers, **headers}, body))
        file.flush()
        yield peer.url + path, ["-s", file.name]


def measure(bench, all_peers):
    """{(request, connections, peer): [p50 in ms]}."""
    found = {}
    for name in ANCHORS:
        for connections in (1, 8):
            for _ in range(bench.count(5, 1)):
                for peer in all_peers:
                    with script(peer, requests(peer)[name]) as (url, more):
                        once = wrk.measure(url, connections, bench.count(2, 1), more)
                    found.setdefault((name, connections, peer.name), []).append(once["percentiles"][50] * 1e3)
    return found


def rows(bench):
    with peers() as all_peers:
        for peer in all_peers:
            prepare(peer)
        found = measure(bench, all_peers)
    for (name, connections, peer), times in found.items():
        if peer == INSIDE:
            note = "through sandboxd's data plane, as user"
            target = None
        else:
            note = "" if peer == REFERENCE else "target: another envd on such a machine, a third of it for lists"
            target = at_most(ANCHORS[name][connections // 8]) if peer == OURS else None
        what = f"{name}, {connections} at once, {peer}, p50"
        yield Row("calls", what, median(times), "ms", target, len(times), note)
        if peer == REFERENCE:
            ratio = median([one / other for one, other in zip(found[name, connections, OURS], times)])
            bound = 1 / 3 if name.startswith("List") else 1
            yield Row("calls", f"{name}, {connections} at once: ours / reference", ratio, "x", at_most(bound))

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Memory of live sessions without brain and viewer: the slope of the daemon's resident memory. A created session
is only a row; a cancel without a turn brings it into memory, where a long `passivate` keeps it."""

import json

from benchlib import load, rig
from benchlib.link import encode
from benchlib.report import Row, at_most
from benchlib.stats import slope

CONNECTIONS = 32


def grow(one, count):
    """That many more sessions in memory."""
    gateway = one.endpoints()["gateway"]
    url, token = gateway["url"], gateway["device_token"]
    create = encode(url, token, "POST", "/v1/sessions", {"profile": "fault"})
    made = load.closed(url, [create] * count, CONNECTIONS).must(201)
    paths = [f"/v1/sessions/{json.loads(body)['id']}/cancel" for body in made.bodies]
    load.closed(url, [encode(url, token, "POST", path) for path in paths], CONNECTIONS)


def rows(bench):
    steps, step = bench.count(10, 4), bench.count(1000, 250)
    points = []
    with rig.daemon(rig.STAYS_IN_MEMORY) as one:
        grow(one, step)  # the caches of the database and the allocator are there from now on
        points.append((step, rig.settled_rss_kib(one.pid)))
        for number in range(steps):
            grow(one, step)
            points.append(((number + 2) * step, rig.settled_rss_kib(one.pid)))
        live = len([actor for actor in rig.actors(one, "/ops/v1/sessions") if actor["kind"] == "session"])
    if live != (steps + 1) * step:
        raise RuntimeError(f"{live} sessions are in memory instead of {(steps + 1) * step}")
    note = f"slope over {steps * step} sessions; {points[-1][1] / 1024:.1f} MiB in all at the end"
    yield Row(
        "idle_sessions",
        "memory of one idle live session",
        slope(points),
        "KiB",
        at_most(8),
        steps * step,
        note,
    )

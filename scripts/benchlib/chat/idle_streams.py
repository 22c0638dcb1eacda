# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Memory of idle event streams: the slope of the daemon's resident memory."""

from benchlib import rig
from benchlib.report import Row, at_most
from benchlib.stats import slope

SESSIONS, STEP = 10, 100


def rows(bench):
    streams, points = [], []
    with rig.daemon(rig.STAYS_IN_MEMORY) as one:
        client = one.client()
        sessions = [client.create() for _ in range(SESSIONS)]

        def open_more():
            for number in range(STEP):
                stream = client.stream(sessions[number % SESSIONS], after=0, live=0)
                stream.until("caught_up")
                streams.append(stream)

        open_more()  # the first ones also bring the sessions into memory
        points.append((len(streams), rig.settled_rss_kib(one.pid)))
        for _ in range(bench.count(10, 3)):
            open_more()
            points.append((len(streams), rig.settled_rss_kib(one.pid)))
        for stream in streams:
            stream.close()
    grown = points[-1][0] - points[0][0]
    note = (
        f"slope over {grown} streams of {SESSIONS} sessions; {points[-1][1] / 1024:.1f} MiB in all at the end"
    )
    yield Row("idle_streams", "memory of one idle stream", slope(points), "KiB", at_most(20), grown, note)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""GET /v1/sessions/{id} of a live session: closed loop by wrk, open loop at a fixed rate by load.paced."""

from benchlib import load, rig, wrk
from benchlib.link import encode
from benchlib.report import Row, at_least, at_most
from benchlib.stats import percentile

OPEN_RATE = 5000


def closed_rows(url, token, seconds):
    one = wrk.run(url, token, 1, seconds)
    many = wrk.run(url, token, 50, seconds)
    p50, p99 = (one["percentiles"][percent] * 1e3 for percent in (50, 99))
    yield Row("status_read", "1 connection", one["rate"], "req/s", None, 1, f"wrk, one thread, {seconds} s")
    yield Row("status_read", "1 connection, p50", p50, "ms")
    yield Row("status_read", "1 connection, p99", p99, "ms")
    yield Row(
        "status_read", "50 connections", many["rate"], "req/s", at_least(30000), 1, "same machine, same cores"
    )
    yield Row("status_read", "50 connections, p50", many["percentiles"][50] * 1e3, "ms")
    yield Row("status_read", "50 connections, p99", many["percentiles"][99] * 1e3, "ms", at_most(8))


def open_rows(gateway, path, seconds):
    request = encode(gateway["url"], gateway["device_token"], "GET", path)
    done = load.paced(gateway["url"], request, OPEN_RATE, seconds, 50).must(200)
    p50, p99 = (percentile(done.latencies, percent) * 1e3 for percent in (50, 99))
    note = f"reached {done.rate:.0f} req/s; counted from when a request was due, Python's time included"
    name, count = f"open loop {OPEN_RATE} req/s", len(done.latencies)
    yield Row("status_read", f"{name}, p50", p50, "ms", at_most(1), count, note)
    yield Row("status_read", f"{name}, p99", p99, "ms", at_most(5), count)


def rows(bench):
    seconds = bench.count(10, 2)
    with rig.daemon(rig.STAYS_IN_MEMORY) as one:
        talk = rig.Conversation(one)
        talk.turn("hello")
        gateway = one.endpoints()["gateway"]
        if wrk.available():
            yield from closed_rows(gateway["url"] + talk.path, gateway["device_token"], seconds)
        yield from open_rows(gateway, talk.path, seconds)
        talk.close()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Prompts accepted per second: many sessions at once, whose writes share commits, and one prompt at a time."""

from benchlib import floor, load, rig
from benchlib.link import encode
from benchlib.report import Row
from benchlib.stats import median, percentile, ratio

# The agent never gets ready, so that nothing but the acceptance of prompts happens.
ASLEEP = {"asleep": {"boot_delay_ms": 3_600_000}}
PATIENT = {
    "pool": {"workers": 1, "take_deadline": "1h", "boot_deadline": "1h", "warm": 0},
    "session": {"attach_deadline": "1h", "drain_limit": "100ms"},
}
SESSIONS = 900  # fewer than the pool's bound on waiting requests
CONNECTIONS = 64


class Round:
    """SESSIONS fresh sessions; every prompt goes to one that has none yet."""

    def __init__(self, one):
        gateway = one.endpoints()["gateway"]
        self.url, token = gateway["url"], gateway["device_token"]
        self.ids = [one.client().create("asleep") for _ in range(SESSIONS)]
        self.request = lambda method, path, body=None: encode(self.url, token, method, path, body)

    def accept(self, ids, connections):
        prompts = [self.request("POST", f"/v1/sessions/{name}/prompt", {"text": "hello"}) for name in ids]
        return load.closed(self.url, prompts, connections).must(202)


def rows(bench):
    serial, many, waits, disk_times = [], [], [], []
    for _ in range(bench.count(5, 2)):
        with rig.daemon(PATIENT, ASLEEP) as one:
            disk, fresh = floor.Disk(one.work), Round(one)
            serial.append(fresh.accept(fresh.ids[:100], 1).rate)
            disk_times += [disk.write() for _ in range(100)]
            together = fresh.accept(fresh.ids[100:], CONNECTIONS)
            many.append(together.rate)
            waits += together.latencies
            disk.close()
    count, rounds = SESSIONS - 100, len(many)
    note = f"{rounds} rounds of {count} prompts to {count} sessions over {CONNECTIONS} connections"
    yield Row("accept_rate", "prompts, many sessions", median(many), "/s", None, rounds * count, note)
    yield Row("accept_rate", "their answer, p95", percentile(waits, 95) * 1e3, "ms", None, len(waits))
    yield Row(
        "accept_rate", "prompts, one at a time", median(serial), "/s", None, rounds * 100, "one connection"
    )
    gain = median([ratio(one, other) for one, other in zip(many, serial)])
    yield Row("accept_rate", "many / one at a time, pairs", gain, "x", None, rounds)
    yield Row(
        "accept_rate", "floor: one durable 4 KiB write", median(disk_times) * 1e3, "ms", None, len(disk_times)
    )

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Two hundred sandboxes at once: how long a create takes meanwhile, what each costs in memory, running and paused."""

import threading
import time

from benchlib.report import Row
from benchlib.stats import median, percentile, slope
from benchlib.tools.memory import measure
from benchlib.tools.stack import provider
from benchlib.wire.life import expect

CLIENTS = 8


def create_all(service, count):
    """(sandboxes, seconds of each create) of eight clients."""
    made, times, failures = [], [], []
    numbers = iter(range(count))
    lock = threading.Lock()

    def client():
        while True:
            with lock:
                if next(numbers, None) is None or failures:
                    return
            start = time.monotonic()
            try:
                one = service.create(timeout=3600)
            except Exception as error:  # told below
                failures.append(error)
                return
            with lock:
                made.append(one)
                times.append(time.monotonic() - start)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if failures:
        raise failures[0]
    return made, times


def total(service):
    return sum(measure(service).values())


def pause_all(service, made):
    """[(paused, KiB of the whole service)] in five steps."""
    points = [(0, total(service))]
    step = max(1, len(made) // 5)
    for done, one in enumerate(made, 1):
        expect(service.call("POST", f"/sandboxes/{one.id}/pause", {}), 204)
        if done % step == 0:
            points.append((done, total(service)))
    return points


def rows(bench):
    count = bench.count(200, 5)
    with provider("--sandboxes", str(count), "--memory", "256MiB") as service:
        before = total(service)
        start = time.monotonic()
        made, times = create_all(service, count)
        whole = time.monotonic() - start
        each = (total(service) - before) / count
        points = pause_all(service, made)
        for one in made:
            one.kill()
    note = f"{CLIENTS} clients"
    yield Row("many", f"create of {count} at once, p50", median(times) * 1e3, "ms", None, count, note)
    yield Row("many", f"create of {count} at once, p95", percentile(times, 95) * 1e3, "ms", None, count, note)
    yield Row("many", "creates", count / whole, "/s", None, count, note)
    yield Row("many", "memory of one, all of its processes", each, "KiB", None, count, "PSS")
    yield Row("many", "change of it by a pause", slope(points), "KiB", None, len(points), "slope over the paused ones")

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""From nothing to the end of the first command: the provider alone, and the first tool call of a session."""

import time

from benchlib.report import Row
from benchlib.stats import median, percentile
from benchlib.tools.stack import Hand, Worker, provider, stack

TRUE = {"cmd": "/bin/true"}


def alone(bench):
    """[(create, create → end of the first command)] in seconds."""
    found = []
    with provider() as service:
        for _ in range(bench.count(20, 3)):
            start = time.monotonic()
            made = service.create()
            created = time.monotonic() - start
            hand = Hand(service, (made.id, made.token))
            hand.run(TRUE)
            found.append((created, time.monotonic() - start))
            hand.close()
            made.kill()
    return found


def in_sessions(bench):
    """Seconds of the first and of the second command of new sessions, in the world."""
    found = []
    with stack() as (_, one):
        for _ in range(bench.count(20, 3)):
            worker = Worker(one)
            found.append((worker.spawn(["true"]), worker.spawn(["true"])))
            worker.talk.client.delete(worker.talk.id)
            worker.close()
    return found


def rows(bench):
    found = alone(bench)
    count = len(found)
    yield Row("create", "provider: create, p50", median([one for one, _ in found]) * 1e3, "ms", None, count)
    whole = [both for _, both in found]
    yield Row("create", "provider: create → first command's end, p50", median(whole) * 1e3, "ms", None, count)
    found = in_sessions(bench)
    first, second = zip(*found)
    note = "the hand is made, verified and used"
    yield Row("create", "session: first command, p50", median(first) * 1e3, "ms", None, len(found), note)
    yield Row("create", "session: first command, p95", percentile(first, 95) * 1e3, "ms", None, len(found))
    yield Row("create", "session: second command, p50", median(second) * 1e3, "ms", None, len(found))

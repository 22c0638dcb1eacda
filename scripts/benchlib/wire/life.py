# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The life of a sandbox step by step: create, connect, pause, resume, kill; one after another, and the first command
after each start."""

import time

from benchlib.report import Row
from benchlib.stats import median, percentile
from benchlib.tools.stack import Hand, provider

TRUE = {"cmd": "/bin/true"}


def timed(found, name, job):
    start = time.monotonic()
    made = job()
    found.setdefault(name, []).append(time.monotonic() - start)
    return made


def expect(answer, *statuses):
    if answer.status not in statuses:
        raise RuntimeError(f"{answer}")
    return answer


def one_life(service, found):
    made = timed(found, "create", lambda: service.create(timeout=300))

    def command():
        hand = Hand(service, (made.id, made.token))
        hand.run(TRUE)
        hand.close()

    def post(path, body, *statuses):
        return expect(service.call("POST", path.format(made.id), body), *statuses)

    timed(found, "first command", command)
    timed(found, "connect, running", lambda: post("/v2/sandboxes/{}/connect", {}, 200))
    timed(found, "pause, memory kept", lambda: post("/sandboxes/{}/pause", {}, 204))
    timed(found, "resume, memory kept", lambda: post("/v2/sandboxes/{}/connect", {}, 201))
    timed(found, "first command after it", command)
    timed(found, "pause, files only", lambda: post("/sandboxes/{}/pause", {"memory": False}, 204))
    timed(found, "resume, files only", lambda: post("/v2/sandboxes/{}/connect", {}, 201))
    timed(found, "kill", lambda: expect(made.kill(), 204))


def rows(bench):
    found = {}
    with provider() as service:
        for _ in range(bench.count(30, 2)):
            one_life(service, found)
    for name, times in found.items():
        yield Row("life", f"{name}, p50", median(times) * 1e3, "ms", None, len(times))
        yield Row("life", f"{name}, p95", percentile(times, 95) * 1e3, "ms", None, len(times))
    pairs = [pause / create for pause, create in zip(found["resume, memory kept"], found["create"])]
    yield Row("life", "resume / create, pairs, p50", median(pairs), "x", None, len(pairs))

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""One `true`: in the world and as a raw envd call of the same wrapped argv, interleaved; and as a whole turn of
dsh."""

import contextlib
import threading
import time

from benchlib import rig
from benchlib.report import Row, at_most
from benchlib.stats import median, percentile
from benchlib.tools.stack import Hand, Worker, stack

PROBE = ["timeout", "1", "sleep", "31.415"]  # nothing else sleeps so long


def probe(worker):
    with contextlib.suppress(RuntimeError):  # timeout ends it with 124
        worker.spawn(PROBE)


def wrapped(worker, hand):
    """The process that the world makes of `true`, as envd lists it."""
    runner = threading.Thread(target=probe, args=(worker,), daemon=True)
    runner.start()
    found, deadline = None, time.monotonic() + 30
    while found is None and time.monotonic() < deadline:
        for process in hand.unary("/process.Process/List", {}).get("processes", []):
            if process["config"].get("args", [])[-len(PROBE) :] == PROBE:
                found = process["config"]
    runner.join(60)
    if found is None:
        raise RuntimeError("envd does not list the world's command")
    return {**found, "args": [*found["args"][: -len(PROBE)], "true"]}


def in_pairs(bench):
    """[(world, raw)] in seconds to the exit."""
    with stack() as (service, one):
        worker = Worker(one)
        worker.spawn(["true"])
        hand = Hand.lent_by(service)
        process = wrapped(worker, hand)
        found = []
        for _ in range(bench.count(300, 20)):
            found.append((worker.spawn(["true"]), hand.run(process)[0]))
        hand.close()
        worker.close()
    return found


def turns(bench):
    """Seconds of whole turns of dsh: a chat-only one, and one with `true`."""
    found = []
    with stack(model=True) as (_, one):
        talk = rig.Conversation(one, "dsh")
        talk.turn("$ true")
        for _ in range(bench.count(30, 3)):
            plain, tool = talk.turn("hello"), talk.turn("$ true")
            found.append((plain["ended"] - plain["sent"], tool["ended"] - tool["sent"]))
        talk.close()
    return found


def rows(bench):
    found = in_pairs(bench)
    world, raw = zip(*found)
    over = [one - other for one, other in found]
    count = len(found)
    yield Row("bash", "world: spawn → exit event, p50", median(world) * 1e3, "ms", None, count)
    yield Row("bash", "raw envd call of the same argv, p50", median(raw) * 1e3, "ms", None, count)
    yield Row("bash", "world minus raw, pairs, p50", median(over) * 1e3, "ms", at_most(1), count)
    yield Row("bash", "world minus raw, pairs, p95", percentile(over, 95) * 1e3, "ms", None, count)
    found = turns(bench)
    tool = [whole for _, whole in found]
    note = "the real dsh and the demo model"
    yield Row("bash", "turn with one bash, p50", median(tool) * 1e3, "ms", None, len(found), note)
    over = [one - other for other, one in found]
    note = "minus a turn without a tool, pairs: two requests of the model instead of one are in it"
    yield Row("bash", "cost of the tool, p50", median(over) * 1e3, "ms", None, len(found), note)

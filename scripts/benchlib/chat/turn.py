# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A whole turn of the scripted agent that answers at once, between two of the agent alone and of the disk."""

from benchlib import floor, rig
from benchlib.report import Row, at_most
from benchlib.stats import median, percentile, ratio

NOTE = "POST's first byte → turn_end read from an open event stream"


def measure(bench):
    """[(through the daemon, the agent alone over pipes, one durable write)] in seconds."""
    with rig.daemon(rig.STAYS_IN_MEMORY) as one:
        agent, disk, talk = floor.Agent(), floor.Disk(one.work), rig.Conversation(one)
        for _ in range(20):
            talk.turn("hello")
            agent.turn("hello")
        found = []
        for _ in range(bench.count(500, 50)):
            turn = talk.turn("hello")
            found.append((turn["ended"] - turn["sent"], agent.turn("hello"), disk.write()))
        talk.close()
        agent.close()
        disk.close()
    return found


def rows(bench):
    found = measure(bench)
    turns, alone, writes = zip(*found)
    count = len(found)
    yield Row("turn", "POST → turn_end, p50", median(turns) * 1e3, "ms", at_most(3), count, NOTE)
    yield Row("turn", "POST → turn_end, p95", percentile(turns, 95) * 1e3, "ms", None, count)
    yield Row("turn", "floor: the agent alone, p50", median(alone) * 1e3, "ms", None, count, "over pipes")
    yield Row("turn", "floor: one durable 4 KiB write, p50", median(writes) * 1e3, "ms", None, count)
    over = [ratio(turn, one) for turn, one in zip(turns, alone)]
    yield Row("turn", "turn / agent alone, pairs, p50", median(over), "x", None, count)

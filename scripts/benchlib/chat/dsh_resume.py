# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The real dsh with the demo model, ready and released session in pairs: when the prompt is written (assignment and
session/resume are over), and whole turns (dsh's first turn after a resume, and the next worker's boot beside it,
are in them)."""

import os

from benchlib import rig
from benchlib.report import Row, at_most
from benchlib.stats import median, percentile
from tests.e2e import settings

T1 = "300ms"


def measure(bench):
    with rig.daemon({"session": {"t1": T1}, "pool": {"warm": 1}}, agents={}, model=True) as one:
        rig.wait_warm(one, "dsh")
        talk = rig.Conversation(one, "dsh")
        talk.turn("hello")
        pairs = []
        for _ in range(bench.count(20, 3)):
            ready = talk.turn("hello")
            talk.wait_state("detached")
            rig.wait_warm(one, "dsh")
            released = talk.turn("hello")
            pairs.append((ready, released))
        talk.close()
    return pairs


def rows(bench):
    if not os.path.exists(os.path.join(settings.DSH, "bin", "node")):
        raise RuntimeError("there is no dsh; run scripts/install-dsh or set AGENTPOOL_DSH_PREFIX")
    pairs = measure(bench)
    written = [released["started"] - released["sent"] for _, released in pairs]
    whole = [[turn["ended"] - turn["sent"] for turn in pair] for pair in pairs]
    cost = [released - ready for ready, released in whole]
    count = len(pairs)
    note = "POST's first byte → turn_started seen: assignment, the log's move and dsh's session/resume"
    yield Row("dsh_resume", "released, prompt written, p50", median(written) * 1e3, "ms", None, count, note)
    target = at_most(50)
    yield Row("dsh_resume", "released, prompt written, p95", percentile(written, 95) * 1e3, "ms", target, count)
    yield Row("dsh_resume", "whole turn, ready, p50", median([one for one, _ in whole]) * 1e3, "ms", None, count)
    note = "released minus ready: also dsh's first turn after a resume, and the boot of the next warm worker beside it"
    yield Row("dsh_resume", "whole turn, cost of the release, p50", median(cost) * 1e3, "ms", None, count, note)

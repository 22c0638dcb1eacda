# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The real dsh with the demo model: whole turns of a ready and of a released session in pairs; the difference
is the worker's assignment and dsh's resume."""

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
            pairs.append([turn["ended"] - turn["sent"] for turn in (ready, released)])
        talk.close()
    return pairs


def rows(bench):
    if not os.path.exists(os.path.join(settings.DSH, "bin", "node")):
        raise RuntimeError("there is no dsh; run scripts/install-dsh or set AGENTPOOL_DSH_PREFIX")
    pairs = measure(bench)
    ready, cost = [one for one, _ in pairs], [two - one for one, two in pairs]
    note = "released minus ready, pairs: assignment and session/resume of the pinned dsh"
    yield Row("dsh_resume", "whole turn, session ready, p50", median(ready) * 1e3, "ms", None, len(pairs))
    yield Row("dsh_resume", "cost of the release, p50", median(cost) * 1e3, "ms", None, len(pairs), note)
    yield Row(
        "dsh_resume", "cost of the release, p95", percentile(cost, 95) * 1e3, "ms", at_most(50), len(pairs)
    )

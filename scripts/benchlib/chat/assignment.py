# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A warm worker taken and assigned: the 202 is seen → session/resume is read by the agent."""

from benchlib.chat import pairs
from benchlib.report import Row, at_most
from benchlib.stats import median, percentile

NOTE = "202 seen → session/resume read by the agent; includes the rename of the brain's log"


def rows(bench):
    times = [one["read"]["session/resume"] - one["accepted"] for _, one in pairs.shared(bench)]
    yield Row("assignment", "take → assigned, p50", median(times) * 1e3, "ms", at_most(5), len(times), NOTE)
    yield Row("assignment", "take → assigned, p95", percentile(times, 95) * 1e3, "ms", None, len(times))

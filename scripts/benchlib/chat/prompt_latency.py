# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""POST of a prompt → session/prompt read by the agent, with the session ready and after T1 released it."""

from benchlib.chat import pairs
from benchlib.report import Row, at_most
from benchlib.stats import median, percentile, ratio

NOTE = "from the POST's first byte to the agent's read: an upper bound"


def rows(bench):
    found = pairs.shared(bench)
    ready = [one["read"]["session/prompt"] - one["sent"] for one, _ in found]
    released = [one["read"]["session/prompt"] - one["sent"] for _, one in found]
    count = len(found)
    yield Row("prompt_latency", "session ready, p50", median(ready) * 1e3, "ms", None, count, NOTE)
    yield Row("prompt_latency", "session ready, p95", percentile(ready, 95) * 1e3, "ms", None, count)
    note = "T1 had released it; a warm worker takes it and resumes"
    yield Row("prompt_latency", "session released, p50", median(released) * 1e3, "ms", None, count, note)
    target = at_most(50)
    yield Row("prompt_latency", "session released, p95", percentile(released, 95) * 1e3, "ms", target, count)
    cost = [ratio(after, before) for before, after in zip(ready, released)]
    yield Row("prompt_latency", "released / ready, pairs, p50", median(cost), "x", None, count)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What fifty idle sandboxes cost in memory: the service's own processes and those in the sandboxes, shared pages
counted by share."""

import contextlib

from benchlib.report import Row
from benchlib.tools.stack import provider
from tests.e2e import procs


def pss_kib(pid):
    """The proportional set size of a process; 0 when it is gone."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def measure(service):
    """{"envd", "service", "users": KiB}: what is in sandboxes and is not envd belongs to the user."""
    found = {"envd": 0, "service": 0, "users": 0}
    for pid in [service.pid, *service.below()]:
        command = procs.command(pid)
        name = command.split(" ", 1)[0].rpartition("/")[2]
        kind = name if name == "envd" else "users" if name in ("sleep", "bash", "sh") else "service"
        found[kind] += pss_kib(pid)
    return found


def rows(bench):
    count = bench.count(50, 4)
    with provider() as service:
        before = measure(service)
        made = [service.create() for _ in range(count)]
        for one in made:
            one.must("sleep 1000 >/dev/null 2>&1 & true")
        after = measure(service)
        for one in made:
            one.kill()
    note = f"{count} sandboxes, each with one `sleep`; PSS, the difference to none"
    for kind, what in (("service", "sandboxd, networks"), ("envd", "envd"), ("users", "the users' processes")):
        each = (after[kind] - before[kind]) / count
        yield Row("memory", f"{what}, per sandbox", each, "KiB", None, count, note)
        note = ""

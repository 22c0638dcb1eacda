# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Resident memory of a daemon that has nothing to do and no workers."""

from benchlib import rig
from benchlib.report import Row, at_most
from tests.e2e import procs


def part_kib(pid, name):
    """A line of /proc/PID/status in KiB."""
    for line in procs.read(pid, "status").decode().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def rows(_bench):
    with rig.daemon({"pool": {"warm": 0}}, agents={}) as one:
        whole = rig.settled_rss_kib(one.pid)
        own = part_kib(one.pid, "RssAnon")
    note = f"of it {own / 1024:.1f} MiB its own, the rest pages of files that others may share"
    yield Row("idle", "resident memory without workers", whole / 1024, "MiB", at_most(16), 1, note)

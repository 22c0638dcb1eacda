# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The shape of the machine and the moment: without them a figure says nothing."""

import datetime
import os
import subprocess


def field(path, name):
    """The first value of `name: value` in a file of /proc; empty when there is none."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return ""


def commit(root):
    """The checked-out commit, with a + when files differ from it; empty outside a repository."""

    def git(*words):
        done = subprocess.run(
            ["git", "-C", root, *words], capture_output=True, text=True, timeout=30, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "--short", "HEAD")
    return head + ("+" if head and git("status", "--porcelain", "--untracked-files=no") else "")


def shape(root, build):
    load = os.getloadavg()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(root),
        "build": os.path.basename(os.path.normpath(build)),
        "cores": os.cpu_count(),
        "cpu": field("/proc/cpuinfo", "model name"),
        "memory_mib": int(field("/proc/meminfo", "MemTotal").split()[0]) // 1024,
        "kernel": os.uname().release,
        "load_1m": round(load[0], 2),
        "load_5m": round(load[1], 2),
    }


def sentence(machine):
    """One line for people; a busy machine is said."""
    text = (
        f"{machine['date']}, commit {machine['commit'] or '?'}, build {machine['build']}, "
        f"{machine['cores']} cores ({machine['cpu'] or 'unknown'}), {machine['memory_mib']} MiB, "
        f"kernel {machine['kernel']}, load at start {machine['load_1m']} (5 min: {machine['load_5m']})"
    )
    busy = machine["load_1m"] > machine["cores"] / 4
    return text + (
        "; BUSY: others worked on this machine, the figures are worse than its own" if busy else ""
    )

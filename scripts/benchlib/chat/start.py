# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""From exec to the ready line: the daemon on new and on known data, and scripts/run with a warm build."""

import os
import select
import signal
import subprocess
import tempfile
import time

from benchlib import rig
from benchlib.report import Row
from benchlib.stats import median

LIMIT = 120


def seconds_to_ready(command, **options):
    """Starts, waits for the line `ready …`, ends it with SIGTERM."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **options)
    try:
        seen = b""
        while not seen.startswith(b"ready ") and b"\nready " not in seen:
            if not select.select([child.stdout], [], [], LIMIT)[0]:
                raise TimeoutError(f"{command[0]} was not ready within {LIMIT} s")
            data = os.read(child.stdout.fileno(), 65536)
            if not data:
                raise RuntimeError(f"{command[0]} ended with {child.wait(LIMIT)}: {seen[-300:]!r}")
            seen += data
        return time.monotonic() - start
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
        child.wait(LIMIT)
        child.stdout.close()


def daemon_times(bench):
    """Seconds of the start on a new folder, and of later starts on the same one."""
    with rig.daemon({"pool": {"warm": 0}}, start=False) as one:
        times = []
        with open(os.path.join(one.work, "start.log"), "wb") as log:
            for _ in range(bench.count(11, 4)):
                times.append(seconds_to_ready(one.argv(), env=one.environment(), cwd=one.work, stderr=log))
    return times[0], times[1:]


def run_time(bench):
    """Seconds of scripts/run in this checkout; None when it would have to install or build first."""
    if not os.path.exists(os.path.join(bench.root, "build", "release", "apps", "agentpoold", "agentpoold")):
        return None
    with tempfile.TemporaryDirectory(prefix="ap-run-") as data:
        os.chmod(data, 0o711)
        command = [
            os.path.join(bench.root, "scripts", "run"),
            "--data",
            os.path.join(data, "d"),
            "--port",
            "0",
        ]
        seconds_to_ready(command)  # whatever is not up to date is built by this one
        return seconds_to_ready(command)


def rows(bench):
    first, later = daemon_times(bench)
    yield Row("start", "agentpoold on new data: exec → ready", first * 1e3, "ms")
    note = "the warm workers start after it"
    yield Row(
        "start",
        "agentpoold on known data: exec → ready, p50",
        median(later) * 1e3,
        "ms",
        None,
        len(later),
        note,
    )
    whole = run_time(bench)
    if whole is not None:
        note = "warm build; the check for packages and ninja's look at the tree are in it"
        yield Row("start", "scripts/run → ready", whole, "s", None, 1, note)

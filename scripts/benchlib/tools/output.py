# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A command with 100 MB of output: through the world to a plugin that keeps all of it, and from envd alone; what
the daemon's memory does meanwhile."""

import threading

from benchlib import rig
from benchlib.report import Row
from benchlib.stats import median
from benchlib.tools.stack import Hand, Worker, stack


class Peak:
    """The largest resident memory of a process while the block runs."""

    def __init__(self, pid):
        self.pid, self.before, self.most = pid, rig.rss_kib(pid), 0
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.over.wait(0.02):
            self.most = max(self.most, rig.rss_kib(self.pid))

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.watcher.join()

    @property
    def growth_mib(self):
        return max(0, self.most - self.before) / 1024


def rows(bench):
    size = bench.count(100_000_000, 5_000_000)
    count = bench.count(5, 1)
    argv = ["head", "-c", str(size), "/dev/zero"]
    world, raw, grown = [], [], 0
    with stack() as (service, one):
        worker = Worker(one)
        worker.spawn(["true"])
        hand = Hand.lent_by(service)
        for _ in range(count):
            with Peak(one.child.pid) as peak:
                world.append(worker.spawn(argv, limit=size * 2))
            grown = max(grown, peak.growth_mib)
            took, came = hand.run({"cmd": argv[0], "args": argv[1:]})
            if came < size:
                raise RuntimeError(f"{came} bytes came of {size}")
            raw.append(took)
        hand.close()
        worker.close()
    what = f"{size // 1_000_000} MB of output"
    yield Row("output", f"{what}, world", size / 1e6 / median(world), "MB/s", None, count)
    note = "Python reads and decodes both"
    yield Row("output", f"{what}, envd alone", size / 1e6 / median(raw), "MB/s", None, count, note)
    yield Row("output", "growth of the daemon's memory meanwhile", grown, "MiB", None, count, "the largest")

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What an item gets: how thorough to be, and a place for measurements that two items share."""

import sys
import time


class Bench:
    def __init__(self, root, quick=False):
        self.root, self.quick = root, quick
        self.shared = {}

    def count(self, full, quick):
        return quick if self.quick else full

    def once(self, name, measure):
        """The result of `measure`, which runs for the first item that asks."""
        if name not in self.shared:
            self.shared[name] = measure()
        return self.shared[name]


def run_items(bench, items, say=None):
    """(rows, {item: why it could not be measured whole}); one item's failure does not stop the others."""
    say = say or (lambda text: print(text, file=sys.stderr, flush=True))
    rows, failures = [], {}
    for name, measure in items:
        start = time.monotonic()
        try:
            for row in measure(bench):
                rows.append(row)
            outcome = "done"
        except Exception as error:  # whatever it is, it is reported with its item
            failures[name] = f"{type(error).__name__}: {error}"
            outcome = "FAILED"
        say(f"[{time.monotonic() - start:.1f}s] {name}: {outcome}")
    return rows, failures

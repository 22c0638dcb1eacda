# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition: the only place of these tests that sleeps."""

import time


def until(condition, seconds=60, step=0.01):
    """Polls `condition`; its last value, true or not after `seconds`."""
    limit = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < limit:
        time.sleep(step)
    return value

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition: the only place of the suite that sleeps."""

import time

SLACK = 5  # a shared machine and an instrumented build: promises get five times their time
DEADLINE = 30.0  # for what has no promised time


class TimedOut(AssertionError):
    """The condition did not come true in time."""


def until(condition, what, timeout=DEADLINE, step=0.02):
    """Polls `condition` until it is true and returns its value; TimedOut names `what` otherwise."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise TimedOut(f"not within {timeout:g} s: {what}")
        time.sleep(step)


def holds(condition, what, seconds, step=0.02):
    """Checks that `condition` stays true for `seconds`: for what must not happen."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not condition():
            raise AssertionError(f"did not hold for {seconds:g} s: {what}")
        time.sleep(step)


def pause(seconds):
    """Being slow on purpose: the pace of a throttled client, never a wait for something."""
    time.sleep(seconds)

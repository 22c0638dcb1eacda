# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Figures out of samples: pure functions."""

import math


def percentile(samples, percent):
    """The nearest-rank percentile: a value that was really measured. `percent` is in (0, 100]."""
    if not samples:
        raise ValueError("a percentile needs samples")
    if not 0 < percent <= 100:
        raise ValueError(f"not a percentile: {percent}")
    return sorted(samples)[math.ceil(percent / 100 * len(samples)) - 1]


def median(samples):
    return percentile(samples, 50)


def slope(points):
    """The least-squares slope of (x, y) points: how much y grows with one more x."""
    if len({x for x, _ in points}) < 2:
        raise ValueError("a slope needs two different x")
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return over / sum((x - mean_x) ** 2 for x, _ in points)


def ratio(one, other):
    """one / other; 0 when the other is 0, which the clock's grain can make."""
    return one / other if other else 0.0

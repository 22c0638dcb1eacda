# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a report, as a table that is Markdown too, and as JSON."""

import dataclasses
import json

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}


@dataclasses.dataclass(frozen=True)
class Target:
    """What a figure should be: at most or at least `bound`, in the row's unit."""

    bound: float
    least: bool = False

    def __str__(self):
        return f"{'≥' if self.least else '≤'} {number(self.bound)}"

    def met_by(self, value):
        return value >= self.bound if self.least else value <= self.bound


def at_most(bound):
    return Target(bound)


def at_least(bound):
    return Target(bound, least=True)


@dataclasses.dataclass(frozen=True)
class Row:
    """One figure. `note` says how it was measured where the name does not."""

    item: str
    what: str
    value: float
    unit: str
    target: Target | None = None
    samples: int = 1
    note: str = ""

    @property
    def verdict(self):
        """Where the figure lies, and whether that is good; "-" without a target."""
        if self.target is None:
            return "-"
        side = (
            "under" if self.value < self.target.bound else "over" if self.value > self.target.bound else "at"
        )
        return f"{side}, {'met' if self.target.met_by(self.value) else 'MISSED'}"

    def as_json(self):
        target = self.target and {"bound": self.target.bound, "kind": "min" if self.target.least else "max"}
        fields = {name: getattr(self, name) for name in ("item", "what", "value", "unit", "samples", "note")}
        met = None if self.target is None else self.target.met_by(self.value)
        return {**fields, "target": target, "met": met, "verdict": self.verdict}


def seconds_as(value, unit):
    """Seconds in another unit of time."""
    return value / UNITS[unit]


def number(value):
    """Three significant digits, no exponent, thousands apart."""
    if isinstance(value, int) or value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


HEADS = ("item", "what", "value", "target", "over/under", "n", "note")


def cells(row):
    target = f"{row.target} {row.unit}" if row.target else "-"
    value = f"{number(row.value)} {row.unit}"
    return (row.item, row.what, value.strip(), target.strip(), row.verdict, str(row.samples), row.note)


def table(rows):
    """The rows as an aligned Markdown table."""
    lines = [HEADS, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADS))]

    def render(line):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([render(lines[0]), rule, *(render(line) for line in lines[1:])])


def as_json(machine, rows, failures):
    return json.dumps(
        {"machine": machine, "rows": [row.as_json() for row in rows], "failures": failures},
        indent=2,
        ensure_ascii=False,
    )

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/bench."""

import dataclasses
import os

SUITES = ("chat", "tools", "wire")


class UsageError(Exception):
    """One sentence for the user."""


@dataclasses.dataclass
class Options:
    build: str
    suite: str = SUITES[0]
    json: bool = False
    quick: bool = False
    help: bool = False
    items: list = dataclasses.field(default_factory=list)

    def chosen(self, items):
        """[(name, function)] in the order of the suite; all when none was named."""
        unknown = [name for name in self.items if name not in items]
        if unknown:
            raise UsageError(f"unknown item {unknown[0]}; there are {', '.join(items)}")
        return [(name, items[name]) for name in items if name in self.items or not self.items]


def parse(arguments, root):
    """Options of the arguments; UsageError for what is none."""
    options = Options(os.path.join(root, "build", "release"))
    rest = list(arguments)
    if rest and rest[0] in SUITES:
        options.suite = rest.pop(0)
    while rest:
        word = rest.pop(0)
        if word in ("--json", "--quick"):
            setattr(options, word[2:], True)
        elif word in ("-h", "--help"):
            options.help = True
        elif word == "--build":
            if not rest:
                raise UsageError("--build needs a folder")
            options.build = os.path.abspath(rest.pop(0))
        elif word.startswith("-"):
            raise UsageError(f"unknown option {word}; see --help")
        else:
            options.items.append(word)
    return options

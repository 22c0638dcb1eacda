#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the text rules: SPDX headers, forbidden calls, machine paths, registry hosts, unfinished work.

Usage: check_rules.py [--root DIR]
"""

import dataclasses
import re
import sys

from check_files import CPP, Report, is_source, tracked_files

SPDX = ("SPDX-FileCopyrightText: 2026 The agentpool authors", "SPDX-License-Identifier: Apache-2.0")

# The one place where a test may wait: helpers that poll a condition until a deadline.
WAIT_HELPER = r"tests/(.*/)?wait\.(py|hpp|cpp)"


@dataclasses.dataclass(frozen=True)
class Rule:
    """A pattern that must not occur. `files` and `but` are matched against the whole path."""

    pattern: str
    files: str
    message: str
    but: str = r"(?!)"
    code_only: bool = True  # comments and literals do not count


CPP_FILES = r".*\.(cpp|hpp|cc|h)"
RULES = (
    Rule(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b", CPP_FILES,
         "no sleeping; wait for a condition with a deadline, or advance the virtual clock", WAIT_HELPER),
    Rule(r"\b(time|asyncio)\.sleep\(|\bfrom time import\b.*\bsleep\b", r"tests/.*\.py",
         "no sleeping in tests; wait for a condition with a helper of a wait.py below tests/", WAIT_HELPER),
    Rule(r"^\s*sleep\s+[\d.$]|[;&|]\s*sleep\s+[\d.$]", r"tests/.*\.sh", "no sleeping in tests; wait for a condition"),
    # The actor fixture runs virtual time to the end: a deadline of its own would only be one more timer.
    Rule(r"\bcaf::infinite\b", CPP_FILES, "every request has a deadline; take it from protocol/wire/defaults.hpp",
         r"tests/support/actor_fixture\.hpp"),
    Rule(r"\bstd::(recursive_|shared_|timed_)*mutex\b|\bstd::(j?thread|async|condition_variable\w*|promise|"
         r"(shared_)?future|lock_guard|unique_lock|scoped_lock|shared_lock|call_once|latch|barrier|"
         r"counting_semaphore|binary_semaphore)\b|\bpthread_\w+", r"(protocol/)?actors/.*",
         "no thread and no lock in actors; send a message, or put the work behind a port that net/ implements"),
    Rule(r"\brequest_receive\b|\bscoped_actor\b|\breceive_(while|for|until)\b", r"actors/.*",
         "this blocks a scheduler thread; use request(...).then(...)"),
    Rule(r"\bstd::[io]?fstream\b|\b(fopen|popen|fread|fgets)\s*\(|(^|[;{}(=!&|?:,]|\breturn\b)\s*(std::|::)?"
         r"system\s*\(\s*[^)\s]", r"actors/.*",
         "this blocks a scheduler thread; put the I/O behind a port that net/ implements"),
    Rule(r"\bTO" r"DO\b(?!\(#\d+\))|\bFIX" r"ME\b", r"(?!.*\.md$).*",
         "unfinished work needs an issue: write TO" "DO(#12) or finish it", code_only=False),
    Rule(r"(?<![\w.$}~/-])/wor" r"k/|/tmp/te" r"am\b", r".*",
         "no paths of one machine; use a path relative to the repository or a parameter", code_only=False),
    Rule(r"\b((deb|security|ftp\.\w+|snapshot)\.debian\.org|pypi\.org|pythonhosted\.org|npmjs\.(org|com)|crates\.io|"
         r"proxy\.golang\.org|docker\.io|ghcr\.io|quay\.io)\b", r".*",
         "no names of registry hosts; use what the machine's package client is configured with", code_only=False),
)

LITERALS = re.compile(
    r'R"(?P<d>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=d)"'  # raw strings
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')
PYTHON_LITERALS = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*')


def code_of(path, text):
    """The text without comments and with empty literals; line numbers stay."""
    pattern = LITERALS if path.endswith(CPP) else PYTHON_LITERALS if path.endswith(".py") else None

    def blank(match):
        comment = match.group().startswith(("//", "/*", "#"))
        return ("" if comment else '""') + "\n" * match.group().count("\n")

    return pattern.sub(blank, text) if pattern else text


def check_spdx(path, text, report):
    head = "\n".join(text.splitlines()[:5])
    if not all(line in head for line in SPDX):
        report.add(path, 1, "no SPDX header; start the file with two comment lines: " + " / ".join(SPDX))


def check_patterns(path, text, report):
    code = code_of(path, text)
    for rule in RULES:
        if not re.fullmatch(rule.files, path) or re.fullmatch(rule.but, path):
            continue
        for number, line in enumerate((code if rule.code_only else text).splitlines(), 1):
            match = re.search(rule.pattern, line)
            if match:
                report.add(path, number, f"`{match.group().strip()}`: {rule.message}")


def main():
    root, files = tracked_files()
    report = Report("rules")
    for path in files:
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a binary file
        if is_source(root, path):
            check_spdx(path, text, report)
        check_patterns(path, text, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

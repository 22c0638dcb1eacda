# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Shared by the checks: which files there are, which kind they are, how a violation is printed."""

import argparse
import pathlib
import subprocess

CPP = (".cpp", ".hpp", ".cc", ".h")
SOURCES = CPP + (".py", ".sh", ".js", ".mjs", ".css", ".sql", ".cmake", "CMakeLists.txt")


def tracked_files():
    """(root, paths relative to it) of the files git knows or would add."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    root = parser.parse_args().root.resolve()
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return root, sorted({path for path in listed if path and (root / path).is_file()})


def is_source(root, path):
    """Source files, and scripts without a suffix."""
    if path.endswith(SOURCES):
        return True
    with open(root / path, "rb") as file:
        return "." not in pathlib.PurePath(path).name and file.read(2) == b"#!"


class Report:
    """Collects violations and prints them as file:line: what to do."""

    def __init__(self, name):
        self.name = name
        self.violations = []

    def add(self, path, line, message):
        self.violations.append(f"{path}:{line}: {message}")

    def finish(self):
        """The exit status."""
        for violation in self.violations:
            print(violation)
        print(f"{self.name}: " + (f"{len(self.violations)} violation(s)" if self.violations else "ok"))
        return 1 if self.violations else 0

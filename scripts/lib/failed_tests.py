# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""failed_tests.py FOLDER [LINES]: the last lines of every failed test of ctest's last run in FOLDER, after all others.

A long run buries them under thousands of lines, and who reads only its end must find the reason there.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^\d+/\d+ Testing: (?P<name>.*?)\n.*?\n-{50,}\n(?P<output>.*?)^<end of output>$"
                   r"(?P<rest>.*?)^\"[^\n]*\" end time", re.MULTILINE | re.DOTALL)
NOISE = re.compile(r"\.\.\. ok$|\bResourceWarning\b")


def failed(log):
    """(name, output) of each failed test."""
    for block in BLOCK.finditer(log):
        if "Test Passed." not in block["rest"]:
            yield block["name"], block["output"]


def main(folder, lines="40"):
    log = pathlib.Path(folder, "Testing", "Temporary", "LastTest.log").read_text(encoding="utf-8", errors="replace")
    for name, output in failed(log):
        kept = [line for line in output.splitlines() if not NOISE.search(line)]
        print(f"\n== the end of {name}", *kept[-int(lines):], sep="\n", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

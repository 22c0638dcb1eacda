#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/soak: its command line, and the table of its parts."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = f'set -euo pipefail; . "{ROOT}/scripts/lib/common.sh"; . "{ROOT}/scripts/lib/parts.sh"; LOGS=$1; '


class SoakTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def shell(self, text):
        command = ["/bin/bash", "-c", HEAD + text, "soak", self.folder.name]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def counted(self, output):
        path = pathlib.Path(self.folder.name) / "counted.log"
        path.write_text(output, encoding="utf-8")
        done = self.shell(f'tests_of "{path}"')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def testCountsTestsOfAllRunners(self):
        self.assertEqual(self.counted("98% tests passed, 1 tests failed out of 49\n"), "48 of 49")
        self.assertEqual(
            self.counted("Ran 12 tests in 3.4s\n\nFAILED (failures=1, errors=2, skipped=3)\n"), "9 of 12"
        )
        self.assertEqual(self.counted("Ran 1 test in 0.1s\n\nOK\n"), "1 of 1")
        program = "[==========] {0} tests from 2 test suites ran. (3 ms total)\n"
        text = program.format(12) + "[  FAILED  ] 2 tests, listed below:\n" + program.format(5)
        self.assertEqual(self.counted(text), "15 of 17")
        self.assertEqual(self.counted("nothing of this kind\n"), "-")

    def testAFailedPartIsInTheTableAndTheStatus(self):
        done = self.shell(
            'part "first one" /bin/true; part "second" /bin/sh -c "exit 3" || true; print_parts'
        )
        self.assertEqual(done.returncode, 1)
        table = done.stdout.splitlines()[-2:]
        self.assertRegex(table[0], r"^first one +\d+\.\d +- +ok$")
        self.assertRegex(table[1], r"^second +\d+\.\d +- +FAILED \(3\), see .*second\.log$")

    def testRoundsBecomeOneRow(self):
        done = self.shell(
            'part "other" /bin/true; '
            'for n in 1 2; do part "unit, seed $n" /bin/echo "Ran 4 tests in 1s"; done; '
            'fold_parts "unit, seed" "unit, 2 rounds"; print_parts'
        )
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.splitlines()[-2], r"^other +")
        self.assertRegex(done.stdout.splitlines()[-1], r"^unit, 2 rounds +\d+\.\d +4 of 4 +ok$")

    def testWrongArguments(self):
        for arguments in (["--minutes"], ["--minutes", "0"], ["forever"]):
            command = [str(ROOT / "scripts" / "soak"), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done)
            self.assertRegex(done.stderr, r"\Asoak: .*\n\Z")


if __name__ == "__main__":
    unittest.main()

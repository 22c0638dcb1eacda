# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The composition that dsh resolves with the production argv and home equals conf/dsh/composition.lock.
`python3 composition_lock_test.py --write` writes the lock."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from dsh_process import DEADLINE_S, ROOT, argv, edit_profile, environment, make_home

LOCK = os.path.join(ROOT, "conf", "dsh", "composition.lock")


def dump(home):
    """The resolved rows without the `# ==` lines, which hold paths; and what dsh wrote to stderr."""
    done = subprocess.run(argv(home, "--dump-config"), env=environment(home), cwd=home, check=False,
                          capture_output=True, text=True, timeout=DEADLINE_S)
    rows = [line for line in done.stdout.splitlines() if not line.startswith("# ==")]
    return done.returncode, "\n".join(rows) + "\n", done.stderr


def locked():
    with open(LOCK, encoding="utf-8") as file:
        return file.read()


class CompositionLockTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="dsh-lock-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.home = make_home(folder)

    def test_resolved_composition_equals_the_lock(self):
        self.assertEqual(dump(self.home), (0, locked(), ""))

    def test_a_changed_row_is_seen(self):
        edit_profile(self.home, "promoteOnTimeout: false", "promoteOnTimeout: true")
        self.assertNotEqual(dump(self.home)[1], locked())

    def test_an_added_local_provider_is_seen(self):
        edit_profile(self.home, "'@agentpool/dsh-world/fs', config: {cwd: /workspace}",
            "'@deepseek-ai/dsh-fs-local'")
        self.assertNotEqual(dump(self.home)[1], locked())

    def test_a_patch_of_the_home_that_outranks_the_profile_is_seen(self):
        with open(os.path.join(self.home, "cordis.patch.yml"), "w", encoding="utf-8") as file:
            file.write("- {id: tool-todo, disabled: true}\n")
        self.assertNotEqual(dump(self.home)[1], locked())

    def test_a_patch_of_an_unknown_row_is_seen(self):
        with open(os.path.join(self.home, "cordis.patch.yml"), "w", encoding="utf-8") as file:
            file.write("- {id: no-such-row, disabled: true}\n")
        self.assertNotEqual(dump(self.home)[2], "")


def write_lock():
    folder = tempfile.mkdtemp(prefix="dsh-lock-")
    try:
        code, rows, errors = dump(make_home(folder))
        if code or errors:
            sys.exit(errors)
        with open(LOCK, "w", encoding="utf-8") as file:
            file.write(rows)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_lock()
    else:
        unittest.main()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in seam/ (node:test) against the plugin beside the packages of the pinned dsh: the members
of the seam that no tool of the composition calls, and the parts that a conversation cannot reach at will."""

import os
import shutil
import subprocess
import tempfile
import unittest

from dsh_process import DEADLINE_S, ROOT, prefix


class SeamTest(unittest.TestCase):
    def test_node_tests(self):
        folder = tempfile.mkdtemp(prefix="dsh-seam-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.symlink(os.path.join(prefix(), "dsh", "node_modules"), os.path.join(folder, "node_modules"))
        shutil.copytree(os.path.join(ROOT, "dsh-world"), os.path.join(folder, "dsh-world"))
        shutil.copytree(os.path.join(ROOT, "tests", "dsh-world", "seam"), os.path.join(folder, "seam"))
        tests = sorted(os.path.join("seam", name) for name in os.listdir(os.path.join(folder, "seam"))
                       if name.endswith("_test.js"))
        self.assertNotEqual(tests, [])
        command = [os.path.join(prefix(), "bin", "node"), "--test", *tests]
        env = {"HOME": folder, "DSH_HOME": folder, "TMPDIR": folder}
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True,
                              timeout=2 * DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("\n# pass 0\n", done.stdout)


if __name__ == "__main__":
    unittest.main()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The official SDKs, unmodified and pinned, on sandboxd."""

import json
import os
import subprocess

from tests.e2e import settings
from tests.e2e.sandboxd import SandboxdCase, needs_sandboxes
from tests.e2e.wait import DEADLINE

SDKS = os.environ.get("AGENTPOOL_SDKS_PREFIX", "/opt/agentpool/e2b-sdks")
PROGRAMS = os.path.join(settings.REPO, "tests", "e2e", "sdks")


@needs_sandboxes
class Sdks(SandboxdCase):
    def use(self, *argv, **environment):
        env = {
            "PATH": "/usr/bin:/bin",
            "HOME": self.service.work,
            "SDKS": SDKS,
            "E2B_API_KEY": self.service.key,
            "E2B_API_URL": self.service.url,
            "E2B_SANDBOX_URL": self.service.url,
            **environment,
        }
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=DEADLINE * 8, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def check(self, seen):
        self.assertEqual(
            seen,
            {
                "running": True,
                "stdout": "hi\nuser\n",
                "stderr": "oops\n",
                "failed": 7,
                "root": "0\n",
                "read": "héllo",
                "listed": ["file /home/user/notes/a.txt"],
                "missing": True,
                "processes": True,
                "killedCommand": True,
                "state": "running",
                "found": True,
                "again": "again\n",
                "killed": True,
                "killedTwice": False,
                "gone": False,
                "lost": True,
            },
        )

    def test_the_javascript_sdk(self):
        node = os.path.join(settings.DSH, "bin", "node")
        self.check(self.use(node, os.path.join(PROGRAMS, "use.mjs")))

    def test_the_python_sdk(self):
        path = os.path.join(SDKS, "python")
        self.check(self.use("/usr/bin/python3", os.path.join(PROGRAMS, "use.py"), PYTHONPATH=path))

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The demo model as a child of the test."""

import json
import os
import subprocess

from tests.e2e import settings
from tests.e2e.wait import DEADLINE


class DemoModel:
    """scripts/demo-model on a free port; `requests()` is what it was asked."""

    def __init__(self, marker, work):
        self.log = os.path.join(work, "model.log")
        env = {"PATH": "/usr/bin:/bin", "AGENTPOOL_TEST_ID": marker, "LANG": "C.UTF-8"}
        self.child = subprocess.Popen(
            [
                "/usr/bin/python3",
                os.path.join(settings.REPO, "scripts", "demo-model"),
                "--port",
                "0",
                "--die-with-parent",
                "--log",
                self.log,
            ],
            env=env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        line = self.child.stdout.readline()
        if not line:
            raise AssertionError(f"the demo model ended with {self.child.wait(DEADLINE)}")
        ready = json.loads(line)
        self.url, self.pid = ready["url"], ready["pid"]

    def requests(self):
        """One object per request so far."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as handle:
            return [json.loads(line) for line in handle]

    def close(self):
        self.child.kill()
        self.child.wait(DEADLINE)
        self.child.stdout.close()

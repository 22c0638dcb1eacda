# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""`agentpoolctl doctor provider` against a real sandboxd with the fault proxy between them."""

import json
import os
import subprocess
import tempfile

from tests.e2e import settings
from tests.e2e.sandboxd import SandboxdCase
from tests.e2e.wait import DEADLINE
from tests.support.fault_proxy_client import FaultProxy

PROGRAM = os.path.join(settings.BUILD, "apps", "agentpoolctl", "agentpoolctl")
DOMAIN = "cube.test"


class Report:
    def __init__(self, done):
        self.code, self.text, self.error = done.returncode, done.stdout, done.stderr
        self.rows = json.loads(done.stdout)["findings"] if done.stdout.startswith("{") else []

    def of(self, *verdicts):
        return {row["step"]: row for row in self.rows if row["verdict"] in verdicts}

    def __repr__(self):
        return self.text + self.error


def doctor(*options, as_json=True):
    words = [PROGRAM, "doctor", "provider", *options, *(["--json"] if as_json else [])]
    return Report(subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE * 8))


class DoctorCase(SandboxdCase):
    """One sandboxd and one proxy per class. After each test the provider has no sandbox."""

    proxy_options = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = FaultProxy(cls.service.url, *cls.proxy_options)
        cls.addClassCleanup(cls.proxy.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    def tearDown(self):
        self.proxy.rules()
        self.assertEqual(self.service.list(), [], "the doctor removes what it made")

    def examine(self, *rules, profile="sandboxd", options=()):
        self.proxy.rules(*rules)
        where = ("--api-url", self.proxy.url, "--api-key-file", self.service.key_file, "--profile", profile)
        return doctor(*where, *options)

    def cube(self, *rules, options=()):
        """As a CubeSandbox: reached by names of a domain that has no DNS."""
        named = ("--domain", DOMAIN, "--sandbox-url", self.proxy.url)
        return self.examine(*rules, profile="cube", options=(*named, *options))

    def assertFinding(self, report, verdict, step, *words):
        self.assertIn(step, report.of(verdict), report)
        row = report.of(verdict)[step]
        for word in words:
            self.assertIn(word, row["text"] + " " + row.get("fix", ""), report)
        self.assertEqual(report.code, 1 if report.of("FAIL") else 0, report)
        if verdict == "WARN":
            self.assertEqual(report.of("FAIL"), {}, report)

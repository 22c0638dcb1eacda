# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The official SDKs, unmodified and pinned, on one sandboxd: the scenarios of `sdks/js` and `sdks/py` in two orders,
one at a time and many at once. SDKS_ONLY (a part of a file's name) runs only those files."""

import glob
import os
import subprocess
import tempfile

from tests.e2e import settings
from tests.e2e.sandboxd import SandboxdCase, needs_sandboxes

SDKS = os.environ.get("AGENTPOOL_SDKS_PREFIX", "/opt/agentpool/e2b-sdks")
SCENARIOS = os.path.join(settings.REPO, "tests", "e2e", "sdks")
ONLY = os.environ.get("SDKS_ONLY", "")
LIMIT = 800  # seconds for all scenarios of one SDK


def files(pattern):
    return sorted(path for path in glob.glob(os.path.join(SCENARIOS, pattern)) if ONLY in os.path.basename(path))


class Scenarios:
    """The scenarios of one SDK as a child."""

    def __init__(self, service, name, argv, **environment):
        self.name, self.output = name, tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        env = {
            "PATH": "/usr/bin:/bin",
            "HOME": service.work,
            "SDKS": SDKS,
            "E2B_API_KEY": service.key,
            "E2B_API_URL": service.url,
            "E2B_SANDBOX_URL": service.url,
            **environment,
        }
        self.child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output)

    def failure(self):
        """What it printed if anything failed, else None."""
        code = self.child.wait(LIMIT)
        self.output.seek(0)
        text = self.output.read()
        self.output.close()
        return None if code == 0 else f"{self.name}: exit {code}\n{text}"

    def end(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()


@needs_sandboxes
class Sdks(SandboxdCase):
    # A small disk is soon full.
    options = ("--disk", "512MiB")

    def javascript(self, order, together, sdk="e2b"):
        node = os.path.join(settings.DSH, "bin", "node")
        paths = files("js/*.test.mjs")[:: -1 if order == "reverse" else 1]
        argv = [node, "--test", "--test-reporter=spec", f"--test-concurrency={together}", *paths]
        return Scenarios(self.service, sdk, argv, SDK=sdk, ORDER=order, TOGETHER=str(together))

    def python(self, order, together):
        names = [os.path.basename(path) for path in files("py/test_*.py")]
        argv = ["/usr/bin/python3", "-B", os.path.join(SCENARIOS, "py", "run.py"), "--order", order]
        argv += ["--jobs", str(together), *names]
        return Scenarios(self.service, "python", argv, PYTHONPATH=os.path.join(SDKS, "python"))

    def finish(self, *running):
        for one in running:
            self.addCleanup(one.end)
        failures = [failure for one in running if (failure := one.failure())]
        self.assertFalse(failures, "\n".join(failures) + self.service.text()[-3000:])

    def test_forward_one_at_a_time(self):
        self.finish(self.javascript("forward", 1), self.python("forward", 1))

    def test_reverse_and_many_at_once(self):
        self.finish(self.javascript("reverse", 4), self.python("reverse", 4))

    def test_the_first_generation_of_the_control_plane(self):
        self.finish(self.javascript("forward", 3, "e2b-v1"))

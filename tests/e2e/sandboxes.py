# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""sandboxd as a child of the test, and a base class whose daemon lends hands from it."""

import os
import shutil
import subprocess
import tempfile

from tests.e2e import procs, settings
from tests.e2e.case import E2eCase
from tests.e2e.client import Client, of_type
from tests.e2e.sandboxd import needs_sandboxes
from tests.e2e.wait import DEADLINE, SLACK, until

TEMPLATES = os.environ.get("AGENTPOOL_TEMPLATES", "/opt/agentpool/templates")
# envd runs inside the template: a static build, which an instrumented one is not.
ENVD = os.environ.get("AGENTPOOL_ENVD", os.path.join(settings.REPO, "build", "release", "sandboxd", "envd", "envd"))
PROGRAMS = os.environ.get("AGENTPOOL_SANDBOXD_DIR", os.path.join(settings.BUILD, "sandboxd"))


class Provider(Client):
    """The control plane as its owner sees it."""

    def call(self, method, path, body=None, headers=None, token=...):
        return super().call(method, path, body, {"X-API-Key": self.token, **(headers or {})}, None)

    def list(self):
        """The ids of all sandboxes, sorted."""
        return sorted(one["sandboxID"] for one in self.must(200, "GET", "/sandboxes"))


class Sandboxd:
    """A sandboxd with a folder, a port and an API key of its own; after kill() the next start() has the same."""

    def __init__(self):
        self.work = tempfile.mkdtemp(prefix="ap-sandboxd-")
        os.chmod(self.work, 0o711)
        self.data = os.path.join(self.work, "d")
        self.key_file = os.path.join(self.data, "api-key")
        self.child, self.url, self.port, self.starts = None, None, 0, 0
        self.descendants = []

    def start(self):
        program = os.path.join(PROGRAMS, "sandboxd")
        for path in (program, os.path.join(TEMPLATES, "base", "rootfs")):
            if not os.path.exists(path):
                raise AssertionError(
                    f"there is no {path}: build sandboxd and run scripts/build-template first"
                )
        self.starts += 1
        with open(os.path.join(self.work, f"output-{self.starts}.log"), "wb") as log:
            self.child = subprocess.Popen(
                [program, "--data", self.data, "--port", str(self.port), "--templates", TEMPLATES]
                + ["--conf", os.path.join(settings.REPO, "conf", "sandbox")]
                + ["--envd", ENVD],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        line = self.child.stdout.readline().split()
        if not line or line[0] != "ready":
            code = self.child.wait(DEADLINE)
            with open(os.path.join(self.work, f"output-{self.starts}.log"), encoding="utf-8") as log:
                raise AssertionError(f"sandboxd ended with {code}: {log.read()}")
        self.url = line[1]
        self.port = int(self.url.rpartition(":")[2])
        return self

    def provider(self):
        with open(self.key_file, encoding="utf-8") as file:
            return Provider(self.url, file.read().strip())

    def processes(self):
        """What lives of the processes that it had when it was killed: envd, networks, commands of sandboxes."""
        return {pid: procs.command(pid) for pid in self.descendants if procs.alive(pid)}

    def mounts(self):
        """Mounts below its folder that the test's own namespace sees."""
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            return [line for line in file if self.data in line]

    def kill(self):
        """kill -9, reaped."""
        self.descendants = procs.descendants(self.child.pid)
        self.child.kill()
        self.child.wait(DEADLINE)
        self.child.stdout.close()

    def close(self):
        if self.child and self.child.poll() is None:
            provider = self.provider()
            for one in provider.list():
                provider.call("DELETE", f"/sandboxes/{one}")
            self.child.terminate()
            try:
                self.child.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait(DEADLINE)
            self.child.stdout.close()
        shutil.rmtree(self.work, ignore_errors=True)


@needs_sandboxes
class HandsCase(E2eCase):
    """The whole stack: agentpoold, sandboxd, the real dsh, the demo model. One sandboxd per class; after the last
    test no sandbox of a deleted session is left."""

    model = True
    agents = {}
    more = None  # configuration beside the hands
    tap = None  # a URL in front of sandboxd's, made of it

    @classmethod
    def setUpClass(cls):
        cls.sandboxd = Sandboxd()
        cls.addClassCleanup(cls.sandboxd.close)
        cls.sandboxd.start()
        hands = {
            "provider": "e2b",
            "url": cls.tap(cls.sandboxd.url) if cls.tap else cls.sandboxd.url,
            "api_key_file": cls.sandboxd.key_file,
            "template": "base",
        }
        cls.config = settings.merged({"pool": {"warm": 1}, "hands": hands}, cls.more)
        super().setUpClass()

    def results(self, session, turn=None):
        """What the model read of each tool call that ended, in order."""
        ended = [
            event
            for event in of_type(self.client.log(session), "tool_call_update")
            if event["status"] != "in_progress" and turn in (None, event["turn_id"])
        ]
        return ["".join(part["content"]["text"] for part in event.get("content", [])) for event in ended]

    def tool(self, session, line, timeout=DEADLINE * 2):
        """One turn of one script line; the result of its last tool call."""
        turn = self.client.prompt(session, line)
        self.assertEnded(self.client.turn_end(session, turn, timeout))
        return self.results(session, turn)[-1]

    def file(self, session, path):
        """A file of the hand through the files API."""
        return self.client.call("GET", f"/v1/sessions/{session}/files/content?path={path}")

    def assertNoneRuns(self, session, command):
        """No process of the hand has exactly this command line."""
        found = self.tool(session, f"$ pgrep -fx '{command}' || echo none")
        self.assertEqual(found.strip(), "none")

    def wait_live(self, session, text, turn):
        """Waits until a command's output was seen live."""
        with self.client.stream(session, after=0) as stream:
            seen = []

            def shown(frame):
                if frame.event == "live" and frame.data.get("kind") == "tool_output":
                    seen.append(frame.data["text"])
                if frame.event == "turn_end" and frame.data["turn_id"] == turn:
                    raise AssertionError(f"the turn ended before {text!r} was seen: {seen}")
                return text in "".join(seen)

            return stream.until(shown, DEADLINE * 2).data

    def assertLeftOver(self, sandboxes):
        """What remains at the provider and on the machine: these sandboxes, no brain, no mount."""
        self.assertEqual(self.sandboxd.provider().list(), sorted(sandboxes))
        self.assertEqual(self.sandboxd.mounts(), [])

    def delete(self, session):
        self.assertLess(self.client.delete(session).status, 300)
        self.assertEqual(self.client.call("GET", f"/v1/sessions/{session}").status, 404)

    def assertProviderEmpty(self):
        until(lambda: not self.sandboxd.provider().list(), "the provider has no sandbox", 5 * SLACK)

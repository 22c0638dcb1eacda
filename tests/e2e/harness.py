# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The real daemon as a child of the test: own folder, own port, own marker; nothing of it may outlive the
test."""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import uuid

from tests.e2e import procs, settings
from tests.e2e.client import Client
from tests.e2e.model import DemoModel
from tests.e2e.wait import DEADLINE, SLACK, until

SANITIZER = re.compile(r"(ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:).*")
PASSED_ON = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")


def leaks(text):
    """LeakSanitizer's report in a line per block: what leaked, and where our own code made it."""
    lines = []
    for block in re.split(r"\n\n", text):
        head = re.match(r"(Direct|Indirect) leak of .*", block.strip())
        if head:
            own = re.findall(r"#\d+ \S+ in (.*) \.\./\.\./(?!\.\./)(\S+)", block)
            lines.append(head.group(0) + "".join(f"\n    {where} {what[:150]}" for what, where in own[:4]))
    return "LeakSanitizer: detected memory leaks\n" + "\n".join(lines) if lines else ""


class Daemon:
    """agentpoold on a folder of its own. `agents` are fault agent profiles: {name: script}; `model` starts
    the demo model."""

    def __init__(self, config=None, agents=None, model=False, agent_keys=None):
        self.id = uuid.uuid4().hex[:12]
        self.work = tempfile.mkdtemp(prefix=f"ap-{self.id}-")
        os.chmod(self.work, 0o711)
        self.data = os.path.join(self.work, "d")
        os.mkdir(self.data, 0o711)
        os.chmod(self.data, 0o711)
        self.child = None
        self.spawned = 0
        self.options = {}  # of the command line, over the suite's own
        self.model = DemoModel(self.id, self.work) if model else None
        base = {} if model else settings.NO_DSH
        profiles = {
            f"agents.{name}": {**self.profile(name, script), **(agent_keys or {})}
            for name, script in (agents or {}).items()
        }
        self.config = self.write("config.toml", settings.toml(settings.merged(base, profiles, config)))

    # --- files ---

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)
        os.chmod(path, 0o644)
        return path

    def profile(self, name, script):
        """The configuration table of a fault agent; its files are copied, so that the workers' users can
        read them."""
        folder = os.path.join(self.work, "agent")
        if not os.path.isdir(folder):
            os.mkdir(folder)
            for source in glob.glob(os.path.join(settings.REPO, "tests", "support", "fault_*.py")):
                shutil.copy(source, folder)
            os.chmod(folder, 0o755)
        state = self.state(name)
        os.makedirs(state)
        os.chmod(os.path.dirname(state), 0o711)
        os.chmod(state, 0o777)
        path = self.write(f"script-{name}.json", json.dumps({"state_dir": state, **script}))
        return {
            "command": [
                "/usr/bin/python3",
                "-S",
                "-E",
                os.path.join(folder, "fault_agent.py"),
                "--script",
                path,
                "--home",
                "{home}",
            ],
            "trusted": True,
            "env": {"AGENTPOOL_TEST_ID": self.id},
            "warm": settings.warm_of(name),
        }

    def state(self, profile="fault", name=""):
        return (
            os.path.join(self.work, "state", profile, name)
            if name
            else os.path.join(self.work, "state", profile)
        )

    def open_gate(self, name, profile="fault"):
        """Lets the turns go on that wait at `@gate NAME`."""
        with open(self.state(profile, name), "w", encoding="utf-8"):
            pass

    def count(self, name, profile="fault"):
        """How often `@mark NAME` ran; `boots` counts the processes."""
        path = self.state(profile, name)
        return os.path.getsize(path) if os.path.exists(path) else 0

    def wait_mark(self, name, profile="fault", count=1):
        until(lambda: self.count(name, profile) >= count, f"the agent passes @mark {name} {count} times")

    def brain_logs(self):
        """The prompts that each fault agent session has seen: a list per brain session, wherever its
        folder is now."""
        logs = []
        for folder, _, files in os.walk(self.work):
            if "session.jsonl" in files:
                with open(os.path.join(folder, "session.jsonl"), encoding="utf-8") as log:
                    logs.append([json.loads(line)["prompt"] for line in log if line.endswith("\n")])
        return logs

    def seen_by_brains(self, text):
        """How often a prompt with this text reached a brain."""
        return sum(prompt.count(text) for log in self.brain_logs() for prompt in log)

    # --- the process ---

    def argv(self, *extra):
        """The command line; an option in `extra` replaces the suite's own."""
        options = {
            "--data": self.data,
            "--port": "0",
            "--config": self.config,
            "--dsh-prefix": settings.DSH,
            "--world-plugin": os.path.join(settings.REPO, "dsh-world"),
            "--dsh-profile": os.path.join(settings.REPO, "conf", "dsh", "profile"),
        }
        if self.model:
            options.update({"--demo-model-url": self.model.url, "--demo-model-pid": str(self.model.pid)})
        options.update(self.options)
        options = {name: value for name, value in options.items() if name not in extra}
        program = os.path.join(settings.BUILD, "apps", "agentpoold", "agentpoold")
        return [program, *(word for pair in options.items() for word in pair), *extra]

    def environment(self, crash_point=None):
        env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        env.update(
            PATH="/usr/sbin:/usr/bin:/sbin:/bin", HOME=self.work, LANG="C.UTF-8", AGENTPOOL_TEST_ID=self.id
        )
        if self.model:
            env.update(DEEPSEEK_BASE_URL=self.model.url, DEEPSEEK_API_KEY="demo")
        # A sanitizer keeps freed memory for a while; so little of it that growth can be seen beside it.
        env["ASAN_OPTIONS"] = "quarantine_size_mb=16:" + env.get("ASAN_OPTIONS", "")
        if crash_point:
            env["AGENTPOOL_CRASH_POINT"] = crash_point
        return env

    def spawn(self, *extra, crash_point=None):
        """Starts the process without waiting for it."""
        if not os.path.exists(self.argv()[0]):
            raise AssertionError(f"there is no {self.argv()[0]}: build first, or set AGENTPOOL_BUILD_DIR")
        self.spawned += 1
        self.output = os.path.join(self.work, f"output-{self.spawned}.log")
        with open(self.output, "wb") as output:
            self.child = subprocess.Popen(
                self.argv(*extra),
                env=self.environment(crash_point),
                cwd=self.work,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        return self

    def start(self, crash_point=None):
        """Starts and waits until the gateway is there."""
        self.spawn(crash_point=crash_point)
        until(
            lambda: self.endpoints() or self.child.poll() is not None, "run/endpoints.json names this daemon"
        )
        if not self.endpoints():
            raise AssertionError(f"the daemon ended with {self.child.returncode}:\n{self.tail()}")
        until(lambda: self.child.poll() is not None or self.client().ready(), "the daemon is ready")
        if self.child.poll() is not None:
            raise AssertionError(f"the daemon ended with {self.child.returncode}:\n{self.tail()}")
        return self

    def endpoints(self):
        """The published endpoints of this very process; None before they are there."""
        try:
            with open(os.path.join(self.data, "run", "endpoints.json"), encoding="utf-8") as handle:
                found = json.load(handle)
        except (OSError, ValueError):
            return None
        return found if found["gateway"]["pid"] == self.child.pid else None

    def text(self):
        with open(self.output, encoding="utf-8", errors="replace") as handle:
            return handle.read()

    def tail(self, lines=30):
        return "\n".join(self.text().splitlines()[-lines:])

    @property
    def pid(self):
        return self.child.pid

    def client(self):
        """The first device."""
        gateway = self.endpoints()["gateway"]
        return Client(gateway["url"], gateway["device_token"])

    def ops(self):
        ops = self.endpoints()["ops"]
        return Client(ops["url"], ops["token"])

    def device(self, label="another"):
        """A further device."""
        made = self.ops().must(201, "POST", "/ops/v1/devices", {"label": label})
        return Client(self.endpoints()["gateway"]["url"], made["token"])

    def workers(self):
        """{pid: command} of the brains that live now, and of what they started."""
        spare = {self.child.pid if self.child else 0, self.model.pid if self.model else 0}
        return {pid: text for pid, text in procs.marked(self.id).items() if pid not in spare}

    def kill(self):
        """kill -9, reaped."""
        self.child.kill()
        self.child.wait(DEADLINE)

    def wait_exit(self, timeout=DEADLINE):
        """The exit code; negative for a signal."""
        try:
            return self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the daemon did not end within {timeout:g} s:\n{self.tail()}") from None

    def stop(self, timeout=DEADLINE):
        """SIGTERM; returns the exit code."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        return self.wait_exit(timeout)

    def wait_no_workers(self, within=1.0):
        until(
            lambda: not self.workers(),
            f"no process of the daemon is left; still there: {self.workers()}",
            within * SLACK,
        )

    def close(self):
        """Ends everything this object started and removes its folder; for cleanup, checks nothing."""
        if self.child and self.child.poll() is None:
            self.kill()
        if self.model:
            self.model.close()
        for pid in procs.marked(self.id):
            procs.kill(pid)
        shutil.rmtree(self.work, ignore_errors=True)

    def findings(self):
        """What a sanitizer wrote in any run."""
        found = []
        for path in glob.glob(os.path.join(self.work, "output-*.log")):
            with open(path, encoding="utf-8", errors="replace") as handle:
                text = handle.read()
            match = SANITIZER.search(text)
            if match:
                found.append(leaks(text) or text[match.start() : match.start() + 6000])
        return found

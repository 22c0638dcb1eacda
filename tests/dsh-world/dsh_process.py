# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The real dsh as the daemon runs it (docs/dsh-worker.md): home, argv, environment, and ACP on its stdio."""

import json
import os
import queue
import shutil
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEADLINE_S = 60


def prefix():
    """The installation to test; a missing one fails the test instead of skipping it."""
    value = os.environ.get("AGENTPOOL_DSH_PREFIX", "")
    if not os.access(os.path.join(value, "bin", "node"), os.X_OK):
        raise AssertionError(
            f'AGENTPOOL_DSH_PREFIX="{value}" has no bin/node: set it to where scripts/install-dsh put dsh')
    return os.path.abspath(value)


def make_home(parent, profile=None, plugin=None):
    """A worker's home below `parent`, with copies of the profile and the plugin; returns its path."""
    home = os.path.join(parent, "home")
    target = os.path.join(home, "profiles", "agentpool")
    shutil.copytree(profile or os.path.join(ROOT, "conf", "dsh", "profile"), target)
    shutil.copytree(plugin or os.path.join(ROOT, "dsh-world"),
                    os.path.join(target, "node_modules", "@agentpool", "dsh-world"))
    os.makedirs(os.path.join(home, "sessions"))
    with open(os.path.join(target, "cordis.yml"), "a", encoding="utf-8"):
        pass
    return home


def edit_profile(home, old, new):
    """Replaces text in the home's copy of the composition; the text must be there."""
    path = os.path.join(home, "profiles", "agentpool", "cordis.patch.yml")
    with open(path, encoding="utf-8") as file:
        content = file.read()
    if old not in content:
        raise AssertionError(f"the profile has no {old!r}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(content.replace(old, new))


def ancestors(path):
    while path != "/":
        path = os.path.dirname(path)
        yield path.rstrip("/")


def argv(home, *more):
    """The production command line without the uid drop."""
    where = prefix()
    tree = os.path.join(where, "dsh")
    reads = [tree, home, os.path.join(where, "lib", "node", "*")]
    reads += [f"{folder}/node_modules/*" for folder in ancestors(tree)]
    reads += [f"{folder}/package.json" for folder in ancestors(home)]
    writes = [os.path.join(home, "sessions"), os.path.join(home, "profiles", "agentpool", "cordis.yml")]
    return [os.path.join(where, "bin", "node"), "--max-semi-space-size=2", "--max-old-space-size=384",
            "--permission", "--allow-addons", "--disable-warning=SecurityWarning",
            *[f"--allow-fs-read={path}" for path in reads], *[f"--allow-fs-write={path}" for path in writes],
            os.path.join(tree, "node_modules", "@deepseek-ai", "dsh", "lib", "bin.js"),
            "--profile", "agentpool", *more]


def environment(home, **more):
    return {"DSH_HOME": home, "HOME": home, "DSH_TELEMETRY_DISABLED": "1", "NARB_DISABLE_NATIVE_CACHE": "1",
        **more}


class Closed(Exception):
    """dsh closed its stdout; carries the exit code and everything it wrote to stderr."""

    def __init__(self, code, stderr):
        super().__init__(f"dsh ended with {code}: {stderr}")
        self.code = code
        self.stderr = stderr


class Dsh:
    """One dsh process speaking ACP, started by `wrapper` when there is one. Every wait has a deadline."""

    def __init__(self, home, env, wrapper=()):
        self.process = subprocess.Popen([*wrapper, *argv(home)], env=environment(home, **env), cwd=home,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = queue.Queue()
        self.stderr = b""
        self.updates = []
        self.questions = []
        self.replies = {}
        self.next_id = 0
        targets = (self.read_out, self.read_err)
        self.readers = [threading.Thread(target=target, daemon=True) for target in targets]
        for reader in self.readers:
            reader.start()

    def read_out(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def read_err(self):
        for line in self.process.stderr:
            self.stderr += line

    def closed(self):
        code = self.process.wait(DEADLINE_S)
        for reader in self.readers:
            reader.join(DEADLINE_S)
        return Closed(code, self.stderr.decode())

    def write(self, message):
        self.process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.process.stdin.flush()

    def notify(self, method, params):
        self.write({"method": method, "params": params})

    def send(self, method, params):
        self.next_id += 1
        self.write({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    def wait(self, request):
        """The reply to a request; updates that come before it are collected in `updates`."""
        while request not in self.replies:
            message = self.lines.get(timeout=DEADLINE_S)
            if message is None:
                raise self.closed()
            if message.get("method") == "session/request_permission":
                self.questions.append(message)
                self.answer(message)
            elif "method" in message:
                self.updates.append(message)
            else:
                self.replies[message["id"]] = message
        return self.replies.pop(request)

    def answer(self, question):
        """What a client without a person says to a permission request; tests replace it."""
        self.write({"id": question["id"], "result": {"outcome": {"outcome": "cancelled"}}})

    def call(self, method, **params):
        return self.wait(self.send(method, params))

    def initialize(self):
        return self.call("initialize", protocolVersion=1, clientCapabilities={},
            clientInfo={"name": "t", "version": "0"})

    def new_session(self):
        return self.call("session/new", cwd="/workspace", mcpServers=[])["result"]["sessionId"]

    def prompt(self, session, text):
        return self.call("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def texts(self, kind="agent_message_chunk"):
        """The text of the updates of one kind, in order."""
        params = [message["params"] for message in self.updates]
        updates = [one["update"] for one in params if "update" in one]
        return [update["content"]["text"] for update in updates if update["sessionUpdate"] == kind]

    def end(self):
        """EOF on stdin; returns exit code and seconds until the end."""
        begin = time.monotonic()
        self.process.stdin.close()
        return self.process.wait(DEADLINE_S), time.monotonic() - begin

    def stop(self):
        """For clean-up: ends the process, whatever its state, and closes the pipes."""
        self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

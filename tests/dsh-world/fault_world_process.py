# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Processes of the fault world: docs/world-protocol.md section 5 with children of the test."""

import base64
import os
import queue
import shutil
import signal
import subprocess
import threading
import time
import uuid

from fake_world import Refusal
from wait import until

PATH = "/usr/local/bin:/usr/bin:/bin"
PING_S = 10
CHUNK = 65536


def group_lives(pgid):
    """A member that is no zombie is there."""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except (OSError, NotADirectoryError):
            continue
        if len(fields) > 3 and fields[2] == str(pgid) and fields[0] not in "ZX":
            return True
    return False


def signal_group(pgid, number):
    try:
        os.killpg(pgid, number)
    except ProcessLookupError:
        pass


def environment(given):
    env = {"PATH": PATH, "HOME": "/tmp", "USER": "user", "LANG": "C.UTF-8"}
    for name, value in given.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


class Group:
    """A process group: TERM, then KILL after the grace period."""

    def __init__(self, pid, grace_ms):
        self.pid, self.grace_s = pid, grace_ms / 1000
        self.ending = threading.Lock()

    def terminate(self):
        threading.Thread(target=self.end, daemon=True).start()

    def end(self):
        if not self.ending.acquire(blocking=False):  # somebody is at it
            return
        signal_group(self.pid, signal.SIGTERM)
        if not until(lambda: not group_lives(self.pid), self.grace_s):
            signal_group(self.pid, signal.SIGKILL)

    def wait_gone(self):
        until(lambda: not group_lives(self.pid), float("inf"))


class Child:
    """One spawned command and the events it makes."""

    def __init__(self, body, folder):
        self.body, self.folder, self.id = body, folder, uuid.uuid4().hex[:12]
        pipes = {name: subprocess.PIPE for name in ("stdout", "stderr")}
        stdin = subprocess.DEVNULL if body["stdin"] == "none" else subprocess.PIPE
        self.process = subprocess.Popen(
            body["argv"],
            cwd=body["cwd"],
            env=environment(body["env"]),
            stdin=stdin,
            start_new_session=True,
            **pipes,
        )
        self.group = Group(self.process.pid, body["grace_ms"])
        self.events = queue.Queue()
        self.exited = False
        self.readers = [threading.Thread(target=self.read, args=(name,), daemon=True) for name in pipes]
        for reader in self.readers:
            reader.start()
        threading.Thread(target=self.follow, daemon=True).start()
        if body["stdin"] == "data":
            threading.Thread(
                target=self.feed, args=(base64.b64decode(body["stdin_data"]), True), daemon=True
            ).start()

    def feed(self, data, end):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
            if end:
                self.process.stdin.close()
        except (BrokenPipeError, ValueError):
            pass

    def read(self, name):
        mode = self.body[name]
        seen, spill = b"", None
        pipe = getattr(self.process, name)
        while chunk := os.read(pipe.fileno(), CHUNK):
            if self.exited and mode["mode"] == "collect":
                continue
            if "spill_bytes" in mode:
                seen, spill = self.spill(name, mode, seen, spill, chunk)
            self.events.put({"event": "output", "stream": name, "data": base64.b64encode(chunk).decode()})

    def spill(self, name, mode, seen, spill, chunk):
        if spill is False:
            return b"", False
        seen += chunk
        path = os.path.join(self.folder, f"spill-{self.id}-{name}")
        if len(seen) > mode["spill_bytes"]:
            self.events.put({"event": "spill", "stream": name, "path": None})
            return b"", False
        if len(seen) > mode["max_bytes"]:
            with open(path, "wb") as file:
                file.write(seen)
            if spill is None:
                self.events.put({"event": "spill", "stream": name, "path": path})
            return seen, True
        return seen, None

    def follow(self):
        code = self.process.wait()
        limit = time.monotonic() + self.group.grace_s
        for reader in self.readers:
            reader.join(max(0, limit - time.monotonic()))
        self.exited = all(self.body[name]["mode"] == "collect" for name in ("stdout", "stderr"))
        if not self.exited:  # a pipe stays lossless
            for reader in self.readers:
                reader.join()
        ended = (
            {"exit_code": code, "signal": None}
            if code >= 0
            else {"exit_code": None, "signal": signal.Signals(-code).name}
        )
        self.events.put({"event": "exit", **ended})
        self.group.wait_gone()
        self.events.put({"event": "gone"})

    def stream(self):
        yield {"event": "started", "process": self.id}
        while True:
            try:
                event = self.events.get(timeout=PING_S)
            except queue.Empty:
                event = {"event": "ping"}
            yield event
            if event["event"] == "gone":
                return


class Processes:
    def __init__(self, folder):
        self.folder = os.path.join(folder, "spill")
        os.makedirs(self.folder, exist_ok=True)
        self.children = {}

    def routes(self):
        return {
            "process/resolve": self.resolve,
            "process/spawn": self.spawn,
            "process/stdin": self.stdin,
            "process/terminate": self.terminate,
        }

    def resolve(self, _handler, body, _content):
        path = shutil.which(body["command"], path=body.get("path")) or shutil.which(
            body["command"], path=PATH
        )
        if not path:
            raise Refusal(404, "PROCESS_NOT_FOUND", f"{body['command']} is no executable of the sandbox.")
        return {"path": path}

    def spawn(self, handler, body, _content):
        try:
            child = Child(body, self.folder)
        except OSError as error:
            raise Refusal(
                422, "PROCESS_FAILED", f"The command could not be started: {error.strerror}."
            ) from error
        self.children[child.id] = child
        self.play(handler, child)

    def play(self, handler, child):
        """Streams the events; a connection that closes ends the group."""
        try:
            handler.stream(child.stream())
        except ConnectionError:
            child.group.end()
            raise

    def find(self, body, name="process"):
        child = self.children.get(body[name])
        if child is None:
            raise Refusal(404, "unknown_process", "There is no such process.")
        return child

    def stdin(self, _handler, body, content):
        self.find(body).feed(content, body["end"])
        return {}

    def terminate(self, _handler, body, _content):
        self.find(body).group.terminate()
        return {}

    def close(self):
        for child in self.children.values():
            signal_group(child.group.pid, signal.SIGKILL)

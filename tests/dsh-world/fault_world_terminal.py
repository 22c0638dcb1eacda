# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Terminals of the fault world: docs/world-protocol.md section 6 with ptys of this machine."""

import base64
import fcntl
import os
import pty
import queue
import signal
import struct
import termios
import threading
import uuid

from fake_world import Refusal
from fault_world_process import Group, environment, group_lives


class Terminal:
    def __init__(self, body):
        self.id = uuid.uuid4().hex[:12]
        self.events = queue.Queue()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(body["cwd"])
                os.execvpe(body["argv"][0], body["argv"], {**environment(body["env"]), "TERM": body["term"]})
            finally:
                os._exit(127)
        self.group = Group(self.pid, body["grace_ms"])
        self.resize(body)
        self.over = threading.Event()
        threading.Thread(target=self.follow, daemon=True).start()

    def resize(self, body):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", body["rows"], body["cols"], 0, 0))

    def follow(self):
        while True:
            try:
                chunk = os.read(self.master, 16384)
            except OSError:
                break
            if not chunk:
                break
            self.events.put({"event": "output", "data": base64.b64encode(chunk).decode()})
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        ended = (
            {"exit_code": code, "signal": None}
            if code >= 0
            else {"exit_code": None, "signal": signal.Signals(-code).name}
        )
        self.events.put({"event": "exit", **ended})
        self.group.wait_gone()
        self.events.put({"event": "gone"})
        self.over.set()

    def stream(self):
        yield {"event": "started", "terminal": self.id, "pid": self.pid}
        while True:
            event = self.events.get()
            yield event
            if event["event"] == "gone":
                return


class Terminals:
    def __init__(self, processes):
        self.processes = processes

    def routes(self):
        return {
            f"terminal/{name}": getattr(self, name)
            for name in ("environment", "spawn", "write", "resize", "foreground", "signal", "terminate")
        }

    def find(self, body):
        return self.processes.find(body, "terminal")

    def environment(self, *_):
        return {"platform": "posix", "shell": "/bin/bash"}

    def spawn(self, handler, body, _content):
        terminal = Terminal(body)
        self.processes.children[terminal.id] = terminal
        self.processes.play(handler, terminal)

    def write(self, _handler, body, content):
        os.write(self.find(body).master, content)
        return {}

    def resize(self, _handler, body, _content):
        self.find(body).resize(body)
        return {}

    def foreground(self, _handler, body, _content):
        terminal = self.find(body)
        pgid = os.tcgetpgrp(terminal.master) if group_lives(terminal.pid) else None
        return {"pgid": pgid, "input_waiting": False}

    def signal(self, _handler, body, _content):
        terminal = self.find(body)
        pgid = os.tcgetpgrp(terminal.master)
        if body["signal"] == "SIGKILL" and pgid == terminal.pid:
            raise Refusal(400, "bad_request", "The shell itself is not killed by this.")
        os.killpg(pgid, getattr(signal, body["signal"]))
        return {"pgid": pgid}

    def terminate(self, _handler, body, _content):
        terminal = self.find(body)
        terminal.group.end()
        terminal.over.wait(terminal.group.grace_s + 5)
        return {}

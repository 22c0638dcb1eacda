# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A scripted ACP agent (protocol 1, newline-delimited JSON-RPC on stdio) with every fault on demand.

usage: fault_agent.py [--script FILE] [--state DIR] [--home DIR]

Without directives a prompt is answered `echo: <text>` at once. Lines of a prompt that start with @ are
directives and
run in order; an unknown one fails the prompt with -32602. The script is a JSON object; every key is optional:

  state_dir          folder for counters, marks and gates (writable for the agent's user; --state overrides)
  first_boots        the faults of this file hold for the first K boots only
  boot_delay_ms      waits before it reads anything
  stderr, noise      lists of lines written at boot on stderr, on stdout (decoded as @raw does)
  exit_before_initialize   exit code
  exit_after_new_ms  exits (1) that long after each session/new was answered
  hang               {method: n}: from its n-th call on the method is never answered
  errors             {method: [code, message]}: the method answers that error
  ignore_eof, ignore_sigterm
  resume             "resume" (default), "load" (loadSession, replays) or "none"
  replay             true: session/resume replays the history although it must not
  replay_late_ms     with replay: once more that long after the reply
  protocol_version   what initialize answers
  no_close           session/close is neither offered nor served
  each_prompt        list of directives that run before those of every prompt
"""

import json
import os
import select
import signal
import sys

from fault_brain import Counters, Session, new_id, session_root
from fault_directives import DIRECTIVES
from fault_loop import Loop, Terminated
from fault_turn import Turn

HOMES = ("AGENT_HOME", "DSH_HOME", "HOME")


class RpcError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message


class Agent(Loop):
    """The process: one loop over stdin and timers; a turn is a generator, so several sessions can be in a
    turn."""

    def __init__(self, argv):
        super().__init__()
        self.argv = argv
        options = dict(zip(argv[1::2], argv[2::2]))
        self.faults = {}
        if "--script" in options:
            with open(options["--script"], encoding="utf-8") as script:
                self.faults = json.load(script)
        self.counters = Counters(options.get("--state", self.faults.get("state_dir")))
        home = options.get("--home", "{")
        self.home = (
            home
            if not home.startswith("{")
            else next((os.environ[n] for n in HOMES if os.environ.get(n)), ".")
        )
        self.boot = self.counters.bump("boots")
        if self.boot > self.faults.get("first_boots", self.boot):
            self.faults = {}
        self.sessions, self.waiting, self.calls, self.ballast = {}, {}, {}, []
        self.read_of = {}
        self.asked = self.prompts = self.opened = self.tool_calls = 0

    # --- life ---

    def main(self):
        os.umask(0)  # the counters are shared by workers of different users
        ignore = self.faults.get("ignore_sigterm")
        signal.signal(signal.SIGTERM, signal.SIG_IGN if ignore else self.terminate)
        try:
            self.start()
            self.serve()
        except Terminated:
            self.stopping = False
            for session in list(self.sessions.values()):
                if session.turn:
                    session.turn.cancelled()
        os._exit(0)

    def start(self):
        select.poll().poll(self.faults.get("boot_delay_ms", 0))
        for line in self.faults.get("stderr", []):
            os.write(2, line.encode() + b"\n")
        for line in self.faults.get("noise", []):
            for _ in DIRECTIVES["raw"](Turn(self, None, None, ()), line):
                pass
        if "exit_before_initialize" in self.faults:
            os._exit(self.faults["exit_before_initialize"])

    def serve(self):
        poller = select.poll()
        poller.register(0, select.POLLIN)
        rest = b""
        while True:
            data = self.wait_input(poller)
            if data == b"":
                break
            if data:
                lines = (rest + data if rest else data).split(b"\n")
                rest = lines.pop()
                for line in lines:
                    self.receive(line)
            self.fire_timers()
        while self.faults.get("ignore_eof"):
            signal.pause()

    def receive(self, line):
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except ValueError:
            self.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
            return
        if "method" in message:
            self.called(message)
        elif message.get("id") in self.waiting:
            self.waiting.pop(message["id"]).advance(message)

    def called(self, message):
        method, request_id = message["method"], message.get("id")
        self.calls[method] = self.calls.get(method, 0) + 1
        self.read_of[method] = self.read_at
        if self.calls[method] >= self.faults.get("hang", {}).get(method, 1 << 60):
            return
        try:
            if method in self.faults.get("errors", {}):
                raise RpcError(*self.faults["errors"][method])
            handler = HANDLERS.get(method)
            if handler is None:
                raise RpcError(-32601, f'"Method not found": {method}')
            result = handler(self, message.get("params") or {}, request_id)
        except RpcError as error:
            if request_id is not None:
                self.send(
                    {
                        "jsonrpc": "2.0",
                        "id": request_id,
                        "error": {"code": error.code, "message": error.message},
                    }
                )
            return
        if result is not None and request_id is not None:
            self.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def next_call(self):
        self.tool_calls += 1
        return f"{self.boot}_{self.tool_calls}"

    # --- methods ---

    def initialize(self, params, request_id):
        resume = self.faults.get("resume", "resume")
        session = {"close": {}, "list": {}, "resume": {}}
        if resume != "resume":
            del session["resume"]
        if self.faults.get("no_close"):
            del session["close"]
        return {
            "protocolVersion": self.faults.get("protocol_version", 1),
            "agentInfo": {"name": "fault-agent", "version": "1"},
            "authMethods": [],
            "agentCapabilities": {
                "loadSession": resume == "load",
                "mcpCapabilities": {"http": True},
                "promptCapabilities": {"image": False, "audio": False, "embeddedContext": False},
                "sessionCapabilities": session,
            },
        }

    def open_session(self, session_id, params):
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not cwd.startswith("/"):
            raise RpcError(-32602, f"Invalid params: cwd must be an absolute path: {cwd}")
        folder = os.path.join(session_root(self.home, cwd), session_id)
        try:
            session = Session(folder, session_id, cwd, params)
        except BlockingIOError:
            raise RpcError(
                -32603, f'session "{session_id}" is already owned by an active write handle'
            ) from None
        self.sessions[session_id] = session
        self.opened += 1
        return session

    def session_new(self, params, request_id):
        if not isinstance(params.get("mcpServers"), list):
            raise RpcError(-32602, "Invalid params: mcpServers is required")
        session = self.open_session(new_id(), params)
        if "exit_after_new_ms" in self.faults:
            self.after(self.faults["exit_after_new_ms"] / 1000, lambda: os._exit(1))
        return {"sessionId": session.id, "configOptions": []}

    def reopen(self, params):
        session_id = params.get("sessionId", "")
        if session_id in self.sessions:
            raise RpcError(-32602, f"Invalid params: session is already active: {session_id}")
        if not os.path.exists(
            os.path.join(session_root(self.home, params.get("cwd", "")), session_id, "session.jsonl")
        ):
            raise RpcError(-32602, f"Invalid params: session is not resumable: {session_id}")
        return self.open_session(session_id, params)

    def replay(self, session):
        turn = Turn(self, session, None, ())
        for text in session.texts:
            turn.message(text, kind="user_message_chunk")
            turn.message("replayed: " + text)

    def session_resume(self, params, request_id):
        if self.faults.get("resume", "resume") != "resume":
            raise RpcError(-32601, '"Method not found": session/resume')
        session = self.reopen(params)
        if self.faults.get("replay"):
            self.replay(session)
            if "replay_late_ms" in self.faults:
                self.after(self.faults["replay_late_ms"] / 1000, lambda: self.replay(session))
        return {"configOptions": []}

    def session_load(self, params, request_id):
        if self.faults.get("resume") != "load":
            raise RpcError(-32601, '"Method not found": session/load')
        self.replay(self.reopen(params))
        return {"configOptions": []}

    def session_list(self, params, request_id):
        root = session_root(self.home, params.get("cwd") or "/workspace")
        names = os.listdir(root) if os.path.isdir(root) else []
        return {
            "sessions": [
                {"sessionId": name, "cwd": params.get("cwd") or "/workspace"}
                for name in names
                if name not in self.sessions
            ]
        }

    def session_close(self, params, request_id):
        if self.faults.get("no_close"):
            raise RpcError(-32601, '"Method not found": session/close')
        session = self.known(params)
        if session.turn:
            session.turn.cancelled()
        del self.sessions[session.id]
        session.close()
        return {}

    def known(self, params):
        session = self.sessions.get(params.get("sessionId"))
        if session is None:
            raise RpcError(-32602, f"Invalid params: unknown session: {params.get('sessionId')}")
        return session

    def session_prompt(self, params, request_id):
        session = self.known(params)
        if session.turn:
            raise RpcError(-32602, "Invalid params: a prompt is already in flight for this session")
        text = "\n".join(block["text"] for block in params.get("prompt", []) if block.get("type") == "text")
        if not text:
            raise RpcError(-32602, "Invalid params: empty prompt")
        session.remember(text)
        self.prompts += 1
        lines = [line for line in text.split("\n") if line.startswith("@")] or ["@say echo: " + text]
        session.turn = Turn(self, session, request_id, self.faults.get("each_prompt", []) + lines)
        session.turn.advance()

    def session_cancel(self, params, request_id):
        session = self.sessions.get(params.get("sessionId"))
        if session and session.turn and session.turn.on_cancel:
            session.turn.on_cancel()


HANDLERS = {
    "initialize": Agent.initialize,
    "authenticate": lambda *_: {},
    "session/new": Agent.session_new,
    "session/resume": Agent.session_resume,
    "session/load": Agent.session_load,
    "session/list": Agent.session_list,
    "session/close": Agent.session_close,
    "session/set_config_option": lambda *_: {"configOptions": []},
    "session/prompt": Agent.session_prompt,
    "session/cancel": Agent.session_cancel,
    "$/cancel_request": lambda *_: None,
}


def usage():
    rows = [
        f"  @{name} {' '.join((function.__doc__ or '').split())}" for name, function in DIRECTIVES.items()
    ]
    print(__doc__ + "\ndirectives:\n" + "\n".join(rows))


if __name__ == "__main__":
    if "--help" in sys.argv:
        usage()
    else:
        Agent(sys.argv).main()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The directives of a prompt. Each is a generator over (turn, argument); `python3 fault_agent.py --help`
lists them.

A generator yields what it waits for: ("sleep", seconds), ("answer", request id), ("gate", path) or
("never",).
"""

import json
import os
import signal

from fault_brain import new_id

DIRECTIVES = {}
OPTIONS = [
    {"optionId": "allow-once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "reject-once", "name": "Reject", "kind": "reject_once"},
]


def directive(name):
    """Registers the function as the directive @name; its doc string is its help."""

    def register(function):
        DIRECTIVES[name] = function
        return function

    return register


def numbers(argument, *defaults):
    """The integers of an argument, missing ones taken from the defaults."""
    given = [int(word) for word in argument.split()]
    return given + list(defaults[len(given) :])


def chunk_text(index, size):
    """Text number `index` of @chunks and @tools: recognisable, of exactly `size` characters when size > 8."""
    return f"{index:08d}".ljust(size, "abcdefghijklmnopqrstuvwxyz"[index % 26])


def tool_call(turn, title, raw_input):
    call_id = f"call_{turn.agent.next_call()}"
    turn.update(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": call_id,
            "title": title,
            "kind": "other",
            "status": "in_progress",
            "rawInput": raw_input,
        }
    )
    return call_id


def tool_done(turn, call_id, text, status="completed"):
    turn.update(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": call_id,
            "status": status,
            "content": [{"type": "content", "content": {"type": "text", "text": text}}],
        }
    )


# --- what is said ---


@directive("say")
def say(turn, argument):
    """TEXT: one agent_message_chunk, a message of its own."""
    turn.message(argument)
    yield from ()


@directive("think")
def think(turn, argument):
    """TEXT: one agent_thought_chunk."""
    turn.message(argument, kind="agent_thought_chunk")
    yield from ()


@directive("chunks")
def chunks(turn, argument):
    """N SIZE [PAUSE_MS]: N agent_message_chunks of one message, SIZE characters each."""
    count, size, pause = numbers(argument, 1, 8, 0)
    message_id = new_id()
    for index in range(count):
        turn.message(chunk_text(index, size), message_id=message_id)
        if pause:
            yield "sleep", pause / 1000
    yield from ()


@directive("tool")
def tool(turn, argument):
    """[TEXT]: a tool_call and its tool_call_update (completed)."""
    tool_done(turn, tool_call(turn, "probe", {"text": argument}), argument or "done")
    yield from ()


@directive("tools")
def tools(turn, argument):
    """N [SIZE [PAUSE_MS]]: N finished tool calls, 2 N updates that nobody may merge; SIZE is the output's
    length."""
    count, size, pause = numbers(argument, 1, 8, 0)
    for index in range(count):
        tool_done(turn, tool_call(turn, "probe", {"index": index}), chunk_text(index, size))
        if pause:
            yield "sleep", pause / 1000
    yield from ()


@directive("unannounced-tool")
def unannounced_tool(turn, argument):
    """[TEXT]: a tool_call_update for an id that no tool_call announced."""
    tool_done(turn, f"call_{turn.agent.next_call()}", argument or "done")
    yield from ()


@directive("plan")
def plan(turn, argument):
    """TEXT: a todo_write tool call with one entry, from which dsh clients make a plan."""
    call_id = tool_call(turn, "todo_write", {"todos": [{"content": argument, "status": "in_progress"}]})
    tool_done(turn, call_id, "Todos updated")
    yield from ()


@directive("usage")
def usage(turn, argument):
    """USED SIZE: a usage_update."""
    used, size = numbers(argument, 1000, 1000000)
    turn.update({"sessionUpdate": "usage_update", "used": used, "size": size})
    yield from ()


@directive("user-echo")
def user_echo(turn, argument):
    """TEXT: a user_message_chunk in a live turn, as some agents echo it."""
    turn.message(argument, kind="user_message_chunk")
    yield from ()


@directive("update")
def update(turn, argument):
    """JSON: any session/update body."""
    turn.update(json.loads(argument))
    yield from ()


# --- what the agent knows ---


@directive("count")
def count_prompts(turn, argument):
    """says `count N`: how many prompts this brain session has seen, this one included, resumes and all."""
    turn.message(f"count {len(turn.session.texts)}")
    yield from ()


@directive("history")
def history(turn, argument):
    """says a JSON list of the texts of all prompts this brain session has seen."""
    turn.message(json.dumps(turn.session.texts))
    yield from ()


@directive("facts")
def facts(turn, argument):
    """says a JSON object: pid, uid, boot, prompts of this process, brain session id, cwd, session/new
    parameters."""
    agent = turn.agent
    turn.message(
        json.dumps(
            {
                "pid": os.getpid(),
                "uid": os.getuid(),
                "boot": agent.boot,
                "prompts": agent.prompts,
                "sessions": agent.opened,
                "session": turn.session.id,
                "cwd": turn.session.cwd,
                "params": turn.session.params,
                "argv": agent.argv,
            }
        )
    )
    yield from ()


@directive("env")
def env(turn, argument):
    """NAME: says the environment variable's value, or `unset`."""
    turn.message(os.environ.get(argument, "unset"))
    yield from ()


# --- time ---


@directive("sleep")
def pause_for(turn, argument):
    """MS: waits; a cancel ends it."""
    yield "sleep", int(argument) / 1000


@directive("mark")
def mark(turn, argument):
    """NAME: creates the file NAME in the state folder, so that a test knows the turn is here."""
    turn.agent.counters.bump(argument)
    yield from ()


@directive("gate")
def gate(turn, argument):
    """NAME: waits until the file NAME exists in the state folder; a cancel ends it."""
    yield "gate", turn.agent.counters.path(argument)


@directive("never")
def never(turn, argument):
    """never answers the prompt, also not after a cancel."""
    turn.on_cancel = None
    yield ("never",)


@directive("late")
def late(turn, argument):
    """MS TEXT: one agent_message_chunk MS after the reply: a turn that the agent opens."""
    delay, _, text = argument.partition(" ")
    turn.after_reply(int(delay), lambda: turn.message(text))
    yield from ()


@directive("late-usage")
def late_usage(turn, argument):
    """MS: a usage_update MS after the reply, which belongs to the ended turn."""
    body = {"sessionUpdate": "usage_update", "used": 4242, "size": 1000000}
    turn.after_reply(int(argument), lambda: turn.update(body))
    yield from ()


# --- questions to the client ---


@directive("permission")
def permission(turn, argument):
    """[bare|deaf]: session/request_permission, waits and says the answer. bare: no tool_call before it and
    only the
    id in it. deaf: a cancel is answered only after the client answered the question."""
    call_id = (
        f"call_{turn.agent.next_call()}"
        if argument == "bare"
        else tool_call(turn, "bash", {"command": "true"})
    )
    if argument == "deaf":
        turn.on_cancel = lambda: None
    answer = yield "answer", turn.request(
        "session/request_permission",
        {"sessionId": turn.session.id, "toolCall": {"toolCallId": call_id}, "options": OPTIONS},
    )
    if "error" in answer:
        turn.message(f"permission error {answer['error'].get('code')}")
    else:
        outcome = answer["result"]["outcome"]
        turn.message(" ".join(["permission", outcome["outcome"], outcome.get("optionId", "")]).strip())
    if argument != "bare":
        tool_done(turn, call_id, "asked")


@directive("unknown-request")
def unknown_request(turn, argument):
    """sends a request of an unknown method, waits and says the error code."""
    answer = yield "answer", turn.request("vendor/unknownRequest", {"sessionId": turn.session.id})
    turn.message(f"unknown-request {answer.get('error', {}).get('code', 'no error')}")


@directive("request")
def any_request(turn, argument):
    """METHOD [JSON]: sends that request, waits and says the whole answer as JSON."""
    method, _, params = argument.partition(" ")
    answer = yield "answer", turn.request(method, json.loads(params or "{}"))
    turn.message(json.dumps({key: answer[key] for key in ("result", "error") if key in answer}))


@directive("unknown-notification")
def unknown_notification(turn, argument):
    """sends a notification of an unknown method."""
    turn.agent.send({"jsonrpc": "2.0", "method": "vendor/notify", "params": {"sessionId": turn.session.id}})
    yield from ()


@directive("unknown-update")
def unknown_update(turn, argument):
    """sends a session/update of an unknown kind."""
    turn.update({"sessionUpdate": "vendor_update", "detail": {"any": [1, 2, 3]}})
    yield from ()


@directive("unknown-response")
def unknown_response(turn, argument):
    """sends a response to a request that nobody made."""
    turn.agent.send({"jsonrpc": "2.0", "id": 987654321, "result": {}})
    yield from ()


@directive("foreign-update")
def foreign_update(turn, argument):
    """sends an agent_message_chunk for a session id that this agent never gave out."""
    body = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "foreign"}}
    turn.agent.send(
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": new_id(), "update": body}}
    )
    yield from ()


# --- bytes ---


@directive("line")
def line(turn, argument):
    """BYTES: one agent_message_chunk whose frame has exactly BYTES bytes, newline not counted."""
    frame = turn.frame("agent_message_chunk", "", new_id())
    head, tail = json.dumps(frame, separators=(",", ":")).split('"text":""')
    filler = int(argument) - len(head) - len(tail) - len('"text":""')
    turn.agent.write((head + '"text":"' + "x" * filler + '"' + tail + "\n").encode())
    yield from ()


@directive("gigaline")
def gigaline(turn, argument):
    """BYTES: that many bytes without a newline."""
    left, block = int(argument), b"x" * 65536
    while left > 0:
        turn.agent.write(block[:left])
        left -= len(block)
    yield from ()


@directive("raw")
def raw(turn, argument):
    """TEXT: the line TEXT as it is; \\xNN, \\e and so on are decoded as in a JSON or Python string."""
    text = argument.encode("latin-1", "backslashreplace").decode("unicode_escape").replace("\\e", "\x1b")
    turn.agent.write(text.encode("latin-1", "replace") + b"\n")
    yield from ()


@directive("partial")
def partial(turn, argument):
    """MS TEXT: an agent_message_chunk written in two halves with a pause between them."""
    delay, _, text = argument.partition(" ")
    data = turn.agent.encode(turn.frame("agent_message_chunk", text, new_id()))
    turn.agent.write(data[: len(data) // 2])
    yield "sleep", int(delay) / 1000
    turn.agent.write(data[len(data) // 2 :])


@directive("stderr")
def stderr(turn, argument):
    """TEXT: a line on stderr."""
    os.write(2, argument.encode() + b"\n")
    yield from ()


@directive("stderr-flood")
def stderr_flood(turn, argument):
    """BYTES: that many bytes on stderr in lines of 1 KiB."""
    for _ in range(int(argument) // 1024):
        os.write(2, b"e" * 1023 + b"\n")
    yield from ()


@directive("close-stdout")
def close_stdout(turn, argument):
    """closes stdout and runs on."""
    turn.agent.hang_up()
    yield ("never",)


# --- ends ---


@directive("stop")
def stop(turn, argument):
    """REASON: the stop reason of the reply."""
    turn.stop_reason = argument
    yield from ()


@directive("error")
def error(turn, argument):
    """CODE MESSAGE: answers the prompt with that JSON-RPC error."""
    code, _, message = argument.partition(" ")
    turn.fail(int(code), message)
    yield from ()


@directive("die")
def die(turn, argument):
    """CODE: exits at once with that code."""
    os._exit(int(argument or 1))
    yield from ()


@directive("kill9")
def kill9(turn, argument):
    """kills itself by SIGKILL."""
    os.kill(os.getpid(), signal.SIGKILL)
    yield from ()


@directive("cancel")
def cancel_policy(turn, argument):
    """slow MS | error | ignore: how a later session/cancel is treated: answered after MS, by an error, not
    at all."""
    kind, _, rest = argument.partition(" ")
    if kind == "slow":
        turn.on_cancel = lambda: turn.agent.after(int(rest) / 1000, turn.cancelled)
    elif kind == "error":
        turn.on_cancel = lambda: turn.fail(-32603, "Internal error: cancelled")
    else:
        turn.on_cancel = lambda: None
    yield from ()


# --- resources ---


@directive("child")
def child(turn, argument):
    """[group|pipe]: starts `sleep 300` in a session of its own and says `child PID`. group: stays in the
    agent's
    process group. pipe: keeps the agent's stdout open."""
    ready, started = os.pipe()
    pid = os.fork()
    if pid == 0:
        if argument != "group":
            os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 2) if argument == "pipe" else (0, 1, 2):
            os.dup2(null, number)
        os.execv("/bin/sleep", ["sleep", "300"])
    os.close(started)
    os.read(ready, 1)  # ends at the exec: from then on the child is what it is to be
    os.close(ready)
    turn.message(f"child {pid}")
    yield from ()


@directive("memory")
def memory(turn, argument):
    """MB: holds that much memory from now on."""
    turn.agent.ballast.append(bytearray(b"\x01") * (int(argument) << 20))
    yield from ()

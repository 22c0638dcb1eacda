# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Directives that ask, misbehave on the wire, die or take resources; see fault_directives.py."""

import json
import os
import signal

from fault_brain import new_id
from fault_directives import directive, tool_call, tool_done

OPTIONS = [
    {"optionId": "allow-once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "reject-once", "name": "Reject", "kind": "reject_once"},
]


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


def ask(turn, call_id):
    """The id of a question about that tool call."""
    params = {"sessionId": turn.session.id, "toolCall": {"toolCallId": call_id}, "options": OPTIONS}
    return turn.request("session/request_permission", params)


@directive("permissions")
def permissions(turn, argument):
    """N: asks about N tool calls at once and says each answer as it comes, `N=option`; an answer that is
    cancelled is `N=cancelled`."""
    open_calls = {}
    for number in range(1, int(argument) + 1):
        call_id = tool_call(turn, "bash", {"command": f"echo {number}"})
        open_calls[ask(turn, call_id)] = (number, call_id)
    turn.agent.waiting.update(dict.fromkeys(open_calls, turn))
    while open_calls:
        answer = yield ("more answers",)
        number, call_id = open_calls.pop(answer["id"])
        outcome = answer.get("result", {}).get("outcome", {})
        turn.message(f"{number}={outcome.get('optionId', 'cancelled')} ")
        tool_done(turn, call_id, "asked")


@directive("late-permission")
def late_permission(turn, argument):
    """MS: a tool call and a question about it MS after the reply: a turn that the agent opens and asks in."""
    turn.after_reply(int(argument), lambda: ask(turn, tool_call(turn, "bash", {"command": "late"})))
    yield from ()


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

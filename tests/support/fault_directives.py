# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The directives of a prompt. Each is a generator over (turn, argument); `python3 fault_agent.py --help`
lists them.

A generator yields what it waits for: ("sleep", seconds), ("answer", request id), ("gate", path) or
("never",).
"""

import json
import os

from fault_brain import new_id

DIRECTIVES = {}


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


@directive("clock")
def clock(turn, argument):
    """says a JSON object: when the last call of each method was read, in nanoseconds of CLOCK_MONOTONIC, which
    all processes of a machine share."""
    turn.message(json.dumps(turn.agent.read_of))
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

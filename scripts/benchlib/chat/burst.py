# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""5,000 updates as fast as the agent can write them, to a live reader and to a slow one."""

import threading
import time

from benchlib import rig
from benchlib.report import Row, at_most
from tests.e2e.client import of_type, said
from tests.e2e.wait import pause

COUNT, SIZE = 5000, 80
SLOW_PAUSE = 0.002  # before each read of at most 64 KiB
LIMIT = 120


def read_slowly(stream):
    """Reads to the turn's end with a pause before each read."""
    end = time.monotonic() + LIMIT
    while not any(frame.event == "turn_end" for frame in stream.pending):
        if time.monotonic() > end:
            raise TimeoutError("the slow reader did not see the turn's end")
        stream.seen += stream.pending
        stream.pending.clear()
        pause(SLOW_PAUSE)
        stream.fill(1)
    stream.seen += stream.pending


class Reader(threading.Thread):
    """The slow one: a small receive buffer and a pause before each read."""

    def __init__(self, client, session):
        super().__init__()
        self.stream = client.stream(session, after=0, live=0, receive_buffer=4096)
        self.ended, self.error = 0.0, None

    def run(self):
        try:
            read_slowly(self.stream)
            self.ended = time.monotonic()
        except Exception as error:  # handed to the item, which fails with it
            self.error = error

    def finish(self):
        self.join(LIMIT * 2)
        self.stream.close()
        if self.error:
            raise RuntimeError(f"the slow reader: {self.error}")
        return self.stream.events()


def pieces(events, tools):
    """What arrived: texts of the tool calls' results, or the message cut into the chunks it was sent as."""
    if tools:
        return [event["content"][0]["content"]["text"] for event in of_type(events, "tool_call_update")]
    text = said(events)
    return [text[at : at + SIZE] for at in range(0, len(text), SIZE)]


def lost(events, tools):
    """How many of the numbered pieces are not there, in order and once."""
    wanted = COUNT // 2 if tools else COUNT
    numbers = [int(piece[:8]) for piece in pieces(events, tools)]
    if numbers == list(range(wanted)):
        return 0
    return max(1, wanted - len(set(numbers)))


def burst(one, tools):
    talk = rig.Conversation(one)
    slow = Reader(talk.client, talk.id)
    slow.start()
    turn = talk.turn(f"@tools {COUNT // 2} {SIZE}" if tools else f"@chunks {COUNT} {SIZE}")
    events = talk.stream.events()
    slow_events = slow.finish()
    talk.close()
    return (
        turn["ended"] - turn["sent"],
        slow.ended - turn["sent"],
        lost(events, tools),
        lost(slow_events, tools),
    )


def rows(bench):
    with rig.daemon(rig.STAYS_IN_MEMORY) as one:
        for tools, name in ((False, f"{COUNT} chunks"), (True, f"{COUNT} tool updates")):
            live, slow, live_lost, slow_lost = burst(one, tools)
            note = "each an event of its own" if tools else "coalesced into larger events before the commit"
            yield Row("burst", f"{name}, live reader", live * 1e3, "ms", None, 1, note)
            yield Row(
                "burst", f"{name}, slow reader", slow * 1e3, "ms", None, 1, "4 KiB buffer, 2 ms per read"
            )
            yield Row("burst", f"{name}, lost by the live reader", live_lost, "", at_most(0), COUNT)
            yield Row("burst", f"{name}, lost by the slow reader", slow_lost, "", at_most(0), COUNT)

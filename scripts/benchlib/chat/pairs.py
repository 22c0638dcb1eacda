# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Prompts to a ready and to a released session of the scripted agent, one after the other."""

from benchlib import rig

T1 = "100ms"


def measure(bench):
    """[(ready, released)]: in each pair the same session, first with its brain, then after T1 took it, with
    another worker warm."""
    with rig.daemon({"session": {"t1": T1}}) as one:
        talk = rig.Conversation(one)
        talk.turn("hello")
        pairs = []
        for _ in range(bench.count(100, 10)):
            ready = talk.stamped()
            talk.wait_state("detached")
            rig.wait_warm(one)
            pairs.append((ready, talk.stamped()))
            if "session/resume" not in pairs[-1][1]["read"]:
                raise RuntimeError("the released session was not resumed")
        talk.close()
    return pairs


def shared(bench):
    return bench.once("pairs", lambda: measure(bench))

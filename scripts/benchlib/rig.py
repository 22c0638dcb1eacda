# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The daemon under measurement, started as the end-to-end tests start it."""

import contextlib
import json
import os
import resource
import sys
import time

from benchlib.link import Link
from tests.e2e import procs, settings
from tests.e2e.client import said
from tests.e2e.harness import Daemon
from tests.e2e.wait import until

# A benchmark is one device with many sessions and turns.
UNLIMITED = {"limits": {"sessions_per_device": 0, "turns_per_device": 100000}}
STAYS_IN_MEMORY = {"session": {"passivate": "24h", "t1": "24h"}}


def raise_file_limit():
    """As many descriptors as the machine allows, for us and what we start."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextlib.contextmanager
def daemon(config=None, agents=None, model=False, start=True, agent_keys=None):
    """A daemon of its own; ended, checked for leftovers and removed at the end."""
    agents = {"fault": {}} if agents is None else agents
    one = Daemon(settings.merged(UNLIMITED, config), agents, model, agent_keys)
    try:
        yield one.start() if start else one
        if start:
            code = one.stop()
            one.wait_no_workers()
            if code != 0:  # the tests decide how it must end; the figures are there already
                print(f"bench: the daemon ended with {code}: {one.tail(3)}", file=sys.stderr)
    except Exception as error:
        code = one.child.poll() if one.child else None
        if code is None:
            raise
        raise RuntimeError(f"the daemon ended with {code} under {error}: {one.tail(3)}") from error
    finally:
        one.close()


def link(one):
    gateway = one.endpoints()["gateway"]
    return Link(gateway["url"], gateway["device_token"])


def actors(one, path):
    """The actors that an ops route lists."""
    return one.ops().must(200, "GET", path)["actors"]


def warm_workers(one, profile):
    """How many workers of the profile wait warm."""
    found = [actor for actor in actors(one, "/ops/v1/workers") if actor["state"] == "warm"]
    return sum(1 for actor in found if actor.get("detail", {}).get("profile") == profile)


def wait_warm(one, profile="fault", count=1):
    until(lambda: warm_workers(one, profile) >= count, f"{count} warm workers of {profile}", step=0.01)


def rss_kib(pid):
    return procs.rss_mib(pid) * 1024


def settled_rss_kib(pid, grain=64, limit=5.0):
    """The resident memory when it has stood still for a quarter of a second, within `grain` KiB."""
    seen = []

    def still():
        seen.append((time.monotonic(), rss_kib(pid)))
        recent = [size for at, size in seen if at >= seen[-1][0] - 0.25]
        return len(recent) > 5 and max(recent) - min(recent) <= grain

    with contextlib.suppress(AssertionError):  # a daemon that keeps growing is measured as it is
        until(still, "the resident memory stands still", limit)
    return rss_kib(pid)


class Conversation:
    """A session with its open event stream and one kept-alive connection for prompts."""

    def __init__(self, one, profile="fault"):
        self.client = one.client()
        self.id = self.client.create(profile)
        self.path = f"/v1/sessions/{self.id}"
        self.stream = self.client.stream(self.id, after=0, live=0)
        self.stream.until("caught_up")
        self.link = link(one)

    def turn(self, text):
        """One turn: {sent, accepted, started, ended} in seconds of the monotonic clock, and its text. `started` is
        when turn_started was seen: the daemon writes the prompt to the agent in the same moment."""
        request = self.link.encode("POST", self.path + "/prompt", {"text": text})
        del self.stream.seen[:]
        sent = time.monotonic()
        status, body = self.link.exchange(request)
        accepted = time.monotonic()
        if status != 202:
            raise RuntimeError(f"prompt -> {status}: {body[:300]!r}")
        turn = json.loads(body)["turn_id"]
        end = self.stream.until(lambda frame: frame.event == "turn_end" and frame.data.get("turn_id") == turn)
        if end.data.get("stop_reason") != "end_turn":
            raise RuntimeError(f"a turn ended with {end.text}")
        started = next(frame.at for frame in self.stream.seen if frame.event == "turn_started")
        text = said(self.stream.events(), turn)
        return {"sent": sent, "accepted": accepted, "started": started, "ended": end.at, "text": text}

    def stamped(self):
        """A turn with the times at which the agent read its last calls: {method: seconds}."""
        turn = self.turn("@clock")
        return {**turn, "read": {name: at / 1e9 for name, at in json.loads(turn["text"]).items()}}

    def wait_state(self, *states):
        until(lambda: self.link.must(200, "GET", self.path)["state"] in states, f"state {states}", step=0.005)

    def close(self):
        self.stream.close()
        self.link.close()


def exists():
    """Whether the build under measurement has a daemon."""
    return os.path.exists(os.path.join(settings.BUILD, "apps", "agentpoold", "agentpoold"))

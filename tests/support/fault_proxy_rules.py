# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Which rule of a fault proxy acts on which request. What each rule does is a row of RULES here and of the table in
fault_proxy.md."""

import random
import re
import threading

CONNECT = r"^(/v2)?/sandboxes/[^/]+/(connect|resume)$"
V2_CREATE = r"^/v2/sandboxes$"
LIST = r"^(/v2)?/sandboxes$"
START = r"^/process\.Process/(Start|Connect)$"
ALL = ""

# name: (plane, methods, path) that it acts on unless the rule says otherwise.
RULES = {
    "refuse_connection": ("connection", "", ALL),
    "delay": ("any", "", ALL),
    "answer": ("any", "", ALL),
    "empty_408": ("api", "POST", r"^(/v2)?/sandboxes$"),
    "no_v2_create": ("api", "POST", V2_CREATE),
    "no_v2_connect": ("api", "POST", r"^/v2/sandboxes/[^/]+/connect$"),
    "html": ("any", "", ALL),
    "busy": ("any", "", ALL),
    "cube_error": ("api", "", ALL),
    "refuse_delete": ("api", "DELETE", r"^/sandboxes/[^/]+$"),
    "connect_200": ("api", "POST", CONNECT),
    "resume_nothing": ("api", "POST", CONNECT),
    "pause": ("any", "", ALL),
    "pause_twice_fails": ("api", "POST", r"^/sandboxes/[^/]+/pause$"),
    "delete_paused_fails": ("api", "DELETE", r"^/sandboxes/[^/]+$"),
    "timeout_fails": ("api", "POST", r"^/sandboxes/[^/]+/(timeout|refreshes)$"),
    "lost_files": ("api", "POST", CONNECT),
    "lost_processes": ("api", "POST", CONNECT),
    "black_hole": ("api", "POST", CONNECT),
    "envd_version": ("any", "", ALL),
    "host_only": ("envd", "", ALL),
    "headers_only": ("envd", "", ALL),
    "wrong_route": ("envd", "", ALL),
    "stale_route": ("envd", "", ALL),
    "closed_port": ("port", "", ALL),
    "cut": ("any", "", ALL),
    "silence": ("any", "", ALL),
    "slow_body": ("any", "", ALL),
    "list_bare": ("api", "GET", LIST),
    "list_no_token": ("api", "GET", LIST),
    "list_no_filter": ("api", "GET", LIST),
    "list_without": ("api", "GET", LIST),
    "clock": ("api", "", ALL),
    "sandbox_clock": ("envd", "POST", START),
    "stream_json": ("envd", "POST", START),
    "stream_silent": ("envd", "POST", START),
    "no_end_event": ("envd", "POST", START),
    "no_end_of_stream": ("envd", "POST", START),
    "double_end": ("envd", "POST", START),
}


class Rule:
    """One rule as the test wrote it: its name, what it matches, how often it acts, and its own members."""

    def __init__(self, given, dice):
        self.given = dict(given)
        self.name = self.given["rule"]
        if self.name not in RULES:
            raise ValueError(f"there is no rule {self.name!r}")
        plane, methods, path = RULES[self.name]
        self.plane = self.given.get("plane", plane)
        self.methods = self.given.get("method", methods).split()
        self.path = re.compile(self.given.get("path", path))
        self.share, self.skip, self.times = (self.given.get(k, d) for k, d in (("share", 1), ("skip", 0), ("times", -1)))
        self.dice, self.acted = dice, 0

    def get(self, key, default=None):
        return self.given.get(key, default)

    def matches(self, request):
        return (
            self.plane in ("any", request.plane)
            and (not self.methods or request.method in self.methods)
            and self.path.search(request.path) is not None
        )

    def takes(self):
        """Whether it acts on this match: `skip` first, then `share` by the seed, at most `times`."""
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times == 0 or (self.share < 1 and self.dice.random() >= self.share):
            return False
        self.times -= self.times > 0
        self.acted += 1
        return True


class Rules:
    """The rules that hold now. Used from every connection's thread."""

    def __init__(self, seed=1):
        self.lock, self.seed, self.all = threading.Lock(), seed, []

    def set(self, given):
        dice = random.Random(self.seed)
        rules = [Rule(one, dice) for one in given]
        with self.lock:
            self.all = rules

    def for_request(self, request):
        """Those that act on it, in their order."""
        with self.lock:
            return [rule for rule in self.all if rule.matches(request) and rule.takes()]

    def refuse_connection(self):
        with self.lock:
            return any([rule.takes() for rule in self.all if rule.plane == "connection"])

    def counts(self):
        with self.lock:
            return [{"rule": rule.name, "acted": rule.acted} for rule in self.all]

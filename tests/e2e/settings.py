# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the suite expects of its surroundings, and every name that the daemon's configuration decides, in
one place."""

import os

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("AGENTPOOL_BUILD_DIR", os.path.join(REPO, "build", "debug"))
DSH = os.environ.get("AGENTPOOL_DSH_PREFIX", "/opt/agentpool/dsh")
SOAK = os.environ.get("AGENTPOOL_SOAK") == "1"

# Configuration tables that make a promise short enough for a test.
NO_DSH = {"pool": {"warm": 0}}
QUICK_HEARTBEAT = {"gateway": {"heartbeat": "500ms"}}
QUICK_EVICTION = {"gateway": {"heartbeat": "500ms", "viewer_stall": "2s"}}
QUICK_START_LIMITS = {"pool": {"session_deadline": "1s", "boot_deadline": "3s"}}
QUICK_STALL = {"session": {"turn_stall": "1s", "cancel_grace": "500ms"}}
QUICK_END = {"pool": {"end_grace": "300ms"}, "session": {"cancel_grace": "500ms"}}
BIG_BODIES = {"limits": {"body": "4MiB"}}
QUICK_DRAIN = {"session": {"drain_limit": "2s"}}


def warm_of(profile):
    """How many workers of a fault agent profile wait warm: the faulty ones start only when somebody asks."""
    return 1 if profile == "fault" else 0


def t1(duration):
    """The brain idle timer."""
    return {"session": {"t1": duration}}


def scaled(ci, soak):
    """A count: short in CI, the full one of the report in a soak."""
    return soak if SOAK else ci


def merged(*tables):
    """Configuration tables laid over each other, later ones win."""
    out = {}
    for table in tables:
        for name, keys in (table or {}).items():
            out[name] = {**out.get(name, {}), **keys}
    return out


def toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml_value(item)}" for name, item in value.items()) + "}"
    return "[" + ", ".join(toml_value(item) for item in value) + "]"


def toml(tables):
    """The configuration file's text."""
    lines = []
    for name, keys in tables.items():
        lines += [f"[{name}]"] + [f"{key} = {toml_value(value)}" for key, value in keys.items()] + [""]
    return "\n".join(lines)

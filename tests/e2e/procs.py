# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Processes as /proc shows them: found by a marker, looked at, never ended by name."""

import contextlib
import os
import signal


def read(pid, name):
    """A file of /proc/PID as bytes; empty when the process is gone or a zombie."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as handle:
            return handle.read()
    except OSError:
        return b""


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def command(pid):
    return read(pid, "cmdline").replace(b"\0", b" ").decode("utf-8", "replace").strip()


def marked(marker):
    """{pid: command line} of the living processes that have `marker` in their environment or arguments,
    without us."""
    needle = marker.encode()
    found = {}
    for pid in pids():
        if pid != os.getpid() and (needle in read(pid, "cmdline") or needle in read(pid, "environ")):
            found[pid] = command(pid)
    return found


def stat(pid):
    """The fields of /proc/PID/stat after the command's name; empty when it is gone."""
    text = read(pid, "stat").decode("utf-8", "replace")
    return text.rpartition(")")[2].split()


def parent(pid):
    fields = stat(pid)
    return int(fields[1]) if fields else 0


def alive(pid):
    """True while the process exists and is no zombie."""
    fields = stat(pid)
    return bool(fields) and fields[0] not in "ZX"


def descendants(root):
    """All living processes below `root`, by their parents."""
    children = {}
    for pid in pids():
        children.setdefault(parent(pid), []).append(pid)
    found, left = [], [root]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return [pid for pid in found if alive(pid)]


def fds(pid):
    """How many descriptors the process holds."""
    return len(links(pid, "fd"))


def links(pid, name):
    """What the links of /proc/PID/NAME lead to; empty when the process is gone."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.listdir(f"/proc/{pid}/{name}"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/{pid}/{name}/{entry}"))
    return found


def rss_mib(pid):
    for line in read(pid, "status").decode().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def connections(port):
    """(peer port, state) of each connection that the local TCP port accepted, as proc(5) numbers states."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]
    return [
        (int(row[2].rpartition(":")[2], 16), int(row[3], 16)) for row in rows if row[1].endswith(f":{port:04X}")
    ]


def close_waits(port):
    """Connections of the local TCP port that the peer has closed and we have not."""
    return sum(1 for _, state in connections(port) if state == 8)


def holds_connection(port, peer_port):
    """True while the server at `port` keeps its connection to that peer established."""
    return (peer_port, 1) in connections(port)


def kill(pid, number=signal.SIGKILL):
    """Ends one process by its id; fine when it is gone already."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""From the change of a file to its event."""

import json
import os
import struct
import time

from benchlib.report import Row
from benchlib.stats import median, percentile
from benchlib.wire.peer import STREAM, envelope, peers


def message(answer):
    head = answer.read(5)
    if len(head) < 5:
        raise RuntimeError("the stream ended")
    return json.loads(answer.read(struct.unpack(">BI", head)[1]))


def latencies(peer, count):
    """Seconds from the creation of a file in the watched folder until its event is read."""
    link, found = peer.link(), []
    folder = os.path.join(peer.home, "watched")
    os.mkdir(folder)
    body = envelope({"path": folder})
    link.request("POST", "/filesystem.Filesystem/WatchDir", body, {**peer.headers, **STREAM})
    answer = link.getresponse()
    if "start" not in (first := message(answer)):
        raise RuntimeError(f"{peer.name}: {first}")
    for number in range(count):
        start = time.monotonic()
        os.mkdir(f"{folder}/{number}")
        while message(answer).get("filesystem", {}).get("name") != str(number):
            pass
        found.append(time.monotonic() - start)
    return found


def rows(bench):
    with peers(inside=False) as all_peers:
        for peer in all_peers:
            found = latencies(peer, bench.count(300, 10))
            for percent, what in ((50, median(found)), (95, percentile(found, 95))):
                yield Row("watch", f"mkdir → its event, {peer.name}, p{percent}", what * 1e3, "ms", None, len(found))

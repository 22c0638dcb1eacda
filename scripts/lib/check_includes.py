#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that C++ files include only what their layer may include. The tables below are the rules.

Usage: check_includes.py [--root DIR]
"""

import re
import sys

from check_files import CPP, Report, tracked_files

# layer -> layers it may include (itself is always allowed); tests may include every layer
MAY_INCLUDE = {
    "protocol/wire": (),
    "protocol/ports": ("protocol/wire",),
    "protocol/actors": ("protocol/wire",),
    "net": ("protocol/wire", "protocol/ports"),
    "actors": ("protocol/wire", "protocol/ports", "protocol/actors"),
    "gateway": ("protocol/wire", "protocol/ports", "protocol/actors", "net"),
    "apps": ("protocol/wire", "protocol/ports", "protocol/actors", "net", "actors", "gateway", "sandboxd/templates"),
    "sandboxd/templates": ("protocol/wire", "net", "sandboxd"),
    "sandboxd": ("protocol/wire", "net", "sandboxd/templates"),
    "tests": ("protocol/wire", "protocol/ports", "protocol/actors", "net", "actors", "gateway", "apps", "sandboxd", "sandboxd/templates"),
}

# (headers, layers that may include them besides tests, what to do instead)
LIBRARIES = (
    (r"rapidjson/", ("protocol/wire",), "add a codec to protocol/wire and use its plain types"),
    (r"boost/", ("net", "gateway", "sandboxd"), "use an interface of protocol/ports, or move the code to net/ or gateway/"),
    (r"curl/", ("net", "gateway"), "use the HTTP client interface of protocol/ports"),
    (r"sqlite3\.h", ("net",), "use the store interface of protocol/ports"),
    (r"caf/(io|openssl)/", ("actors",), "the middleman belongs to actors/: call a function of actors/"),
    (r"caf/", ("protocol/actors", "actors", "gateway", "apps"), "keep CAF out of this layer: pass plain values"),
)

# Threads and locks: an actor owns its state alone, so none of these has a use in actors/.
THREADING = r"(mutex|shared_mutex|thread|condition_variable|future|semaphore|latch|barrier|stop_token|pthread\.h)"
NO_THREADING_IN = ("actors", "protocol/actors")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """The layer a repository path belongs to, None when no layer has that folder."""
    return next((layer for layer in MAY_INCLUDE if path.startswith(layer + "/")), None)


def check_project_include(layer, target):
    """What is wrong with `#include "target"` in this layer, None when nothing is."""
    other = layer_of(target)
    if other is None:
        return f'"{target}" is not rooted at the repository; write the whole path, such as "protocol/wire/ids.hpp"'
    if other == layer or other in MAY_INCLUDE[layer]:
        return None
    allowed = ", ".join(MAY_INCLUDE[layer]) or "nothing else"
    return f"{layer} must not include {other} ({target}); it may include {allowed}: meet in protocol/ or wire it in apps/"


def check_library_include(layer, target):
    """What is wrong with `#include <target>` in this layer, None when nothing is."""
    if layer == "tests":
        return None
    if layer in NO_THREADING_IN and re.fullmatch(THREADING, target):
        return f"<{target}> in {layer}: no threads and no locks here; use a message, or a port that net/ implements"
    for pattern, layers, instead in LIBRARIES:
        if re.match(pattern, target) and layer not in layers:
            return f"{layer} must not include <{target}>; {instead}"
    return None


def check_file(root, path, report):
    layer = layer_of(path)
    if layer is None:
        report.add(path, 1, "this folder is no layer; move the file or add the layer to scripts/lib/check_includes.py")
        return
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        check = check_project_include if match.group(1) == '"' else check_library_include
        problem = check(layer, match.group(2))
        if problem:
            report.add(path, number, problem)


def main():
    root, files = tracked_files()
    report = Report("includes")
    for path in files:
        if path.endswith(CPP):
            check_file(root, path, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

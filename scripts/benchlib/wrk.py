# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""wrk, the closed-loop load generator, and its words."""

import re
import shutil
import subprocess

SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def parse(text):
    """{rate, percentile: seconds, errors} of wrk --latency."""
    found = {}
    for percent, value, unit in re.findall(r"^\s+(\d+)(?:\.\d+)?%\s+([\d.]+)(us|ms|s|m)\s*$", text, re.M):
        found[int(percent)] = float(value) * SECONDS[unit]
    rate = re.search(r"^Requests/sec:\s+([\d.]+)", text, re.M)
    if not rate or 50 not in found or 99 not in found:
        raise ValueError(f"this is not what wrk --latency prints: {text[:300]!r}")
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    lost = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    errors = int(bad.group(1) if bad else 0) + sum(map(int, lost.groups() if lost else ()))
    return {"rate": float(rate.group(1)), "percentiles": found, "errors": errors}


def available():
    return shutil.which("wrk") is not None


def run(url, token, connections, seconds):
    """One closed loop of that many connections."""
    return measure(url, connections, seconds, ["-H", f"Authorization: Bearer {token}"])


def measure(url, connections, seconds, more=()):
    """One closed loop on `url` with `more` options of wrk; a bad answer is an error."""
    command = ["wrk", "--latency", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", *more, url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True)
    found = parse(done.stdout)
    if found["errors"]:
        raise RuntimeError(f"{found['errors']} bad answers under wrk with {connections} connections")
    return found


def lua(method, headers, body):
    """A script that makes wrk send this request; `body` is bytes."""
    lines = [f"wrk.method = {text(method.encode())}", f"wrk.body = {text(body)}"]
    lines += [f"wrk.headers[{text(name.encode())}] = {text(value.encode())}" for name, value in headers.items()]
    return "\n".join(lines) + "\n"


def text(data):
    """Bytes as a string of Lua."""
    return '"' + "".join(f"\\{byte:03d}" for byte in data) + '"'

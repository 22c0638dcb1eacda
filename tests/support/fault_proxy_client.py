# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A fault proxy as the child of a test."""

import http.client
import json
import os
import subprocess
from urllib.parse import urlsplit

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fault_proxy.py")
LIMIT = 60


class FaultProxy:
    """Ends with `close()`; `rules(...)` replaces all rules at once."""

    def __init__(self, upstream, *options, rules=()):
        self.child = subprocess.Popen(
            ["/usr/bin/python3", "-B", PROGRAM, "--upstream", upstream, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        ready = json.loads(self.child.stdout.readline())
        self.url, self.control = ready["url"], ready["control"]
        self.rules(*rules)

    def ask(self, method, path, body=None):
        address = urlsplit(self.control)
        link = http.client.HTTPConnection(address.hostname, address.port, timeout=LIMIT)
        try:
            link.request(method, path, None if body is None else json.dumps(body))
            answer = link.getresponse()
            told = json.loads(answer.read())
        finally:
            link.close()
        if answer.status != 200:
            raise AssertionError(f"{method} {path}: {told}")
        return told

    def rules(self, *rules):
        self.ask("PUT", "/rules", [{"rule": one} if isinstance(one, str) else one for one in rules])

    def acted(self):
        """{rule: how often}"""
        return {row["rule"]: row["acted"] for row in self.ask("GET", "/rules")}

    def log(self, path=""):
        """The requests that came whose path begins so."""
        return [row for row in self.ask("GET", "/log") if row["path"].startswith(path)]

    def close(self):
        if self.child.poll() is None:
            self.child.stdin.close()
            self.child.wait(LIMIT)
        self.child.stdout.close()


def make_authority(folder, names="IP:127.0.0.1,DNS:localhost,DNS:*.cube.test"):
    """(PEM of a new authority, the proxy's options for a certificate of it)."""
    path = lambda name: os.path.join(folder, name)
    run = lambda *words: subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=LIMIT)
    with open(path("names"), "w", encoding="utf-8") as file:
        file.write(f"subjectAltName={names}\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *key, "-keyout", path("ca.key"), "-out", path("ca.pem"), "-subj", "/CN=test authority")
    run("req", *key, "-keyout", path("key.pem"), "-out", path("csr.pem"), "-subj", "/CN=localhost")
    run("x509", "-req", "-in", path("csr.pem"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial",
        "-extfile", path("names"), "-out", path("cert.pem"))
    return path("ca.pem"), ("--cert", path("cert.pem"), "--key", path("key.pem"))

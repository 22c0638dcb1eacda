# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What a fault proxy knows of the provider behind it, and calls of its own there."""

import http.client
import json
import threading
import time
from urllib.parse import urlsplit

from fault_proxy_rules import Rules

LIMIT = 60.0
ENVD_PORT = "49983"


class Provider:
    """The origin, the sandboxes that were created through the proxy, and which of them count as paused."""

    def __init__(self, upstream, seed):
        address = urlsplit(upstream)
        self.host, self.port = address.hostname, address.port or 80
        self.rules = Rules(seed)
        self.lock = threading.Lock()
        self.made, self.paused, self.log, self.links = {}, {}, [], {}
        self.counted = {"connections": 0}

    # -- sandboxes

    def created(self, body):
        with self.lock:
            self.made[body["sandboxID"]] = body

    def token(self, sandbox):
        return self.made.get(sandbox, {}).get("envdAccessToken") or ""

    def pause(self, sandbox):
        with self.lock:
            self.paused[sandbox] = time.time()

    def resume(self, sandbox):
        with self.lock:
            return self.paused.pop(sandbox, None) is not None

    def other_than(self, sandbox):
        """Another sandbox, the newest."""
        return next((one for one in reversed(self.made) if one != sandbox), sandbox)

    # -- connections of clients: which of them carried which sandbox

    def opened(self, peer):
        with self.lock:
            self.counted["connections"] += 1
            self.links[peer] = None

    def carried(self, peer, sandbox):
        with self.lock:
            self.links[peer] = sandbox

    def closed(self, peer):
        with self.lock:
            self.links.pop(peer, None)

    def black_hole(self, sandbox):
        """Nothing comes back any more on connections that carried `sandbox`."""
        with self.lock:
            for peer, one in self.links.items():
                peer.dead = peer.dead or one == sandbox

    # -- calls of its own

    def call(self, method, path, body=None, headers=None):
        link = http.client.HTTPConnection(self.host, self.port, timeout=LIMIT)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            link.request(method, path, data, headers or {})
            reply = link.getresponse()
            return reply.status, reply.read()
        finally:
            link.close()

    def envd(self, sandbox, method, body):
        """A unary call of envd."""
        lines = {"E2b-Sandbox-Id": sandbox, "E2b-Sandbox-Port": ENVD_PORT, "Content-Type": "application/json"}
        if self.token(sandbox):
            lines["X-Access-Token"] = self.token(sandbox)
        status, data = self.call("POST", method, body, lines)
        return json.loads(data or b"{}") if status == 200 else {}

    def note(self, request, rules):
        with self.lock:
            self.log.append({"method": request.method, "path": request.path, "query": request.query,
                             "plane": request.plane, "sandbox": request.sandbox, "host": request.head.get("Host"),
                             "headers": {key.lower(): value for key, value in request.head.fields
                                         if key.lower() not in ("x-api-key", "x-access-token")},
                             "rules": [rule.name for rule in rules]})

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A proxy in front of a sandbox provider that puts differences and faults of other providers on the wire. See
fault_proxy.md.

    fault_proxy.py --upstream URL [--port 0] [--rules FILE] [--seed N] [--cert PEM --key PEM]

prints one line of JSON, {"url", "control"}, when it serves, and ends at the end of its standard input."""

import argparse
import http.server
import json
import os
import socket
import ssl
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(os.path.dirname(HERE))]

from fault_proxy_exchange import Exchange, Request  # noqa: E402
from fault_proxy_state import Provider  # noqa: E402
from fault_proxy_wire import Broken, Peer  # noqa: E402


class Listener:
    """Accepts clients; each connection has a thread."""

    def __init__(self, provider, port, tls):
        self.provider, self.tls = provider, tls
        self.listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            link, _ = self.listener.accept()
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def serve(self, link):
        peer = Peer(link)
        if self.provider.rules.refuse_connection():
            return peer.close(reset=True)
        try:
            if self.tls:
                peer.link = self.tls.wrap_socket(link, server_side=True)
            self.provider.opened(peer)
            while (head := peer.read_head()) is not None:
                if not Exchange(self.provider, peer, Request(head)).run():
                    break
        except (Broken, OSError, ValueError):
            peer.reset = True if peer.reset is None else peer.reset
        finally:
            self.provider.closed(peer)
            peer.close(peer.reset)


class Control(http.server.BaseHTTPRequestHandler):
    """PUT /rules takes a list; GET /rules tells how often each acted; GET /log is every request that came; DELETE
    /log empties it."""

    provider = None
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_PUT(self):
        try:
            self.provider.rules.set(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.reply(200, {})
        except (ValueError, KeyError) as wrong:
            self.reply(400, {"message": str(wrong)})

    def do_GET(self):
        with self.provider.lock:
            log = list(self.provider.log)
        told = {"/rules": self.provider.rules.counts, "/log": lambda: log, "/state": lambda: self.provider.counted}
        self.reply(200 if self.path in told else 404, told.get(self.path, dict)())

    def do_DELETE(self):
        with self.provider.lock:
            self.provider.log.clear()
        self.reply(200, {})


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--upstream", required=True)
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--rules")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--cert")
    options.add_argument("--key")
    given = options.parse_args()
    provider = Provider(given.upstream, given.seed)
    if given.rules:
        with open(given.rules, encoding="utf-8") as rules:
            provider.rules.set(json.load(rules))
    tls = None
    if given.cert:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(given.cert, given.key)
        tls.set_alpn_protocols(["http/1.1"])
    listener = Listener(provider, given.port, tls)
    control = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Control,), {"provider": provider}))
    threading.Thread(target=control.serve_forever, daemon=True).start()
    ready = {"url": f"{'https' if tls else 'http'}://127.0.0.1:{listener.port}",
             "control": f"http://127.0.0.1:{control.server_port}"}
    print(json.dumps(ready), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()

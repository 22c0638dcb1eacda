# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A small provider for the fault proxy's own tests: it keeps what it was asked and says what E2B would say."""

import base64
import http.server
import json
import threading
from urllib.parse import parse_qs, urlsplit

from fault_proxy_wire import chunk, envelope

START = [{"event": {"start": {"pid": 7}}}, {"event": {"data": {"stdout": base64.b64encode(b"1700000000000\n").decode()}}},
         {"event": {"end": {"exited": True, "status": "exit status 0"}}}]
WHEN = "2026-01-01T00:00:00.000Z"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def reply(self, status, body=None, headers=()):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (*headers, ("Content-Type", "application/json")):
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/connect+json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in START:
            self.wfile.write(chunk(envelope(event)))
        self.wfile.write(chunk(envelope({}, 2)) + b"0\r\n\r\n")

    def row(self, box):
        made = self.server.boxes[box]
        return {"sandboxID": box, "state": "running", "startedAt": WHEN, "endAt": WHEN, "envdVersion": "0.6.13",
                "metadata": made.get("metadata", {})}

    def do(self):
        try:
            body = self.body()
        except (ConnectionError, ValueError):
            return
        self.server.seen.append((self.command, self.path, dict(self.headers), body))
        self.data_plane() if self.headers.get("E2b-Sandbox-Id") else self.control_plane(body)

    do_GET = do_POST = do_DELETE = do

    def data_plane(self):
        path = self.path.partition("?")[0]
        if path == "/process.Process/Start":
            return self.stream()
        if path == "/process.Process/List":
            return self.reply(200, {"processes": [{"pid": 7}]})
        self.reply(200, {"box": self.headers["E2b-Sandbox-Id"], "token": self.headers.get("X-Access-Token")})

    def control_plane(self, body):
        address = urlsplit(self.path)
        parts = address.path.removeprefix("/v2").strip("/").split("/")
        if parts == ["sandboxes"] and self.command == "POST":
            box = f"i{len(self.server.boxes) + 1}"
            self.server.boxes[box] = json.loads(body or b"{}")
            made = {"sandboxID": box, "envdVersion": "0.6.13", "envdAccessToken": "t-" + box}
            return self.reply(201, made)
        if parts == ["sandboxes"]:
            wanted = parse_qs(parse_qs(address.query).get("metadata", [""])[0])
            rows = [self.row(box) for box, made in self.server.boxes.items()
                    if all(made.get("metadata", {}).get(k) == v[0] for k, v in wanted.items())]
            return self.reply(200, rows, [("X-Next-Token", "more")])
        if parts[1] not in self.server.boxes:
            return self.reply(404, {"code": 404, "message": "no such sandbox"})
        if self.command == "DELETE":
            self.server.boxes.pop(parts[1])
            return self.reply(204)
        if parts[2:] == ["connect"]:
            return self.reply(200, {"sandboxID": parts[1], "envdVersion": "0.6.13"})
        self.reply(204) if parts[2:] else self.reply(200, self.row(parts[1]))


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A proxy that breaks connections is what these tests are about."""


class Origin:
    def __init__(self):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.boxes, self.server.seen = {}, []
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def paths(self):
        return [f"{method} {path}" for method, path, _, _ in self.server.seen]

    def close(self):
        self.server.shutdown()
        self.server.server_close()

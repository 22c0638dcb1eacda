# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A daemon's world socket that answers as for a session without a hand (docs/world-protocol.md section 9),
and that can be told to answer otherwise or not at all. Exists to inject faults and to see what the plugin
sends."""

import base64
import http.server
import json
import os
import socketserver
import sys
import threading

NO_HAND = (
    "No sandboxes are configured on this server; tools that need one run when its operator names a provider in [hands]."
)
DIRECTORIES = ("/", "/workspace")


class Refusal(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status = status
        self.body = {"code": code, "message": message}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def address_string(self):
        return "world"

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        name = self.path.removeprefix("/world/v1/")
        head, content = raw, b""
        if "framed" in self.headers.get("content-type", ""):
            head, _, content = raw.partition(b"\n")
        body = json.loads(head or b"{}")
        with self.server.lock:
            self.server.requests.append((name, self.headers.get("X-Agentpool-Session"), body))
        try:
            self.authorize(name)
            answer = self.server.answers.get(name, self.server.plain.get(name, self.server.no_hand))
            result = answer(self, body, content)
        except Refusal as refusal:
            return self.reply(refusal.status, json.dumps(refusal.body).encode())
        if result is not None:
            self.reply(200, result if isinstance(result, bytes) else json.dumps(result).encode())

    def authorize(self, name):
        if name == "exchange":
            return
        if self.headers.get("Authorization") != f"Bearer {self.server.credential}":
            raise Refusal(401, "bad_credential", "The credential is not valid.")
        if not self.headers.get("X-Agentpool-Session"):
            raise Refusal(400, "no_session", "The request names no session.")

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, events):
        """Answers with an event stream; ends it after the last event."""
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events:
            line = json.dumps(event).encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


def output(data, stream="stdout"):
    return {"event": "output", "stream": stream, "data": base64.b64encode(data).decode()}


class FakeWorld(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, folder):
        self.path = os.path.join(folder, "world.sock")
        super().__init__(self.path, Handler)
        self.token = "one-time"
        self.credential = "bearer"
        self.lock = threading.Lock()
        self.requests = []
        self.mode = "allow"
        self.answers = {}
        self.plain = {"exchange": self.exchange, "session": self.session, "live": lambda *_: {}, "cancel": lambda *_: {},
                      "fs/resolve": self.resolve, "fs/stat": self.stat, "fs/lstat": self.stat,
                      "fs/read": self.read}
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        """A client that has gone away is what some tests are about."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def env(self):
        return {"AGENTPOOL_WORLD_SOCKET": self.path, "AGENTPOOL_WORLD_TOKEN": "one-time"}

    def bodies(self, name):
        with self.lock:
            return [body for asked, _, body in self.requests if asked == name]

    def frames(self):
        """All live frames so far, in order."""
        return [frame for body in self.bodies("live") for frame in body.get("frames", [body])]

    def exchange(self, _handler, body, _content):
        if body["token"] != self.token:
            raise Refusal(401, "bad_token", "The token is not valid or was used before.")
        self.token = None
        return {"credential": self.credential}

    def session(self, *_):
        kinds = ["edit", "execute"] if self.mode == "allow" else []
        return {"session": "s", "workspace": "/workspace", "mode": self.mode, "kinds": kinds, "hand": "none"}

    def resolve(self, _handler, body, _content):
        path = os.path.normpath(os.path.join(body["cwd"], body["path"]))
        return {"path": path, "display": path}

    def stat(self, _handler, body, _content):
        found = body["path"] in DIRECTORIES
        return {"found": True, "type": "directory", "version": "empty"} if found else {"found": False}

    def read(self, _handler, body, _content):
        raise Refusal(404, "FS_NOT_FOUND", f"{body['path']} does not exist.")

    def no_hand(self, *_):
        raise Refusal(503, "WORLD_NO_HAND", NO_HAND)

    def close(self):
        self.shutdown()
        self.server_close()

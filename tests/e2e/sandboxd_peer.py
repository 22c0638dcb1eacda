# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A program of a sandbox's user that serves a port: `sandboxd_peer.py PORT ADDRESS`. Runs inside, standard library
only. Tests use its WebSocket frames (RFC 6455) for their own side too."""

import base64
import hashlib
import http.server
import json
import socket
import socketserver
import struct
import sys
import threading

GO = threading.Event()


def accept_key(key):
    return base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()


def frame(kind, data, mask=b""):
    """One whole frame; clients mask."""
    size = len(data)
    bit = 128 if mask else 0
    head = struct.pack(">BB", 128 | kind, bit | size) if size < 126 else (
        struct.pack(">BBH", 128 | kind, bit | 126, size) if size < 65536 else struct.pack(">BBQ", 128 | kind, bit | 127, size))
    if mask:
        whole = (mask * (size // 4 + 1))[:size]
        data = (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(size, "big")
    return head + mask + data


def read_frame(file):
    """(kind, data), or None at the end."""
    head = file.read(2)
    if len(head) < 2:
        return None
    size = head[1] & 127
    size = struct.unpack(">H", file.read(2))[0] if size == 126 else struct.unpack(">Q", file.read(8))[0] if size == 127 else size
    mask = file.read(4) if head[1] & 128 else b""
    data = file.read(size)
    if mask:
        whole = (mask * (size // 4 + 1))[:size]
        data = (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(size, "big")
    return head[0] & 15, data


class Peer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = 0

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline() not in (b"\r\n", b""):
            pass
        return data

    def say(self, data, status=200, *lines):
        self.send_response(status)
        for name, value in lines:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        Peer.seen += 1
        serve = getattr(self, "on_" + self.path.strip("/").split("?")[0].replace("-", "_"), None)
        if serve:
            return serve()
        body = self.body()
        fields = [[name.lower(), value] for name, value in self.headers.items()]
        self.say(json.dumps({"method": self.command, "path": self.path, "fields": fields, "seen": Peer.seen,
                             "size": len(body), "sha256": hashlib.sha256(body).hexdigest()}).encode())

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = do_GET

    def on_early(self):
        self.say(b"too much", 413)
        self.close_connection = True

    def on_nothing(self):
        self.close_connection = True

    def on_until_close(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\nto the end")
        self.close_connection = True

    def on_trailers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"
                         b"3;x=y\r\nabc\r\n0\r\nX-Sum: 1\r\nConnection: close\r\n\r\n")

    def on_half(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        self.close_connection = True

    def on_hold(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nup\r\n")
        GO.wait()
        self.wfile.write(b"0\r\n\r\n")

    def on_go(self):
        GO.set()
        self.say(b"go")

    def on_unasked(self):
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello")
        self.close_connection = True

    def upgrade(self):
        self.close_connection = True
        lines = {"Upgrade": self.headers["Upgrade"], "Connection": "Upgrade", "X-Seen-Host": self.headers["Host"]}
        if "Sec-WebSocket-Key" in self.headers:
            lines["Sec-WebSocket-Accept"] = accept_key(self.headers["Sec-WebSocket-Key"])
        self.send_response(101)
        for name, value in lines.items():
            self.send_header(name, value)
        self.end_headers()

    def on_echo(self):
        """Frames come back; a close is answered with the same code."""
        self.upgrade()
        while got := read_frame(self.rfile):
            self.wfile.write(frame(*got))
            if got[0] == 8:
                break

    def on_bye(self):
        """Closes first, and says what the client answered."""
        self.upgrade()
        self.wfile.write(frame(8, struct.pack(">H", 1001) + b"bye"))
        Peer.answer = read_frame(self.rfile)

    def on_answer(self):
        self.say(repr(Peer.answer).encode())

    def on_count(self):
        """Takes nothing until told; counts bytes until the client has ended its half, then answers."""
        self.upgrade()
        GO.wait()
        total = 0
        while data := self.connection.recv(65536):
            total += len(data)
        self.wfile.write(str(total).encode())


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 500


def main():
    address = sys.argv[2]
    family, _, _, _, where = socket.getaddrinfo(address, int(sys.argv[1]), type=socket.SOCK_STREAM)[0]
    Server.address_family = family
    with Server(where[:2], Peer) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()

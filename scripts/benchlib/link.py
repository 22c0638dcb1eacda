# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 on one kept-alive connection with as little of its own work as Python can do."""

import json
import socket
from urllib.parse import urlsplit


def encode(url, token, method, path, body=None):
    """The bytes of a request."""
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}", f"Authorization: Bearer {token}"]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + data


def decode(data):
    """(status, body, rest) of the response at the head of `data`; None while it is incomplete."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[:end].lower()
    at = head.find(b"content-length:")
    size = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
    if len(data) < end + 4 + size:
        return None
    return int(data[9:12]), data[end + 4 : end + 4 + size], data[end + 4 + size :]


def connect(url):
    target = urlsplit(url)
    sock = socket.create_connection((target.hostname, target.port), timeout=60)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


class Link:
    """One device on one connection."""

    def __init__(self, url, token):
        self.url, self.token = url, token
        self.sock = connect(url)
        self.rest = b""

    def encode(self, method, path, body=None):
        return encode(self.url, self.token, method, path, body)

    def exchange(self, request):
        """Sends the bytes, returns (status, body)."""
        self.sock.sendall(request)
        while (answer := decode(self.rest)) is None:
            data = self.sock.recv(65536)
            if not data:
                raise ConnectionError("the gateway closed the connection")
            self.rest += data
        status, body, self.rest = answer
        return status, body

    def must(self, status, method, path, body=None):
        """The JSON of an answer with that status."""
        got, data = self.exchange(self.encode(method, path, body))
        if got != status:
            raise RuntimeError(f"{method} {path} -> {got}: {data[:300].decode('utf-8', 'replace')}")
        return json.loads(data) if data else None

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 on sockets for the fault proxy: heads, bodies as they lie on the wire, and Connect envelopes."""

import json
import select
import socket
import struct

MOST_HEAD = 64 * 1024
PIECE = 64 * 1024


class Broken(Exception):
    """A peer ended in the middle of a message, or sent none."""


class Head:
    """The first line and the headers of a message, in order and as they were sent."""

    def __init__(self, first, fields):
        self.first, self.fields = first, fields

    @classmethod
    def parse(cls, data):
        first, *lines = data.decode("latin-1").split("\r\n")
        return cls(first, [tuple(part.strip() for part in line.split(":", 1)) for line in lines if ":" in line])

    def get(self, name, default=""):
        return next((value for key, value in self.fields if key.lower() == name.lower()), default)

    def drop(self, *names):
        gone = {name.lower() for name in names}
        self.fields = [(key, value) for key, value in self.fields if key.lower() not in gone]

    def set(self, name, value):
        self.drop(name)
        self.fields.append((name, str(value)))

    def bytes(self):
        lines = [self.first, *(f"{key}: {value}" for key, value in self.fields)]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    @property
    def status(self):
        return int(self.first.split(" ", 2)[1])

    @property
    def chunked(self):
        return "chunked" in self.get("Transfer-Encoding").lower()


class Peer:
    """One side's connection with a buffer in front of it."""

    def __init__(self, link):
        self.link, self.buffer = link, b""
        self.dead = False  # nothing goes out any more, and nothing says so
        self.reset = None  # how its connection is to end: with a RST or not

    def fill(self):
        data = self.link.recv(PIECE)
        self.buffer += data
        return bool(data)

    def read_head(self):
        """The next head; None when the peer ended between two messages."""
        while b"\r\n\r\n" not in self.buffer:
            if len(self.buffer) > MOST_HEAD:
                raise Broken("the head is too large")
            if not self.fill():
                if self.buffer:
                    raise Broken("the end came within a head")
                return None
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        return Head.parse(head)

    def take(self, size):
        """Exactly so many bytes."""
        while len(self.buffer) < size:
            if not self.fill():
                raise Broken("the end came within a body")
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def line(self):
        while b"\r\n" not in self.buffer:
            if not self.fill():
                raise Broken("the end came within a chunk")
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        return line

    def payload(self, head, request):
        """The pieces of a body without its framing."""
        if head.chunked:
            while size := int(self.line().split(b";")[0], 16):
                yield self.take(size)
                self.take(2)
            while self.line():
                pass
            return
        length = head.get("Content-Length")
        if length:
            left = int(length)
            while left:
                if not self.buffer and not self.fill():
                    raise Broken("the end came within a body")
                piece = self.take(min(left, len(self.buffer)))
                left -= len(piece)
                yield piece
        elif not request and head.status not in (101, 204, 304) and head.status >= 200:
            while self.buffer or self.fill():
                piece, self.buffer = self.buffer, b""
                yield piece

    def send(self, data):
        self.link.sendall(data)

    def ended(self):
        """Whether the other side has closed, without waiting."""
        try:
            if not select.select([self.link], [], [], 0)[0]:
                return False
            if hasattr(self.link, "pending"):  # TLS has no peek: what comes is kept
                return not self.fill()
            return not self.link.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def close(self, reset=False):
        try:
            if reset:  # linger 0: the kernel answers with a RST
                self.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.link.close()
        except OSError:
            pass


def answer(status, body=b"", content_type="application/json", headers=()):
    """A whole answer with its length."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    head = Head(f"HTTP/1.1 {status} Fault", [("Content-Length", str(len(data))), *headers])
    if content_type:
        head.fields.append(("Content-Type", content_type))
    return head, data


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""


def envelope(message, flags=0):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack(">BI", flags, len(data)) + data


def envelopes(pieces):
    """(flags, payload) of a stream of Connect messages, each as soon as it is whole."""
    buffer = b""
    for piece in pieces:
        buffer += piece
        while len(buffer) >= 5:
            flags, size = struct.unpack(">BI", buffer[:5])
            if len(buffer) < 5 + size:
                break
            yield flags, buffer[5 : 5 + size]
            buffer = buffer[5 + size :]

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Server-sent events as bytes and as frames, over a raw socket so that a test may be slow, rude or half
closed."""

import json
import socket
import struct
import time
from urllib.parse import urlsplit


class Frame:
    """One SSE frame. A comment has `comment` set; `id` is None when the frame carries none."""

    def __init__(self, fields):
        self.id = fields.get("id")
        self.event = fields.get("event")
        self.comment = fields.get("comment")
        self.retry = fields.get("retry")
        self.text = fields.get("data")
        self.at = time.monotonic()

    @property
    def data(self):
        """The data as JSON; {} when there is none."""
        return json.loads(self.text) if self.text else {}

    def __repr__(self):
        return f"<{self.id or '-'} {self.event or ':' + str(self.comment)} {(self.text or '')[:200]}>"


class Parser:
    """Bytes to frames, whatever the pieces. A frame ends with an empty line; LF, CRLF and CR end lines."""

    def __init__(self):
        self.rest = b""
        self.fields = {}

    def feed(self, data):
        """The frames that `data` completes."""
        self.rest += data
        keep = b""
        if self.rest.endswith(b"\r"):
            self.rest, keep = self.rest[:-1], b"\r"
        lines = self.rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self.rest = lines.pop() + keep
        frames = []
        for line in lines:
            if line:
                self.take(line.decode("utf-8"))
            elif self.fields:
                frames.append(Frame(self.fields))
                self.fields = {}
        return frames

    def take(self, line):
        if line.startswith(":"):
            self.fields["comment"] = line[1:].strip()
            return
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        self.fields[name] = (
            self.fields[name] + "\n" + value if name == "data" and "data" in self.fields else value
        )


class Chunked:
    """Decoder of HTTP/1.1 chunked transfer coding; `ended` after the last chunk."""

    def __init__(self):
        self.rest = b""
        self.ended = False

    def feed(self, data):
        self.rest += data
        out = []
        while not self.ended:
            head, mark, tail = self.rest.partition(b"\r\n")
            if not mark:
                break
            size = int(head.split(b";")[0], 16)
            if len(tail) < size + 2:
                break
            if tail[size : size + 2] != b"\r\n":
                raise ValueError("a chunk does not end with CRLF")
            out.append(tail[:size])
            self.rest = tail[size + 2 :]
            self.ended = size == 0
        return b"".join(out)


class Closed(Exception):
    """The stream ended."""


class Stream:
    """One open event stream. Reading has a deadline; the socket stays reachable as `sock`."""

    def __init__(self, url, token, path, headers=None, receive_buffer=None, timeout=30.0):
        target = urlsplit(url)
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(timeout)
        self.sock.connect((target.hostname, target.port))
        lines = {
            "Host": target.netloc,
            "Authorization": f"Bearer {token}",
            "Accept": "text/event-stream",
            **(headers or {}),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.sock.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        self.parser, self.chunked = Parser(), None
        self.pending, self.seen, self.raw_bytes = [], [], 0
        self.status, self.headers, body = self.read_head()
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            self.chunked = Chunked()
        self.take(body)

    def read_head(self):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = self.sock.recv(65536)
            if not piece:
                raise Closed("the connection closed before the header was complete")
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(":") for line in rest]
        return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}, body

    def take(self, data):
        self.raw_bytes += len(data)
        self.pending += self.parser.feed(self.chunked.feed(data) if self.chunked else data)

    def fill(self, timeout):
        """Reads once; False when nothing came in time. Closed at the end."""
        if self.chunked and self.chunked.ended:
            raise Closed("ended in order")
        self.sock.settimeout(max(timeout, 0.001))
        try:
            data = self.sock.recv(65536)
        except (TimeoutError, BlockingIOError):
            return False
        except ConnectionError as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed("the peer closed the connection")
        self.take(data)
        return True

    def next(self, timeout=30.0):
        """The next frame, comments included; TimeoutError when none came."""
        end = time.monotonic() + timeout
        while not self.pending:
            if not self.fill(end - time.monotonic()) and time.monotonic() >= end:
                raise TimeoutError(f"no frame within {timeout:g} s after {self.seen[-3:]}")
        frame = self.pending.pop(0)
        self.seen.append(frame)
        return frame

    def until(self, match, timeout=30.0):
        """Reads to the first frame for which `match` is true (a function, or the name of an event) and
        returns it."""
        test = match if callable(match) else lambda frame: frame.event == match
        end = time.monotonic() + timeout
        while True:
            frame = self.next(max(end - time.monotonic(), 0.001))
            if test(frame):
                return frame

    def drain(self, timeout=30.0):
        """Reads to the end of the stream; returns how it ended. TimeoutError when it goes on, be it with
        heartbeats alone."""
        end = time.monotonic() + timeout
        try:
            while True:
                self.next(max(end - time.monotonic(), 0.001))
                if time.monotonic() >= end:
                    raise TimeoutError(f"the stream goes on after {timeout:g} s: {self.seen[-3:]}")
        except Closed as error:
            return str(error)

    def events(self):
        """The numbered events seen so far, as JSON."""
        return [frame.data for frame in self.seen if frame.id is not None]

    def last_id(self):
        ids = [frame.id for frame in self.seen if frame.id is not None]
        return ids[-1] if ids else None

    def close(self):
        self.sock.close()

    def reset(self):
        """Ends the connection by RST, as a crashed client's kernel does."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""One request through the fault proxy and its answer back."""

import json
import re
import select
import socket

from fault_proxy_faults import BEFORE, edit_stream
from fault_proxy_state import ENVD_PORT, LIMIT
from fault_proxy_wire import Broken, Peer, chunk, envelopes

from tests.e2e.wait import pause

HOP = ("Connection", "Keep-Alive")


class Request:
    """The head of a request and what it is about. `plane`: api, envd, or port (another port of a sandbox)."""

    def __init__(self, head):
        self.head = head
        self.method, self.target, _ = head.first.split(" ", 2)
        self.path, _, self.query = self.target.partition("?")
        self.sandbox, self.port = head.get("E2b-Sandbox-Id"), head.get("E2b-Sandbox-Port")
        named = re.match(r"(\d+)-([^.:]+)\.", head.get("Host"))
        if not self.sandbox and named:
            self.port, self.sandbox = named[1], named[2]
        self.plane = "api" if not self.sandbox else "envd" if self.port == ENVD_PORT else "port"
        self.tail = ""
        told = re.match(r"(?:/v2)?/sandboxes/([^/]+)(?:/([a-z]+))?$", self.path)
        if self.plane == "api" and told:
            self.sandbox, self.tail = told[1].split("-")[0], told[2] or ""
            self.target = "/sandboxes/" + told[1]

    def bytes(self):
        self.head.first = f"{self.method} {self.path}{'?' + self.query if self.query else ''} HTTP/1.1"
        return self.head.bytes()


class Exchange:
    def __init__(self, provider, peer, request):
        self.provider, self.peer, self.request = provider, peer, request
        self.answer, self.execute, self.silent, self.hold, self.resumed = None, False, False, False, False
        self.cut_request = self.cut_response = self.slow = None
        self.reset = True
        self.edits, self.heads, self.stream, self.after = [], [], [], []
        self.sent = 0

    @property
    def own(self):
        return self.answer

    @own.setter
    def own(self, answer):
        """The first rule that answers wins."""
        self.answer = self.answer or answer

    def key(self):
        return {"X-API-Key": self.request.head.get("X-API-Key")}

    def run(self):
        """Whether the client's connection can go on."""
        if self.peer.dead:
            return self.wait_for_end()
        if self.request.plane != "api":
            self.provider.carried(self.peer, self.request.sandbox)
        if self.request.head.get("Expect"):
            self.peer.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.request.head.drop("Expect")
        rules = self.provider.rules.for_request(self.request)
        self.provider.note(self.request, rules)
        for rule in rules:
            BEFORE[rule.name](rule, self)
        if self.cut_request == 0:
            return self.end()
        if self.own:
            return self.answer_itself()
        return self.forward()

    # -- own answers

    def answer_itself(self):
        if self.execute:
            upstream = self.send_on()
            head, body = self.whole(upstream)
            self.learn(head, body)
            upstream.close()
        else:
            for _ in self.peer.payload(self.request.head, True):
                pass
        head, body = self.own
        if self.silent:
            return self.wait_for_end()
        head, body = self.edited(head, body)
        self.deliver(head.bytes())
        self.deliver(body)
        return True

    def wait_for_end(self):
        """Takes what comes and says nothing, until the client ends the connection."""
        while self.peer.fill():
            self.peer.buffer = b""
        return False

    # -- the origin's

    def connect(self):
        link = socket.create_connection((self.provider.host, self.provider.port), timeout=LIMIT)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.settimeout(None)
        return Peer(link)

    def send_on(self):
        """The request to the origin; the connection that its answer comes on."""
        upstream = self.connect()
        head = self.request.head
        head.drop(*HOP)
        head.set("Connection", "Upgrade" if head.get("Upgrade") else "close")
        left = self.cut_request
        for piece in self.framed(self.request.bytes(), head, self.peer.payload(head, True)):
            if left is not None:
                piece = piece[:left]
                left -= len(piece)
            upstream.send(piece)
            if left == 0:
                upstream.close(self.reset)
                self.peer.reset = self.reset
                raise Broken("cut")
            if upstream.ended() or select.select([upstream.link], [], [], 0)[0]:
                break  # it answers already: the rest is not wanted
        return upstream

    @staticmethod
    def framed(first, head, pieces):
        yield first
        for piece in pieces:
            yield chunk(piece) if head.chunked else piece
        if head.chunked:
            yield b"0\r\n\r\n"

    def forward(self):
        upstream = self.send_on()
        try:
            if self.silent:
                return self.wait_for_end()
            head = upstream.read_head()
            while head and 100 <= head.status < 200 and head.status != 101:
                head = upstream.read_head()
            if head is None:
                raise Broken("no answer")
            if head.status == 101:
                return self.tunnel(upstream, head)
            kind = head.get("Content-Type")
            if self.stream and head.status == 200 and kind.startswith("application/connect+"):
                return self.pass_stream(upstream, head)
            if self.request.plane == "api" or self.edits or self.heads:
                return self.pass_whole(upstream, head)
            return self.pass_through(upstream, head)
        finally:
            upstream.close()

    def whole(self, upstream):
        head = upstream.read_head()
        if head is None:
            raise Broken("no answer")
        return head, b"".join(upstream.payload(head, False))

    def pass_whole(self, upstream, head):
        body = b"".join(upstream.payload(head, False))
        self.learn(head, body)
        self.resumed = head.status == 201
        head, body = self.edited(head, body)
        for act in self.after if self.resumed else ():
            act()
        self.deliver(head.bytes())
        self.deliver(body)
        return True

    def learn(self, head, body):
        if self.request.method == "POST" and self.request.path.endswith("/sandboxes") and head.status in (200, 201):
            self.provider.created(json.loads(body))

    def edited(self, head, body):
        for edit in self.heads:
            edit(head)
        if self.edits:
            try:
                document = json.loads(body or b"{}")
            except ValueError:
                document = {}
            for edit in self.edits:
                edit(head, document)
            if body or document:
                body = json.dumps(document).encode()
        head.drop("Transfer-Encoding", "Content-Length", *HOP)
        if head.status not in (204, 304):
            head.set("Content-Length", len(body))
        return head, b"" if head.status in (204, 304) else body

    def pass_through(self, upstream, head):
        chunked = not head.get("Content-Length") and head.status not in (204, 304)
        self.begin(head, chunked)
        for piece in self.until_client_ends(upstream, upstream.payload(head, False)):
            self.deliver(chunk(piece) if chunked else piece)
        self.deliver(b"0\r\n\r\n" if chunked else b"")
        return True

    def begin(self, head, chunked):
        """The head of an answer whose body is passed on as it comes."""
        out = type(head)(head.first, [*head.fields])
        out.drop("Transfer-Encoding", *HOP)
        if chunked:
            out.set("Transfer-Encoding", "chunked")
        self.deliver(out.bytes())

    def pass_stream(self, upstream, head):
        pieces = upstream.payload(head, False)
        self.begin(head, True)
        for flags, data in envelopes(self.until_client_ends(upstream, pieces)):
            self.deliver(chunk(edit_stream(self.stream, flags, data)))
        if self.hold:
            return self.wait_for_end()
        self.deliver(b"0\r\n\r\n")
        return True

    def until_client_ends(self, upstream, pieces):
        """The pieces, as long as the client is there to take them: its end is noticed in silence too."""
        while True:
            while not upstream.buffer:
                readable, _, _ = select.select([upstream.link, self.peer.link], [], [])
                if self.peer.link in readable and self.peer.ended():
                    raise Broken("the client left")
                if upstream.link in readable:
                    break
            try:
                yield next(pieces)
            except StopIteration:
                return

    def tunnel(self, upstream, head):
        self.deliver(head.bytes())
        sides = {upstream.link: self.peer, self.peer.link: upstream}
        for peer, other in ((upstream, self.peer), (self.peer, upstream)):
            other.send(peer.buffer)
        while True:
            for link in select.select(list(sides), [], [])[0]:
                data = link.recv(65536)
                if not data:
                    return False
                sides[link].send(data)

    # -- bytes to the client

    def deliver(self, data):
        if self.peer.dead:
            return
        if self.cut_response is not None and self.sent + len(data) >= self.cut_response:
            self.peer.send(data[: self.cut_response - self.sent])
            self.peer.reset = self.reset
            raise Broken("cut")
        self.sent += len(data)
        if self.slow is None:
            return self.peer.send(data)
        size, seconds = self.slow
        for at in range(0, len(data), size):
            self.peer.send(data[at : at + size])
            pause(seconds)

    def end(self):
        """Nothing of the request goes on, nothing comes back."""
        self.peer.reset = self.reset
        return False

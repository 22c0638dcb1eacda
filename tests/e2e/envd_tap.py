# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A byte relay in front of sandboxd that notes the request lines which pass. It changes nothing, but when it is told
to it cuts one connection off."""

import re
import socket
import threading
from urllib.parse import urlsplit

REQUEST = re.compile(rb"(?:GET|POST|PUT|DELETE|PATCH|HEAD) (/[^ ]*) HTTP/1\.1\r\n")
OVERLAP = 8192  # a request line that is cut by two reads


class EnvdTap:
    def __init__(self, url):
        target = urlsplit(url)
        self.target = (target.hostname, target.port)
        self.seen, self.lock = [], threading.Lock()
        self.cut = None  # the path of a request: the next one to it is not passed on, its connection ends
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.relay, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.relay, args=(server, client, False), daemon=True).start()

    def relay(self, source, sink, requests):
        held = b""
        try:
            while data := source.recv(65536):
                if requests:
                    before = len(self.seen)
                    held = self.note(held + data)
                    if self.cut and self.cut in self.seen[before:]:
                        self.cut = None
                        break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def note(self, data):
        """Notes the requests in `data`; what may be the start of another one is kept."""
        end = 0
        for match in REQUEST.finditer(data):
            with self.lock:
                self.seen.append(match[1].decode("latin-1").partition("?")[0])
            end = match.end()
        return data[max(end, len(data) - OVERLAP) :]

    def calls(self):
        """The paths so far, in order."""
        with self.lock:
            return list(self.seen)

    def count(self, path):
        return self.calls().count(path)

    def forget(self):
        with self.lock:
            self.seen.clear()

    def close(self):
        self.listener.close()

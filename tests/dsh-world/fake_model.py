# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A model that says, request by request, what a test scripted: the Messages API as the pinned dsh reads it.
Exists to inject faults (broken streams, pauses between words) that no real model shows on demand."""

import http.server
import json
import sys
import threading

END = {"type": "message_stop"}


def start():
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "fake",
               "usage": {"input_tokens": 1, "output_tokens": 1}}
    return {"type": "message_start", "message": message}


def block(index, kind, pieces, **more):
    """The events of one content block; kind: text, thinking or tool_use."""
    delta, field = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking"),
                    "tool_use": ("input_json_delta", "partial_json")}[kind]
    empty = {} if kind == "tool_use" else {kind: ""}
    first = {"type": kind, **empty, **more}
    yield {"type": "content_block_start", "index": index, "content_block": first}
    for piece in pieces:
        if callable(piece):
            yield piece
        else:
            yield {"type": "content_block_delta", "index": index, "delta": {"type": delta, field: piece}}
    yield {"type": "content_block_stop", "index": index}


def message(*blocks, stop="end_turn"):
    yield start()
    for events in blocks:
        yield from events
    yield {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 1}}
    yield END


def say(*pieces):
    """One text block in these pieces; a callable among them is called between two pieces."""
    return list(message(block(0, "text", pieces)))


def call(name, arguments):
    return list(message(block(0, "tool_use", [json.dumps(arguments)], id=f"call_{name}", name=name, input={}),
                        stop="tool_use"))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.requests.append(request)
            events = self.server.script.pop(0) if self.server.script else say("ok")
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events:
            if callable(event):
                event()
                continue
            frame = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
            self.wfile.flush()
        if events and events[-1] is END:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True


class FakeModel(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.script = []
        self.requests = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def env(self):
        return {"DEEPSEEK_BASE_URL": f"http://127.0.0.1:{self.server_port}", "DEEPSEEK_API_KEY": "test"}

    def last_results(self):
        """The text of the tool results in the last request."""
        with self.lock:
            messages = self.requests[-1]["messages"]
        parts = [part for entry in messages for part in entry["content"] if isinstance(part, dict)]
        results = [part["content"] for part in parts if part["type"] == "tool_result"]
        return [result if isinstance(result, str) else "".join(piece["text"] for piece in result)
                for result in results]

    def close(self):
        self.shutdown()
        self.server_close()

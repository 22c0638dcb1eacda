# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of the fault proxy is shown to act, in front of a small origin."""

import base64
import email.utils
import http.client
import json
import os
import re
import socket
import ssl
import sys
import tempfile
import time
import unittest
from urllib.parse import urlsplit

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fault_proxy_client import LIMIT, FaultProxy, make_authority  # noqa: E402
from fault_proxy_origin import Origin  # noqa: E402
from fault_proxy_rules import RULES  # noqa: E402
from fault_proxy_wire import envelope, envelopes  # noqa: E402

STARTED, PRINTED, ENDED = "start", "data", "end"


class ProxyCase(unittest.TestCase):
    options = ()

    def setUp(self):
        self.origin = Origin()
        self.addCleanup(self.origin.close)
        self.proxy = FaultProxy(self.origin.url, *self.options)
        self.addCleanup(self.proxy.close)

    def link(self):
        address = urlsplit(self.proxy.url)
        link = http.client.HTTPConnection(address.hostname, address.port, timeout=LIMIT)
        self.addCleanup(link.close)
        return link

    def call(self, method, path, body=None, headers=None, link=None):
        """(status, body, headers)"""
        link = link or self.link()
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        link.request(method, path, data, headers or {})
        answer = link.getresponse()
        return answer.status, answer.read(), answer.headers

    def create(self, **fields):
        status, body, _ = self.call("POST", "/v2/sandboxes", {"templateID": "base", **fields})
        self.assertEqual(status, 201)
        return json.loads(body)["sandboxID"]

    def at(self, box):
        return {"E2b-Sandbox-Id": box, "E2b-Sandbox-Port": "49983"}

    def state(self, box):
        return json.loads(self.call("GET", f"/sandboxes/{box}")[1])["state"]

    def events(self, link=None):
        """The kinds of events of a Start, then `eos` when the stream ended as it should."""
        link = link or self.link()
        link.request("POST", "/process.Process/Start", envelope({"process": {"cmd": "x"}}),
                     {**self.at("i1"), "Content-Type": "application/connect+json"})
        answer = link.getresponse()
        kinds = ["eos" if flags & 2 else next(iter(json.loads(data)["event"])) for flags, data in
                 envelopes(iter(lambda: answer.read1(4096), b""))]
        return kinds


class Answers(ProxyCase):
    def test_without_rules_everything_passes(self):
        box = self.create()
        self.assertEqual(self.state(box), "running")
        self.assertEqual(self.events(), [STARTED, PRINTED, ENDED, "eos"])
        self.assertEqual(self.call("DELETE", f"/sandboxes/{box}")[0], 204)
        self.assertEqual(self.call("GET", f"/sandboxes/{box}")[0], 404)

    def test_a_chunked_upload_passes_piece_by_piece(self):
        pieces = [b"a" * 100_000, b"b" * 7]
        link = self.link()
        link.request("POST", "/files?path=x", iter(pieces), self.at("i1"), encode_chunked=True)
        self.assertEqual(link.getresponse().status, 200)
        self.assertEqual(self.origin.server.seen[-1][3], b"".join(pieces))

    def test_one_connection_serves_many_requests(self):
        link = self.link()
        for _ in range(3):
            self.assertEqual(self.call("GET", "/health", None, self.at("i1"), link)[0], 200)

    def test_an_unknown_rule_is_refused(self):
        with self.assertRaises(AssertionError):
            self.proxy.rules("nonsense")

    def test_delay(self):
        self.proxy.rules({"rule": "delay", "seconds": 0.2, "path": "^/slow$"})
        before = time.monotonic()
        self.call("GET", "/slow", None, self.at("i1"))
        self.assertGreaterEqual(time.monotonic() - before, 0.2)
        self.assertEqual(self.proxy.acted(), {"delay": 1})

    def test_answer(self):
        self.proxy.rules({"rule": "answer", "status": 418, "body": "", "content_type": None, "headers": {"X-A": 1}})
        status, body, headers = self.call("GET", "/sandboxes/i1")
        self.assertEqual((status, body, headers["X-A"], headers["Content-Type"]), (418, b"", "1", None))
        self.assertEqual(self.origin.paths(), [])

    def test_empty_408_with_and_without_the_create(self):
        for execute, boxes in ((False, 0), (True, 1)):
            self.proxy.rules({"rule": "empty_408", "execute": execute, "times": 1})
            status, body, headers = self.call("POST", "/sandboxes", {"templateID": "base"})
            self.assertEqual((status, body, headers["Content-Type"]), (408, b"", None))
            self.assertEqual(len(self.origin.server.boxes), boxes)
        self.create()

    def test_no_v2(self):
        self.proxy.rules("no_v2_create", "no_v2_connect")
        self.assertEqual(self.call("POST", "/v2/sandboxes", {})[:2], (405, b""))
        self.assertEqual(self.call("POST", "/sandboxes", {})[0], 201)
        self.assertEqual(self.call("POST", "/v2/sandboxes/i1/connect", {})[:2], (404, b""))
        self.assertEqual(self.call("POST", "/sandboxes/i1/connect", {"timeout": 1})[0], 200)

    def test_html_and_cube(self):
        self.proxy.rules({"rule": "html", "times": 1}, {"rule": "cube_error", "number": 130597})
        status, body, headers = self.call("GET", "/v2/sandboxes")
        self.assertEqual((status, body[:6], headers["Content-Type"]), (502, b"<html>", "text/html"), "the first wins")
        status, body, _ = self.call("GET", "/v2/sandboxes")
        self.assertEqual(status, 500)
        self.assertIn("error code 130597", json.loads(body)["message"])

    def test_busy(self):
        self.proxy.rules({"rule": "busy", "retry_after": 2})
        self.assertEqual(self.call("GET", "/v2/sandboxes")[2]["Retry-After"], "2")
        self.proxy.rules({"rule": "busy", "status": 503})
        status, _, headers = self.call("GET", "/v2/sandboxes")
        self.assertEqual((status, headers["Retry-After"]), (503, None))

    def test_a_delete_is_refused_for_k_tries(self):
        box = self.create()
        self.proxy.rules({"rule": "refuse_delete", "times": 2})
        self.assertEqual([self.call("DELETE", f"/sandboxes/{box}")[0] for _ in range(3)], [500, 500, 204])

    def test_timeout_fails(self):
        box = self.create()
        self.proxy.rules("timeout_fails")
        self.assertEqual(self.call("POST", f"/sandboxes/{box}/timeout", {"timeout": 1})[0], 500)

    def test_lists(self):
        self.create(metadata={"a": "1"})
        self.create(metadata={"a": "2"})
        count = lambda: len(json.loads(self.call("GET", "/v2/sandboxes?metadata=a%3D1")[1]))
        token = lambda: self.call("GET", "/v2/sandboxes")[2]["X-Next-Token"]
        self.assertEqual((count(), token()), (1, "more"))
        self.proxy.rules("list_bare")
        self.assertEqual((count(), token()), (2, None))
        self.proxy.rules("list_no_token")
        self.assertEqual((count(), token()), (1, None))
        self.proxy.rules("list_no_filter")
        self.assertEqual((count(), token()), (2, "more"))
        self.proxy.rules("list_without")
        self.assertNotIn("metadata", json.loads(self.call("GET", "/v2/sandboxes")[1])[0])
        self.proxy.rules({"rule": "list_without", "what": "rows"})
        self.assertEqual(count(), 0)

    def test_clock(self):
        box = self.create()
        self.proxy.rules({"rule": "clock", "seconds": 7200})
        _, body, headers = self.call("GET", f"/sandboxes/{box}")
        self.assertTrue(json.loads(body)["startedAt"].startswith("2026-01-01T02:00:00"))
        self.assertGreater(email.utils.parsedate_to_datetime(headers["Date"]).timestamp() - time.time(), 3600)

    def test_share_and_seed(self):
        def answers():
            self.proxy.rules({"rule": "stale_route", "share": 0.3})
            return [self.call("GET", "/health", None, self.at("i1"))[0] for _ in range(40)]

        first = answers()
        self.assertTrue(5 <= first.count(502) <= 20, first)
        self.assertEqual(first, answers(), "the same seed gives the same faults")


class Pauses(ProxyCase):
    def setUp(self):
        super().setUp()
        self.box = self.create()

    def pause(self):
        return self.call("POST", f"/sandboxes/{self.box}/pause", {})[0]

    def connect(self):
        return self.call("POST", f"/sandboxes/{self.box}/connect", {"timeout": 60})[0]

    def test_a_paused_one_is_hidden_until_it_is_connected(self):
        self.proxy.rules("pause")
        self.assertEqual(self.pause(), 204)
        self.assertEqual(self.state(self.box), "paused")
        self.assertEqual(json.loads(self.call("GET", "/v2/sandboxes")[1])[0]["state"], "paused")
        self.assertEqual(self.call("GET", "/health", None, self.at(self.box))[0], 502)
        self.assertEqual(self.pause(), 409)
        self.assertEqual(self.call("POST", f"/sandboxes/{self.box}/timeout", {"timeout": 1})[0], 404)
        self.assertEqual(self.connect(), 201)
        self.assertEqual(self.connect(), 200)
        self.assertEqual(self.call("GET", "/health", None, self.at(self.box))[0], 200)

    def test_a_resume_that_does_nothing(self):
        self.proxy.rules("pause", "resume_nothing")
        self.pause()
        self.assertEqual(self.connect(), 201)
        self.assertEqual(self.state(self.box), "paused")

    def test_connect_200_for_the_dead(self):
        self.call("DELETE", f"/sandboxes/{self.box}")
        self.assertEqual(self.connect(), 404)
        self.proxy.rules("connect_200")
        status, body, _ = self.call("POST", f"/sandboxes/{self.box}/connect", {"timeout": 60})
        self.assertEqual((status, json.loads(body)["sandboxID"]), (200, self.box))

    def test_cube_on_paused_ones(self):
        self.proxy.rules("pause_twice_fails", "delete_paused_fails", "pause")
        self.assertEqual(self.pause(), 204)
        self.assertEqual(self.pause(), 500)
        status, body, _ = self.call("DELETE", f"/sandboxes/{self.box}")
        self.assertIn((status, b"130593" in body), [(500, True)])
        self.connect()
        self.assertEqual(self.call("DELETE", f"/sandboxes/{self.box}")[0], 204)

    def test_what_is_lost_by_a_resume(self):
        self.proxy.rules("pause", {"rule": "lost_files", "paths": ["/home/user/a"]}, "lost_processes")
        self.pause()
        self.origin.server.seen.clear()
        self.connect()
        self.assertEqual([line for line in self.origin.paths() if "." in line], [
            "POST /filesystem.Filesystem/Remove", "POST /process.Process/List", "POST /process.Process/SendSignal"])

    def test_a_black_hole_swallows_what_was_open(self):
        self.proxy.rules("pause", "black_hole")
        kept = self.link()
        self.assertEqual(self.call("GET", "/health", None, self.at(self.box), kept)[0], 200)
        self.pause()
        self.connect()
        kept.sock.settimeout(0.3)
        with self.assertRaises(socket.timeout):
            self.call("GET", "/health", None, self.at(self.box), kept)
        self.assertEqual(self.call("GET", "/health", None, self.at(self.box))[0], 200)


class Routes(ProxyCase):
    def setUp(self):
        super().setUp()
        self.one, self.two = self.create(), self.create()

    def where(self, headers):
        status, body, _ = self.call("GET", "/x", None, headers)
        return json.loads(body)["box"] if status == 200 else status

    def test_host_only(self):
        self.proxy.rules("host_only")
        self.assertEqual(self.where(self.at(self.one)), 400)
        self.assertEqual(self.where({"Host": f"49983-{self.two}.cube.app", **self.at(self.one)}), self.two)

    def test_headers_only(self):
        self.proxy.rules("headers_only")
        self.assertEqual(self.where(self.at(self.one)), self.one)
        self.assertEqual(self.where({"Host": f"49983-{self.one}.cube.app", **self.at(self.one)}), 400)

    def test_wrong_route(self):
        self.proxy.rules("wrong_route")
        _, body, _ = self.call("GET", "/x", None, self.at(self.one))
        self.assertEqual(json.loads(body), {"box": self.two, "token": "t-" + self.two})

    def test_stale_route(self):
        self.proxy.rules({"rule": "stale_route", "times": 1})
        self.assertEqual(self.where(self.at(self.one)), 502)
        self.proxy.rules({"rule": "stale_route", "how": "reset", "times": 1})
        with self.assertRaises(ConnectionError):
            self.where(self.at(self.one))
        self.assertEqual(self.where(self.at(self.one)), self.one)

    def test_refuse_connection(self):
        self.proxy.rules({"rule": "refuse_connection", "times": 1})
        with self.assertRaises(ConnectionError):
            self.where(self.at(self.one))
        self.assertEqual(self.where(self.at(self.one)), self.one)

    def test_closed_port(self):
        self.proxy.rules("closed_port")
        self.assertEqual(self.where({**self.at(self.one), "E2b-Sandbox-Port": "8000"}), 502)
        self.assertEqual(self.where(self.at(self.one)), self.one)

    def test_envd_version(self):
        self.proxy.rules({"rule": "envd_version", "version": "0.2.0"})
        body = self.call("POST", f"/sandboxes/{self.one}/connect", {"timeout": 1})[1]
        self.assertEqual(json.loads(body)["envdVersion"], "0.2.0")
        octets = {**self.at(self.one), "Content-Type": "application/octet-stream"}
        self.assertEqual(self.call("POST", "/files?path=a", b"x", octets)[0], 400)
        self.assertEqual(self.call("POST", "/process.Process/CloseStdin", {}, self.at(self.one))[0], 404)
        with self.assertRaises(ConnectionError):
            self.call("GET", "/x", None, {**self.at(self.one), "Keepalive-Ping-Interval": "0"})


class Bytes(ProxyCase):
    def test_cut_of_the_answer(self):
        self.proxy.rules({"rule": "cut", "at": 20, "how": "fin", "times": 1})
        link = self.link()
        link.connect()
        link.sock.sendall(b"GET /x HTTP/1.1\r\nHost: a\r\nE2b-Sandbox-Id: i1\r\nE2b-Sandbox-Port: 49983\r\n\r\n")
        self.assertEqual(b"".join(iter(lambda: link.sock.recv(100), b"")), b"HTTP/1.1 200 OK\r\nSer")

    def test_cut_of_the_request(self):
        self.proxy.rules({"rule": "cut", "side": "request", "at": 30})
        with self.assertRaises((ConnectionError, http.client.BadStatusLine)):
            self.call("POST", "/files", b"x" * 1000, self.at("i1"))
        self.assertEqual(self.origin.paths(), [], "the origin never got a whole request")

    def test_silence(self):
        self.proxy.rules({"rule": "silence", "execute": True})
        link = self.link()
        link.timeout = 0.3
        with self.assertRaises(socket.timeout):
            self.call("POST", "/files", b"x", self.at("i1"), link)
        self.assertEqual(self.origin.paths(), ["POST /files"])

    def test_slow_body(self):
        self.proxy.rules({"rule": "slow_body", "bytes": 10, "seconds": 0.01})
        before = time.monotonic()
        self.assertEqual(self.call("GET", "/x", None, self.at("i1"))[0], 200)
        self.assertGreaterEqual(time.monotonic() - before, 0.05)

    def test_stream_json(self):
        self.proxy.rules("stream_json")
        status, body, headers = self.call("POST", "/process.Process/Start", b"x", self.at("i1"))
        self.assertEqual((status, body[:1], headers["Content-Type"]), (200, b"{", "application/connect+json"))

    def test_streams_without_their_end(self):
        self.proxy.rules("no_end_event")
        self.assertEqual(self.events(), [STARTED, PRINTED, "eos"])
        self.proxy.rules("no_end_of_stream")
        self.assertEqual(self.events(), [STARTED, PRINTED, ENDED])
        self.proxy.rules("double_end")
        self.assertEqual(self.events(), [STARTED, PRINTED, ENDED, ENDED, "eos"])

    def test_a_stream_that_falls_silent(self):
        self.proxy.rules("stream_silent")
        link = self.link()
        link.timeout = 0.3
        with self.assertRaises(socket.timeout):
            self.events(link)

    def test_sandbox_clock(self):
        self.proxy.rules({"rule": "sandbox_clock", "seconds": 1})
        _, body, _ = self.call("POST", "/process.Process/Start", envelope({}), self.at("i1"))
        out = [json.loads(data)["event"]["data"]["stdout"] for _, data in envelopes([body]) if b"stdout" in data]
        self.assertEqual(base64.b64decode(out[0]), b"1700000001000\n")


class Tls(ProxyCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ca, self.options = make_authority(self.folder.name)
        super().setUp()

    def test_a_private_authority(self):
        address = urlsplit(self.proxy.url)
        trusted = ssl.create_default_context(cafile=self.ca)
        link = http.client.HTTPSConnection(address.hostname, address.port, timeout=LIMIT, context=trusted)
        self.addCleanup(link.close)
        self.assertEqual(self.call("GET", "/v2/sandboxes", link=link)[0], 200)
        stranger = http.client.HTTPSConnection(address.hostname, address.port, timeout=LIMIT)
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.call("GET", "/v2/sandboxes", link=stranger)


class Documented(unittest.TestCase):
    def test_every_rule_has_a_row(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fault_proxy.md")
        with open(page, encoding="utf-8") as file:
            table = file.read().partition("| rule |")[2]
        rows = set(re.findall(r"^\| `([a-z0-9_]+)`", table, re.MULTILINE))
        self.assertEqual(rows, set(RULES))


if __name__ == "__main__":
    unittest.main()

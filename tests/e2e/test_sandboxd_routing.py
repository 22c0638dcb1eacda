# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""sandboxd's data plane: how a request finds a port of a sandbox, and what passes on the way."""

import base64
import contextlib
import hashlib
import http.client
import inspect
import json
import os
import socket
import threading
import time
from urllib.parse import quote, urlsplit

from tests.e2e import sandboxd_peer as peer
from tests.e2e.sandboxd import SandboxdCase, needs_sandboxes
from tests.e2e.wait import until

DOMAIN = "boxes.test"
BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "Accept": "text/html", "Sec-Fetch-Mode": "navigate"}
PORT = 8000
JSON = "application/json; charset=utf-8"


class RoutingCase(SandboxdCase):
    """One sandbox with a program of its user on a port."""

    options = ("--domain", DOMAIN, "--processes", "700", "--memory", "1GiB")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box = cls.service.create(timeout=3000)
        cls.serve(cls.box, PORT, "127.0.0.1")

    @classmethod
    def serve(cls, box, port, address):
        if box.write("/workspace/peer.py", inspect.getsource(peer).encode()).status != 200:
            raise AssertionError("the program was not written")
        box.must(f"nohup python3 /workspace/peer.py {port} {address} >/dev/null 2>&1 &")
        until(lambda: box.call("GET", "/", port=port).status == 200, f"the program serves on {address}")

    def ask(self, host, path="/health", headers=None, key=None):
        return self.service.call("GET", path, headers={"Host": host, **(headers or {})}, key=key)

    def inside(self, port=PORT, **more):
        return {"E2b-Sandbox-Id": self.box.id, "E2b-Sandbox-Port": str(port), **more}

    @contextlib.contextmanager
    def raw(self, method="GET", path="/", headers=None, body=b"", port=PORT):
        """A connection on which this request was sent, byte for byte."""
        address = urlsplit(self.service.url)
        lines = {"Host": "localhost", **self.inside(port), **(headers or {})}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        with socket.create_connection((address.hostname, address.port), timeout=120) as link:
            link.sendall(head.encode() + b"\r\n" + body)
            yield link

    @staticmethod
    def answer(link, method="GET"):
        response = http.client.HTTPResponse(link, method=method)
        response.begin()
        return response, response.read()


@needs_sandboxes
class Routing(RoutingCase):
    def test_every_domain_routes_by_its_first_label(self):
        for domain in ("localhost", f"localhost:{self.service.port}", DOMAIN, "e2b.app"):
            answer = self.ask(f"{PORT}-{self.box.id}.{domain}", "/x")
            self.assertEqual((answer.status, answer.json["path"]), (200, "/x"), answer)
        for label in ("0-" + self.box.id, "99999-" + self.box.id, f"{PORT}-UPPER", f"{PORT}-"):
            self.assertError(self.ask(label + ".localhost"), 400)

    def test_headers_route_only_where_the_host_is_the_service(self):
        own = ("localhost", "LocalHost:9", "127.0.0.1", "10.9.8.7:80", "[::1]:80", DOMAIN, "sandbox." + DOMAIN)
        for host in own:
            self.assertEqual(self.ask(host, "/x", self.inside()).status, 200, host)
        for host in ("evil.test", "sandbox.evil.test", "127.0.0.1.evil.test", "api." + DOMAIN, "a b", "localhost:x"):
            answer = self.ask(host, "/x", self.inside())
            self.assertError(answer, 400)
            self.assertIn("Invalid host", answer.json["message"])
        for half in ("E2b-Sandbox-Id", "E2b-Sandbox-Port"):
            answer = self.ask("localhost", "/x", {half: self.inside()[half]})
            self.assertError(answer, 400)
            self.assertEqual(answer.json["message"], "missing header")
        for wrong in ({"E2b-Sandbox-Id": "i_"}, {"E2b-Sandbox-Port": "x"}, {"E2b-Sandbox-Port": "0"}, {"E2b-Sandbox-Port": "65536"}):
            self.assertError(self.ask("localhost", "/x", {**self.inside(), **wrong}), 400)

    def test_the_control_plane_knows_its_names(self):
        for host in ("localhost:80", "127.0.0.1", DOMAIN, "api." + DOMAIN):
            self.assertEqual(self.ask(host, "/v2/sandboxes", key=self.service.key).status, 200, host)
        for host in ("evil.test", "127.0.0.1.evil.test", "api.evil.test"):
            answer = self.ask(host, "/v2/sandboxes", key=self.service.key)
            self.assertError(answer, 400)
            self.assertIn("Invalid host", answer.json["message"])
        self.assertError(self.ask("evil.test"), 400)

    def test_replies_name_the_domain(self):
        box = self.sandbox()
        self.assertEqual(box.made["domain"], DOMAIN)
        self.assertEqual(box.connect().json["domain"], DOMAIN)
        self.assertEqual(box.detail().json["domain"], DOMAIN)

    def test_a_sandbox_that_is_not_there(self):
        for path in ("/", "/health"):
            answer = self.service.call("GET", path, headers={"E2b-Sandbox-Id": "inone", "E2b-Sandbox-Port": "80"})
            self.assertEqual((answer.status, answer.headers["content-type"]), (502, JSON))
            self.assertEqual(answer.json, {"sandboxId": "inone", "message": "The sandbox was not found", "code": 502})
        page = self.ask("80-inone.localhost", headers=BROWSER)
        self.assertEqual((page.status, page.headers["content-type"]), (502, "text/html; charset=utf-8"))
        self.assertIn(b"inone", page.body)
        for other in ({"Accept": "application/json"}, {"Sec-Fetch-Mode": "cors"}, {"User-Agent": "curl/8"}):
            answer = self.ask("80-inone.localhost", headers={**BROWSER, **other})
            self.assertEqual((answer.status, answer.json["code"]), (502, 502), other)

    def test_a_closed_port(self):
        answer = self.box.call("GET", "/", port=3999)
        self.assertEqual((answer.status, answer.headers["content-type"]), (502, JSON))
        self.assertEqual(answer.json, {"sandboxId": self.box.id, "port": 3999, "code": 502,
                                       "message": "The sandbox is running but port is not open"})
        page = self.box.call("GET", "/", port=3999, headers=BROWSER)
        self.assertEqual((page.status, page.headers["content-type"]), (502, "text/html; charset=utf-8"))
        self.assertIn(b"3999", page.body)

    def test_every_address_that_a_program_listens_on(self):
        own = self.box.must("hostname -I").split()
        self.assertEqual(len(own), 1)
        for port, address in enumerate(("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", own[0]), 8200):
            self.serve(self.box, port, address)

    def test_envds_control_paths_are_reserved(self):
        for path in ("/init", "/freeze", "/unfreeze", "/collapse", "/fsfreeze", "/fsthaw", "/upgrade", "/init/", "//init", "/%69nit"):
            for method in ("GET", "POST", "OPTIONS", "DELETE"):
                answer = self.box.call(method, path)
                self.assertError(answer, 404)
                self.assertIn("reserved", answer.json["message"])
        self.assertEqual(self.box.call("GET", "/init", port=PORT).status, 200)  # of the user's own program

    def test_browsers_may_ask_envd_before(self):
        answer = self.service.call("OPTIONS", "/process.Process/Start", key=None, headers={
            **self.inside(49983), "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-access-token,connect-protocol-version,keepalive-ping-interval"})
        self.assertIn(answer.status, (200, 204))
        self.assertEqual(answer.headers["access-control-allow-origin"], "*")
        self.assertIn("access-control-allow-headers", answer.headers)

    def test_an_insecure_sandbox_is_closed_to_pages_of_others(self):
        answer = self.service.call("POST", "/sandboxes", {"templateID": "base", "timeout": 600})
        box = answer.json["sandboxID"]
        self.addCleanup(self.service.call, "DELETE", f"/sandboxes/{box}")
        lines = {"E2b-Sandbox-Id": box, "E2b-Sandbox-Port": "49983"}
        for origin, status in (("https://evil.example", 403), ("null", 403), ("http://localhost:3000", 204), (None, 204)):
            more = {"Origin": origin} if origin else {}
            self.assertEqual(self.service.call("GET", "/health", headers={**lines, **more}).status, status, origin)


@needs_sandboxes
class Forwarding(RoutingCase):
    def echoed(self, headers=None, method="GET", body=None, path="/x"):
        answer = self.service.call(method, path, body, self.inside(**(headers or {})), key=None)
        self.assertEqual(answer.status, 200, answer)
        return answer.json, dict(answer.json["fields"])

    def test_what_is_for_the_way_stays_out(self):
        made_up = {"X-Forwarded-For": "9.9.9.9", "X-Forwarded-Proto": "https", "Forwarded": "for=9.9.9.9", "X-Forwarded-Host": "e"}
        hop = {"Connection": "keep-alive, X-Mine", "X-Mine": "1", "Keep-Alive": "timeout=1", "TE": "trailers", "Proxy-Authorization": "x"}
        _, fields = self.echoed({**made_up, **hop, "X-Access-Token": self.box.token, "X-Other": "kept", "Host": "localhost:99"})
        self.assertEqual(fields.pop("host"), "localhost:99")
        self.assertEqual(fields.pop("x-other"), "kept")
        self.assertEqual(fields, {"accept-encoding": "identity"})

    def test_bodies_of_both_framings_and_queries(self):
        data = os.urandom(3_000_000)
        for body in (data, iter([data[:7], data[7:2_000_000], data[2_000_000:]])):
            link = self.service.link()
            link.request("POST", "/a/b?c=d&e", body, self.inside(), encode_chunked=not isinstance(body, bytes))
            got = json.loads(link.getresponse().read())
            link.close()
            self.assertEqual((got["path"], got["size"]), ("/a/b?c=d&e", len(data)))
            self.assertEqual(got["sha256"], hashlib.sha256(data).hexdigest())

    def test_every_method_and_head(self):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            self.assertEqual(self.echoed(method=method)[0]["method"], method)
        with self.raw("HEAD", "/go") as link:
            response, body = self.answer(link, "HEAD")
            self.assertEqual((response.status, body, response.headers["Content-Length"]), (200, b"", "2"))

    def test_trailers_do_no_harm(self):
        chunked = {"Transfer-Encoding": "chunked", "Trailer": "X-Sum"}
        with self.raw("POST", "/x", chunked, b"3;a=b\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n") as link:
            self.assertEqual(json.loads(self.answer(link)[1])["size"], 3)
        with self.raw("GET", "/trailers") as link:
            self.assertEqual(self.answer(link)[1], b"abc")
            link.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertEqual(self.answer(link)[0].status, 200)

    def test_a_body_that_ends_with_the_connection_ends_in_a_chunk(self):
        with self.raw("GET", "/until-close") as link:
            response, body = self.answer(link)
            self.assertEqual((response.headers["Transfer-Encoding"], body), ("chunked", b"to the end"))
            link.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertEqual(self.answer(link)[0].status, 200)

    def test_a_response_that_is_cut_off_is_reset(self):
        with self.raw("GET", "/half") as link, self.assertRaises(ConnectionResetError):
            while link.recv(9999):
                pass

    def test_a_program_that_says_nothing_is_502(self):
        with self.raw("GET", "/nothing") as link:
            response, body = self.answer(link)
            self.assertEqual((response.status, json.loads(body)["port"]), (502, PORT))
        with self.raw("GET", "/unasked") as link:  # 101 to somebody who asked for no upgrade
            self.assertEqual(self.answer(link)[0].status, 502)

    def test_the_client_is_told_to_go_on(self):
        with self.raw("POST", "/x", {"Expect": "100-continue", "Content-Length": "5"}) as link:
            said = b""
            while not said.endswith(b"\r\n\r\n"):
                said += link.recv(1)
            self.assertEqual(said, b"HTTP/1.1 100 Continue\r\n\r\n")
            link.sendall(b"12345")
            self.assertEqual(json.loads(self.answer(link)[1])["size"], 5)
        gone = {"Expect": "100-continue", "Content-Length": "5", "E2b-Sandbox-Id": "inone"}
        with self.raw("POST", "/x", gone) as link:
            self.assertTrue(link.recv(12).endswith(b"502"))

    def test_an_answer_before_the_body_was_read(self):
        lines = {"Content-Length": str(8 << 20)}
        for more in ({}, {"E2b-Sandbox-Id": "inone"}, {"E2b-Sandbox-Port": "49983", "X-Access-Token": "wrong"}):
            path = "/process.Process/List" if more.get("E2b-Sandbox-Port") else "/early"
            with self.raw("POST", path, {**lines, **more, "Content-Type": "application/json"}) as link:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    link.sendall(b"x" * (8 << 20))
                response, body = self.answer(link)
                self.assertIn(response.status, (413, 502, 401), body)
                self.assertTrue(body)

    def test_connection_upgrade_on_ordinary_requests_changes_nothing(self):
        lines = {"Connection": "upgrade", "Upgrade": "websocket", "Content-Type": "application/json"}
        for port, path, token in ((PORT, "/x", {}), (49983, "/process.Process/List", {"X-Access-Token": self.box.token})):
            with self.raw("POST", path, {**lines, **token, "Content-Length": "2"}, b"{}", port) as link:
                self.assertEqual(self.answer(link)[0].status, 200)
                link.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertEqual(self.answer(link)[0].status, 200)
        with self.raw("GET", "/x", {"Connection": "upgrade"}) as link:
            self.assertEqual(self.answer(link)[0].status, 200)

    def test_answers_say_how_long_a_connection_lives(self):
        for port, path in ((PORT, "/x"), (49983, "/health")):
            kept = self.box.call("GET", path, port=port).headers["keep-alive"]
            self.assertGreaterEqual(int(kept.split("timeout=")[1].split(",")[0]), 60)
        self.assertIn("keep-alive", self.service.call("GET", "/health").headers)

    def test_streams_are_not_held_back_by_proxies(self):
        link, response = self.box.start("true")
        self.assertEqual(response.headers["X-Accel-Buffering"], "no")
        self.assertEqual(response.headers["Transfer-Encoding"], "chunked")
        link.close()

    def test_two_hundred_streams_block_nobody(self):
        links = [self.box.start("exec sleep 1000") for _ in range(205)]
        try:
            for _, response in links:
                self.assertEqual(response.status, 200)
                self.assertEqual(response.read(1), b"\0")  # its start event
            self.assertEqual(self.box.call("GET", "/health").status, 204)
            self.assertEqual(self.service.call("GET", f"/sandboxes/{self.box.id}").status, 200)
            self.assertEqual(self.box.call("GET", "/x", port=PORT).status, 200)
        finally:
            for link, response in links:
                response.close()
                link.close()

    def test_connections_without_a_request_are_harmless(self):
        address = urlsplit(self.service.url)
        for sent in (b"", b"GET", b"\r\n", b"\r\n\r\nGET / HTTP/1.1\r\nHost: loc"):
            for _ in range(20):
                with socket.create_connection((address.hostname, address.port), timeout=60) as link:
                    link.sendall(sent)
        with socket.create_connection((address.hostname, address.port), timeout=60) as link:
            for byte in b"\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n":
                link.sendall(bytes([byte]))
            self.assertEqual(self.answer(link)[0].status, 200)

    def test_requests_in_a_row_on_one_connection(self):
        one = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "localhost", **self.inside()}.items())
        address = urlsplit(self.service.url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as link:
            link.sendall(b"".join(f"GET /{i} HTTP/1.1\r\n{one}\r\n".encode() for i in range(5)))
            file = link.makefile("rb")
            for i in range(5):
                size = 0
                while (line := file.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        size = int(line.split(b":")[1])
                self.assertEqual(json.loads(file.read(size))["path"], f"/{i}")


@needs_sandboxes
class Smuggling(RoutingCase):
    def test_ambiguous_requests_never_get_inside(self):
        hidden = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
        route = "".join(f"{name}: {value}\r\n" for name, value in self.inside().items())
        post = f"POST /x HTTP/1.1\r\nHost: localhost\r\n{route}"
        requests = {
            "both framings": f"{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "two lengths": f"{post}Content-Length: 0\r\nContent-Length: 5\r\n\r\n",
            "one length twice": f"{post}Content-Length: 5\r\nContent-Length: 5\r\n\r\n12345",
            "a list of lengths": f"{post}Content-Length: 5, 5\r\n\r\n12345",
            "a signed length": f"{post}Content-Length: +5\r\n\r\n12345",
            "a hex length": f"{post}Content-Length: 0x5\r\n\r\n12345",
            "another coding": f"{post}Transfer-Encoding: xchunked\r\n\r\n",
            "a coding before": f"{post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "two codings": f"{post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            "a blank before the colon": f"{post}Content-Length : 5\r\n\r\n12345",
            "a continued line": f"{post}X-A: b\r\n Content-Length: 5\r\n\r\n12345",
            "a bare line feed": f"{post}X-A: b\nContent-Length: 5\r\n\r\n12345",
            "a bare carriage return": f"{post}X-A: b\rContent-Length: 5\r\n\r\n12345",
            "only line feeds": post.replace("\r\n", "\n") + "\n",
            "a NUL": f"{post}X-A: b\0c\r\n\r\n",
            "a whole URL": f"GET http://localhost/hidden HTTP/1.1\r\nHost: localhost\r\n{route}\r\n",
            "a tunnel": f"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n{route}\r\n",
            "two hosts": f"GET /x HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n{route}\r\n",
            "no host": f"GET /x HTTP/1.1\r\n{route}\r\n",
            "chunks in HTTP/1.0": f"{post.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "another version": f"GET /x HTTP/9.9\r\nHost: localhost\r\n{route}\r\n",
            "no HTTP": "\x16\x03\x01\x02\x00\x01",
        }
        before = self.box.call("GET", "/", port=PORT).json["seen"]
        address = urlsplit(self.service.url)
        for name, request in requests.items():
            with self.subTest(name), socket.create_connection((address.hostname, address.port), timeout=60) as link:
                link.sendall(request.encode("latin-1") + hidden)
                response, body = self.answer(link)
                self.assertEqual((response.status, json.loads(body)["code"]), (400, 400), body)
                self.assertEqual(response.headers["Connection"], "close")
                self.assertEqual(link.recv(1), b"")
        self.assertEqual(self.box.call("GET", "/", port=PORT).json["seen"], before + 1)

    def test_malformed_chunks_never_reach_the_program_whole(self):
        for body in (b"5\n12345\r\n0\r\n\r\n", b"5\r\n12345X\r\n0\r\n\r\n", b"-1\r\n", b"0x5\r\n12345\r\n0\r\n\r\n"):
            with self.raw("POST", "/x", {"Transfer-Encoding": "chunked"}, body) as link:
                response, said = self.answer(link)
                self.assertEqual(response.status, 400, (body, said))


@needs_sandboxes
class WebSockets(RoutingCase):
    @contextlib.contextmanager
    def socket(self, path, box=None, **more):
        """(connection, its buffered reader) of an open WebSocket."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = {"Connection": "keep-alive, Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13"}
        if box:
            lines["E2b-Sandbox-Id"] = box.id
        with self.raw("GET", path, {**lines, **more}) as link:
            file = link.makefile("rb")
            head = [file.readline().decode().strip()]
            while head[-1]:
                head.append(file.readline().decode().strip())
            self.assertTrue(head[0].startswith("HTTP/1.1 101"), head)
            self.assertIn(("sec-websocket-accept: " + peer.accept_key(key)).lower(), [line.lower() for line in head])
            yield link, file

    def test_frames_go_both_ways_until_one_closes(self):
        with self.socket("/echo") as (link, file):
            for size in (0, 1, 125, 126, 65_535, 65_536, 5_000_000):
                data = os.urandom(size)
                sender = threading.Thread(target=link.sendall, args=(peer.frame(2, data, b"mask"),))
                sender.start()
                self.assertEqual(peer.read_frame(file), (2, data), size)
                sender.join()
            link.sendall(peer.frame(8, b"\x03\xe8", b"mask"))
            self.assertEqual(peer.read_frame(file), (8, b"\x03\xe8"))
            self.assertEqual(file.read(), b"")

    def test_by_the_host_name_too(self):
        with self.socket("/echo", Host=f"{PORT}-{self.box.id}.localhost") as (link, file):
            link.sendall(peer.frame(1, b"hi", b"mask"))
            self.assertEqual(peer.read_frame(file), (1, b"hi"))

    def test_the_program_closes_first(self):
        with self.socket("/bye") as (link, file):
            self.assertEqual(peer.read_frame(file), (8, b"\x03\xe9bye"))
            link.sendall(peer.frame(8, b"\x03\xe9", b"mask"))
            self.assertEqual(file.read(), b"")
        self.assertEqual(self.box.call("GET", "/answer", port=PORT).body, repr((8, b"\x03\xe9")).encode())

    def test_a_side_that_takes_nothing_holds_the_other_up(self):
        self.serve(self.box, 8100, "127.0.0.1")
        with self.raw("GET", "/count", {"Connection": "Upgrade", "Upgrade": "bytes"}, port=8100) as link:
            file = link.makefile("rb")
            while file.readline() != b"\r\n":
                pass
            link.settimeout(5)
            total, most, piece = 0, 1 << 30, b"x" * 65_536
            with contextlib.suppress(TimeoutError):
                while total < most:
                    total += link.send(piece)
            self.assertLess(total, most)  # the way is full, and it is short
            self.assertLess(self.service.rss_mib(), 900)
            link.settimeout(120)
            self.assertEqual(self.box.call("GET", "/go", port=8100).status, 200)
            link.sendall(b"end")
            link.shutdown(socket.SHUT_WR)  # half of it: the answer still comes
            self.assertEqual(file.read(), str(total + 3).encode())

    def test_the_end_of_the_sandbox_resets_them(self):
        for end in (lambda box: box.kill(), lambda box: self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False})):
            box = self.sandbox(timeout=3000)
            self.serve(box, PORT, "127.0.0.1")
            with self.socket("/echo", box) as (link, file), self.raw("GET", "/hold", {"E2b-Sandbox-Id": box.id}) as stream:
                self.assertIn(b"200", stream.recv(12))
                self.assertEqual(end(box).status, 204)
                with self.assertRaises(ConnectionResetError):
                    file.read()
                with self.assertRaises(ConnectionResetError):
                    while stream.recv(999):
                        pass
            self.assertEqual(box.call("GET", "/", port=PORT).json["message"], "The sandbox was not found")


@needs_sandboxes
class SignedUrls(SandboxdCase):
    """URLs of files that name no sandbox, because all of them share one address."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.others = [cls.service.create(timeout=3000) for _ in range(2)]
        cls.box = cls.service.create(timeout=3000)

    @staticmethod
    def url(box, path, operation, expiration=None, user=""):
        parts = [path, operation, user, box.token] + ([str(expiration)] if expiration else [])
        digest = base64.b64encode(hashlib.sha256(":".join(parts).encode()).digest()).decode().rstrip("=")
        more = (f"&username={user}" if user else "") + (f"&signature_expiration={expiration}" if expiration else "")
        return f"/files?path={quote(path, safe='')}&signature={quote('v1_' + digest, safe='')}{more}"

    def call(self, method, url, body=None, headers=None):
        return self.service.call(method, url, body, headers, key=None)

    def test_a_download_finds_its_sandbox(self):
        for box in (self.box, *self.others):
            box.write("/home/user/a b.txt", box.id.encode())
        for box in (self.box, *self.others):
            for expiration, user in ((None, ""), (int(time.time()) + 600, ""), (None, "user")):
                answer = self.call("GET", self.url(box, "a b.txt", "read", expiration, user))
                self.assertEqual((answer.status, answer.body), (200, box.id.encode()), answer)

    def test_a_browser_uploads_a_form(self):
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="ignored"\r\n\r\nup\r\n--x--\r\n'
        lines = {"Content-Type": "multipart/form-data; boundary=x", "Origin": "https://app.example"}
        answer = self.call("POST", self.url(self.box, "/home/user/up.txt", "write"), form, lines)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["access-control-allow-origin"], "*")
        self.assertEqual(self.box.must("cat up.txt"), "up")
        asked = self.call("OPTIONS", self.url(self.box, "/home/user/up.txt", "write"), headers={
            "Origin": "https://app.example", "Access-Control-Request-Method": "POST"})
        self.assertIn(asked.status, (200, 204))
        self.assertEqual(asked.headers["access-control-allow-origin"], "*")

    def test_a_signature_of_nobody_is_401(self):
        good = self.url(self.box, "/home/user/x", "read")
        for url in (good[:-1], good.replace("x&", "y&"), good + "&signature_expiration=99999999999", good.replace("v1_", "v2_"),
                    "/files?path=x&signature=", self.url(self.box, "/home/user/x", "write")):
            answer = self.call("GET", url)
            self.assertError(answer, 401)
            self.assertEqual(answer.json["message"], "invalid signature")
        over = self.call("GET", self.url(self.box, "/home/user/x", "read", int(time.time()) - 60))
        self.assertError(over, 401)
        self.assertIn("expired", over.json["message"])
        self.assertError(self.call("GET", "/files?path=x"), 401)

    def test_a_missing_file_and_a_paused_sandbox(self):
        self.assertError(self.call("GET", self.url(self.box, "/home/user/none", "read")), 404)
        box = self.sandbox(timeout=3000)
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        answer = self.call("GET", self.url(box, "/home/user/x", "read"))
        self.assertEqual((answer.status, answer.json["sandboxId"]), (502, box.id))

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The network options of sandboxes: what they may reach, and who may reach their ports. In a network of the suite's
own, as in the isolation suite."""

import concurrent.futures
import contextlib
import inspect
import json
import socket
import struct
import threading

from tests.e2e import procs
from tests.e2e import sandboxd_peer as peer
from tests.e2e.sandboxd import Sandboxd, SandboxdCase, in_network, needs_sandboxes
from tests.e2e.test_sandboxd_isolation import PORT, Network
from tests.e2e.wait import until

ONE, TWO, OTHER = "203.0.113.80", "203.0.113.81", "203.0.114.1"  # far away
HIDDEN = ("192.0.2.77", "10.44.0.1", "198.51.100.1", "169.254.169.254")  # the host's, forbidden to all
ALL = "0.0.0.0/0"
NAMES = {"one.far.test": ONE, "two.far.test": TWO, "www.deep.test": OTHER, "inner.far.test": "10.44.0.1"}
# Tries all at once, each also past the routes; what is closed stays silent until the end of its time.
CONNECT = """
import socket, sys, threading
def attempt(address, device):
    s = socket.socket()
    s.settimeout(6)
    try:
        if device: s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
        s.connect((address, int(sys.argv[1])))
        sys.stdout.write(f"{address} {s.recv(9).decode()}\\n")
    except OSError:
        pass
for address in sys.argv[2:]:
    for device in (None, b'tap0'):
        threading.Thread(target=attempt, args=(address, device)).start()
"""
RESOLVE = """
import socket, sys
for name in sys.argv[1:]:
    try: print(name, socket.gethostbyname(name))
    except OSError: print(name, 'no')
"""


def nameserver():
    """The host's own, which is where sandboxd sends queries."""
    with open("/etc/resolv.conf", encoding="utf-8") as conf:
        lines = [line.split() for line in conf]
    return next((line[1] for line in lines if len(line) > 1 and line[0] == "nameserver" and ":" not in line[1]), None)


def answer(query):
    """A DNS response with the one address of a name that NAMES has."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode())
        at += query[at] + 1
    question, kind = query[12 : at + 5], query[at + 1 : at + 3]
    address = NAMES.get(".".join(labels).lower())
    found = address is not None and kind == b"\0\1"
    head = query[:2] + struct.pack(">HHHHH", 0x8180 if address else 0x8183, 1, int(found), 0, 0)
    record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(address) if found else b""
    return head + question + record


class NetworkCase(SandboxdCase):
    @classmethod
    def setUpClass(cls):
        cls.near, cls.far = Network(), Network()
        cls.addClassCleanup(cls.near.close)
        cls.addClassCleanup(cls.far.close)
        cls.near.ip(f"link add cable type veth peer name cable netns {cls.far.holder.pid}")
        for address in ("10.44.0.1/24", "169.254.169.254/32", "192.0.2.77/32"):
            cls.near.ip(f"address add {address} dev lo")
        cls.near.ip("address add 198.51.100.1/24 dev cable")
        cls.near.ip("link set cable up")
        cls.far.ip("address add 198.51.100.2/24 dev cable")
        for address in (ONE, TWO, OTHER):
            cls.far.ip(f"address add {address}/32 dev lo")
        cls.far.ip("link set cable up")
        cls.near.ip("route add default via 198.51.100.2")
        for network in (cls.near, cls.far):
            cls.addClassCleanup(network.listen().close)
        cls.serve_names()
        cls.service = Sandboxd("--sandboxes", "30", network=cls.near.descriptor)
        cls.addClassCleanup(cls.service.close)
        cls.service.start()

    @classmethod
    def serve_names(cls):
        cls.nameserver = nameserver()
        if cls.nameserver is None:
            return
        if not cls.nameserver.startswith("127."):
            cls.near.ip(f"address add {cls.nameserver}/32 dev lo")
        with in_network(cls.near.descriptor):
            names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind((cls.nameserver, 53))
        cls.asked = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    query, who = names.recvfrom(4096)
                    cls.asked.append(query)
                    names.sendto(answer(query), who)

        threading.Thread(target=serve, daemon=True).start()
        cls.addClassCleanup(names.close)

    def reached(self, box, *addresses):
        """Which of them say hello, to the user and to root alike."""
        box.write("/workspace/connect.py", CONNECT.encode())

        def hello(user):
            lines = box.must(f"python3 /workspace/connect.py {PORT} {' '.join(addresses)}", user).splitlines()
            return {line.split()[0] for line in lines if line.endswith("hello")}

        with concurrent.futures.ThreadPoolExecutor() as both:
            found = list(both.map(hello, ("user", "root")))
        self.assertEqual(found[0], found[1])
        return found[0]

    def names(self, box, *names):
        box.write("/workspace/resolve.py", RESOLVE.encode())
        return dict(line.split() for line in box.must(f"python3 /workspace/resolve.py {' '.join(names)}").splitlines())

    def box(self, timeout=3000, **network):
        return self.sandbox(timeout=timeout, network=network)

    def put(self, box, **body):
        return self.service.call("PUT", f"/sandboxes/{box.id}/network", body)

    def pause(self, box):
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)


@needs_sandboxes
class Egress(NetworkCase):
    def test_an_address_is_denied(self):
        box = self.box(denyOut=[ONE, "2001:db8::/32"])
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), {TWO, OTHER})

    def test_a_network_is_denied(self):
        box = self.box(denyOut=["203.0.113.0/24"])
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), {OTHER})

    def test_only_what_is_allowed(self):
        box = self.box(allowOut=[ONE], denyOut=[ALL])
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), {ONE})

    def test_allow_beats_deny_whichever_is_larger(self):
        box = self.box(allowOut=["203.0.113.0/24"], denyOut=[ONE, ALL])
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), {ONE, TWO})
        box = self.box(allowOut=[ALL], denyOut=[ONE])
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), {ONE, TWO, OTHER})

    def test_nothing_opens_the_host(self):
        box = self.box(allowOut=[*HIDDEN, "10.0.0.0/8", "198.18.0.0/15", ALL, "198.51.100.0/24", ONE], denyOut=[ALL])
        self.assertEqual(self.reached(box, ONE, *HIDDEN, "198.51.100.2", "198.18.255.3"), {ONE})
        self.assertEqual(self.put(box, allowOut=list(HIDDEN), denyOut=[ALL]).status, 204)
        self.assertEqual(self.reached(box, ONE, *HIDDEN, "198.51.100.2", "198.18.255.3"), set())

    def test_root_inside_changes_no_route(self):
        box = self.box(denyOut=[ALL], allowOut=[ONE])
        change = ("import socket,struct,fcntl\\ns=socket.socket()\\n"
                  "try: fcntl.ioctl(s,0x890B,bytes(120)); print('changed')\\nexcept OSError as e: print(e.errno)")
        self.assertEqual(box.must(f"printf \"{change}\" | python3", "root"), "1")  # EPERM
        self.assertEqual(self.reached(box, ONE, TWO), {ONE})

    def test_no_internet_and_an_exception(self):
        box = self.sandbox(timeout=3000, allow_internet_access=False, network={"allowOut": [ONE]})
        self.assertEqual(self.reached(box, ONE, TWO), {ONE})
        self.assertIs(box.detail().json["allowInternetAccess"], False)

    def test_the_rules_survive_a_pause_and_a_dead_network_process(self):
        before = self.service.networks()
        box = self.box(allowOut=[ONE], denyOut=[ALL])
        network = (self.service.networks() - before).pop()
        procs.kill(network)
        until(lambda: self.service.networks() - before - {network}, "another one was started")
        until(lambda: self.reached(box, ONE) == {ONE}, "the way out is there again")
        self.assertEqual(self.reached(box, ONE, TWO, *HIDDEN), {ONE})
        self.pause(box)
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(self.reached(box, ONE, TWO, *HIDDEN), {ONE})

    def test_an_update_replaces_the_rules(self):
        box = self.box(denyOut=[ONE])
        self.assertEqual(self.reached(box, ONE, TWO), {TWO})
        self.assertEqual(self.put(box, allowOut=[ONE], denyOut=[ALL]).status, 204)
        self.assertEqual(self.reached(box, ONE, TWO), {ONE})
        network = box.detail().json["network"]
        self.assertEqual((network["allowOut"], network["denyOut"]), ([ONE], [ALL]))
        self.pause(box)
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(self.reached(box, ONE, TWO), {ONE})
        self.assertEqual(self.put(box).status, 204)  # all cleared
        self.assertEqual(self.reached(box, ONE, TWO), {ONE, TWO})
        self.assertNotIn("denyOut", box.detail().json["network"])

    def test_an_update_opens_a_closed_sandbox_and_closes_an_open_one(self):
        box = self.sandbox(timeout=3000, allow_internet_access=False)
        self.assertEqual(self.reached(box, ONE), set())
        self.assertEqual(self.put(box, allow_internet_access=True).status, 204)
        self.assertEqual(self.reached(box, ONE, *HIDDEN), {ONE})
        self.assertIs(box.detail().json["allowInternetAccess"], True)
        before = self.service.networks()
        self.assertEqual(self.put(box, allow_internet_access=False).status, 204)
        self.assertEqual(self.reached(box, ONE, TWO), set())
        self.assertEqual(self.put(box, denyOut=[TWO]).status, 204)
        self.assertEqual(self.reached(box, ONE, TWO), {ONE})
        self.assertIsNone(box.detail().json["allowInternetAccess"])
        self.assertEqual(self.service.networks(), before)  # the same one all the time

    def test_updates_at_once_leave_what_the_record_says(self):
        box = self.box()
        bodies = [{"allowOut": [ONE], "denyOut": [ALL]}, {"allowOut": [TWO], "denyOut": [ALL]}, {"denyOut": [ONE, TWO]}]
        statuses = []
        threads = [threading.Thread(target=lambda b=body: statuses.append(self.put(box, **b).status)) for body in bodies * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(statuses), {204})
        network = box.detail().json["network"]
        expected = set(network.get("allowOut", [])) if ALL in network["denyOut"] else {OTHER}
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), expected)

    def test_updates_that_cannot_be(self):
        box = self.box()
        for body in ({"denyOut": ["1.2.3.4/40"]}, {"denyOut": ["x.test"]}, {"allowOut": ["a b"]}, {"allowOut": ["x.test"]},
                     {"allowOut": "1.1.1.1"}, {"allow_internet_access": 1}):
            self.assertError(self.put(box, **body), 400)
        for body in ({"egressProxy": {"address": "proxy.test:1080"}}, {"rules": {"x.test": [{"transform": {"headers": {"a": "b"}}}]}}):
            refused = self.put(box, **body)
            self.assertError(refused, 400)
            self.assertEqual(refused.json["error_code"], "unsupported")
            self.assertIn(next(iter(body)), refused.json["message"])
        self.assertError(self.service.call("PUT", "/sandboxes/inone/network", {}), 404)
        self.assertError(self.service.call("PUT", f"/sandboxes/{box.id}/network", {}, key=None), 401)
        self.pause(box)
        self.assertError(self.put(box), 404)

    def test_names_open_their_addresses(self):
        if self.nameserver is None:
            self.skipTest("this host has no name server")
        box = self.box(allowOut=["one.far.test", "*.deep.test", "inner.far.test"], denyOut=[ALL])
        self.assertEqual(self.reached(box, ONE, TWO, OTHER), set())  # nobody has asked for their names yet
        found = self.names(box, "one.far.test", "two.far.test", "www.deep.test", "deep.test", "inner.far.test")
        self.assertEqual(found, {"one.far.test": ONE, "two.far.test": "no", "www.deep.test": OTHER, "deep.test": "no",
                                 "inner.far.test": "10.44.0.1"})
        self.assertEqual(self.reached(box, ONE, TWO, OTHER, *HIDDEN), {ONE, OTHER})
        self.assertFalse([query for query in self.asked if b"two" in query])  # no way to tell the world by a name
        self.assertEqual(self.put(box, allowOut=["two.far.test"], denyOut=[ALL]).status, 204)
        self.assertEqual(self.reached(box, ONE, OTHER), set())
        self.assertEqual(self.names(box, "one.far.test", "two.far.test"), {"one.far.test": "no", "two.far.test": TWO})
        self.assertEqual(self.reached(box, ONE, TWO), {TWO})

    def test_a_closed_sandbox_resolves_nothing(self):
        if self.nameserver is None:
            self.skipTest("this host has no name server")
        self.assertEqual(self.names(self.box(), "one.far.test"), {"one.far.test": ONE})
        for closed in (self.sandbox(timeout=3000, allow_internet_access=False), self.box(allowOut=[ONE], denyOut=[ALL])):
            self.assertEqual(self.names(closed, "one.far.test"), {"one.far.test": "no"})


@needs_sandboxes
class Ingress(SandboxdCase):
    def create(self, body, path="/v2/sandboxes"):
        answer = self.service.call("POST", path, {"templateID": "base", "timeout": 3000, **body})
        if answer.status == 201:
            self.addCleanup(self.service.call, "DELETE", f"/sandboxes/{answer.json['sandboxID']}")
        return answer

    def serve(self, box, port=8000, headers=None):
        self.assertEqual(box.write("/workspace/peer.py", inspect.getsource(peer).encode()).status, 200)
        box.must(f"nohup python3 /workspace/peer.py {port} 127.0.0.1 >/dev/null 2>&1 &")
        until(lambda: box.call("GET", "/x", port=port, headers=headers).status == 200, "the program serves")

    def test_what_cannot_be_created(self):
        for network in ({"denyOut": ["x.test"]}, {"denyOut": ["1.2.3.4/33"]}, {"allowOut": ["x.test"]}, {"allowOut": ["-"]},
                        {"maskRequestHost": "http://x"}, {"maskRequestHost": "a:b:c"}, {"allowPublicTraffic": 1}, [],
                        {"allowOut": ["1.1.1.1"] * 257}):
            for path in ("/sandboxes", "/v2/sandboxes"):
                self.assertError(self.create({"network": network}, path), 400)
        for name, value in (("egressProxy", {"address": "a:1"}), ("rules", {"x.test": []})):
            refused = self.create({"network": {name: value}})
            self.assertError(refused, 400)
            self.assertEqual(refused.json["error_code"], "unsupported")
            self.assertIn(name, refused.json["message"])
        closed = {"network": {"allowPublicTraffic": False}}
        self.assertError(self.create(closed, "/sandboxes"), 400)
        self.assertEqual(self.create({**closed, "secure": True}, "/sandboxes").status, 201)

    def test_options_are_echoed(self):
        network = {"allowOut": ["1.1.1.1", "10.0.0.0/8"], "denyOut": ["0.0.0.0/0"], "allowPublicTraffic": False,
                   "maskRequestHost": "localhost:${PORT}"}
        box = self.sandbox(network=network)
        self.assertEqual(box.detail().json["network"], network)
        self.assertIsNone(box.detail().json["allowInternetAccess"])
        self.assertNotIn("network", self.sandbox().detail().json)

    def test_ports_want_the_traffic_token(self):
        box = self.sandbox(timeout=3000, network={"allowPublicTraffic": False})
        token = box.made["trafficAccessToken"]
        self.assertRegex(token, r"^[0-9a-f]{64}$")
        right = {"e2b-traffic-access-token": token}
        self.serve(box, headers=right)
        for wrong in ({}, {"e2b-traffic-access-token": token[:-1]}, {"e2b-traffic-access-token": token + "0"},
                      {"e2b-traffic-access-token": box.token}, {"X-Access-Token": token}):
            for port in (8000, 3999):  # also what is closed
                answer = box.call("GET", "/x", port=port, headers=wrong)
                self.assertEqual((answer.status, answer.json["code"], answer.json["sandboxId"]), (403, 403, box.id), answer)
        seen = dict(box.call("GET", "/x", port=8000, headers=right).json["fields"])
        self.assertNotIn("e2b-traffic-access-token", seen)
        self.assertEqual(box.call("GET", "/health").status, 204)  # envd has its own
        self.assertEqual(self.service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        again = box.connect()
        self.assertEqual((again.status, again.json["trafficAccessToken"]), (201, token))
        self.serve(box, headers=right)
        self.assertEqual(box.call("GET", "/x", port=8000).status, 403)
        self.assertIsNone(self.sandbox().made["trafficAccessToken"])

    def upgraded(self, box, **lines):
        """The answer to a WebSocket's handshake."""
        link = self.service.link()
        self.addCleanup(link.close)
        more = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAA"}
        link.request("GET", "/echo", headers={**box.headers(port=8000), **more, **lines})
        return link.getresponse()

    # BR-149
    def test_an_upgrade_has_the_same_host_as_a_request(self):
        for network, host in ((None, "localhost:77"), ({"maskRequestHost": "localhost:${PORT}"}, "localhost:8000")):
            box = self.sandbox(timeout=3000, **({"network": network} if network else {}))
            self.serve(box)
            answer = box.call("GET", "/x", port=8000, headers={"Host": "localhost:77"})
            self.assertEqual(dict(answer.json["fields"])["host"], host)
            response = self.upgraded(box, Host="localhost:77")
            self.assertEqual((response.status, response.headers["X-Seen-Host"]), (101, host))

    # BR-150
    def test_an_upgrade_needs_the_token_and_no_detour(self):
        box = self.sandbox(timeout=3000, network={"allowPublicTraffic": False})
        right = {"e2b-traffic-access-token": box.made["trafficAccessToken"]}
        self.serve(box, headers=right)
        response = self.upgraded(box)
        self.assertEqual((response.status, json.loads(response.read())["code"]), (403, 403))
        self.assertEqual(self.upgraded(box, **right).status, 101)

    def test_the_host_is_masked(self):
        box = self.sandbox(timeout=3000, network={"maskRequestHost": "localhost:${PORT}"})
        for port in (8000, 8001):
            self.serve(box, port)
            host = f"{port}-{box.id}.boxes.test"
            answer = self.service.call("GET", "/x", headers={"Host": host}, key=None)
            fields = answer.json["fields"]
            self.assertEqual([value for name, value in fields if name == "host"], [f"localhost:{port}"])
            self.assertEqual(dict(fields)["x-forwarded-host"], host)

    def test_options_survive_the_service(self):
        service = self.own_service()
        box = service.create(timeout=3000, autoPause=True, network={"allowPublicTraffic": False, "denyOut": ["1.1.1.1"]})
        detail = box.detail().json["network"]
        self.assertEqual(service.stop(), 0)
        service.start()
        self.assertEqual(box.detail().json["network"], detail)
        self.assertEqual(box.connect().json["trafficAccessToken"], box.made["trafficAccessToken"])

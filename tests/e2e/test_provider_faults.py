# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The daemon's hands at providers that differ from E2B and fail on the way: the real client, the fault proxy, a real
sandboxd."""

from tests.e2e.sandboxes import HandsCase
from tests.e2e.wait import DEADLINE, until
from tests.support.fault_proxy_client import FaultProxy

DOMAIN = "cube.test"
# A CubeSandbox of the first versions.
CUBE = ("host_only", "no_v2_create", "no_v2_connect", "connect_200", "list_bare", "timeout_fails",
        {"rule": "envd_version", "version": "0.2.0"})


class ProxiedCase(HandsCase):
    always = ()  # rules of every test
    provider = "e2b"

    @classmethod
    def tap(cls, url):
        cls.proxy = FaultProxy(url)
        cls.addClassCleanup(cls.proxy.close)
        named = {"domain": DOMAIN, "sandbox_url": cls.proxy.url} if cls.provider == "cube" else {}
        cls.more = {"hands": {"provider": cls.provider, "sweep": "1s", **named}}
        cls.proxy.rules(*cls.always)
        return cls.proxy.url

    def setUp(self):
        super().setUp()
        self.proxy.rules(*self.always)
        self.session = self.client.create("dsh")
        self.addCleanup(self.leave)

    def leave(self):
        self.proxy.rules(*self.always)
        self.delete(self.session)
        self.assertProviderEmpty()


class Cube(ProxiedCase):
    always, provider = CUBE, "cube"

    def test_tools_work(self):
        self.assertEqual(self.tool(self.session, "$ echo hello | tee a.txt"), "hello\n")
        self.assertEqual(self.file(self.session, "a.txt").body, b"hello\n")
        put = self.client.call("PUT", f"/v1/sessions/{self.session}/files/content?path=b.bin", b"\0" * 300_000)
        self.assertEqual(put.status, 201, put)
        self.assertEqual(self.tool(self.session, "$ stat -c %s b.bin"), "300000\n")
        paths = {row["path"] for row in self.proxy.ask("GET", "/log")}
        self.assertEqual({path for path in paths if path.startswith("/v2/") and path != "/v2/sandboxes"}, set())
        self.assertTrue(all(row["host"].split(":")[0].endswith("." + DOMAIN) for row in self.proxy.log("/process")))


class Faults(ProxiedCase):
    def test_a_create_that_lost_its_answer_leaks_nothing(self):
        self.proxy.rules({"rule": "empty_408", "times": 1})
        self.tool(self.session, "$ echo one")  # may fail: its sandbox is not known to be there
        self.assertEqual(self.tool(self.session, "$ echo two"), "two\n")
        until(lambda: len(self.sandboxd.list()) == 1, "the sandbox that nobody knew is killed")

    def test_a_delete_that_is_refused_is_owed(self):
        self.assertEqual(self.tool(self.session, "$ echo hello"), "hello\n")
        other = self.session
        self.session = self.client.create("dsh")
        self.proxy.rules({"rule": "refuse_delete", "times": 3})
        self.delete(other)
        until(lambda: not self.sandboxd.list(), "the debt is paid", DEADLINE * 4)
        self.assertEqual(self.proxy.acted(), {"refuse_delete": 3})

    def test_routes_that_are_stale_for_reads_cost_nothing(self):  # BR-080
        self.tool(self.session, "$ echo hello > a.txt")
        self.proxy.rules({"rule": "stale_route", "path": "^/filesystem", "times": 1})
        self.assertEqual(self.file(self.session, "a.txt").body, b"hello\n")

    def test_a_stale_route_never_starts_a_command_twice(self):  # BR-080
        self.tool(self.session, "$ true")
        self.proxy.rules({"rule": "cut", "at": 1, "path": "Start$", "times": 1})
        self.tool(self.session, "$ echo x >> count; sync")
        self.proxy.rules()
        self.assertIn(self.tool(self.session, "$ grep -c x count || true"), ("1\n", "0\n", "1", "0"))

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A sandbox as such: made, asked, found again, listed, given time, ended; what is refused."""

import datetime
import itertools

import e2b
from e2b import AuthenticationException, SandboxException, SandboxNotFoundException, SandboxQuery, SandboxState
from support import ASYNC, TEMPLATE, Sandbox, Scenario, ask, call, unique, until

GONE = "i0000000000000000none"
STRANGER = {"api_key": "e2b_" + "0" * 40}


def everything(**options):
    """All items of all pages of a list."""
    pages = Sandbox.list(**options)
    return list(itertools.chain.from_iterable(pages.next_items() for _ in iter(lambda: pages.has_next, False)))


def ids(**options):
    return [one.sandbox_id for one in everything(**options)]


class Life(Scenario):
    options = None

    def test_what_it_was_made_of(self):
        metadata = {"owner": unique(), "a key & more": 'ü = "1"/2?'}
        sandbox = self.own(metadata=metadata, timeout=120)
        info = sandbox.get_info()
        self.assertEqual((info.sandbox_id, info.name), (sandbox.sandbox_id, TEMPLATE))
        self.assertEqual((info.state, info.metadata), (SandboxState.RUNNING, metadata))
        self.assertTrue(info.cpu_count > 0 and info.memory_mb > 0 and info.envd_version and info.template_id)
        self.assertGreaterEqual(info.end_at - info.started_at, datetime.timedelta(seconds=120))
        self.assertEqual(info.lifecycle, {"on_timeout": "kill", "auto_resume": False})
        self.assertEqual(Sandbox.get_info(sandbox.sandbox_id).sandbox_id, sandbox.sandbox_id)

    def test_it_ends_with_its_block(self):
        if ASYNC:
            sandbox = self.own()
            call(sandbox.target.__aexit__)(None, None, None)
        else:
            with self.own() as sandbox:
                self.assertTrue(sandbox.is_running())
        self.assertFalse(sandbox.is_running())

    def test_a_client_object(self):
        client = e2b.E2B(request_timeout=50)
        create = call(client.AsyncSandbox.create) if ASYNC else client.Sandbox.create
        sandbox = create(TEMPLATE, timeout=600)
        self.addCleanup(sandbox.kill)
        self.assertTrue(sandbox.is_running())

    def test_connect_and_time(self):
        sandbox = self.own(timeout=300)
        sandbox.files.write("mark", "here")
        self.assertEqual(Sandbox.connect(sandbox.sandbox_id).files.read("mark"), "here")

        def end():
            return sandbox.get_info().end_at

        first = end()
        sandbox.connect(timeout=60)
        self.assertEqual(end(), first)
        Sandbox.connect(sandbox.sandbox_id, timeout=900)
        self.assertGreater(end(), first)
        sandbox.set_timeout(90)
        self.assertLess(end(), first)
        Sandbox.set_timeout(sandbox.sandbox_id, 900)
        self.assertGreater(end(), first)
        sandbox.set_timeout(0)
        until(lambda: not sandbox.is_running(), "the end of its time")

    def test_kill(self):
        sandbox = self.own()
        self.assertTrue(sandbox.kill())
        self.assertFalse(sandbox.kill())
        self.assertFalse(Sandbox.kill(sandbox.sandbox_id))
        self.assertFalse(sandbox.is_running())
        for call_ in (sandbox.get_info, sandbox.pause, lambda: sandbox.set_timeout(1), sandbox.connect):
            self.fails(SandboxNotFoundException, call_)
        self.fails(SandboxException, sandbox.commands.run, "true")
        self.fails(SandboxException, sandbox.files.read, "x")
        self.fails(SandboxException, sandbox.files.list, "/")

    def test_an_id_that_never_was(self):
        self.assertFalse(Sandbox.kill(GONE))
        for call_ in (Sandbox.get_info, Sandbox.connect, Sandbox.pause, Sandbox.get_metrics, Sandbox.create_snapshot):
            self.fails(SandboxNotFoundException, call_, GONE)

    def test_a_create_with_a_key_of_its_own(self):
        self.assertTrue(self.own(idempotency_key=unique()).is_running())

    def test_what_is_refused(self):
        sandbox = self.own()
        self.fails(AuthenticationException, Sandbox.create, TEMPLATE, **STRANGER)
        self.fails(AuthenticationException, Sandbox.get_info, sandbox.sandbox_id, **STRANGER)
        self.fails(AuthenticationException, Sandbox.list(**STRANGER).next_items)
        self.assertEqual(self.fails(SandboxException, Sandbox.create, "no-such-template").status_code, 404)
        self.assertEqual(self.fails(SandboxException, Sandbox.create, TEMPLATE, timeout=10**9).status_code, 400)

    def test_an_mcp_gateway(self):
        metadata = {"run": unique()}
        error = self.fails(SandboxException, Sandbox.create, TEMPLATE, metadata=metadata, mcp={"none": {}})
        self.assertIn("Failed to start MCP gateway", str(error))
        self.assertEqual(ids(query=SandboxQuery(metadata=metadata)), [])
        sandbox = self.own()
        sandbox.files.write("/etc/mcp-gateway/.token", "secret", user="root")
        self.assertEqual(sandbox.get_mcp_token(), "secret")

    def test_ports(self):
        sandbox = self.own()
        self.assertEqual(sandbox.get_host(80), f"80-{sandbox.sandbox_id}.{sandbox.sandbox_domain}")
        sandbox.commands.run("python3 -m http.server 8000", background=True, timeout=0)
        until(lambda: ask(sandbox, 8000)[0] == 200, "the server")
        self.assertEqual(ask(sandbox, 8001)[0], 502)


class Lists(Scenario):
    options = None

    def test_filters(self):
        run = unique()
        odd = {"k&1 =ü": 'a b+c%20/"é"&x=1', "run": run}
        one, two = self.own(metadata=odd), self.own(metadata={"run": run})
        two.pause(mode="filesystem")
        self.assertEqual(ids(query=SandboxQuery(metadata=odd)), [one.sandbox_id])
        self.assertEqual(ids(query=SandboxQuery(metadata={"run": run})), [two.sandbox_id, one.sandbox_id])
        self.assertEqual(ids(query=SandboxQuery(metadata={"run": run}, state=[SandboxState.PAUSED])), [two.sandbox_id])
        self.assertEqual(ids(query=SandboxQuery(metadata={"run": run}, template="another")), [])
        late = one.get_info().started_at + datetime.timedelta(minutes=1)
        self.assertEqual(ids(query=SandboxQuery(metadata={"run": run}, started_after=late)), [])

    def test_pages(self):
        metadata = {"run": unique()}
        made = [self.own(metadata=metadata).sandbox_id for _ in range(3)]
        query = SandboxQuery(metadata=metadata)
        pages = Sandbox.list(query=query, limit=2)
        self.assertEqual([one.sandbox_id for one in pages.next_items()], [made[2], made[1]])
        token = pages.next_token
        self.assertTrue(pages.has_next and token)
        self.assertEqual([one.sandbox_id for one in pages.next_items()], [made[0]])
        self.assertFalse(pages.has_next)
        self.assertEqual(ids(query=query, limit=2, next_token=token), [made[0]])
        self.assertEqual(ids(query=query, limit=1, order="asc"), made)
        self.fails(SandboxException, Sandbox.list(next_token="not a token").next_items)

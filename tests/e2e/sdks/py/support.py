# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What every scenario of the Python SDK shares. The same scenarios are for both of its faces, `Sandbox` and
`AsyncSandbox` (FACE=sync or async): the second one is seen through Blocking, which waits for each call."""

import asyncio
import functools
import http.client
import inspect
import itertools
import os
import sys
import threading
import time
import unittest
from urllib.parse import urlsplit

import e2b

from tests.e2e import wait
from tests.e2e.wait import DEADLINE

TEMPLATE = "base"
LIFE = {"timeout": 600}
ASYNC = os.environ.get("FACE") == "async"
counter = itertools.count()


class Blocking:
    """An object of the asynchronous face; calls run in one event loop and are waited for."""

    def __init__(self, target):
        self.target = target

    def __getattr__(self, name):
        value = getattr(self.target, name)
        return call(value) if callable(value) else wrapped(value)


@functools.cache
def event_loop():
    """The loop of this process, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def finished(coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, event_loop()).result()


def call(function):
    async def inside(args, options):
        result = function(*args, **options)
        return await result if inspect.isawaitable(result) else result

    return lambda *args, **options: wrapped(finished(inside(args, options)))


def wrapped(value):
    if isinstance(value, list):
        return [wrapped(one) for one in value]
    ours = type(value).__module__.startswith(("e2b.sandbox_async", "e2b.client"))
    return Blocking(value) if ours and not isinstance(value, Exception) else value


Sandbox = Blocking(e2b.AsyncSandbox) if ASYNC else e2b.Sandbox


def drained(reader):
    """All bytes of a streaming read."""

    async def collect():
        return b"".join([part async for part in reader])

    return finished(collect()) if ASYNC else b"".join(reader)


class Told:
    """A text that is made when it is needed."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text() if callable(self.text) else self.text


def until(ask, what):
    """Waits until `ask()` answers something true and returns it; `what` may be a function."""
    return wait.until(ask, Told(what))


def unique():
    """A value that a second caller of these tests on the same service does not use."""
    return f"u{os.getpid()}-{next(counter)}-{time.time_ns()}"


def ask(sandbox, port, path="/", **headers):
    """(status, body) of a request to a port of the sandbox, by the host that the SDK gives."""
    service = urlsplit(os.environ["E2B_SANDBOX_URL"])
    link = http.client.HTTPConnection(service.hostname, service.port, timeout=DEADLINE)
    try:
        lines = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request("GET", path, headers={"Host": sandbox.get_host(port), **lines})
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


class Scenario(unittest.TestCase):
    """`options`: one sandbox made with them serves all tests of the class; None: there is none."""

    options = {}
    sandbox = None

    @classmethod
    def setUpClass(cls):
        if cls.options is not None:
            cls.sandbox = Sandbox.create(TEMPLATE, **LIFE, **cls.options)
            cls.addClassCleanup(cls.sandbox.kill)

    def setUp(self):
        self.dir = f"/home/user/d{os.getpid()}-{next(counter)}"

    def own(self, **options):
        made = Sandbox.create(TEMPLATE, **{**LIFE, **options})
        self.addCleanup(made.kill)
        return made

    def fails(self, kind, function, *args, **options):
        """The error of a call that must fail."""
        with self.assertRaises(kind) as caught:
            function(*args, **options)
        return caught.exception


def sorted_tests(order):
    """A loader whose test methods come in this order."""
    loader = unittest.TestLoader()
    if order == "reverse":
        loader.sortTestMethodsUsing = lambda left, right: (left < right) - (left > right)
    return loader


def main():
    """Runs the tests of one file; `run.py` calls it."""
    suite = sorted_tests(os.environ.get("ORDER")).loadTestsFromName(sys.argv[1])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    # Threads of the event loop must not hold the end.
    sys.stderr.flush()
    os._exit(0 if result.wasSuccessful() and result.testsRun else 1)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The real envd as a plain child, outside of any sandbox: own home, own users, any free port."""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

DEADLINE = 60.0
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # readable for every user
ALONE = 300_000 + os.getpid()  # a user whose processes nobody else counts
ROOT = pathlib.Path(__file__).resolve().parents[3]


def binary():
    build = pathlib.Path(os.environ.get("AGENTPOOL_BUILD_DIR", ROOT / "build" / "debug"))
    return build / "sandboxd" / "envd" / "envd"


def b64(data):
    return base64.b64encode(data).decode()


def envelope(payload, flags=0):
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return struct.pack(">BI", flags, len(data)) + data


class Stream:
    """A response of envelopes."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response

    def next(self):
        """(flags, message)."""
        head = self.response.read(5)
        if len(head) < 5:
            raise AssertionError(f"the stream ended inside a head: {head!r}")
        flags, size = struct.unpack(">BI", head)
        return flags, json.loads(self.response.read(size))

    def event(self):
        """The next event that is no keepalive."""
        while True:
            flags, message = self.next()
            if flags:
                raise AssertionError(f"the stream ended: {message}")
            if "keepalive" not in message["event"]:
                return message["event"]

    def pid(self):
        return self.event()["start"]["pid"]

    def rest(self):
        """Outputs by name, the end event, the end of the stream; nothing may follow."""
        out, end = {"stdout": bytearray(), "stderr": bytearray(), "pty": bytearray()}, None
        while True:
            flags, message = self.next()
            if flags & 2:
                self.tail = self.response.read()
                return {name: bytes(data) for name, data in out.items()}, end, message
            event = message["event"]
            end = event.get("end", end)
            for name, data in event.get("data", {}).items():
                out[name] += base64.b64decode(data)

    def until(self, name, text):
        """Reads output `name` until it contains `text`; answers all of it."""
        got = b""
        while text not in got:
            got += base64.b64decode(self.event().get("data", {}).get(name, ""))
        return got

    def close(self):
        self.response.close()
        self.connection.close()


class Envd:
    def __init__(self, home, init=None, extra_env=None, who="user", options=()):
        self.home = str(home)
        self.who = who
        self.token = (init or {}).get("accessToken")
        users = pathlib.Path(home).parent
        uid, gid = (1000, 1000) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        (users / "passwd").write_text(
            f"root:x:0:0:root:/root:/bin/bash\nuser:x:{uid}:{gid}::{home}:/bin/bash\n"
            f"other:x:1001:1001::/nonexistent:/bin/sh\nalone:x:{ALONE}:{ALONE}::{home}:/bin/sh\n")
        (users / "group").write_text(f"root:x:0:\nuser:x:{gid}:\ncrew:x:2000:user,other\nmore:x:2001:other,user\n")
        lifeline, self.lifeline = os.pipe()
        announce, told = os.pipe()
        given, giving = os.pipe()
        settings = {"defaultUser": "user", "defaultWorkdir": self.home, **(init or {})}
        os.write(giving, json.dumps(settings).encode())
        os.close(giving)
        self.log = open(users / "envd.log", "ab")
        self.process = subprocess.Popen(
            [str(binary()), "--listen", "127.0.0.1", "--port", "0", "--lifeline-fd", str(lifeline),
             "--announce-fd", str(told), "--init-fd", str(given), "--passwd", str(users / "passwd"),
             "--group", str(users / "group"), *options],
            pass_fds=(lifeline, told, given), stderr=self.log, stdin=subprocess.DEVNULL,
            env={"PATH": PATH, "E2B_SANDBOX_ID": "itest",
                 "ASAN_OPTIONS": "quarantine_size_mb=8", **(extra_env or {})})
        for file in (lifeline, told, given):
            os.close(file)
        with os.fdopen(announce) as port:
            self.port = int(port.read() or 0)

    def stop(self):
        if self.lifeline is not None:
            os.close(self.lifeline)
            self.lifeline = None
        try:
            return self.process.wait(DEADLINE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.log.close()

    def memory(self, field="VmRSS"):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
        return 0

    # -- HTTP

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)

    def headers(self, **more):
        out = {} if self.token is None else {"X-Access-Token": self.token}
        out.update({name.replace("_", "-"): value for name, value in more.items() if value is not None})
        return out

    def http(self, method, path, body=None, headers=None):
        connection = self.connection()
        with contextlib.closing(connection):
            connection.request(method, path, body, self.headers() if headers is None else headers)
            response = connection.getresponse()
            data = response.read()
            return response, data

    def call(self, method, message, **headers):
        """(status, JSON) of a unary call."""
        body = message if isinstance(message, (bytes, str)) else json.dumps(message)
        response, data = self.http("POST", method, body, self.headers(Content_Type="application/json", **headers))
        return response.status, json.loads(data) if data else None

    def stream(self, method, message, **headers):
        connection = self.connection()
        body = message if isinstance(message, bytes) else envelope(message)
        connection.request("POST", method, body, self.headers(Content_Type="application/connect+json", **headers))
        response = connection.getresponse()
        if response.status != 200 or response.getheader("Content-Type") != "application/connect+json":
            raise AssertionError(f"no stream: {response.status} {response.read()!r}")
        return Stream(connection, response)

    # -- processes

    def start(self, cmd, *args, headers=None, **members):
        process = {"cmd": cmd, "args": list(args)}
        for name in ("envs", "cwd"):
            if name in members:
                process[name] = members.pop(name)
        return self.stream("/process.Process/Start", {"process": process, **members}, **(headers or {}))

    def sh(self, script, **members):
        members.setdefault("stdin", False)
        return self.start("/bin/sh", "-c", script, **members)

    def run(self, script, **members):
        stream = self.sh(script, **members)
        with contextlib.closing(stream):
            stream.pid()
            return stream.rest()

    def attach(self, **selector):
        return self.stream("/process.Process/Connect", {"process": selector})

    def list(self):
        return self.call("/process.Process/List", {})[1].get("processes", [])

    def signal(self, name="SIGNAL_SIGKILL", **selector):
        return self.call("/process.Process/SendSignal", {"process": selector, "signal": name})

    def send(self, data, kind="stdin", **selector):
        return self.call("/process.Process/SendInput", {"process": selector, "input": {kind: b64(data)}})


class EnvdCase(unittest.TestCase):
    init = None

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="envd-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        os.chmod(self.dir, 0o755)
        self.home = self.dir / "home"
        self.home.mkdir()
        if os.geteuid() == 0:
            os.chown(self.home, 1000, 1000)
        self.envd = self.make(self.init)

    def make(self, init=None, **more):
        envd = Envd(self.home, init, **more)
        self.addCleanup(self.check_end, envd)
        return envd

    def check_end(self, envd):
        if envd.lifeline is not None:
            self.assertEqual(envd.stop(), 0, (self.dir / "envd.log").read_text(errors="replace"))

    def end(self, stream, code="not_found"):
        """The stream's only message is its end with this error."""
        flags, message = stream.next()
        stream.close()
        self.assertEqual(flags, 2, message)
        self.assertEqual(message["error"]["code"], code, message)
        return message["error"]["message"]

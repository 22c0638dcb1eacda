# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The forms of Connect that the SDKs do not use: binary messages, compressed requests, refused types."""

import base64
import contextlib
import gzip
import json
import os
import struct
import unittest

from tests.sandboxd.envd.envd_case import EnvdCase, envelope
from tests.sandboxd.envd.protobuf import fields, message, one

PROTO = "application/proto"
STREAM_PROTO = "application/connect+proto"
PROCESS = "/process.Process/"
FILES = "/filesystem.Filesystem/"


class BinaryStream:
    def __init__(self, connection, response):
        self.connection, self.response = connection, response

    def next(self):
        flags, size = struct.unpack(">BI", self.response.read(5))
        return flags, self.response.read(size)

    def rest(self):
        """Event messages, the JSON of the end."""
        events = []
        with contextlib.closing(self.connection):
            while True:
                flags, data = self.next()
                if flags == 2:
                    self.tail = self.response.read()
                    return events, json.loads(data)
                events.append(one(data, 1))


class BinaryCase(EnvdCase):
    def unary(self, method, *parts, **headers):
        body = parts[0] if parts and isinstance(parts[0], bytes) else message(*parts)
        response, data = self.envd.http("POST", method, body, self.envd.headers(Content_Type=PROTO, **headers))
        if response.status != 200:
            self.assertEqual(response.getheader("Content-Type"), "application/json")
            return json.loads(data)["code"]
        self.assertEqual(response.getheader("Content-Type"), PROTO)
        return data

    def stream(self, method, body, **headers):
        connection = self.envd.connection()
        connection.request("POST", method, body, self.envd.headers(Content_Type=STREAM_PROTO, **headers))
        response = connection.getresponse()
        self.assertEqual((response.status, response.getheader("Content-Type")), (200, STREAM_PROTO))
        return BinaryStream(connection, response)

    def start(self, cmd, *args, more=(), envs=(), **headers):
        config = message((1, cmd), *((2, arg) for arg in args), *((3, message((1, n), (2, v))) for n, v in envs))
        return self.stream(PROCESS + "Start", envelope(message((1, config), *more)), **headers)

    def pid_of(self, stream):
        return one(stream.next()[1], 1, 1, 1)


class BinaryTest(BinaryCase):
    def test_a_command(self):
        stream = self.start("/bin/sh", "-c", "printf 'ä\\377'; echo err >&2; echo $A; exit 3", more=((4, False),),
                            envs=(("A", "b"),))
        self.assertGreater(self.pid_of(stream), 0)
        events, tail = stream.rest()
        out = {1: b"", 2: b""}
        for event in events[:-1]:
            for number, (data,) in fields(one(event, 2)).items():
                out[number] += data
        self.assertEqual(out, {1: "ä".encode() + b"\xffb\n", 2: b"err\n"})
        self.assertEqual(fields(one(events[-1], 3)), {1: [6], 2: [1], 3: [b"exit status 3"], 4: [b"exit status 3"]})
        self.assertEqual((tail, stream.tail), ({}, b""))

    def test_a_killed_command_and_every_unary_call(self):
        stream = self.start("/bin/cat", more=((3, "tag"),))
        pid = self.pid_of(stream)
        process = (1, message((1, pid)))
        listed = one(self.unary(PROCESS + "List"), 1)
        self.assertEqual(fields(listed), {1: [message((1, "/bin/cat"))], 2: [pid], 3: [b"tag"]})
        self.assertEqual(self.unary(PROCESS + "SendInput", process, (2, message((1, b"\x00in\xff")))), b"")
        self.assertEqual(one(stream.next()[1], 1, 2, 1), b"\x00in\xff")
        self.assertEqual(self.unary(PROCESS + "SendInput", process, (2, message((2, b"x")))), "internal")
        self.assertEqual(self.unary(PROCESS + "SendInput", process), "unimplemented")
        self.assertEqual(self.unary(PROCESS + "Update", process), b"")
        self.assertEqual(self.unary(PROCESS + "Update", process, (2, message((1, b"")))), "internal")
        self.assertEqual(self.unary(PROCESS + "SendSignal", process, (2, 2)), "unimplemented")
        other = self.stream(PROCESS + "Connect", envelope(message((1, message((2, "tag"))))))
        self.assertEqual(self.pid_of(other), pid)
        self.assertEqual(self.unary(PROCESS + "SendSignal", process, (2, 9)), b"")
        for one_of_two in (stream, other):
            events, tail = one_of_two.rest()
            killed = {1: [1], 3: [b"signal: killed"], 4: [b"signal: killed"]}  # the code is folded: -1
            self.assertEqual((fields(one(events[-1], 3)), tail), (killed, {}))
        self.assertEqual(self.unary(PROCESS + "List"), b"")
        ended = self.stream(PROCESS + "Connect", envelope(message(process)))
        self.assertEqual([list(fields(event)) for event in ended.rest()[0]], [[1], [3]])

    def test_both_forms_of_one_process(self):
        binary = self.start("/bin/cat")
        pid = self.pid_of(binary)
        text = self.envd.attach(pid=pid)
        self.assertEqual(text.pid(), pid)
        self.envd.send(b"both", pid=pid)
        self.assertEqual(one(binary.next()[1], 1, 2, 1), b"both")
        self.assertEqual(text.until("stdout", b"both"), b"both")
        self.assertEqual(self.unary(PROCESS + "CloseStdin", (1, message((1, pid)))), b"")
        self.assertEqual(text.rest()[1], {"exited": True, "status": "exit status 0"})
        self.assertEqual(fields(one(binary.rest()[0][-1], 3)), {2: [1], 3: [b"exit status 0"]})

    def test_a_terminal_and_its_input_as_a_stream(self):
        stream = self.start("/bin/sh", "-c", "stty -echo; stty size; read x; echo got $x",
                            more=((2, message((1, message((1, 91), (2, 17))))),))
        pid, out = self.pid_of(stream), b""
        while b"17 91\r\n" not in out:
            out += one(stream.next()[1], 1, 2, 3)
        start = message((1, message((1, message((1, pid))))))
        data = message((2, message((2, message((2, b"line\n"))))))
        answer = self.stream(PROCESS + "StreamInput", envelope(start) + envelope(message((3, b""))) + envelope(data))
        self.assertEqual([answer.next(), answer.next()], [(0, b""), (2, b"{}")])
        events = stream.rest()[0]
        self.assertIn(b"got line\r\n", b"".join(one(event, 2, 3) for event in events[:-1]))

    def test_keepalives_and_deadlines(self):
        stream = self.start("/bin/sleep", "100", Keepalive_Ping_Interval="1", Connect_Timeout_Ms="1500")
        self.pid_of(stream)
        events, tail = stream.rest()
        self.assertEqual((events[0], tail["error"]["code"]), (message((4, b"")), "deadline_exceeded"))

    def test_files(self):
        (self.home / "a").write_text("12345")
        os.chmod(self.home / "a", 0o640)
        os.symlink("a", self.home / "link")
        entry = fields(one(self.unary(FILES + "Stat", (1, f"{self.home}/a")), 1))
        self.assertEqual([entry[n] for n in (1, 2, 3, 4, 5, 6)],
                         [[b"a"], [1], [f"{self.home}/a".encode()], [5], [0o640], [b"-rw-r-----"]])
        modified = fields(entry[9][0])
        self.assertEqual(modified[1], [int((self.home / "a").stat().st_mtime)])
        self.assertEqual(one(self.unary(FILES + "Stat", (1, "link")), 1, 10), f"{self.home}/a".encode())
        self.assertEqual(one(self.unary(FILES + "MakeDir", (1, "d/e")), 1, 2), 2)
        self.assertEqual(self.unary(FILES + "MakeDir", (1, "d/e")), "already_exists")
        self.assertEqual(one(self.unary(FILES + "Move", (1, "a"), (2, "d/b")), 1, 1), b"b")
        names = [one(entry, 1) for entry in fields(self.unary(FILES + "ListDir", (1, ""), (2, 2)))[1]]
        self.assertEqual(names, [b"d", b"b", b"e", b"link"])
        self.assertEqual(self.unary(FILES + "Remove", (1, "d")), b"")
        self.assertEqual(self.unary(FILES + "Stat", (1, "d")), "not_found")
        self.assertEqual(self.unary(FILES + "ListDir", (1, "/")) != b"", True)

    def test_watching(self):
        stream = self.stream(FILES + "WatchDir", envelope(message((1, str(self.home)), (3, True))))
        self.assertEqual(stream.next(), (0, message((1, b""))))
        watcher = one(self.unary(FILES + "CreateWatcher", (1, str(self.home))), 1)
        (self.home / "new").mkdir()
        created = fields(one(stream.next()[1], 2))
        self.assertEqual((created[1], created[2], one(created[3][0], 1)), ([b"new"], [1], b"new"))
        stream.connection.close()
        events = self.unary(FILES + "GetWatcherEvents", (1, watcher))
        self.assertEqual(events, message((1, message((1, "new"), (2, 1)))))
        self.assertEqual(self.unary(FILES + "GetWatcherEvents", (1, watcher)), b"")
        self.assertEqual(self.unary(FILES + "RemoveWatcher", (1, watcher)), b"")
        self.assertEqual(self.unary(FILES + "RemoveWatcher", (1, watcher)), "not_found")

    def test_malformed_messages(self):
        for body in (b"\x08", b"\x0a\x05ab", b"\x00\x01", b"\x0a\x01\xff", b"\x0f\x00", b"{}"):
            self.assertEqual(self.unary(FILES + "Stat", body), "invalid_argument", body)
            events, end = self.stream(PROCESS + "Start", envelope(b"\x0a" + bytes([len(body)]) + body)).rest()
            if body != b"{}":
                self.assertEqual((events, end["error"]["code"]), ([], "invalid_argument"), body)
        skipped = b"\x0b\x10\x01\x0c" + message((99, "x"), (2, b"")) + message((1, str(self.home)))
        self.assertEqual(one(self.unary(FILES + "Stat", skipped), 1, 2), 2)
        self.assertEqual(self.stream(PROCESS + "Start", b"").rest()[1]["error"]["code"], "unimplemented")


class CompressionTest(BinaryCase):
    def test_a_compressed_unary_request(self):
        body = gzip.compress(json.dumps({"path": str(self.home)}).encode())
        status, reply = self.envd.call(FILES + "Stat", body, Content_Encoding="gzip")
        self.assertEqual((status, reply["entry"]["path"]), (200, str(self.home)))
        packed = gzip.compress(message((1, str(self.home))))
        self.assertEqual(one(self.unary(FILES + "Stat", packed, Content_Encoding="gzip"), 1, 2), 2)
        self.assertEqual(self.envd.call(FILES + "Stat", {"path": "/"}, Content_Encoding="identity")[0], 200)
        for content, encoding, code in ((body, "br", "unimplemented"), (b"{}", "gzip", "invalid_argument"),
                                        (body[:-3], "gzip", "invalid_argument"), (b"", "gzip", "invalid_argument"),
                                        (gzip.compress(bytes(20 << 20)), "gzip", "resource_exhausted")):
            self.assertEqual(self.envd.call(FILES + "Stat", content, Content_Encoding=encoding)[1]["code"], code)

    def test_a_compressed_stream_request(self):
        request = gzip.compress(json.dumps({"process": {"cmd": "/bin/echo", "args": ["hi"]}}).encode())
        start = PROCESS + "Start"
        for flags, body in ((1, request), (0, gzip.decompress(request))):
            stream = self.envd.stream(start, envelope(body, flags), Connect_Content_Encoding="gzip",
                                      Connect_Accept_Encoding="gzip")
            stream.pid()
            self.assertEqual(stream.rest()[0]["stdout"], b"hi\n")
        said = self.end(self.envd.stream(start, envelope(request, 1)), "internal")
        self.assertEqual(said, "protocol error: sent compressed message without compression support")
        for encoding, body, code in (("br", request, "unimplemented"), ("gzip", b"{}", "invalid_argument"),
                                     ("gzip", gzip.compress(bytes(20 << 20)), "resource_exhausted")):
            self.end(self.envd.stream(start, envelope(body, 1), Connect_Content_Encoding=encoding), code)

    def test_a_compressed_stream_of_input(self):
        stream = self.envd.sh("cat", stdin=True)
        pid = stream.pid()
        parts = ({"start": {"process": {"pid": pid}}},
                 {"data": {"input": {"stdin": base64.b64encode(b"packed").decode()}}})
        body = b"".join(envelope(gzip.compress(json.dumps(part).encode()), 1) for part in parts)
        answer = self.envd.stream(PROCESS + "StreamInput", body, Connect_Content_Encoding="gzip")
        self.assertEqual([answer.next(), answer.next()], [(0, {}), (2, {})])
        self.envd.call(PROCESS + "CloseStdin", {"process": {"pid": pid}})
        self.assertEqual(stream.rest()[0]["stdout"], b"packed")


class TypeTest(EnvdCase):
    def test_other_types_are_refused_with_the_supported_ones(self):
        for method, wrong, right in (
                ("List", ("text/plain", "application/connect+json", "application/grpc", None),
                 "application/json, application/proto"),
                ("Start", ("application/json", "application/proto", "application/grpc-web+proto"),
                 "application/connect+json, application/connect+proto")):
            for kind in wrong:
                response, _ = self.envd.http("POST", PROCESS + method, b"{}", self.envd.headers(Content_Type=kind))
                self.assertEqual((response.status, response.getheader("Accept-Post")), (415, right), kind)


if __name__ == "__main__":
    unittest.main()

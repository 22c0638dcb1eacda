# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""/files of the real envd: gzip, conditions, metadata, compose; /metrics."""

import email.utils
import gzip
import json
import os
import socket
import subprocess
import unittest
import zlib
from urllib.parse import urlencode

from tests.sandboxd.envd.files_test import AS_ROOT, FilesCase, multipart


class GzipDownloadTest(FilesCase):
    def test_a_small_file(self):
        (self.home / "f.txt").write_bytes(b"hello " * 1000)
        response, data = self.get("f.txt", Accept_Encoding="gzip, deflate")
        self.assertEqual((response.status, response.getheader("Content-Encoding"), response.getheader("Vary")),
                         (200, "gzip", "Accept-Encoding"))
        self.assertEqual(response.getheader("Content-Length"), str(len(data)))
        self.assertEqual(response.getheader("Content-Type"), "text/plain; charset=utf-8")
        self.assertEqual(gzip.decompress(data), b"hello " * 1000)
        self.assertLess(len(data), 500)

    def test_an_empty_file(self):
        (self.home / "f").touch()
        response, data = self.get("f", Accept_Encoding="gzip")
        self.assertEqual((response.status, gzip.decompress(data)), (200, b""))
        response, data = self.get("f")
        self.assertEqual((response.status, response.getheader("Content-Length"), data), (200, "0", b""))
        self.assertEqual(self.get("f", Range="bytes=0-")[0].status, 200)

    def test_large_files_come_in_chunks(self):
        for size in (256 * 1024, 256 * 1024 + 1, 3_000_000):
            content = os.urandom(size // 2) + bytes(size - size // 2)
            (self.home / "f").write_bytes(content)
            response, data = self.get("f", Accept_Encoding="gzip")
            self.assertEqual(gzip.decompress(data), content)
            chunked = response.getheader("Transfer-Encoding") == "chunked"
            self.assertEqual((chunked, response.getheader("Content-Length") is None), (size > 256 * 1024,) * 2)

    def test_only_when_it_is_preferred(self):
        (self.home / "f").write_bytes(b"hello")
        for value in (None, "identity", "*", "br", "identity, gzip;q=0.5", "gzip;q=0"):
            response, data = self.get("f", Accept_Encoding=value)
            self.assertEqual((response.getheader("Content-Encoding"), data), (None, b"hello"), value)
            self.assertEqual(response.getheader("Content-Length"), "5")
        for value in ("identity;q=0", "*;q=0"):
            response, data = self.get("f", Accept_Encoding=value)
            self.assertEqual((response.status, json.loads(data)["code"]), (406, 406))
        self.assertEqual(self.get("none", Accept_Encoding="*;q=0")[0].status, 404)
        self.assertEqual(self.get("~", Accept_Encoding="*;q=0")[0].status, 400)

    def test_a_range_is_of_the_file_itself(self):
        (self.home / "f").write_bytes(b"0123456789")
        response, data = self.get("f", Accept_Encoding="gzip", Range="bytes=2-4")
        self.assertEqual((response.status, response.getheader("Content-Encoding"), data), (206, None, b"234"))
        self.assertEqual(self.get("f", Accept_Encoding="gzip, *;q=0", Range="bytes=2-4")[0].status, 406)

    def test_a_file_that_shrinks_breaks_the_connection(self):
        (self.home / "f").write_bytes(os.urandom(16 << 20))
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.sendall(f"GET /files?path={self.home}/f HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n".encode())
            peer.recv(1000)
            os.truncate(self.home / "f", 1)
            with self.assertRaises(ConnectionResetError):
                while peer.recv(1 << 20):
                    pass


class ConditionTest(FilesCase):
    def test_dates(self):
        (self.home / "f").write_bytes(b"hello")
        when = 1_700_000_000
        os.utime(self.home / "f", (when, when))
        date = lambda after: email.utils.formatdate(when + after, usegmt=True)
        self.assertEqual(self.get("f")[0].getheader("Last-Modified"), date(0))
        for headers, status, data in (({"If-Modified-Since": date(0)}, 304, b""), ({"If-Modified-Since": date(-1)}, 200, b"hello"),
                                      ({"If-Unmodified-Since": date(-1)}, 412, b""),
                                      ({"Range": "bytes=0-0", "If-Range": date(0)}, 206, b"h"),
                                      ({"Range": "bytes=0-0", "If-Range": date(-1)}, 200, b"hello")):
            response, got = self.get("f", Accept_Encoding="gzip", **headers)
            self.assertEqual((response.status, got, response.getheader("Content-Encoding")), (status, data, None), headers)
            self.assertEqual(response.getheader("Vary"), "Accept-Encoding")

    def test_the_connection_goes_on(self):
        (self.home / "f").write_bytes(b"hello")
        connection = self.envd.connection()
        for headers, status in (({"If-None-Match": "*"}, 304), ({"Range": "bytes=9-"}, 416), ({}, 200)):
            connection.request("GET", "/files?path=f", None, headers)
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, status)
            if status == 416:
                self.assertEqual(response.getheader("Content-Range"), "bytes */5")
        connection.close()

    def test_types_by_name_or_content(self):
        for name, content, kind in (("a.json", b"{}", "application/json"), ("a", b"text\n", "text/plain; charset=utf-8"),
                                    ("b", b"\0\1", "application/octet-stream"), ("c", b"%PDF-1.4", "application/pdf")):
            (self.home / name).write_bytes(content)
            self.assertEqual(self.get(name)[0].getheader("Content-Type"), kind)
            self.assertEqual(self.get(name, Range="bytes=1-1")[0].getheader("Content-Type"), kind)


class GzipUploadTest(FilesCase):
    def test_both_kinds(self):
        content = os.urandom(1_000_000) + bytes(1_000_000)
        status, _ = self.put("a", gzip.compress(content), Content_Encoding="gzip")
        self.assertEqual((status, (self.home / "a").read_bytes() == content), (200, True))
        body = multipart(('name="file"; filename="b"', content), ('name="file"; filename="c"', b"x"))
        status, reply = self.post("", gzip.compress(body), Content_Encoding="GZIP")
        self.assertEqual((status, [one["name"] for one in reply]), (200, ["b", "c"]))
        self.assertEqual((self.home / "b").read_bytes(), content)
        self.assertEqual(self.put("e", gzip.compress(b""), Content_Encoding="gzip")[0], 200)
        self.assertEqual((self.home / "e").read_bytes(), b"")
        self.assertEqual(self.put("i", b"plain", Content_Encoding="identity")[0], 200)

    def test_what_is_corrupt(self):
        good = gzip.compress(os.urandom(2_000_000))
        self.put("kept", b"old")
        self.assertEqual(self.put("kept", b"no gzip at all", Content_Encoding="gzip")[0], 400)
        self.assertEqual((self.home / "kept").read_bytes(), b"old")
        for body in (b"", good[:100], good[:-3], good + b"tail", good[:1000] + b"\xff" * 1000 + good[2000:]):
            status, reply = self.put("bad", body, Content_Encoding="gzip")
            self.assertEqual((status, reply["code"]), (400, 400))
        body = gzip.compress(multipart(('name="file"; filename="p"', b"x")))
        self.assertEqual(self.post("", body[:-8] + bytes(8), Content_Encoding="gzip")[0], 400)
        for coding in ("br", "deflate", "gzip, gzip"):
            status, reply = self.put("bad", good, Content_Encoding=coding)
            self.assertEqual((status, reply["message"]), (400, f"unsupported Content-Encoding: {coding}"))

    def test_a_bomb_goes_to_the_disk_not_to_memory(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(512)) + packer.flush()
        self.put("warm", gzip.compress(b"x"), Content_Encoding="gzip")
        before = self.envd.memory("VmHWM")
        self.assertEqual(self.put("bomb", bomb, Content_Encoding="gzip")[0], 200)
        self.assertEqual((self.home / "bomb").stat().st_size, 512 << 20)
        self.assertLess(self.envd.memory("VmHWM") - before, 32 << 20)


class MetadataTest(FilesCase):
    def setUp(self):
        super().setUp()
        try:
            os.setxattr(self.home, "user.e2b.dir", b"1")
        except OSError:
            self.skipTest("no extended attributes here")

    def metadata(self, path):
        return self.fs("Stat", path=path)[1]["entry"].get("metadata")

    def test_set_from_inside(self):
        (self.home / "f").write_text("")
        subprocess.run(["setfattr", "-n", "user.e2b.from", "-v", "inside", self.home / "f"], check=True)
        subprocess.run(["setfattr", "-n", "user.other", "-v", "x", self.home / "f"], check=True)
        self.assertEqual(self.metadata("f"), {"from": "inside"})
        self.assertEqual(self.fs("ListDir", path="~")[1]["entries"][0]["metadata"], {"from": "inside"})
        self.assertEqual(self.fs("Move", source="f", destination="g")[1]["entry"]["metadata"], {"from": "inside"})
        self.assertEqual(self.metadata("~"), {"dir": "1"})

    def test_many_attributes(self):
        (self.home / "f").write_text("")
        expected = {f"key{number:03}" + "k" * 8: str(number) for number in range(60)}
        for key, value in expected.items():
            os.setxattr(self.home / "f", "user.e2b." + key, value.encode())
        self.assertEqual(self.metadata("f"), expected)

    def test_an_upload_through_a_link_replaces_the_set_of_its_target(self):
        self.put("f", b"", X_Metadata_One="1")
        (self.home / "link").symlink_to("f")
        status, reply = self.put("link", b"x", X_METADATA_TWO="2")
        self.assertEqual((status, reply[0]["metadata"]), (200, {"two": "2"}))
        self.assertEqual(self.metadata("f"), {"two": "2"})
        self.assertIsNone(self.metadata("link"))

    def test_of_every_file_of_a_multipart(self):
        body = multipart(('name="file"; filename="a"', b"1"), ('name="file"; filename="b"', b"2"))
        status, reply = self.post("", body, X_Metadata_K="v")
        self.assertEqual([one["metadata"] for one in reply], [{"k": "v"}] * 2)
        self.assertEqual((self.metadata("a"), self.metadata("b")), ({"k": "v"}, {"k": "v"}))


class ComposeTest(FilesCase):
    init = {"accessToken": "tok"}

    def compose(self, sources, destination, **more):
        response, data = self.envd.http("POST", "/files/compose", json.dumps(
            {"source_paths": sources, "destination": destination, **more}), self.envd.headers(Content_Type="application/json"))
        return response.status, json.loads(data)

    def test_several_become_one(self):
        for name, content in (("a", b"1" * 100), ("b", b""), ("c", b"3" * (20 << 20))):
            (self.home / name).write_bytes(content)
        (self.home / "new").mkdir()
        (self.home / "new" / "f").write_bytes(b"old content")
        before = (self.home / "new" / "f").stat().st_ino
        self.assertEqual(self.compose(["a", "~/b", str(self.home / "c")], "new/f"),
                         (200, {"path": f"{self.home}/new/f", "name": "f", "type": "file"}))
        self.assertEqual((self.home / "new" / "f").read_bytes(), b"1" * 100 + b"3" * (20 << 20))
        self.assertNotEqual((self.home / "new" / "f").stat().st_ino, before)
        self.assertEqual(sorted(os.listdir(self.home)), ["new"])
        self.assertEqual(os.listdir(self.home / "new"), ["f"])
        entry = self.fs("Stat", path="new/f")[1]["entry"]
        self.assertEqual((entry["owner"], entry["permissions"]), ("user", "-rw-r--r--"))

    def test_directories_are_made(self):
        (self.home / "a").write_bytes(b"1")
        self.assertEqual(self.compose(["a"], "x/y/z")[0], 200)
        self.assertEqual(self.fs("Stat", path="x/y")[1]["entry"]["owner"], "user")

    def test_what_is_refused_changes_nothing(self):
        (self.home / "a").write_bytes(b"1")
        (self.home / "d").mkdir()
        (self.home / "link").symlink_to("a")
        for sources, destination, status in (([], "x", 400), (["a"], "", 400), (["a"], "a", 400), (["a"], "./d/../a", 400),
                                             (["a", "none"], "x", 404), (["a", "d"], "x", 400), (["a"], "d", 400),
                                             (["a", "a/b"], "x", 500), (["~ghost"], "x", 400), (["a"], "a/b", 500)):
            answer = self.compose(sources, destination)
            self.assertEqual((answer[0], answer[1]["code"]), (status, status), (sources, destination, answer))
        self.assertEqual(self.compose(["a"], "x", username="ghost")[0], 401)
        response, _ = self.envd.http("POST", "/files/compose", "{", self.envd.headers())
        self.assertEqual(response.status, 400)
        response, _ = self.envd.http("POST", "/files/compose", "{}", {})
        self.assertEqual(response.status, 401)
        response, _ = self.envd.http("GET", "/files/compose", None, self.envd.headers())
        self.assertEqual((response.status, response.getheader("Allow")), (405, "POST"))
        self.assertEqual(sorted(os.listdir(self.home)), ["a", "d", "link"])

    @unittest.skipUnless(AS_ROOT, "needs a mount")
    def test_a_full_disk_leaves_all_as_it_was(self):
        small = self.home / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], check=True)
        try:
            (small / "f").write_bytes(b"old")
            (self.home / "a").write_bytes(bytes(2 << 20))
            status, body = self.compose(["a"], str(small / "f"))
            self.assertEqual(status, 507, body)
            self.assertEqual((os.listdir(small), (small / "f").read_bytes()), (["f"], b"old"))
            self.assertTrue((self.home / "a").exists())
        finally:
            subprocess.run(["umount", small], check=True)


class OtherRoutesTest(FilesCase):
    def test_metrics(self):
        response, data = self.envd.http("GET", "/metrics")
        body = json.loads(data)
        self.assertEqual((response.status, response.getheader("Content-Type")), (200, "application/json"))
        for name in ("ts", "cpu_count", "mem_total", "mem_used", "mem_total_mib", "disk_used", "disk_total"):
            self.assertGreater(body[name], 0, name)
        self.assertTrue(0 <= body["cpu_used_pct"] <= 100)
        self.assertLessEqual(body["mem_used"], body["mem_total"])
        response, _ = self.envd.http("POST", "/metrics")
        self.assertEqual((response.status, response.getheader("Allow")), (405, "GET"))

    def test_old_clients_get_short_entries(self):
        (self.home / "f").write_text("x")
        (self.home / "link").symlink_to("f")
        headers = {"User_Agent": "connect-python/0.4 (3.11)"}
        for method, message in (("Stat", {"path": "f"}), ("ListDir", {"path": "~"}), ("MakeDir", {"path": "d"}),
                                ("Move", {"source": "f", "destination": "g"})):
            response, data = self.envd.http("POST", f"/filesystem.Filesystem/{method}", json.dumps(message),
                                            self.envd.headers(Content_Type="application/json", **headers))
            self.assertEqual(response.getheader("X-E2B-Legacy-SDK"), "true")
            body = json.loads(data)
            for entry in body.get("entries", [body.get("entry")]):
                self.assertEqual(set(entry), {"name", "type", "path"})
        response, _ = self.envd.http("POST", "/filesystem.Filesystem/Stat", '{"path":"g"}',
                                     self.envd.headers(Content_Type="application/json"))
        self.assertIsNone(response.getheader("X-E2B-Legacy-SDK"))

    def test_paths_are_told_as_they_were_asked(self):
        (self.home / "d").mkdir()
        (self.home / "d" / "x").touch()
        (self.home / "broken").symlink_to("no/such")
        for path in (f"{self.home}/d/", f"{self.home}/d/../d", f"{self.home}//d"):
            entry = self.fs("Stat", path=path)[1]["entry"]
            self.assertEqual((entry["path"], entry["name"]), (path, "d"))
            self.assertEqual(self.names(path=path), [f"{self.home}/d/x"])
        status, body = self.fs("MakeDir", path="broken")
        self.assertEqual((status, body["code"]), (500, "internal"))
        self.assertTrue(body["message"].startswith("failed to chown directory: "), body)
        self.assertEqual(self.fs("ListDir", path="d/x/y")[1]["message"], "error resolving symlink: not a directory")

    def test_changed_users_are_seen_at_once(self):
        (self.home / "f").touch()
        os.chown(self.home / "f", 4242 if AS_ROOT else os.geteuid(), -1)
        owner = lambda: self.fs("Stat", path="f")[1]["entry"]["owner"]
        self.assertEqual(owner(), "4242" if AS_ROOT else "user")
        if AS_ROOT:
            for name in ("first", "other"):
                users = (self.dir / "passwd").read_text().splitlines()[:4]
                (self.dir / "passwd").write_text("\n".join([*users, f"{name}:x:4242:4242::/:/bin/sh"]) + "\n")
                self.assertEqual(owner(), name)


if __name__ == "__main__":
    unittest.main()

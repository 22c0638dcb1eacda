# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""filesystem.Filesystem and /files of the real envd."""

import hashlib
import json
import os
import socket
import subprocess
import threading
import time
import unittest
from urllib.parse import quote, urlencode

from tests.e2e import wait
from tests.sandboxd.envd.envd_case import EnvdCase, b64

AS_ROOT = os.geteuid() == 0
OWNER = "user"


def multipart(*parts, boundary="xyz"):
    body = b""
    for disposition, data in parts:
        body += f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n".encode()
        body += b"Content-Type: application/octet-stream\r\n\r\n" + data + b"\r\n"
    return body + f"--{boundary}--\r\n".encode()


class FilesCase(EnvdCase):
    def fs(self, method, **message):
        return self.envd.call(f"/filesystem.Filesystem/{method}", message)

    def names(self, **message):
        status, body = self.fs("ListDir", **message)
        self.assertEqual(status, 200, body)
        return [one["path"] for one in body.get("entries", [])]

    def get(self, path, **headers):
        response, data = self.envd.http("GET", "/files?" + urlencode({"path": path}), None,
                                        self.envd.headers(**headers))
        return response, data

    def put(self, path, data, **headers):
        response, body = self.envd.http("POST", "/files?" + urlencode({"path": path}), data,
                                        self.envd.headers(Content_Type="application/octet-stream", **headers))
        return response.status, json.loads(body)

    def post(self, query, body, **headers):
        response, data = self.envd.http("POST", "/files" + query, body, self.envd.headers(
            Content_Type="multipart/form-data; boundary=xyz", **headers))
        return response.status, json.loads(data)


class FilesystemTest(FilesCase):
    def test_stat_tells_all(self):
        file = self.home / "a.txt"
        file.write_text("hello")
        file.chmod(0o640)
        os.utime(file, ns=(0, 1796049182_420000001))
        if AS_ROOT:
            os.chown(file, 1000, 2000)
        status, body = self.fs("Stat", path="a.txt")
        self.assertEqual(status, 200)
        group = "crew" if AS_ROOT else "user"
        self.assertEqual(body["entry"], {
            "name": "a.txt", "type": "FILE_TYPE_FILE", "path": str(file), "size": "5", "mode": 0o640,
            "permissions": "-rw-r-----", "owner": OWNER, "group": group,
            "modifiedTime": "2026-11-30T14:33:02.420000001Z"})

    def test_links_and_special_files(self):
        (self.home / "d").mkdir(mode=0o755)
        (self.home / "to-d").symlink_to("d")
        (self.home / "nowhere").symlink_to("no/such")
        (self.home / "loop").symlink_to("loop")
        os.mkfifo(self.home / "fifo")
        os.chmod(self.home / "d", 0o1777)
        entry = self.fs("Stat", path="to-d")[1]["entry"]
        self.assertEqual((entry["type"], entry["mode"], entry["permissions"], entry["symlinkTarget"]),
                         ("FILE_TYPE_DIRECTORY", 0o777, "Lrwxrwxrwx", str(self.home / "d")))
        self.assertEqual(self.fs("Stat", path="d")[1]["entry"]["permissions"], "dtrwxrwxrwx")
        for name in ("nowhere", "loop"):
            entry = self.fs("Stat", path=name)[1]["entry"]
            self.assertNotIn("type", entry)
            self.assertEqual(entry["symlinkTarget"], str(self.home / name))
        self.assertNotIn("type", self.fs("Stat", path="fifo")[1]["entry"])

    def test_stat_of_what_is_not_there(self):
        status, body = self.fs("Stat", path="/no/such")
        self.assertEqual((status, body), (404, {
            "code": "not_found", "message": "file not found: lstat /no/such: no such file or directory"}))
        (self.home / "file").write_text("")
        (self.home / "loop").symlink_to("loop")
        for path, code in (("file/x", "internal"), ("loop/x", "internal"), ("/" + "n" * 300, "internal"),
                           ("/" + "n/" * 3000, "internal"), ("a\0b", "invalid_argument"), ("~ghost/x", "invalid_argument")):
            self.assertEqual(self.fs("Stat", path=path)[1]["code"], code, path[:20])

    def test_list_is_depth_first_and_ordered(self):
        for path in ("b/c/d", "a", "z"):
            (self.home / path).mkdir(parents=True)
        (self.home / "b" / "c" / "f").write_text("")
        (self.home / "a" / "link").symlink_to(self.home / "b")
        home = str(self.home)
        top = [f"{home}/{name}" for name in "abz"]
        self.assertEqual(self.names(path="~"), top)
        self.assertEqual(self.names(path="~", depth=1), top)
        self.assertEqual(self.names(path="", depth=2),
                         [f"{home}/a", f"{home}/a/link", f"{home}/b", f"{home}/b/c", f"{home}/z"])
        self.assertEqual(len(self.names(path="~", depth=4294967295)), 7)
        self.assertEqual(self.names(path="z"), [])
        (self.home / "root").symlink_to("b")
        self.assertEqual(self.names(path="root"), [f"{home}/root/c"])
        self.assertEqual(self.names(path=f"{home}//b/../b/"), [f"{home}/b/c"])

    def test_list_of_what_is_no_directory(self):
        (self.home / "file").write_text("")
        (self.home / "loop").symlink_to("loop")
        for path, code in (("/no/such", "not_found"), ("file", "invalid_argument"), ("loop", "failed_precondition"),
                           ("file/x", "internal"), ("a\0", "invalid_argument")):
            self.assertEqual(self.fs("ListDir", path=path)[1]["code"], code, path)

    def test_make_dir(self):
        status, body = self.fs("MakeDir", path="x/y/z")
        self.assertEqual((status, body["entry"]["path"], body["entry"]["owner"], body["entry"]["permissions"]),
                         (200, f"{self.home}/x/y/z", OWNER, "drwxr-xr-x"))
        self.assertEqual(self.fs("Stat", path="x")[1]["entry"]["owner"], OWNER)
        self.assertEqual(self.fs("MakeDir", path="x/y")[1]["code"], "already_exists")
        (self.home / "file").write_text("")
        (self.home / "broken").symlink_to("no/such")
        self.assertEqual(self.fs("MakeDir", path="file")[1]["code"], "invalid_argument")
        for path in ("file/x", "broken"):
            self.assertEqual(self.fs("MakeDir", path=path)[1]["code"], "internal", path)

    def test_move(self):
        (self.home / "a").write_text("1")
        (self.home / "b").write_text("2")
        (self.home / "link").symlink_to("a")
        status, body = self.fs("Move", source="a", destination="new/dir/c")
        self.assertEqual((status, body["entry"]["path"]), (200, f"{self.home}/new/dir/c"))
        self.assertEqual(self.fs("Stat", path="new/dir")[1]["entry"]["owner"], OWNER)
        self.assertEqual(self.fs("Move", source="new/dir/c", destination="b")[0], 200)
        self.assertEqual((self.home / "b").read_text(), "1")
        self.assertEqual(self.fs("Move", source="link", destination="moved")[0], 200)
        self.assertEqual(os.readlink(self.home / "moved"), "a")
        self.assertEqual(self.fs("Move", source="gone", destination="x")[1]["code"], "not_found")
        self.assertEqual(self.fs("Move", source="b", destination="new")[1]["code"], "internal")

    def test_remove(self):
        (self.home / "d" / "e").mkdir(parents=True)
        (self.home / "d" / "e" / "f").write_text("")
        (self.home / "keep").mkdir()
        (self.home / "keep" / "x").write_text("")
        (self.home / "link").symlink_to("keep")
        for path in ("d", "link/", "no/such", "keep/x/y"):
            self.assertEqual(self.fs("Remove", path=path), (200, {}), path)
        self.assertEqual(sorted(os.listdir(self.home)), ["keep"])
        self.assertTrue((self.home / "keep" / "x").exists())

    def test_bad_bodies(self):
        for body, code in (("", 400), ("{", 400), ("[]", 400), ('{"path":7}', 400)):
            status, reply = self.envd.call("/filesystem.Filesystem/Stat", body)
            self.assertEqual((status, reply["code"]), (code, "invalid_argument"))
        status, reply = self.envd.call("/filesystem.Filesystem/Stat", json.dumps({"path": "x" * (17 << 20)}))
        self.assertEqual((status, reply["code"]), (429, "resource_exhausted"))


class DownloadTest(FilesCase):
    def test_a_file_and_its_headers(self):
        (self.home / "a b.txt").write_text("hello")
        response, data = self.get("a b.txt")
        self.assertEqual((response.status, data), (200, b"hello"))
        self.assertEqual(response.getheader("Content-Type"), "text/plain; charset=utf-8")
        self.assertEqual(response.getheader("Content-Disposition"), 'inline; filename="a b.txt"')
        self.assertEqual(response.getheader("Content-Length"), "5")
        (self.home / "ä").write_text("")
        response, data = self.get("ä")
        self.assertEqual((response.getheader("Content-Length"), data), ("0", b""))
        self.assertEqual(response.getheader("Content-Disposition"), "inline; filename*=utf-8''%C3%A4")

    def test_ranges(self):
        (self.home / "f").write_bytes(bytes(range(256)) * 4000)
        size = 1024000
        for value, status, piece in (("bytes=0-0", 206, (0, 1)), ("bytes=10-", 206, (10, size)),
                                     ("bytes=-5", 206, (size - 5, size)), ("bytes=5-99999999", 206, (5, size)),
                                     ("bytes=300000-900000", 206, (300000, 900001)), ("bytes=5-4", 200, (0, size)),
                                     ("bytes=0-1,3-4", 200, (0, size)), ("lines=1-2", 200, (0, size)),
                                     ("bytes=x-", 200, (0, size))):
            response, data = self.get("f", Range=value)
            self.assertEqual(response.status, status, value)
            self.assertEqual(data, (bytes(range(256)) * 4000)[piece[0]:piece[1]], value)
            if status == 206:
                self.assertEqual(response.getheader("Content-Range"), f"bytes {piece[0]}-{piece[1] - 1}/{size}")
        for value in (f"bytes={size}-", "bytes=-0"):
            response, _ = self.get("f", Range=value)
            self.assertEqual((response.status, response.getheader("Content-Range")), (416, f"bytes */{size}"))

    def test_what_is_no_file(self):
        os.mkfifo(self.home / "fifo")
        (self.home / "file").write_text("")
        (self.home / "loop").symlink_to("loop")
        for path, status in (("/no/such", 404), ("~", 400), ("fifo", 400), ("file/x", 500), ("loop", 500),
                             ("~ghost", 400), ("a\0b", 500), ("/dev/zero", 400)):
            response, data = self.get(path)
            body = json.loads(data)
            self.assertEqual((response.status, body["code"]), (status, status), path)
            self.assertTrue(data.endswith(b"}\n"))
        self.assertEqual(json.loads(self.get("/no/such")[1])["message"], "path '/no/such' does not exist")

    def test_a_big_file_and_a_stalled_reader(self):
        with open(self.home / "big", "wb") as file:
            file.truncate(1 << 30)
        self.get("big", Range="bytes=0-1")
        before = self.envd.memory()
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.sendall(f"GET /files?path={self.home}/big HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            self.assertTrue(peer.recv(1000).startswith(b"HTTP/1.1 200"))
            self.assertEqual(self.envd.http("GET", "/health")[0].status, 204)
            self.assertLess(self.envd.memory() - before, 32 << 20)

    def test_a_file_that_shrinks_breaks_the_connection(self):
        with open(self.home / "big", "wb") as file:
            file.truncate(64 << 20)
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.sendall(f"GET /files?path={self.home}/big HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            peer.recv(1000)
            os.truncate(self.home / "big", 1)
            with self.assertRaises(ConnectionResetError):
                while peer.recv(1 << 20):
                    pass


class UploadTest(FilesCase):
    def test_octet_stream(self):
        data = os.urandom(3_000_000)
        status, body = self.put("new/dir/f.bin", data)
        path = f"{self.home}/new/dir/f.bin"
        self.assertEqual((status, body), (200, [{"path": path, "name": "f.bin", "type": "file"}]))
        with open(path, "rb") as file:
            self.assertEqual(file.read(), data)
        entry = self.fs("Stat", path=path)[1]["entry"]
        self.assertEqual((entry["owner"], entry["permissions"]), (OWNER, "-rw-r--r--"))
        self.assertEqual(self.fs("Stat", path="new/dir")[1]["entry"]["owner"], OWNER)
        os.chmod(path, 0o751)
        self.assertEqual(self.put(path, b"x")[0], 200)
        self.assertEqual(self.fs("Stat", path=path)[1]["entry"]["mode"], 0o751)
        self.assertEqual(self.get(path)[1], b"x")
        self.assertEqual(self.put(path, b"")[0], 200)
        self.assertEqual(self.get(path)[1], b"")

    def test_chunked_bodies_of_any_cut(self):
        connection = self.envd.connection()
        connection.request("POST", f"/files?path={quote('~/c')}", iter([b"a", b"bc" * 100000, b"d"]),
                           {"Content-Type": "application/octet-stream"}, encode_chunked=True)
        self.assertEqual(connection.getresponse().read()[:1], b"[")
        connection.close()
        self.assertEqual((self.home / "c").read_bytes(), b"a" + b"bc" * 100000 + b"d")

    def test_multipart(self):
        body = multipart(('name="file"; filename="/tmp/../' + str(self.home)[1:] + '/one ä.txt"', b"1\r\n--xy\r\n"),
                         ('name="note"; filename="skipped"', b"x"), ('name="file"; filename="two/deep"', b""))
        status, reply = self.post("", body)
        self.assertEqual(status, 200)
        self.assertEqual([one["name"] for one in reply], ["one ä.txt", "deep"])
        self.assertEqual((self.home / "one ä.txt").read_bytes(), b"1\r\n--xy\r\n")
        self.assertEqual((self.home / "two" / "deep").read_bytes(), b"")
        self.assertFalse((self.home / "skipped").exists())
        status, reply = self.post("?path=named", multipart(('name="file"; filename="ignored"', b"data")))
        self.assertEqual((status, reply[0]["path"]), (200, f"{self.home}/named"))

    def test_multipart_faults(self):
        twice = multipart(('name="file"; filename="t"', b"first"), ('name="file"; filename="t"', b"second"))
        status, reply = self.post("", twice)
        self.assertEqual(status, 400)
        self.assertIn("only the first specified file was uploaded", reply["message"])
        self.assertEqual((self.home / "t").read_bytes(), b"first")
        for body, status in ((multipart(('name="file"', b"x")), 400), (b"--xyz\r\nA: b", 200), (b"", 400),
                             (b"--xyz garbage\r\n", 400), (b"--xyz\r\n" + b"A" * 100000, 400)):
            self.assertEqual(self.post("", body)[0], status, body[:20])
        response, _ = self.envd.http("POST", "/files", b"x", {"Content-Type": "multipart/form-data"})
        self.assertEqual(response.status, 500)
        self.assertEqual(self.post("", b"--xyz--\r\n"), (200, []))

    def test_what_is_refused(self):
        (self.home / "d").mkdir()
        (self.home / "file").write_text("")
        os.mkfifo(self.home / "fifo")
        for path, status in (("d", 400), ("file/x", 500), ("a\0b", 400), ("~ghost/x", 400), ("/" + "n" * 300, 500)):
            self.assertEqual(self.put(path, b"x")[0], status, path[:10])
        self.assertIn(self.put("fifo", b"x")[0], (400, 500))
        octets = {"Content-Type": "application/octet-stream"}
        for query, headers, status in (("", octets, 400), ("?path=x", {"Content-Type": "text/plain"}, 400),
                                       ("?path=x", {}, 400),
                                       ("?path=x", {**octets, "Content-Encoding": "br"}, 400),
                                       ("?path=x&username=ghost", octets, 401)):
            response, data = self.envd.http("POST", "/files" + query, b"x", headers)
            self.assertEqual((response.status, json.loads(data)["code"]), (status, status), (query, headers))
        self.assertFalse((self.home / "x").exists())

    @unittest.skipUnless(AS_ROOT, "needs a mount")
    def test_a_full_disk(self):
        small = self.home / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], check=True)
        try:
            status, body = self.put(str(small / "f"), bytes(3 << 20))
            self.assertEqual(status, 507)
            self.assertIn("not enough disk space available", body["message"])
        finally:
            subprocess.run(["umount", small], check=True)

    def test_metadata_is_replaced_by_each_upload(self):
        self.put("m", b"1", X_Metadata_Author="me", X_Metadata_Two="2")
        entry = self.fs("Stat", path="m")[1]["entry"]
        if "metadata" not in entry:
            self.skipTest("no extended attributes here")
        self.assertEqual(entry["metadata"], {"author": "me", "two": "2"})
        self.fs("Move", source="m", destination="n")
        self.assertEqual(self.fs("ListDir", path="~")[1]["entries"][0]["metadata"]["author"], "me")
        self.assertEqual(self.put("n", b"1", X_Metadata_Three="3")[1][0]["metadata"], {"three": "3"})
        self.put("n", b"1")
        self.assertNotIn("metadata", self.fs("Stat", path="n")[1]["entry"])
        for name, value in (("k" * 247, "x"), ("k", "x" * 5000), ("k", "\x7f")):
            self.assertEqual(self.put("bad", b"", **{"X-Metadata-" + name: value})[0], 400)

    def test_many_uploads_into_the_same_new_directory(self):
        results = []

        def upload(number):
            results.append(self.put(f"fresh/deep/{number}", str(number).encode() * 1000)[0])

        threads = [threading.Thread(target=upload, args=(number,)) for number in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(results, [200] * 8)

    def test_an_upload_goes_to_disk_not_to_memory(self):
        self.put("warm", b"x")
        before = self.envd.memory("VmHWM")
        digest = hashlib.sha256()

        def blocks():
            for _ in range(256):
                digest.update(bytes(1 << 20))
                yield bytes(1 << 20)

        connection = self.envd.connection()
        connection.request("POST", "/files?path=big", blocks(), {"Content-Type": "application/octet-stream"},
                           encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        self.assertEqual((self.home / "big").stat().st_size, 256 << 20)
        self.assertLess(self.envd.memory("VmHWM") - before, 32 << 20)

    def test_an_aborted_upload_leaves_a_truncated_file(self):
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.sendall(b"POST /files?path=cut HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n"
                         b"Content-Length: 1000000\r\n\r\n" + bytes(300000))
            wait.until(lambda: (self.home / "cut").exists() and (self.home / "cut").stat().st_size > 0, "the first bytes")
        self.assertEqual(self.envd.http("GET", "/health")[0].status, 204)

    def test_expect_continue(self):
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.sendall(b"POST /files?path=e HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n"
                         b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            self.assertEqual(peer.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            peer.sendall(b"hi")
            self.assertTrue(peer.recv(1000).startswith(b"HTTP/1.1 200"))


class AccessTest(FilesCase):
    init = {"accessToken": "tok"}

    def sign(self, path, operation, user="", end=None):
        text = f"{path}:{operation}:{user}:tok" + ("" if end is None else f":{end}")
        return "v1_" + b64(hashlib.sha256(text.encode()).digest()).rstrip("=")

    def url(self, path, **query):
        return "/files?" + urlencode({"path": path, **query})

    def test_what_needs_the_token(self):
        for method, path in (("GET", "/envs"), ("POST", "/process.Process/List"), ("POST", "/process.Process/Start"),
                             ("GET", "/no/such"), ("POST", "/health"), ("PUT", "/files")):
            for headers in ({}, {"X-Access-Token": "toc"}, {"X-Access-Token": ""}, {"X-Access-Token": "tok0"}):
                response, data = self.envd.http(method, path, None, headers)
                self.assertEqual((response.status, json.loads(data)["code"]), (401, 401), (path, headers))
        self.assertEqual(self.envd.http("GET", "/health", None, {})[0].status, 204)
        self.assertEqual(self.envd.call("/process.Process/List", {}), (200, {}))
        self.assertEqual(self.envd.run("echo x")[0]["stdout"], b"x\n")

    def test_early_refusals_reach_a_client_that_uploads(self):
        connection = self.envd.connection()
        connection.request("POST", "/process.Process/Start", bytes(1 << 20), {})
        self.assertEqual(connection.getresponse().status, 401)
        connection.close()

    def test_signed_urls(self):
        (self.home / "f").write_text("secret")
        path, late, past = str(self.home / "f"), int(time.time()) + 1000, int(time.time()) - 10
        get = lambda url, headers=None: self.envd.http("GET", url, None, headers or {})
        message = lambda answer: json.loads(answer[1])["message"]
        self.assertEqual(get(self.url(path, signature=self.sign(path, "read")))[1], b"secret")
        signed = self.url(path, signature=self.sign(path, "read", end=late), signature_expiration=late)
        self.assertEqual(get(signed)[1], b"secret")
        named = self.url(path, username="user", signature=self.sign(path, "read", "user"))
        self.assertEqual(get(named)[1], b"secret")
        for url, text in ((self.url(path), "missing signature query parameter"),
                          (self.url(path, signature="v1_x"), "invalid signature"),
                          (self.url(path, signature=self.sign(path, "write")), "invalid signature"),
                          (self.url(path, username="user", signature=self.sign(path, "read")), "invalid signature"),
                          (self.url(path, signature=self.sign(path, "read"), signature_expiration=late),
                           "invalid signature"),
                          (self.url(path, signature=self.sign(path, "read", end=past), signature_expiration=past),
                           "signature is already expired")):
            answer = get(url)
            self.assertEqual((answer[0].status, message(answer)), (401, text), url)
        self.assertEqual(get(self.url(path, signature_expiration="x"))[0].status, 400)
        self.assertEqual(get(self.url(path), {"X-Access-Token": "tok"})[1], b"secret")
        wrong = get(self.url(path, signature=self.sign(path, "read")), {"X-Access-Token": "x"})
        self.assertEqual(message(wrong), "access token present in header but does not match")
        signed = self.url("up", signature=self.sign("up", "write"))
        response, _ = self.envd.http("POST", signed, multipart(('name="file"; filename="n"', b"data")),
                                     {"Content-Type": "multipart/form-data; boundary=xyz"})
        self.assertEqual((response.status, (self.home / "up").read_bytes()), (200, b"data"))

    def test_init_over_http(self):
        def init(body, headers=None):
            response, data = self.envd.http("POST", "/init", json.dumps(body), headers or {})
            return response.status, data
        self.assertEqual(init({"accessToken": "x"}), (401, b"access token validation failed"))
        self.assertEqual(init({}, {"X-Access-Token": "tok"}), (401, b"access token reset not authorized"))
        late, early = "2030-01-01T00:00:00Z", "2029-01-01T00:00:00Z"
        self.assertEqual(init({"accessToken": "tok", "envVars": {"A": "1", "B": "2"}, "timestamp": late})[0], 204)
        self.assertEqual(init({"accessToken": "tok", "envVars": {"C": "3"}, "timestamp": early})[0], 204)
        envs = json.loads(self.envd.http("GET", "/envs")[1])
        self.assertEqual(envs, {"A": "1", "B": "2", "E2B_SANDBOX": "true", "E2B_SANDBOX_ID": "itest"})
        self.assertEqual(init({"accessToken": "tok", "envVars": {"C": "3"}})[0], 204)
        self.assertEqual(self.envd.run("echo $A$C")[0]["stdout"], b"3\n")
        for body in ({"envVars": []}, {"timestamp": "now"}, {"accessToken": 7}):
            self.assertEqual(init(body), (400, b""))
        for name, value in (("A=B", "x"), ("A\0", "x"), ("A", "\0")):
            status, said = init({"accessToken": "tok", "envVars": {name: value}})
            self.assertEqual((status, said[:8]), (400, b"envVars:"))


class ProtocolTest(FilesCase):
    def test_routes_and_methods(self):
        for method, path, status, allow in (("HEAD", "/health", 405, "GET"), ("HEAD", "/files", 405, "GET, POST"),
                                            ("PUT", "/files", 405, "GET, POST"), ("GET", "/init", 405, "POST"),
                                            ("GET", "/process.Process/List", 405, "POST"), ("GET", "/", 404, None),
                                            ("POST", "/process.Process/Nothing", 404, None)):
            response, data = self.envd.http(method, path)
            self.assertEqual((response.status, response.getheader("Allow")), (status, allow), path)
        self.assertEqual(self.envd.http("GET", "/x")[1], b"404 page not found\n")
        for kind in (None, "text/plain", "application/connect+json"):
            response, _ = self.envd.http("POST", "/process.Process/List", "{}", {"Content-Type": kind} if kind else {})
            self.assertEqual((response.status, response.getheader("Accept-Post")), (415, "application/json, application/proto"))
        response, _ = self.envd.http("POST", "/process.Process/Start", "{}", {"Content-Type": "application/json"})
        self.assertEqual(response.status, 415)

    def test_cors(self):
        response, _ = self.envd.http("OPTIONS", "/process.Process/List", None, {"Origin": "http://x"})
        self.assertEqual((response.status, response.getheader("Access-Control-Allow-Origin"),
                          response.getheader("Access-Control-Allow-Headers")), (204, "*", "*"))

    def test_what_is_no_http(self):
        for text, status in ((b"nonsense\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\nA: " + b"x" * 100000, b"431"),
                             (b"POST /init HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"400"),
                             (b"POST /init HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"400")):
            with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
                try:
                    peer.sendall(text)
                except ConnectionError:
                    pass
                self.assertEqual(peer.recv(1000).split()[1], status, text[:30])
        for text in (b"", b"GET", b"POST /files?path=x HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"):
            with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
                peer.sendall(text)
        self.assertEqual(self.envd.http("GET", "/health")[0].status, 204)

    def test_pipelined_requests(self):
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 5 + b"GET /health HTTP/1.0\r\n\r\n")
            got = b""
            while part := peer.recv(65536):
                got += part
        self.assertEqual(got.count(b"HTTP/1.1 204"), 6)

    def test_hundreds_of_streams_do_not_hold_a_unary_call(self):
        streams = [self.envd.sh("sleep 100") for _ in range(100)]
        pids = [one.pid() for one in streams]
        again = [self.envd.attach(pid=pids[0]) for _ in range(63)]
        self.end(self.envd.attach(pid=pids[0]), "resource_exhausted")
        self.assertEqual(len(self.envd.list()), 100)
        for pid in pids:
            self.assertEqual(self.envd.signal(pid=pid)[0], 200)
        for one in streams + again:
            one.close()
        self.assertEqual(self.envd.list(), [])


if __name__ == "__main__":
    unittest.main()

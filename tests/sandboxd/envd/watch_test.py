# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Watching of the real envd: WatchDir and the polling methods."""

import contextlib
import os
import pathlib
import shutil
import socket
import unittest
from urllib.parse import urlencode

from tests.e2e import wait
from tests.sandboxd.envd.envd_case import EnvdCase, envelope

CREATE, WRITE, REMOVE, RENAME, CHMOD = (
    f"EVENT_TYPE_{name}" for name in ("CREATE", "WRITE", "REMOVE", "RENAME", "CHMOD"))


class WatchCase(EnvdCase):
    def setUp(self):
        super().setUp()
        self.root = self.home / "w"
        self.root.mkdir()

    def watch(self, path="w", headers=None, **more):
        stream = self.envd.stream("/filesystem.Filesystem/WatchDir", {"path": path, **more}, **(headers or {}))
        self.addCleanup(stream.close)
        self.assertEqual(stream.next(), (0, {"start": {}}))
        return stream

    def call(self, method, **message):
        return self.envd.call(f"/filesystem.Filesystem/{method}", message)

    def put(self, path, data=b"x"):
        response, body = self.envd.http("POST", "/files?" + urlencode({"path": path}), data,
                                        self.envd.headers(Content_Type="application/octet-stream"))
        self.assertEqual(response.status, 200, body)

    @staticmethod
    def event(stream):
        flags, message = stream.next()
        if flags:
            raise AssertionError(f"the stream ended: {message}")
        return message["filesystem"]

    def until(self, stream, name, kind):
        """(name, kind) of all events up to this one."""
        out = []
        while not out or out[-1] != (name, kind):
            event = self.event(stream)
            out.append((event["name"], event["type"]))
        return out

    def fence(self, stream):
        """What came before a mark that is set now."""
        (self.root / ".mark").mkdir()
        out = self.until(stream, ".mark", CREATE)[:-1]
        (self.root / ".mark").rmdir()
        self.assertEqual(self.until(stream, ".mark", REMOVE)[:-1], [])
        return out


class StreamTest(WatchCase):
    def test_events_of_one_directory(self):
        stream = self.watch()
        file = self.root / "a"
        file.write_text("x")
        self.assertEqual(self.fence(stream), [("a", CREATE), ("a", WRITE)])
        file.chmod(0o600)
        file.rename(self.root / "b")
        (self.root / "b").unlink()
        self.assertEqual(self.fence(stream), [("a", CHMOD), ("a", RENAME), ("b", CREATE), ("b", REMOVE)])
        (self.root / "d").mkdir()
        (self.root / "d" / "inner").write_text("x")
        self.assertEqual(self.fence(stream), [("d", CREATE)])

    def test_moves_over_the_border(self):
        (self.home / "out").write_text("x")
        stream = self.watch(recursive=True)
        os.rename(self.home / "out", self.root / "in")
        os.rename(self.root / "in", self.home / "out")
        self.assertEqual(self.fence(stream), [("in", CREATE), ("in", RENAME)])

    def test_directories_that_are_made_later(self):
        (self.root / "old").mkdir()
        stream = self.watch(recursive=True)
        (self.root / "old" / "f").write_text("x")
        self.assertEqual(self.fence(stream), [("old/f", CREATE), ("old/f", WRITE)])
        for number in range(50):
            deep = self.root / f"n{number}" / "a" / "b"
            deep.mkdir(parents=True)
            (deep / "f").write_text("x")
        seen = self.fence(stream)
        for number in range(50):
            for name in (f"n{number}", f"n{number}/a", f"n{number}/a/b", f"n{number}/a/b/f"):
                self.assertEqual(seen.count((name, CREATE)), 1, name)
            self.assertIn((f"n{number}/a/b/f", WRITE), seen)
        shutil.rmtree(self.root / "n7")
        self.assertEqual(self.fence(stream), [("n7/a/b/f", REMOVE), ("n7/a/b", REMOVE), ("n7/a", REMOVE), ("n7", REMOVE)])

    def test_a_file_written_by_upload_into_a_new_directory(self):
        stream = self.watch(recursive=True)
        self.assertEqual(self.call("MakeDir", path="w/nested")[0], 200)
        self.put("w/nested/f")
        seen = self.fence(stream)
        self.assertIn(("nested/f", CREATE), seen)
        self.assertIn(("nested/f", WRITE), seen)

    def test_directories_that_move(self):
        (self.root / "a" / "b").mkdir(parents=True)
        (self.home / "alien" / "x").mkdir(parents=True)
        (self.home / "alien" / "x" / "f").write_text("x")
        stream = self.watch(recursive=True)
        os.rename(self.root / "a", self.root / "c")
        self.assertEqual(self.fence(stream), [("a", RENAME), ("c", CREATE)])
        (self.root / "c" / "b" / "f").write_text("x")
        self.assertEqual(self.fence(stream), [("c/b/f", CREATE), ("c/b/f", WRITE)])
        os.rename(self.root / "c", self.home / "gone")
        (self.home / "gone" / "b" / "g").write_text("x")
        self.assertEqual(self.fence(stream), [("c", RENAME)])
        os.rename(self.home / "alien", self.root / "alien")
        (self.root / "alien" / "x" / "g").write_text("x")
        seen = self.fence(stream)
        for name in ("alien", "alien/x", "alien/x/f", "alien/x/g"):
            self.assertEqual(seen.count((name, CREATE)), 1, name)
        # Found there, and written once more when the watch came between its two steps.
        self.assertIn(("alien/x/g", WRITE), seen)

    def test_uploads(self):
        stream = self.watch()
        self.put("w/f")
        self.assertEqual(self.fence(stream), [("f", CREATE), ("f", CHMOD), ("f", WRITE)])
        self.put("w/f", b"longer")
        # Cut to nothing and written: two changes, which the kernel tells as one when they come together.
        self.assertIn(self.fence(stream), [[("f", CHMOD), *[("f", WRITE)] * count] for count in (1, 2)])

    def test_entries(self):
        (self.root / "d").mkdir()
        stream = self.watch(includeEntry=True)
        (self.root / "f").write_text("hello")
        os.chmod(self.root / "d", 0o700)
        self.assertEqual(self.event(stream)["type"], CREATE)
        event = self.event(stream)
        entry = event["entry"]
        self.assertEqual((event["type"], entry["name"], entry["path"], entry["size"], entry["type"]),
                         (WRITE, "f", str(self.root / "f"), "5", "FILE_TYPE_FILE"))
        event = self.event(stream)
        self.assertEqual((event["type"], event["entry"]["permissions"]), (CHMOD, "drwx------"))
        os.rename(self.root / "f", self.root / "g")
        (self.root / "f").mkdir()
        (self.root / "g").unlink()
        (self.root / "g").mkdir()
        kinds = {}
        for _ in range(5):
            event = self.event(stream)
            kinds.setdefault((event["name"], event["type"]), []).append("entry" in event)
        self.assertEqual(kinds[("f", RENAME)] + kinds[("g", REMOVE)], [False, False])
        self.assertEqual(kinds[("f", CREATE)], [True])

    def test_no_entries_unless_asked(self):
        stream = self.watch()
        (self.root / "f").mkdir()
        self.assertEqual(self.event(stream), {"name": "f", "type": CREATE})

    def test_the_root_goes(self):
        (self.root / "f").write_text("")
        stream = self.watch(recursive=True, headers={"Keepalive-Ping-Interval": "1"})
        shutil.rmtree(self.root)
        self.assertEqual(self.until(stream, ".", REMOVE), [("f", REMOVE), (".", REMOVE)])
        self.root.mkdir()
        (self.root / "f").write_text("")
        self.assertEqual(stream.next(), (0, {"keepalive": {}}))

    def test_the_root_is_renamed(self):
        (self.root / "d").mkdir()
        stream = self.watch(recursive=True, headers={"Keepalive-Ping-Interval": "1"})
        self.root.rename(self.home / "other")
        (self.home / "other" / "d" / "f").write_text("")
        self.assertEqual(self.event(stream), {"name": ".", "type": RENAME})
        self.assertEqual(stream.next(), (0, {"keepalive": {}}))

    def test_the_root_itself(self):
        stream = self.watch()
        self.root.chmod(0o700)
        self.assertEqual(self.event(stream), {"name": ".", "type": CHMOD})

    def test_through_a_link(self):
        (self.home / "link").symlink_to("w")
        stream = self.watch("~/link/", includeEntry=True)
        (self.root / "f").mkdir()
        self.assertEqual(self.event(stream)["entry"]["path"], f"{self.home}/link/f")

    def test_what_cannot_be_watched(self):
        (self.root / "f").write_text("")
        self.assertEqual(self.end(self.raw(path="/no/such")),
                         "path /no/such not found: stat /no/such: no such file or directory")
        self.assertIn("not a directory", self.end(self.raw(path="w/f"), "invalid_argument"))
        self.end(self.raw(path="~ghost"), "invalid_argument")
        self.end(self.raw(path=7), "invalid_argument")
        self.end(self.raw(path="w", headers={"Connect-Timeout-Ms": "0"}), "deadline_exceeded")

    def raw(self, headers=None, **message):
        return self.envd.stream("/filesystem.Filesystem/WatchDir", message, **(headers or {}))

    def test_the_deadline_ends_the_stream(self):
        stream = self.watch(headers={"Connect-Timeout-Ms": "300"})
        self.end(stream, "deadline_exceeded")

    def test_streams_end_with_their_clients(self):
        before = len(os.listdir(f"/proc/{self.envd.process.pid}/fd"))
        for _ in range(3):
            streams = [self.watch(recursive=True) for _ in range(60)]
            for one in streams:
                one.close()
        wait.until(lambda: len(os.listdir(f"/proc/{self.envd.process.pid}/fd")) <= before, "no descriptor of a stream")
        self.assertEqual(self.envd.http("GET", "/health")[0].status, 204)

    def test_a_client_that_does_not_read_loses_its_stream(self):
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            body = envelope({"path": "w"})
            peer.sendall(b"POST /filesystem.Filesystem/WatchDir HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+json\r\n"
                         + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            self.assertTrue(peer.recv(1000).startswith(b"HTTP/1.1 200"))
            before = self.envd.memory()
            names = [self.root / ("n" * 200 + str(number)) for number in range(200)]
            for _ in range(200):
                for name in names:
                    name.mkdir()
                for name in names:
                    name.rmdir()
            self.assertLess(self.envd.memory() - before, 64 << 20)
            got = b""
            while part := peer.recv(1 << 20):
                got = got[-4096:] + part
                if got.endswith(b"0\r\n\r\n"):
                    break
            self.assertIn(b"events were lost", got[-300:])

    def test_many_watchers_are_bounded(self):
        streams = []
        while True:
            stream = self.raw(path="w")
            self.addCleanup(stream.close)
            flags, message = stream.next()
            if flags:
                break
            streams.append(stream)
        self.assertEqual(message["error"]["code"], "resource_exhausted")
        self.assertGreater(len(streams), 20)
        for one in streams:
            one.close()
        wait.until(lambda: self.call("CreateWatcher", path="w")[0] == 200, "room for another one")


class PollTest(WatchCase):
    def create(self, **more):
        status, body = self.call("CreateWatcher", path="w", **more)
        self.assertEqual(status, 200, body)
        return body["watcherId"]

    def events(self, watcher):
        status, body = self.call("GetWatcherEvents", watcherId=watcher)
        self.assertEqual(status, 200, body)
        return [(one["name"], one["type"]) for one in body.get("events", [])]

    def test_events_are_drained_once(self):
        watcher = self.create()
        self.assertTrue(watcher.startswith("w"))
        self.assertEqual(self.events(watcher), [])
        for number in range(100):
            self.put("w/f", str(number).encode())
            self.assertEqual(self.events(watcher)[-1], ("f", WRITE))
            self.assertEqual(self.events(watcher), [])

    def test_watchers_are_independent(self):
        plain, deep = self.create(), self.create(recursive=True, includeEntry=True)
        (self.root / "d").mkdir()
        (self.root / "d" / "f").write_text("x")
        self.assertEqual(self.events(plain), [("d", CREATE)])
        events = self.call("GetWatcherEvents", watcherId=deep)[1]["events"]
        self.assertEqual([(one["name"], one["type"], "entry" in one) for one in events],
                         [("d", CREATE, True), ("d/f", CREATE, True), ("d/f", WRITE, True)])

    def test_events_in_new_directories_are_seen_between_polls(self):
        watcher = self.create(recursive=True)
        (self.root / "d").mkdir()
        wait.until(lambda: "inotify" in self.watched(2), "the new directory's watch")
        (self.root / "d" / "f").write_text("x")
        (self.root / "d" / "f").unlink()
        shutil.rmtree(self.root / "d")
        self.assertEqual(self.events(watcher), [("d", CREATE), ("d/f", CREATE), ("d/f", WRITE), ("d/f", REMOVE), ("d", REMOVE)])

    def watched(self, least):
        """The info of an inotify descriptor of envd with so many watches."""
        for file in pathlib.Path(f"/proc/{self.envd.process.pid}/fdinfo").iterdir():
            with contextlib.suppress(OSError):
                if (text := file.read_text()).count("inotify wd") >= least:
                    return text
        return ""

    def test_unknown_ids(self):
        watcher = self.create()
        self.assertEqual(self.call("RemoveWatcher", watcherId=watcher), (200, {}))
        for method in ("RemoveWatcher", "GetWatcherEvents"):
            for name in (watcher, "x", ""):
                self.assertEqual(self.call(method, watcherId=name), (404, {
                    "code": "not_found", "message": f"watcher with id {name} not found"}))
        self.assertEqual(self.watched(1), "")

    def test_what_cannot_be_watched(self):
        (self.root / "f").write_text("")
        for path, status, code in (("/no/such", 404, "not_found"), ("w/f", 400, "invalid_argument")):
            answer = self.call("CreateWatcher", path=path)
            self.assertEqual((answer[0], answer[1]["code"]), (status, code))


if __name__ == "__main__":
    unittest.main()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""files.watch_dir: the synchronous face asks for events, the asynchronous one is told."""

from e2b import FileNotFoundException, InvalidArgumentException, SandboxException, TimeoutException
from support import ASYNC, Scenario, until


class Watch:
    """A watch whose events are collected."""

    def __init__(self, files, path, **options):
        self.events, self.ends = [], []
        if ASYNC:
            told = {"on_event": self.events.append, "on_exit": self.ends.append, "timeout": 0}
            self.handle = files.watch_dir(path, **{**told, **options})
        else:
            self.handle = files.watch_dir(path, **options)

    def now(self):
        if not ASYNC:
            self.events += self.handle.get_new_events()
        return self.events

    def find(self, kind, name):
        return next((one for one in self.now() if (one.type.value, one.name) == (kind, name)), None)

    def sees(self, kind, name):
        return until(lambda: self.find(kind, name), lambda: f"{kind} {name} in {self.events}")


class WatchDir(Scenario):
    def watch(self, path=None, **options):
        return Watch(self.sandbox.files, path or self.dir, **options)

    def setUp(self):
        super().setUp()
        self.files = self.sandbox.files
        self.files.make_dir(self.dir)

    def test_events_by_relative_names(self):
        seen = self.watch()
        self.files.write(f"{self.dir}/a", "1")
        seen.sees("create", "a")
        seen.sees("write", "a")
        self.sandbox.commands.run(f"chmod 600 {self.dir}/a")
        seen.sees("chmod", "a")
        self.files.rename(f"{self.dir}/a", f"{self.dir}/b")
        seen.sees("rename", "a")
        seen.sees("create", "b")
        self.files.remove(f"{self.dir}/b")
        seen.sees("remove", "b")
        seen.handle.stop()

    def test_an_upload_is_told_at_once(self):
        seen = self.watch()
        self.files.write(f"{self.dir}/a", "1")
        if not ASYNC:
            self.assertIn(("write", "a"), [(one.type.value, one.name) for one in seen.now()])
        seen.sees("write", "a")
        self.assertEqual(seen.events[0].type.value, "create")
        if not ASYNC:
            self.assertEqual(seen.handle.get_new_events(), [])
        seen.handle.stop()

    def test_recursive(self):
        seen = self.watch(recursive=True)
        for i in range(5):
            self.sandbox.commands.run(f"mkdir -p {self.dir}/n{i}/m && echo 1 > {self.dir}/n{i}/m/f")
            seen.sees("create", f"n{i}")
            seen.sees("write", f"n{i}/m/f")
        seen.handle.stop()

    def test_not_recursive(self):
        self.files.make_dir(f"{self.dir}/sub")
        seen = self.watch()
        self.files.write(f"{self.dir}/sub/deep", "1")
        self.files.write(f"{self.dir}/last", "1")
        seen.sees("write", "last")
        self.assertFalse([one for one in seen.events if "deep" in one.name])
        seen.handle.stop()

    def test_entries(self):
        seen = self.watch(include_entry=True, allow_network_mounts=True)
        self.files.write(f"{self.dir}/a", "abc")
        until(lambda: any(one.entry and one.entry.size == 3 for one in seen.now()), "the entry of the whole file")
        self.files.remove(f"{self.dir}/a")
        self.assertIsNone(seen.sees("remove", "a").entry)
        seen.handle.stop()

    def test_what_cannot_be_watched(self):
        self.fails(FileNotFoundException, self.watch, f"{self.dir}/none")
        self.files.write(f"{self.dir}/f", "")
        self.fails(InvalidArgumentException, self.watch, f"{self.dir}/f")

    def test_after_stop(self):
        seen = self.watch()
        seen.handle.stop()
        self.files.write(f"{self.dir}/a", "1")
        if ASYNC:
            until(lambda: seen.ends, "the end")
            self.assertEqual((seen.ends, seen.events), ([None], []))
        else:
            self.fails(SandboxException, seen.handle.get_new_events)

    def test_its_time_limit(self):
        if ASYNC:
            seen = self.watch(timeout=2)
            until(lambda: seen.ends, "the end")
            self.assertIsInstance(seen.ends[0], TimeoutException)

    def test_the_end_of_the_sandbox(self):
        sandbox = self.own()
        seen = Watch(sandbox.files, "/home/user")
        self.assertTrue(sandbox.kill())
        if ASYNC:
            until(lambda: seen.ends, "the end")
            self.assertIsInstance(seen.ends[0], SandboxException)
        else:
            self.fails(SandboxException, seen.handle.get_new_events)

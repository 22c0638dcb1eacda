# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""files: what is there, lists, folders, moving, removing."""

import datetime

from e2b import FileNotFoundException, FileType, InvalidArgumentException, SandboxException
from support import Scenario


class Files(Scenario):
    @property
    def files(self):
        return self.sandbox.files

    def bash(self, command):
        return self.sandbox.commands.run(f"mkdir -p {self.dir} && cd {self.dir} && {command}").stdout

    def test_everything_about_a_file(self):
        path = f"{self.dir}/a.txt"
        written = self.files.write(path, "héllo")
        self.assertEqual((written.name, written.path, written.type), ("a.txt", path, FileType.FILE))
        self.assertIsNone(written.metadata)
        info = self.files.get_info(path)
        self.assertEqual((info.name, info.path, info.type, info.size), ("a.txt", path, FileType.FILE, 6))
        self.assertEqual((info.mode, info.permissions, info.owner, info.group), (0o644, "-rw-r--r--", "user", "user"))
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertLess(abs(now - info.modified_time), datetime.timedelta(minutes=10))
        self.assertIsNone(info.symlink_target)
        self.assertEqual(self.files.get_info(self.dir).type, FileType.DIR)

    def test_links(self):
        self.bash("echo > target && chmod 600 target && ln -s target link && ln -s none broken")
        info = self.files.get_info(f"{self.dir}/link")
        self.assertEqual((info.type, info.mode, info.symlink_target), (FileType.FILE, 0o600, f"{self.dir}/target"))
        self.assertTrue(self.files.exists(f"{self.dir}/broken"))

    def test_what_does_not_exist(self):
        none = f"{self.dir}/none"
        self.assertFalse(self.files.exists(none))
        for ask in (self.files.get_info, self.files.list, self.files.read):
            self.fails(FileNotFoundException, ask, none)
        self.fails(FileNotFoundException, self.files.rename, none, f"{none}2")
        self.files.remove(none)

    def test_lists(self):
        self.bash("mkdir -p a/b/c z && touch f a/f1 a/b/f2 a/b/c/f3")

        def at(depth):
            return [one.path[len(self.dir) + 1 :] for one in self.files.list(self.dir, depth=depth)]

        self.assertEqual([one.name for one in self.files.list(self.dir)], ["a", "f", "z"])
        self.assertEqual(at(2), ["a", "a/b", "a/f1", "f", "z"])
        self.assertEqual(at(9), ["a", "a/b", "a/b/c", "a/b/c/f3", "a/b/f2", "a/f1", "f", "z"])
        self.assertEqual(self.files.list(f"{self.dir}/z"), [])
        self.fails(InvalidArgumentException, self.files.list, self.dir, depth=0)
        self.fails(SandboxException, self.files.list, f"{self.dir}/f")

    def test_paths(self):
        relative, name = self.dir.removeprefix("/home/user/"), "it's a \"näme\" 🦊 & more?#%20"
        self.assertEqual(self.files.write(f"{relative}/{name}", "x").path, f"{self.dir}/{name}")
        self.assertEqual(self.files.read(f"{self.dir}/{name}"), "x")
        self.assertEqual(self.files.write(f"{relative}.r", "y", user="root").path, f"/root/{relative}.r")
        self.assertEqual(self.files.get_info(f"{relative}.r", user="root").owner, "root")

    def test_making_folders(self):
        self.assertTrue(self.files.make_dir(f"{self.dir}/a/b"))
        self.assertFalse(self.files.make_dir(f"{self.dir}/a/b"))
        self.files.write(f"{self.dir}/f", "")
        self.fails(InvalidArgumentException, self.files.make_dir, f"{self.dir}/f")

    def test_moving(self):
        self.files.write(f"{self.dir}/one", "1")
        moved = self.files.rename(f"{self.dir}/one", f"{self.dir}/new/two")
        self.assertEqual((moved.name, moved.path, moved.type), ("two", f"{self.dir}/new/two", FileType.FILE))
        self.assertFalse(self.files.exists(f"{self.dir}/one"))
        self.files.rename(f"{self.dir}/new", f"{self.dir}/other")
        self.assertEqual(self.files.read(f"{self.dir}/other/two"), "1")

    def test_removing(self):
        self.bash("mkdir -p full/of kept && touch f full/of/g kept/k && ln -s kept link")
        for name in ("f", "full", "link"):
            self.files.remove(f"{self.dir}/{name}")
            self.assertFalse(self.files.exists(f"{self.dir}/{name}"))
        self.assertTrue(self.files.exists(f"{self.dir}/kept/k"))

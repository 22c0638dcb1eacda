# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What happens between the guard of a mutation and its publication, and while a file is read: races that a real
sandbox cannot be stopped at."""

import os
import unittest

from contract.fault_target import FaultTarget
from contract.table import ANY, Error, check, placed, sh, step, target
from contract.words import NEW, OLD
from wait import until


class RaceTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.target = FaultTarget()
        cls.addClassCleanup(cls.target.close)

    def play(self, steps, **hooks):
        self.target.world.hooks.update(hooks)
        results = self.target.play([placed(one, self.target.workspace) for one, _ in steps])
        check(self, steps, results, self.target.workspace)
        self.assertEqual(self.target.world.hooks, {}, "the race took place")

    def written(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("competitor")

    def test_a_competitor_that_was_quicker_survives(self):
        create = step("write", Error("FS_NOT_OBSERVED"), of="$t", text="mine", expected=NEW)
        self.play(
            [target("f"), create, sh("cat f; ls -A", {"stdout": "competitorf\n"})], publish=self.written
        )

    def test_a_competing_directory_survives(self):
        create = step("write", Error("FS_NOT_REGULAR_FILE"), of="$t", text="mine", expected=NEW)
        self.play([target("f"), create, sh("stat -c %F f", {"stdout": "directory\n"})], publish=os.mkdir)

    def test_a_competing_link_that_leads_nowhere_survives(self):
        create = step("write", Error("FS_NOT_REGULAR_FILE"), of="$t", text="mine", expected=NEW)
        left = sh("readlink f; ls -A", {"stdout": "nowhere\nf\n"})
        self.play([target("f"), create, left], publish=lambda path: os.symlink("nowhere", path))

    def test_an_abort_before_the_publication_changes_nothing(self):
        cancelled = self.target.world.files.cancelled
        cancelled.clear()
        write = step("write", Error("FS_ABORTED"), of="$t", text="new", abort=100)
        left = sh("cat f; ls -A", {"stdout": "old\nf\n"})
        self.play([*OLD, write, left], publish=lambda _: until(lambda: cancelled, 30))
        self.assertEqual(len(cancelled), 1)

    def test_an_abort_after_the_publication_began_tells_the_real_outcome(self):
        """The daemon does not honour a cancel that comes too late: the write's own answer counts."""
        world = self.target.world
        asked = []
        plain = world.plain["cancel"]
        world.plain["cancel"] = lambda *_: asked.append(1) or {}
        self.addCleanup(world.plain.__setitem__, "cancel", plain)
        write = step("write", {"operation": "update"}, of="$t", text="new", abort=100)
        left = sh("cat f", {"stdout": "new"})
        self.play([*OLD, write, left], publish=lambda _: until(lambda: asked, 30))

    def test_a_file_that_grows_while_it_is_read_is_too_large_never_cut(self):
        def grow(path):
            with open(path, "a", encoding="utf-8") as file:
                file.write("x" * 100)

        read = step("bytes", Error("FS_TOO_LARGE"), of="$t", limit=10)
        self.play([sh("printf 123 > f"), target("f"), read], read=grow)

    def test_a_version_is_never_newer_than_the_content_that_was_read(self):
        """A change between the look and the read: the guard refuses afterwards."""
        stale = {"kind": "replaceIfVersion", "version": "$s.version"}
        steps = [
            *OLD,
            step("text", ANY, of="$t"),
            step("write", Error("FS_STALE_VERSION"), of="$t", text="x", expected=stale),
        ]
        self.play(steps, read=self.written)


if __name__ == "__main__":
    unittest.main()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at every named crash point of the test build; the list is docs/crash-points.md."""

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.crash_points import CONFIG, LIST, Drive, Verdict, names


class CrashPointsTest(E2eCase):
    clean_end = False

    def crash(self, point):
        """Drives a daemon into the point, restarts it without, and compares everything."""
        daemon = self.own_daemon(CONFIG, start=False)
        drive = Drive(daemon)
        code = drive.run(point)
        if code == 0:
            drive = self.crash_in_recovery(point)
        else:
            self.assertEqual(code, -9, f"{point}: the daemon ended otherwise:\n{daemon.tail()}")
        daemon = drive.daemon
        daemon.wait_no_workers()
        daemon.start()
        Verdict(self, drive, daemon.client()).check()
        self.check_end(daemon)

    def crash_in_recovery(self, point):
        """For points that only a start after a crash passes."""
        daemon = self.own_daemon(CONFIG, start=False)
        drive = Drive(daemon)
        drive.prepare_recovery()
        daemon.wait_no_workers()
        code = drive.run(point)
        if code == 0 and ":" in point:
            self.skipTest(f"nothing passes the point {point.replace(':', ' so often as ')} times")
        self.assertEqual(code, -9, f"no conversation and no recovery passes the point {point}")
        return drive

    def testListIsThere(self):
        self.assertTrue(names(), f"{LIST} names no crash points")


def add(point, number):
    """One test per point and pass, so that each can be run alone."""
    title = "".join(
        word.capitalize() for word in point.replace(".", " ").replace("-", " ").replace("_", " ").split()
    )
    armed = point if number == 1 else f"{point}:{number}"
    suffix = "" if number == 1 else f"Pass{number}"
    setattr(CrashPointsTest, f"testKilledAt{title}{suffix}", lambda self: self.crash(armed))


for name in names():
    for turn in range(1, settings.scaled(1, 4) + 1):
        add(name, turn)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Brains that are released and resumed: what the agent offers decides how, and no replay becomes an event."""

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type, said
from tests.e2e.wait import until


class ResumeTest(E2eCase):
    config = settings.t1("500ms")
    agents = {
        "fault": {},
        "load": {"resume": "load"},
        "neither": {"resume": "none"},
        "replays": {"replay": True},
        "no-close": {"no_close": True},
    }

    def second_brain(self, profile):
        """A session whose first brain was released, and its log then."""
        session = self.client.create(profile)
        self.assertEnded(self.client.run(session, "first")[1])
        self.client.wait_state(session, "detached")
        return session, self.client.log(session)

    # BR-054
    def testResumeIfOffered(self):
        session, _ = self.second_brain("fault")
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")

    # BR-054 BR-055
    def testLoadIfOnlyThatIsOfferedAndItsReplayIsNoEvent(self):
        session, before = self.second_brain("load")
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")
        log = self.client.log(session)
        self.assertEqual(log[: len(before)], before)
        self.assertNotIn("replayed", said(log))
        self.assertLog(log)

    # BR-054
    def testAgentThatCannotResumeSaysSo(self):
        session, _ = self.second_brain("neither")
        text, end = self.client.run(session, "@count")
        self.assertFailed(end, "not_resumable")
        self.assertEqual(text, "")

    # BR-055
    def testReplayOnResumeIsDropped(self):
        session, _ = self.second_brain("replays")
        self.assertEqual(self.client.run(session, "@count\n@sleep 300")[0], "count 2")
        log = self.client.log(session)
        self.assertNotIn("replayed", said(log))
        self.assertEqual(len(of_type(log, "turn_started")), 2)
        self.assertLog(log)

    # BR-054
    def testAgentWithoutCloseIsEndedInstead(self):
        session, _ = self.second_brain("no-close")
        until(
            lambda: not [t for t in self.daemon.workers().values() if "script-no-close" in t],
            "its process ends",
        )
        self.assertEqual(self.client.run(session, "@count")[0], "count 2")

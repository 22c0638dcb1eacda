# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A base class whose daemon lends hands from a sandboxd of the test."""

from tests.e2e import settings
from tests.e2e.case import E2eCase
from tests.e2e.client import of_type
from tests.e2e.envd_tap import EnvdTap
from tests.e2e.sandboxd import Sandboxd, needs_sandboxes
from tests.e2e.wait import DEADLINE, SLACK, until


@needs_sandboxes
class HandsCase(E2eCase):
    """The whole stack: agentpoold, sandboxd, the real dsh, the demo model. One sandboxd per class; after the last
    test no sandbox of a deleted session is left."""

    model = True
    agents = {}
    more = None  # configuration beside the hands
    tap = None  # a URL in front of sandboxd's, made of it

    @classmethod
    def setUpClass(cls):
        cls.sandboxd = Sandboxd()
        cls.addClassCleanup(cls.sandboxd.close)
        cls.sandboxd.start()
        hands = {
            "provider": "e2b",
            "url": cls.tap(cls.sandboxd.url) if cls.tap else cls.sandboxd.url,
            "api_key_file": cls.sandboxd.key_file,
            "template": "base",
        }
        cls.config = settings.merged({"pool": {"warm": 1}, "hands": hands}, cls.more)
        super().setUpClass()

    def results(self, session, turn=None):
        """What the model read of each tool call that ended, in order."""
        ended = [
            event
            for event in of_type(self.client.log(session), "tool_call_update")
            if event["status"] != "in_progress" and turn in (None, event["turn_id"])
        ]
        return ["".join(part["content"]["text"] for part in event.get("content", [])) for event in ended]

    def tool(self, session, line, timeout=DEADLINE * 2):
        """One turn of one script line; the result of its last tool call."""
        turn = self.client.prompt(session, line)
        self.assertEnded(self.client.turn_end(session, turn, timeout))
        return self.results(session, turn)[-1]

    def file(self, session, path):
        """A file of the hand through the files API."""
        return self.client.call("GET", f"/v1/sessions/{session}/files/content?path={path}")

    def assertNoneRuns(self, session, command):
        """No process of the hand has exactly this command line."""
        found = self.tool(session, f"$ pgrep -fx '{command}' || echo none")
        self.assertEqual(found.strip(), "none")

    def wait_live(self, session, text, turn):
        """Waits until a command's output was seen live."""
        with self.client.stream(session, after=0) as stream:
            seen = []

            def shown(frame):
                if frame.event == "live" and frame.data.get("kind") == "tool_output":
                    seen.append(frame.data["text"])
                if frame.event == "turn_end" and frame.data["turn_id"] == turn:
                    raise AssertionError(f"the turn ended before {text!r} was seen: {seen}")
                return text in "".join(seen)

            return stream.until(shown, DEADLINE * 2).data

    def assertLeftOver(self, sandboxes):
        """What remains at the provider and on the machine: these sandboxes, no brain, no mount."""
        self.assertEqual(self.sandboxd.list(), sorted(sandboxes))
        self.assertEqual(self.sandboxd.mounts(), [])

    def delete(self, session):
        self.assertLess(self.client.delete(session).status, 300)
        self.assertEqual(self.client.call("GET", f"/v1/sessions/{session}").status, 404)

    def assertProviderEmpty(self):
        until(lambda: not self.sandboxd.list(), "the provider has no sandbox", 5 * SLACK)


class TappedHandsCase(HandsCase):
    """A HandsCase whose requests to sandboxd pass `cls.envd`."""

    @classmethod
    def tap(cls, url):
        cls.envd = EnvdTap(url)
        cls.addClassCleanup(cls.envd.close)
        return cls.envd.url

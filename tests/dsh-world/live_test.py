# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Live text: what the model says reaches the world while it is said (docs/world-protocol.md section 7)."""

import threading
import unittest

from dsh_case import DshCase
from dsh_process import DEADLINE_S
from fake_model import block, message, say, start


def spoken(frames, kind):
    """The text of the frames of one kind; fails on an offset that does not follow."""
    text = b""
    for frame in frames:
        if frame.get("kind") == kind:
            assert frame["offset"] == len(text), frame
            text += frame["text"].encode()
    return text.decode()


class LiveTest(DshCase):
    def setUp(self):
        super().setUp()
        self.arrived = threading.Condition()
        self.seen = []
        self.world.answers["live"] = self.live

    def live(self, _handler, body, _content):
        with self.arrived:
            self.seen += body["frames"]
            self.arrived.notify_all()
        return {}

    def until(self, ready):
        """Called by the model between two words: goes on when the world has seen enough."""
        def wait():
            with self.arrived:
                assert self.arrived.wait_for(lambda: ready(self.seen), DEADLINE_S), self.seen
        return wait

    def test_words_arrive_before_the_committed_text_with_byte_offsets(self):
        dsh = self.start()
        session = dsh.new_session()
        committed = []
        first = self.until(lambda seen: spoken(seen, "message") == "grün ")
        last = self.until(lambda seen: spoken(seen, "message") == "grün und 🙂 blau")
        self.model.script = [say("grün ", first, lambda: committed.append(dsh.lines.qsize()), "und 🙂",
            " blau", last)]
        self.assertEqual(dsh.prompt(session, "hi")["result"]["stopReason"], "end_turn")
        self.assertEqual(committed, [0])
        self.assertEqual(dsh.texts(), ["grün und 🙂 blau"])
        self.until(lambda seen: "end" in seen[-1])()
        attempts = {frame["attempt"] for frame in self.seen}
        self.assertEqual(len(attempts), 1)
        self.assertEqual(self.seen[-1], {"attempt": attempts.pop(), "end": "committed"})
        text = [frame for frame in self.seen if "kind" in frame]
        self.assertEqual({(frame["turn"], frame["step"], frame["index"]) for frame in text}, {(1, 1, 0)})

    def test_thoughts_are_told_apart_from_the_message(self):
        dsh = self.start()
        done = self.until(
            lambda seen: spoken(seen, "message") == "yes" and spoken(seen, "thought") == "hm, well")
        self.model.script = [list(message(block(0, "thinking", ["hm, ", "well"]),
            block(1, "text", ["yes", done])))]
        dsh.prompt(dsh.new_session(), "hi")
        self.assertEqual((dsh.texts("agent_thought_chunk"), dsh.texts()), (["hm, well"], ["yes"]))
        self.assertEqual({frame["index"] for frame in self.seen if frame.get("kind") == "message"}, {1})

    def test_a_broken_attempt_is_taken_back(self):
        dsh = self.start()
        broken = [start(),
            *block(0, "text", ["wrong", self.until(lambda seen: spoken(seen, "message") == "wrong")])][:-1]
        self.model.script = [broken, say("right")]
        self.assertEqual(dsh.prompt(dsh.new_session(), "hi")["result"]["stopReason"], "end_turn")
        self.assertEqual(dsh.texts(), ["right"])
        self.until(lambda seen: seen[-1].get("end") == "committed")()
        ends = [frame for frame in self.seen if "end" in frame]
        self.assertEqual([frame["end"] for frame in ends], ["abandoned", "committed"])
        self.assertEqual(ends[0]["attempt"], self.seen[0]["attempt"])
        self.assertNotEqual(ends[0]["attempt"], ends[1]["attempt"])

    def test_a_world_that_takes_no_live_text_does_not_delay_the_turn(self):
        release = threading.Event()
        self.addCleanup(release.set)
        self.world.answers["live"] = lambda *_: release.wait(DEADLINE_S) and {}
        dsh = self.start()
        self.model.script = [say(*["word "] * 2000)]
        self.assertEqual(dsh.prompt(dsh.new_session(), "hi")["result"]["stopReason"], "end_turn")
        self.assertEqual(dsh.texts(), ["word " * 2000])
        self.assertEqual(len(self.world.bodies("live")), 1)
        self.assertEqual(dsh.end()[0], 0)


if __name__ == "__main__":
    unittest.main()

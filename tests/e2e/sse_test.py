# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The suite's own SSE reader: if it were wrong, every stream test would be."""
import unittest

from tests.e2e.sse import Chunked, Parser

TEXT = b": hello\n\nid: 1\nevent: x\ndata: {\"a\":\ndata: 1}\n\nretry: 50\n\nevent: caught_up\ndata: {}\r\n\r\n"


class ParserTest(unittest.TestCase):

  def testWhole(self):
    frames = Parser().feed(TEXT)
    self.assertEqual([f.comment for f in frames], ["hello", None, None, None])
    self.assertEqual([f.id for f in frames], [None, "1", None, None])
    self.assertEqual(frames[1].data, {"a": 1})
    self.assertEqual(frames[2].retry, "50")
    self.assertEqual(frames[3].event, "caught_up")

  def testEveryCut(self):
    for cut in range(len(TEXT)):
      parser = Parser()
      frames = parser.feed(TEXT[:cut]) + parser.feed(TEXT[cut:])
      self.assertEqual([f.event for f in frames], [None, "x", None, "caught_up"], cut)

  def testSplitCharacter(self):
    parser = Parser()
    data = "data: \"ü€\"\n\n".encode()
    frames = [f for i in range(len(data)) for f in parser.feed(data[i:i + 1])]
    self.assertEqual([f.data for f in frames], ["ü€"])

  def testUnfinishedFrameIsNone(self):
    self.assertEqual(Parser().feed(b"id: 1\ndata: {}\n"), [])


class ChunkedTest(unittest.TestCase):

  def testEveryCut(self):
    data = b"3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n"
    for cut in range(len(data)):
      decoder = Chunked()
      self.assertEqual(decoder.feed(data[:cut]) + decoder.feed(data[cut:]), b"abc0123456789", cut)
      self.assertTrue(decoder.ended, cut)

  def testMissingEndOfChunk(self):
    with self.assertRaises(ValueError):
      Chunked().feed(b"3\r\nabcXY")


if __name__ == "__main__":
  unittest.main()

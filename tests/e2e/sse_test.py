# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The suite's own SSE reader: if it were wrong, every stream test would be."""

import socket
import threading
import unittest

from tests.e2e.sse import Chunked, Closed, Parser, Stream

TEXT = (
    b": hello\n\nid: 1\nevent: x\ndata: {\"a\":\ndata: 1}\n\nretry: 50\n\nevent: caught_up\ndata: {}\r\n\r\n"
)


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
        frames = [f for i in range(len(data)) for f in parser.feed(data[i : i + 1])]
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


class StreamTest(unittest.TestCase):

    def stream(self, *pieces, end=True):
        """A stream whose peer sends a header and these chunks."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            link, _ = listener.accept()
            self.addCleanup(link.close)
            self.request = link.recv(65536)
            link.sendall(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"
            )
            for piece in pieces:
                link.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            if end:
                link.sendall(b"0\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        stream = Stream(
            f"http://127.0.0.1:{listener.getsockname()[1]}", "t0ken", "/e", {"Last-Event-ID": "7"}
        )
        thread.join()
        self.addCleanup(stream.close)
        return stream

    def testFramesAcrossChunksThenEnd(self):
        stream = self.stream(
            b"id: 1\nevent: a\nda", b"ta: {\"seq\":1}\n\n: beat\n", b"\nevent: caught_up\ndata: {}\n\n"
        )
        self.assertEqual((stream.status, stream.headers["content-type"]), (200, "text/event-stream"))
        stream.until("caught_up")
        self.assertEqual(stream.events(), [{"seq": 1}])
        self.assertEqual(stream.last_id(), "1")
        self.assertEqual(stream.drain(), "ended in order")
        self.assertIn(b"Authorization: Bearer t0ken\r\n", self.request)
        self.assertIn(b"Last-Event-ID: 7\r\n", self.request)

    def testSilenceIsATimeOut(self):
        stream = self.stream(b": hello\n\n", end=False)
        self.assertEqual(stream.next().comment, "hello")
        with self.assertRaises(TimeoutError):
            stream.next(0.05)

    def testEndInTheMiddle(self):
        stream = self.stream(b"id: 1\n")
        with self.assertRaises(Closed):
            stream.next()


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/bench: figures, report, command line, and the load generators on a small server."""

import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from benchlib import link, load, report, stats, wrk  # noqa: E402: the path is set above
from benchlib.bench import Bench, run_items  # noqa: E402
from benchlib.options import UsageError, parse  # noqa: E402

WRK = """Running 2s test @ http://127.0.0.1:4711/v1/sessions/ses_x
  1 threads and 50 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.61ms  310.22us   9.84ms   89.12%
    Req/Sec    31.02k     1.20k   33.10k    71.00%
  Latency Distribution
     50%    1.55ms
     75%    1.70ms
     90%  950.00us
     99%    2.92ms
  61985 requests in 2.00s, 33.57MB read
Requests/sec:  30987.12
Transfer/sec:     16.78MB
"""


class StatsTest(unittest.TestCase):

    def testPercentileIsAMeasuredValue(self):
        samples = list(range(1, 101))
        random.Random(1).shuffle(samples)
        self.assertEqual([stats.percentile(samples, p) for p in (1, 50, 95, 99, 100)], [1, 50, 95, 99, 100])
        self.assertEqual(stats.percentile([7.5], 95), 7.5)
        self.assertEqual(stats.percentile([1, 2, 3, 4], 50), 2)
        self.assertEqual(stats.median([3, 1, 2]), 2)

    def testPercentileRefusesNonsense(self):
        for samples, percent in (([], 50), ([1], 0), ([1], 101)):
            with self.assertRaises(ValueError):
                stats.percentile(samples, percent)

    def testSlopeIsTheGrowthPerUnit(self):
        self.assertAlmostEqual(stats.slope([(0, 100), (1000, 8100), (2000, 16100)]), 8.0)
        self.assertAlmostEqual(stats.slope([(0, 5), (10, 5)]), 0.0)
        self.assertAlmostEqual(stats.slope([(0, 0), (1, 3), (2, 1), (3, 4)]), 1.0)

    def testSlopeNeedsTwoPlaces(self):
        with self.assertRaises(ValueError):
            stats.slope([(3, 1), (3, 2)])

    def testRatioOfNothing(self):
        self.assertEqual((stats.ratio(6, 3), stats.ratio(6, 0)), (2, 0.0))


class ReportTest(unittest.TestCase):

    def row(self, value, target):
        return report.Row("item", "what", value, "ms", target)

    def testVerdictSaysSideAndResult(self):
        self.assertEqual(self.row(2.5, report.at_most(3)).verdict, "under, met")
        self.assertEqual(self.row(3, report.at_most(3)).verdict, "at, met")
        self.assertEqual(self.row(3.1, report.at_most(3)).verdict, "over, MISSED")
        self.assertEqual(self.row(2.5, report.at_least(3)).verdict, "under, MISSED")
        self.assertEqual(self.row(3.1, report.at_least(3)).verdict, "over, met")
        self.assertEqual(self.row(3.1, None).verdict, "-")

    def testNumbersHaveThreeDigits(self):
        shown = [report.number(value) for value in (0, 0.01234, 1.0, 2.345, 99.99, 123.4, 30987.1)]
        self.assertEqual(shown, ["0", "0.0123", "1", "2.35", "99.99", "123", "30 987"])

    def testTableIsAlignedMarkdown(self):
        rows = [
            self.row(2.5, report.at_most(3)),
            report.Row("longer", "x", 30000, "req/s", report.at_least(1), 9, "n"),
        ]
        lines = report.table(rows).splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertEqual(lines[2].split("|")[4].strip(), "≤ 3 ms")
        self.assertEqual(lines[3].split("|")[3].strip(), "30 000 req/s")

    def testJsonHasTheSameFigures(self):
        text = report.as_json(
            {"cores": 2}, [self.row(3.1, report.at_most(3)), self.row(1, None)], {"x": "why"}
        )
        found = json.loads(text)
        self.assertEqual(found["machine"], {"cores": 2})
        self.assertEqual(found["failures"], {"x": "why"})
        first, second = found["rows"]
        self.assertEqual(
            (first["value"], first["target"], first["met"]), (3.1, {"bound": 3, "kind": "max"}, False)
        )
        self.assertEqual((second["target"], second["met"]), (None, None))


class WrkTest(unittest.TestCase):

    def testReadsWhatWrkPrints(self):
        found = wrk.parse(WRK)
        self.assertEqual(found["rate"], 30987.12)
        self.assertEqual(found["errors"], 0)
        for percent, seconds in ((50, 1.55e-3), (90, 950e-6), (99, 2.92e-3)):
            self.assertAlmostEqual(found["percentiles"][percent], seconds)

    def testCountsBadAnswers(self):
        text = (
            WRK + "  Socket errors: connect 0, read 2, write 0, timeout 1\n  Non-2xx or 3xx responses: 40\n"
        )
        self.assertEqual(wrk.parse(text)["errors"], 43)

    def testRefusesOtherText(self):
        with self.assertRaises(ValueError):
            wrk.parse("unable to connect to 127.0.0.1:1 Connection refused")

    def testAScriptOfLuaKeepsEveryByte(self):
        script = wrk.lua("POST", {"A-b": 'c"d'}, bytes(range(256)))
        self.assertIn('wrk.method = "\\080\\079\\083\\084"', script)
        self.assertIn('wrk.headers["\\065\\045\\098"] = "\\099\\034\\100"', script)
        self.assertIn("\\000\\001\\002", script)
        self.assertIn("\\253\\254\\255", script)


class OptionsTest(unittest.TestCase):

    def testDefaults(self):
        options = parse(["chat"], "/repo")
        self.assertEqual((options.build, options.json, options.quick), ("/repo/build/release", False, False))
        self.assertEqual(options.chosen({"a": 1, "b": 2}), [("a", 1), ("b", 2)])

    def testSuites(self):
        self.assertEqual(parse([], "/repo").suite, "chat")
        self.assertEqual(parse(["tools", "--quick"], "/repo").suite, "tools")

    def testItemsKeepTheOrderOfTheSuite(self):
        options = parse(["b", "--quick", "--json", "a", "--build", "/x"], "/repo")
        self.assertEqual((options.build, options.json, options.quick), ("/x", True, True))
        self.assertEqual(options.chosen({"a": 1, "c": 3, "b": 2}), [("a", 1), ("b", 2)])

    def testWrongOnesAreNamed(self):
        for arguments, text in ((["--nope"], "--nope"), (["--build"], "--build")):
            with self.assertRaisesRegex(UsageError, text):
                parse(arguments, "/repo")
        with self.assertRaisesRegex(UsageError, "zzz; there are a, b"):
            parse(["zzz"], "/repo").chosen({"a": 1, "b": 2})

    def testMissingDaemonIsOneSentence(self):
        command = [str(ROOT / "scripts" / "bench"), "--build", "/nonexistent", "idle"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Abench: there is no daemon in /nonexistent; .*\n\Z")


class ItemsTest(unittest.TestCase):

    def testOneFailureDoesNotStopTheOthers(self):
        half, row = report.Row("bad", "half", 1, ""), report.Row("good", "x", 1, "")

        def bad(_bench):
            yield half
            raise RuntimeError("broken")

        rows, failures = run_items(Bench("/"), [("bad", bad), ("good", lambda _: [row])], lambda _: None)
        self.assertEqual(rows, [half, row])
        self.assertEqual(failures, {"bad": "RuntimeError: broken"})

    def testSharedMeasurementRunsOnce(self):
        bench, calls = Bench("/", quick=True), []
        for _ in range(2):
            self.assertEqual(bench.once("x", lambda: calls.append(1) or "result"), "result")
        self.assertEqual((calls, bench.count(100, 5)), ([1], 5))


class Server(threading.Thread):
    """Answers every request line by line with the status that its path names: /204 has no body."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.requests = []

    def run(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        with sock, sock.makefile("rb") as source:
            while line := source.readline():
                path, size = line.split()[1].decode(), 0
                while header := source.readline().strip():
                    if header.lower().startswith(b"content-length:"):
                        size = int(header.split(b":")[1])
                self.requests.append((path, source.read(size)))
                body = b"" if path == "/204" else path.encode()
                sock.sendall(f"HTTP/1.1 {path[1:4]} X\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


class LoadTest(unittest.TestCase):

    def setUp(self):
        self.server = Server()
        self.server.start()
        self.addCleanup(self.server.listener.close)

    def request(self, path, body=None):
        return link.encode(self.server.url, "token", "GET", path, body)

    def testDecodesPieces(self):
        whole = b"HTTP/1.1 202 Accepted\r\ncontent-LENGTH: 5\r\nX: y\r\n\r\nhelloHTTP"
        for end in range(len(whole) - 4):
            self.assertIsNone(link.decode(whole[:end]))
        self.assertEqual(link.decode(whole), (202, b"hello", b"HTTP"))
        self.assertEqual(link.decode(b"HTTP/1.1 204 No Content\r\n\r\n"), (204, b"", b""))

    def testLinkKeepsItsConnection(self):
        with link.Link(self.server.url, "token") as one:
            self.assertEqual(one.exchange(self.request("/200", {"a": 1})), (200, b"/200"))
            self.assertEqual(one.exchange(self.request("/204")), (204, b""))
            with self.assertRaisesRegex(RuntimeError, "-> 409"):
                one.must(200, "GET", "/409")
        self.assertEqual(self.server.requests[0], ("/200", b'{"a": 1}'))

    def testClosedLoopSendsEachOnce(self):
        done = load.closed(self.server.url, [self.request(f"/200/{n}") for n in range(50)], 4).must(200)
        self.assertEqual(len(done.latencies), 50)
        self.assertEqual(sorted(done.bodies), sorted(f"/200/{n}".encode() for n in range(50)))
        self.assertGreater(done.rate, 0)

    def testPacedLoopSendsAll(self):
        done = load.paced(self.server.url, self.request("/200"), 400, 0.25, 3).must(200)
        self.assertEqual((len(done.latencies), done.statuses[200]), (100, 100))
        self.assertGreaterEqual(done.seconds, 99 / 400)

    def testWrongStatusIsAnError(self):
        with self.assertRaisesRegex(RuntimeError, "429"):
            load.closed(self.server.url, [self.request("/429")], 1).must(200)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    unittest.main()

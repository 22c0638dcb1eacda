# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Starts that must be refused in one sentence: configuration, port, data folder, dsh."""

import os
import shutil
import socket
from urllib.parse import urlsplit

from tests.e2e.case import E2eCase
from tests.e2e.wait import DEADLINE


class StartTest(E2eCase):
    clean_end = False

    def refused(self, daemon, code, *words, extra=()):
        """The daemon ends with that code and one text that names all these words."""
        daemon.spawn(*extra)
        self.assertEqual(daemon.wait_exit(), code, daemon.tail())
        for word in words:
            self.assertIn(word, daemon.text())
        self.assertEqual(daemon.workers(), {})

    def testAllConfigurationErrorsAtOnce(self):
        daemon = self.own_daemon(start=False)
        with open(daemon.config, "w", encoding="utf-8") as config:
            config.write(
                '[pool]\nwarm = "many"\nunknown_key = 1\n\n[session]\nt1 = "ten"\n\n[nonsense]\na = 1\n\n'
                '[agents.x]\ncommand = 5\n'
            )
        self.refused(daemon, 2, "config.toml", "warm", "unknown_key", "t1", "nonsense", "command")
        for line in ("2", "3", "6", "8"):
            self.assertIn(f"config.toml:{line}", daemon.text())

    def testACheckSaysTheSameAndStartsNothing(self):
        daemon = self.own_daemon(start=False)
        daemon.spawn("--check")
        self.assertEqual(daemon.wait_exit(), 0, daemon.tail())
        with open(daemon.config, "w", encoding="utf-8") as config:
            config.write('[pool]\nwarm = "many"\nunknown_key = 1\n')
        self.refused(daemon, 2, "config.toml:2", "warm", "config.toml:3", "unknown_key", extra=["--check"])
        self.assertFalse(os.path.exists(os.path.join(daemon.data, "agentpool.db")))

    def testSyntaxErrorNamesTheLine(self):
        daemon = self.own_daemon(start=False)
        with open(daemon.config, "w", encoding="utf-8") as config:
            config.write("[pool]\nwarm = = 2\n")
        self.refused(daemon, 2, "config.toml:2")

    def testValuesOutOfRange(self):
        for table, key, value in (
            ("pool", "warm", "-1"),
            ("session", "t1", '"0ms"'),
            ("session", "t1", '"-5s"'),
            ("gateway", "heartbeat", '"10"'),
            ("gateway", "heartbeat", "10"),
        ):
            daemon = self.own_daemon(start=False)
            with open(daemon.config, "w", encoding="utf-8") as config:
                config.write(f"[{table}]\n{key} = {value}\n")
            self.refused(daemon, 2, key, "config.toml:2")

    def testAgentWithoutALockMustBeTrusted(self):
        daemon = self.own_daemon(start=False)
        with open(daemon.config, "a", encoding="utf-8") as config:
            config.write('[agents.other]\ncommand = ["/bin/true"]\n')
        self.refused(daemon, 2, "other", "trusted")

    def testTrustedAgentsAreSaidLoudly(self):
        daemon = self.own_daemon()
        self.assertIn("trusted", daemon.text())
        self.check_end(daemon)

    def testMissingConfiguration(self):
        daemon = self.own_daemon(start=False)
        os.unlink(daemon.config)
        self.refused(daemon, 2, "config.toml")

    def testPortInUse(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            daemon = self.own_daemon(start=False)
            daemon.spawn("--port", port)
            self.assertNotEqual(daemon.wait_exit(), 0)
            self.assertIn(port, daemon.text())
            self.assertNotIn("Traceback", daemon.text())

    def testSecondDaemonOnTheSameData(self):
        daemon = self.own_daemon()
        first, output = daemon.child, daemon.output
        daemon.spawn()
        self.assertNotEqual(daemon.wait_exit(), 0)
        self.assertIn(daemon.data, daemon.text())
        daemon.child, daemon.output = first, output
        self.assertEnded(daemon.client().run(daemon.client().create(), "still fine")[1])
        self.check_end(daemon)

    def testDataFolderThatCannotBe(self):
        daemon = self.own_daemon(start=False)
        shutil.rmtree(daemon.data)
        with open(daemon.data, "w", encoding="utf-8"):
            pass
        daemon.spawn()
        self.assertNotEqual(daemon.wait_exit(), 0)
        self.assertIn(daemon.data, daemon.text())
        os.unlink(daemon.data)

    def testDataFolderTooLongForSockets(self):
        daemon = self.own_daemon(start=False)
        daemon.data = os.path.join(daemon.work, "d" * 80)
        self.refused(daemon, 2, daemon.data, "too long", "--data")

    def testMissingDsh(self):
        daemon = self.own_daemon(start=False)
        daemon.spawn("--dsh-prefix", os.path.join(daemon.work, "no-dsh"))
        self.assertNotEqual(daemon.wait_exit(), 0)
        self.assertIn("no-dsh", daemon.text())
        self.assertIn("install-dsh", daemon.text())

    def testUnknownOption(self):
        daemon = self.own_daemon(start=False)
        daemon.spawn("--no-such-option")
        self.assertNotEqual(daemon.wait_exit(DEADLINE), 0)
        self.assertIn("--no-such-option", daemon.text())

    def testEndpointsFileIsPrivateAndGoesAway(self):
        daemon = self.own_daemon()
        path = os.path.join(daemon.data, "run", "endpoints.json")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        endpoints = daemon.endpoints()
        for part in ("gateway", "ops"):
            self.assertEqual(endpoints[part]["pid"], daemon.pid)
            self.assertEqual(urlsplit(endpoints[part]["url"]).hostname, "127.0.0.1")
        self.check_end(daemon)

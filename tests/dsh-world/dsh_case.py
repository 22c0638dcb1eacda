# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What every test of the plugin stands on: a home, a fake world, a fake model, and the real dsh between
them."""

import shutil
import tempfile
import unittest

from dsh_process import Dsh, make_home
from fake_model import FakeModel, call
from fake_world import FakeWorld


class DshCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="dsh-world-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.home = make_home(self.folder)
        self.world = FakeWorld(self.folder)
        self.addCleanup(self.world.close)
        self.model = FakeModel()
        self.addCleanup(self.model.close)

    def spawn(self, **more):
        dsh = Dsh(self.home, {**self.world.env(), **self.model.env(), **more})
        self.addCleanup(dsh.stop)
        return dsh

    def start(self, **more):
        """A dsh that answered initialize."""
        dsh = self.spawn(**more)
        self.assertEqual(dsh.initialize()["result"]["protocolVersion"], 1)
        return dsh

    def run_tool(self, name, arguments):
        """One turn in which the model calls one tool; returns what the model read as its result."""
        self.model.script = [call(name, arguments)]
        dsh = self.start()
        reply = dsh.prompt(dsh.new_session(), "go")
        self.assertEqual(reply["result"]["stopReason"], "end_turn")
        self.assertEqual(dsh.texts(), ["ok"])
        return self.model.last_results()[-1]

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The contract tables against the plugin in the real dsh before the fault world: no daemon, no sandbox."""

import json
import os
import shutil
import tempfile

from contract.row import add_row, move_workspace
from dsh_process import Dsh, make_home
from fake_model import FakeModel, call, say
from fault_world import FaultWorld


class FaultTarget:
    """A place where tables run. `play` runs steps as one tool call of a fresh session in an empty workspace;
    `workspace` is that directory's path in the world."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="contract-")
        self.world = FaultWorld(self.folder)
        self.workspace = self.world.workspace
        self.model = FakeModel()
        home = make_home(self.folder)
        profile = os.path.join(home, "profiles", "agentpool")
        add_row(profile)
        move_workspace(profile, self.workspace)
        self.dsh = Dsh(home, {**self.world.env(), **self.model.env()})
        self.dsh.initialize()

    def play(self, steps):
        self.empty()
        session = self.dsh.call("session/new", cwd=self.workspace, mcpServers=[])["result"]["sessionId"]
        self.model.script = [call("contract", {"script": json.dumps(steps)}), say("done")]
        reply = self.dsh.prompt(session, "go")
        if reply.get("result", {}).get("stopReason") != "end_turn":
            raise AssertionError(f"the turn ended with {reply}")
        results = self.model.last_results()[-1]
        self.dsh.call("session/close", sessionId=session)
        return json.loads(results)

    def empty(self):
        for name in os.listdir(self.workspace):
            path = os.path.join(self.workspace, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def close(self):
        self.dsh.stop()
        self.model.close()
        self.world.close()
        shutil.rmtree(self.folder, ignore_errors=True)

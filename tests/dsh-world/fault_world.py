# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A daemon's world socket that serves docs/world-protocol.md from a directory of this machine: real files, real
processes, no isolation. Exists to prove the plugin without a sandbox and to inject faults at the moments that a
real hand cannot be stopped at (`hooks`); it is no provider."""

import os

from fake_world import FakeWorld, Refusal
from fault_world_files import Files
from fault_world_process import Processes
from fault_world_terminal import Terminals


class FaultWorld(FakeWorld):
    """`workspace` is where relative paths start. `hooks`: "publish" is called between a mutation's guard and its
    publication."""

    def __init__(self, folder):
        folder = os.path.realpath(folder)
        super().__init__(folder)
        self.workspace = os.path.join(folder, "workspace")
        os.makedirs(self.workspace, exist_ok=True)
        self.hooks = {}
        self.files = Files(self)
        self.processes = Processes(folder)
        self.terminals = Terminals(self.processes)
        for part in (self.files, self.processes, self.terminals):
            self.plain.update(part.routes())
        self.plain["cancel"] = self.files.cancel

    def run_hook(self, name, *args):
        hook = self.hooks.pop(name, None)
        if hook:
            hook(*args)

    def session(self, *_):
        return {**super().session(), "workspace": self.workspace, "hand": "running"}

    def no_hand(self, *_):
        raise Refusal(404, "unknown_route", "There is no such route.")

    def close(self):
        self.processes.close()
        super().close()

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""dsh's seams to the letter on the whole stack: the tables of tests/dsh-world/contract through the plugin in the
real dsh, agentpoold, sandboxd and envd. A tap in front of sandboxd counts what the world asks of envd."""

import json
import os
import shutil
import sys
import tempfile

from tests.e2e import settings
from tests.e2e.envd_tap import EnvdTap
from tests.e2e.harness import Daemon
from tests.e2e.sandboxd import Sandboxd, needs_sandboxes
from tests.e2e.sandboxes import TappedHandsCase
from tests.e2e.client import of_type
from tests.e2e.wait import DEADLINE

sys.path.append(os.path.join(settings.REPO, "tests", "dsh-world"))
from contract.row import add_row  # noqa: E402
from contract.suite import contract_case  # noqa: E402


class StackTarget:
    """Runs steps as one tool call of a fresh session with a fresh hand behind agentpoold."""

    workspace = "/workspace"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ap-contract-")
        os.chmod(self.folder, 0o755)
        profile = os.path.join(self.folder, "profile")
        shutil.copytree(os.path.join(settings.REPO, "conf", "dsh", "profile"), profile)
        add_row(profile)
        self.sandboxd = Sandboxd().start()
        self.tap = EnvdTap(self.sandboxd.url)
        hands = {
            "provider": "e2b",
            "url": self.tap.url,
            "api_key_file": self.sandboxd.key_file,
            "template": "base",
        }
        self.daemon = Daemon({"pool": {"warm": 1}, "hands": hands, **settings.BIG_BODIES}, {}, model=True)
        self.daemon.options = {"--dsh-profile": profile}
        self.daemon.start()
        self.client = self.daemon.client()

    def play(self, steps):
        session = self.client.create("dsh")
        turn = self.client.prompt(session, "@contract " + json.dumps({"script": json.dumps(steps, ensure_ascii=False)}, ensure_ascii=False))
        end = self.client.turn_end(session, turn, DEADLINE * 4)
        if end.get("stop_reason") != "end_turn":
            raise AssertionError(f"the turn ended with {end}")
        (done,) = [
            e for e in of_type(self.client.log(session), "tool_call_update") if e["status"] == "completed"
        ]
        self.client.delete(session)
        return json.loads("".join(part["content"]["text"] for part in done["content"]))

    def close(self):
        self.daemon.stop(DEADLINE)
        self.daemon.close()
        self.tap.close()
        self.sandboxd.close()
        shutil.rmtree(self.folder, ignore_errors=True)


ContractTest = needs_sandboxes(contract_case(StackTarget))


@needs_sandboxes
class EnvdCallsTest(TappedHandsCase):
    """Which envd calls a tool costs: a look at the world starts no process, and an exit is never polled for."""

    def started_by(self, line):
        """How many processes a tool call has started, and its result."""
        self.envd.forget()
        result = self.tool(self.session, line)
        return self.envd.count("/process.Process/Start"), result

    def testLooksStartNoProcess(self):
        self.session = self.client.create("dsh")
        self.tool(self.session, "$ mkdir d; echo x > d/f; ln -s d l")
        for path in ("d/f", "l/f", "no/such/file"):
            line = "@read " + json.dumps({"file_path": f"/workspace/{path}"})
            self.assertEqual(self.started_by(line)[0], 0, path)

    def testOneCommandIsOneProcessAndNoPolling(self):
        self.session = self.client.create("dsh")
        self.tool(self.session, "$ true")
        starts, result = self.started_by("$ sleep 1; echo end")
        self.assertEqual((starts, result), (1, "end\n"))
        self.assertEqual(self.envd.count("/process.Process/List"), 0)
        self.assertLess(len(self.envd.calls()), 12, self.envd.calls())

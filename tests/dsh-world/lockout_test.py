# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The brain cannot reach its host: a foreign provider stops the boot, and nothing of the host can be read."""

import os
import unittest

from dsh_case import DshCase
from dsh_process import Closed, edit_profile
from fake_model import call, say

FS = "{id: world-fs, name: '@agentpool/dsh-world/fs', config: {cwd: /workspace}}"
SUBPROCESS = "{id: world-subprocess, name: '@agentpool/dsh-world/subprocess'}"
GUARD = "    - {id: world-guard"


class LockoutTest(DshCase):
    def fails_to_boot(self, reason, **env):
        """No reply to initialize, exit 1, and the reason on stderr."""
        with self.assertRaises(Closed) as caught:
            self.spawn(**env).initialize()
        self.assertEqual(caught.exception.code, 1)
        self.assertIn(reason, caught.exception.stderr)
        return caught.exception.stderr

    def test_local_files_instead_of_ours_stop_the_boot(self):
        edit_profile(self.home, FS, "{id: world-fs, name: '@deepseek-ai/dsh-fs-local'}")
        self.fails_to_boot('world-guard: service "fs" is provided by LocalFileSystem')

    def test_local_processes_instead_of_ours_stop_the_boot(self):  # BR-057
        edit_profile(self.home, SUBPROCESS,
            "{id: world-subprocess, name: '@deepseek-ai/dsh-subprocess-local'}")
        self.fails_to_boot('world-guard: service "subprocess" is provided by LocalSubprocessRuntime')

    def test_local_files_in_an_isolated_realm_stop_the_boot(self):
        edit_profile(self.home, GUARD, "    - id: hidden\n      name: cordis:group\n      group: true\n"
                     "      isolate: {fs: true}\n      config:\n"
                     "        - {id: hidden-fs, name: '@deepseek-ai/dsh-fs-local'}\n" + GUARD)
        self.fails_to_boot('service "fs" is provided by LocalFileSystem')

    def test_a_missing_provider_stops_the_boot(self):
        edit_profile(self.home, FS, "{id: world-fs, name: '@agentpool/dsh-world/fs', disabled: true}")
        self.fails_to_boot("did not activate")

    def test_a_missing_token_stops_the_boot(self):
        self.fails_to_boot("AGENTPOOL_WORLD_SOCKET and AGENTPOOL_WORLD_TOKEN must be set",
            AGENTPOOL_WORLD_TOKEN="")

    def test_a_good_boot_writes_nothing_to_stderr(self):
        self.start()
        dsh = self.start()
        dsh.call("session/close", sessionId=dsh.new_session())
        self.assertEqual(dsh.end()[0], 0)
        self.assertEqual(dsh.stderr, b"")

    def test_a_file_of_the_host_cannot_be_read_or_written(self):
        canary = os.path.join(self.folder, "canary.txt")
        inside = os.path.join(self.home, "canary.txt")
        for path in (canary, inside):
            with open(path, "w", encoding="utf-8") as file:
                file.write("host-only-secret")
        dsh = self.start()
        session = dsh.new_session()
        for path in (canary, inside, "/etc/hostname"):
            for tool, arguments in (("read", {"file_path": path}),
                ("write", {"file_path": path, "content": "x"}),
                                    ("edit", {"file_path": path, "old_string": "host", "new_string": "x"})):
                self.model.script = [call(tool, arguments), say("done")]
                dsh.prompt(session, "go")
                self.assertTrue(self.model.last_results()[-1].startswith("Error: "),
                    self.model.last_results()[-1])
        for request in self.model.requests:
            self.assertNotIn("host-only-secret", str(request))
        for path in (canary, inside):
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "host-only-secret")

    def test_paths_of_the_brains_own_configuration_are_not_asked_of_the_world(self):
        dsh = self.start()
        self.model.script = [call("read", {"file_path": os.path.join(self.home, "AGENTS.md")}), say("done")]
        dsh.prompt(dsh.new_session(), "go")
        self.assertIn("not found", self.model.last_results()[-1])
        self.assertNotIn(self.home, str(self.world.requests))

    def test_the_token_is_not_in_the_environment_a_command_gets(self):
        self.run_tool("bash", {"command": "env", "description": "d"})
        self.assertNotIn("one-time", str(self.world.bodies("process/spawn")))

    def test_a_server_command_of_the_client_is_not_started(self):  # BR-057
        dsh = self.start()
        marker = os.path.join(self.home, "sessions", "started")
        server = {"name": "m", "command": "/usr/bin/touch", "args": [marker], "env": []}
        dsh.call("session/new", cwd="/workspace", mcpServers=[server])
        self.assertFalse(os.path.exists(marker))


if __name__ == "__main__":
    unittest.main()

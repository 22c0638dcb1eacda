# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""git: every method, with a repository inside the sandbox as the remote one."""

from support import Scenario


class Git(Scenario):
    def setUp(self):
        super().setUp()
        self.git, self.files = self.sandbox.git, self.sandbox.files
        self.remote, self.work = f"{self.dir}/remote.git", f"{self.dir}/work"
        self.git.init(self.remote, bare=True, initial_branch="main")
        self.git.clone(self.remote, path=self.work)
        self.git.configure_user("A User", "user@example.com", scope="local", path=self.work)
        self.commit("a.txt", "first")
        self.git.push(self.work, remote="origin", branch="main")

    def commit(self, name, message):
        self.files.write(f"{self.work}/{name}", f"{message}\n")
        self.git.add(self.work)
        self.git.commit(self.work, message)

    def test_status_and_pull(self):
        self.assertTrue(self.git.status(self.work).is_clean)
        self.git.clone(self.remote, path=f"{self.dir}/other", branch="main", depth=1)
        self.commit("b.txt", "second")
        self.assertEqual(self.git.status(self.work).ahead, 1)
        self.git.push(self.work)
        self.git.pull(f"{self.dir}/other")
        self.assertEqual(self.files.read(f"{self.dir}/other/b.txt"), "second\n")

    def test_branches(self):
        self.git.create_branch(self.work, "feature")
        self.git.checkout_branch(self.work, "main")
        self.assertEqual(self.git.branches(self.work).current_branch, "main")
        self.git.delete_branch(self.work, "feature", force=True)
        self.assertEqual(self.git.branches(self.work).branches, ["main"])

    def test_reset_and_restore(self):
        self.files.write(f"{self.work}/a.txt", "changed\n")
        self.git.restore(self.work, ["a.txt"])
        self.assertEqual(self.files.read(f"{self.work}/a.txt"), "first\n")
        self.files.write(f"{self.work}/a.txt", "changed\n")
        self.git.reset(self.work, mode="hard", target="HEAD")
        self.assertTrue(self.git.status(self.work).is_clean)

    def test_settings_remotes_and_credentials(self):
        self.git.remote_add(self.work, "backup", self.remote)
        self.assertEqual(self.git.remote_get(self.work, "backup"), self.remote)
        self.git.set_config("pull.rebase", "true", scope="local", path=self.work)
        self.assertEqual(self.git.get_config("pull.rebase", scope="local", path=self.work), "true")
        self.git.dangerously_authenticate("me", "secret", host="git.invalid")
        asked = 'printf "protocol=https\\nhost=git.invalid\\n\\n" | git credential fill'
        self.assertIn("password=secret", self.sandbox.commands.run(asked).stdout)

# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""commands.run to the end: output, exit codes, environment, users, folders, time limits."""

import concurrent.futures

from e2b import AuthenticationException, CommandExitException, InvalidArgumentException, TimeoutException
from support import Scenario


class Commands(Scenario):
    options = {"envs": {"OF_CREATE": "from create", "BOTH": "from create"}}

    def run_(self, *args, **options):
        return self.sandbox.commands.run(*args, **options)

    def test_output_and_code(self):
        done = self.run_("echo out; echo err >&2")
        self.assertEqual((done.exit_code, done.stdout, done.stderr, done.error), (0, "out\n", "err\n", None))

    def test_failure(self):
        error = self.fails(CommandExitException, self.run_, "echo out; echo err >&2; exit 3")
        self.assertEqual((error.exit_code, error.error), (3, "exit status 3"))
        self.assertEqual((error.stdout, error.stderr), ("out\n", "err\n"))
        self.assertEqual(self.fails(CommandExitException, self.run_, "/no/such/program").exit_code, 127)

    def test_death_by_signal(self):
        error = self.fails(CommandExitException, self.run_, "kill -TERM $$")
        self.assertEqual((error.exit_code, error.error), (-1, "signal: terminated"))

    def test_output_is_complete(self):
        done = self.run_('head -c 2000000 /dev/zero | tr "\\0" x; head -c 200000 /dev/zero | tr "\\0" y >&2')
        self.assertEqual((len(done.stdout), len(done.stderr)), (2_000_000, 200_000))
        for i in range(10):
            self.assertEqual(self.run_(f"printf %s {i}").stdout, str(i))

    def test_text_of_many_bytes(self):
        cut = 'printf "h\\303"; sleep 0.1; printf "\\251\\360\\237"; sleep 0.1; printf "\\246\\212"'
        self.assertEqual(self.run_(cut).stdout, "hé🦊")

    def test_callbacks_and_what_is_kept(self):
        out, err = [], []
        done = self.run_("seq 3; echo e >&2", on_stdout=out.append, on_stderr=err.append)
        self.assertEqual(("".join(out), "".join(err)), (done.stdout, done.stderr))
        out.clear()
        done = self.run_("seq 3", on_stdout=out.append, retain_output=False)
        self.assertEqual(("".join(out), done.stdout, done.stderr), ("1\n2\n3\n", None, None))

    def test_environment(self):
        show = 'echo "$OF_CREATE|$BOTH|$MINE|$E2B_SANDBOX"'
        mine = {"MINE": "ü '\"", "BOTH": "from run"}
        self.assertEqual(self.run_(show, envs=mine).stdout, "from create|from run|ü '\"|true\n")
        self.assertEqual(self.run_(show).stdout, "from create|from create||true\n")

    def test_users(self):
        who = 'echo "$(id -un):$HOME:$USER:$LOGNAME"'
        self.assertEqual(self.run_(who).stdout, "user:/home/user:user:user\n")
        self.assertEqual(self.run_(who, user="root").stdout, "root:/root:root:root\n")
        self.fails(AuthenticationException, self.run_, "true", user="ghost")

    def test_folders(self):
        self.assertEqual(self.run_("pwd").stdout, "/home/user\n")
        self.assertEqual(self.run_("pwd", cwd="/tmp").stdout, "/tmp\n")
        self.fails(InvalidArgumentException, self.run_, "pwd", cwd="/no/such")

    def test_time_limits(self):
        self.sandbox.files.make_dir(self.dir)
        self.fails(TimeoutException, self.run_, f"sleep 1.5; touch {self.dir}/late", timeout=0.3)
        self.run_("sleep 2")
        self.assertFalse(self.sandbox.files.exists(f"{self.dir}/late"))
        self.assertEqual(self.run_("echo over", timeout=0).stdout, "over\n")

    def test_no_input(self):
        self.assertEqual(self.fails(CommandExitException, self.run_, "read line", stdin=False).exit_code, 1)

    def test_many_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            done = list(pool.map(lambda i: self.run_(f"sleep 0.1; echo {i}").stdout, range(16)))
        self.assertEqual(done, [f"{i}\n" for i in range(16)])

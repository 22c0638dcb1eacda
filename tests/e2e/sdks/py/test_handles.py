# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Commands in the background: handles, input, connecting again, the list, ending them."""

from e2b import CommandExitException, InvalidArgumentException, NotFoundException, SandboxException, TimeoutException
from support import ASYNC, Scenario, until


class Handles(Scenario):
    def start(self, command, **options):
        return self.sandbox.commands.run(command, background=True, **options)

    def pids(self):
        return [one.pid for one in self.sandbox.commands.list()]

    def test_pid_input_and_result(self):
        handle = self.start('echo $$; read line; echo "got $line"; exit 4', stdin=True)
        handle.send_stdin("this\n")
        error = self.fails(CommandExitException, handle.wait)
        self.assertEqual((error.exit_code, error.stdout), (4, f"{handle.pid}\ngot this\n"))

    def test_input_in_order_until_closed(self):
        handle = self.start("cat", stdin=True)
        handle.send_stdin("a")
        self.sandbox.commands.send_stdin(handle.pid, "")
        self.sandbox.commands.send_stdin(handle.pid, "b🦊".encode())
        handle.send_stdin("x" * 300_000)
        handle.close_stdin()
        self.assertEqual(handle.wait().stdout, "ab🦊" + "x" * 300_000)

    def test_one_stream_of_input(self):
        handle = self.start("cat", stdin=True)
        parts = ["a", "b🦊".encode(), "x" * 100_000, "end"]
        if ASYNC:
            stream = self.sandbox.commands.stream_input(handle.pid)
            for part in parts:
                stream.send(part)
            stream.close()
            self.fails(SandboxException, stream.send, "late")
        else:
            self.sandbox.commands.stream_input(handle.pid, iter(parts))
            self.fails(InvalidArgumentException, self.sandbox.commands.stream_input, handle.pid, "text")
        self.sandbox.commands.close_stdin(handle.pid)
        self.assertEqual(handle.wait().stdout, "ab🦊" + "x" * 100_000 + "end")

    def test_a_stream_of_input_for_nobody(self):
        if ASYNC:
            self.fails(NotFoundException, self.sandbox.commands.stream_input(999_999).close)
        else:
            self.fails(NotFoundException, self.sandbox.commands.stream_input, 999_999, ["x"])

    def test_input_that_nobody_can_read(self):
        none = self.start("sleep 60", stdin=False)
        self.fails(SandboxException, none.send_stdin, "x")
        closed = self.start("sleep 60", stdin=True)
        closed.close_stdin()
        closed.close_stdin()
        self.fails(SandboxException, closed.send_stdin, "x")
        self.assertTrue(none.kill() and closed.kill())
        self.fails(NotFoundException, self.sandbox.commands.send_stdin, 999_999, "x")
        self.fails(NotFoundException, self.sandbox.commands.close_stdin, 999_999)

    def test_list(self):
        handle = self.start("sleep 60", cwd="/tmp", envs={"LISTED": "yes"})
        found = next(one for one in self.sandbox.commands.list() if one.pid == handle.pid)
        self.assertEqual((found.cmd, found.args), ("/bin/bash", ["-l", "-c", "sleep 60"]))
        self.assertEqual((found.envs, found.cwd, found.tag), ({"LISTED": "yes"}, "/tmp", None))
        self.assertTrue(self.sandbox.commands.kill(handle.pid))
        until(lambda: handle.pid not in self.pids(), "it is off the list")

    def test_kill(self):
        handle = self.start("sleep 60 && echo never")
        self.assertTrue(handle.kill())
        error = self.fails(CommandExitException, handle.wait)
        self.assertEqual((error.exit_code, error.error), (-1, "signal: killed"))
        self.assertFalse(self.sandbox.commands.kill(handle.pid))
        self.assertFalse(self.sandbox.commands.kill(999_999))

    def test_disconnect_and_connect(self):
        first = self.start('read line; echo "got $line"', stdin=True, timeout=0)
        first.disconnect()
        again = self.sandbox.commands.connect(first.pid)
        self.assertEqual(again.pid, first.pid)
        again.send_stdin("late\n")
        self.assertEqual(again.wait().stdout, "got late\n")

    def test_several_listeners(self):
        first = self.start("cat; seq 3", stdin=True)
        second = self.sandbox.commands.connect(first.pid)
        second.send_stdin("0\n")
        second.close_stdin()
        self.assertEqual((first.wait().stdout, second.wait().stdout), ("0\n1\n2\n3\n", "0\n1\n2\n3\n"))

    def test_connecting_late_and_to_nobody(self):
        first = self.start("exit 6")
        self.fails(CommandExitException, first.wait)
        late = self.sandbox.commands.connect(first.pid)
        self.assertEqual(self.fails(CommandExitException, late.wait).exit_code, 6)
        self.fails(NotFoundException, lambda: self.sandbox.commands.connect(999_999).wait())

    def test_time_limit_of_a_connection(self):
        first = self.start("sleep 60", timeout=0)
        self.fails(TimeoutException, lambda: self.sandbox.commands.connect(first.pid, timeout=0.3).wait())
        self.assertIn(first.pid, self.pids())
        self.assertTrue(first.kill())

    def test_the_end_of_the_sandbox(self):
        sandbox = self.own()
        handle = sandbox.commands.run("sleep 60", background=True)
        self.assertTrue(sandbox.kill())
        self.fails(SandboxException, handle.wait)

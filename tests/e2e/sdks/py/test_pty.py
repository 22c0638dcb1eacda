# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Terminals: size, input, output, environment, connecting again, ending them."""

import re
import threading

from e2b import CommandExitException, InvalidArgumentException, NotFoundException, PtySize, SandboxException
from support import ASYNC, Scenario, until


class Terminal:
    """A terminal whose output is collected."""

    def __init__(self, pty, open_, *args, **options):
        self.pty, self.data, self.error = pty, b"", None
        if ASYNC:
            self.handle = open_(*args, on_data=self.took, **options)
        else:
            self.handle = open_(*args, **options)
            self.reader = threading.Thread(target=self.read, daemon=True)
            self.reader.start()
        self.pid = self.handle.pid

    def took(self, data):
        self.data += data

    def read(self):
        try:
            self.code = self.handle.wait(on_pty=self.took).exit_code
        except Exception as error:
            self.error = error

    def type(self, keys):
        self.pty.send_stdin(self.pid, keys.encode())

    def shows(self, pattern):
        def found():
            return re.search(pattern, self.data.decode("utf-8", "replace"))

        until(found, lambda: f"{pattern} in {self.data[-300:]}")

    def ended(self):
        """The exit code, or the error, of the shell."""
        if ASYNC:
            return self.handle.wait().exit_code
        self.reader.join()
        if self.error:
            raise self.error
        return self.code


class Pty(Scenario):
    options = {"envs": {"OF_CREATE": "created"}}

    def terminal(self, size=PtySize(rows=24, cols=80), **options):
        return Terminal(self.sandbox.pty, self.sandbox.pty.create, size, **options)

    def test_size_and_resize(self):
        one = self.terminal(PtySize(rows=31, cols=93))
        one.type("stty size\n")
        one.shows("31 93\r\n")
        self.sandbox.pty.resize(one.pid, PtySize(rows=50, cols=120))
        one.type("stty size\n")
        one.shows("50 120\r\n")
        self.assertTrue(self.sandbox.pty.kill(one.pid))
        self.fails(CommandExitException, one.ended)
        self.assertFalse(self.sandbox.pty.kill(one.pid))

    def test_environment_user_and_folder(self):
        one = self.terminal(user="root", cwd="/tmp", envs={"MINE": "yes"})
        one.type('echo "<$(id -un) $PWD $MINE $OF_CREATE $TERM>"\n')
        one.shows("<root /tmp yes created xterm-256color>\r\n")
        one.type("exit\n")
        self.assertEqual(one.ended(), 0)

    def test_exit_code(self):
        one = self.terminal()
        one.type("exit 9\n")
        self.assertEqual(self.fails(CommandExitException, one.ended).exit_code, 9)

    def test_connecting_again(self):
        one = self.terminal(timeout=0)
        one.type('echo "fir""st"\n')
        one.shows("first\r\n")
        self.assertIn(one.pid, [each.pid for each in self.sandbox.commands.list()])
        two = Terminal(self.sandbox.pty, self.sandbox.pty.connect, one.pid)
        self.assertEqual(two.pid, one.pid)
        two.type('echo "sec""ond"; exit\n')
        two.shows("second\r\n")
        self.assertEqual((two.ended(), one.ended()), (0, 0))

    def test_one_stream_of_input(self):
        one = self.terminal()
        if ASYNC:
            stream = self.sandbox.pty.stream_input(one.pid)
            stream.send("echo stre")
            stream.send(b'""amed\n')
            stream.close()
        else:
            self.sandbox.pty.stream_input(one.pid, ["echo stre", b'""amed\n'])
        one.shows("streamed\r\n")
        self.assertTrue(one.handle.kill())

    def test_errors(self):
        pty, command = self.sandbox.pty, self.sandbox.commands.run("cat", background=True, stdin=True)
        self.fails(SandboxException, pty.send_stdin, command.pid, b"x")
        self.fails(SandboxException, pty.resize, command.pid, PtySize(rows=1, cols=1))
        self.fails(NotFoundException, pty.send_stdin, 999_999, b"x")
        self.fails(NotFoundException, pty.resize, 999_999, PtySize(rows=1, cols=1))
        self.assertFalse(pty.kill(999_999))
        self.assertTrue(command.kill())
        self.fails(InvalidArgumentException, lambda: self.terminal(cwd="/no/such").ended())

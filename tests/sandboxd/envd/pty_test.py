# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Terminals of the real envd: what a program in one sees, and what its clients see of each other."""

import os
import unittest

from tests.e2e import wait
from tests.sandboxd.envd.envd_case import EnvdCase, b64

AS_ROOT = os.geteuid() == 0
PROCESS = "/process.Process/"
KILLED = {"exitCode": -1, "status": "signal: killed", "error": "signal: killed"}


def job_in_front(shell):
    """The child of `shell` that runs `sleep` and has the terminal."""
    with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as children:
        for pid in children.read().split():
            with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                head, tail = stat.read().rsplit(")", 1)
            fields = tail.split()
            if head.endswith("(sleep") and fields[2] == fields[5]:
                return int(pid)
    return None


class TerminalCase(EnvdCase):
    def open(self, cmd, *args, cols=80, rows=24, **members):
        return self.envd.start(cmd, *args, pty={"size": {"cols": cols, "rows": rows}}, **members)

    def shell(self, script, **members):
        return self.open("/bin/bash", "-c", script, **members)

    def resize(self, pid, cols, rows):
        return self.envd.call(PROCESS + "Update",
                              {"process": {"pid": pid}, "pty": {"size": {"cols": cols, "rows": rows}}})

    def type(self, pid, text):
        self.assertEqual(self.envd.send(text, "pty", pid=pid), (200, {}))


class TerminalTest(TerminalCase):
    def test_the_program_leads_a_session_on_its_terminal(self):
        stream = self.shell("ps -o pid=,pgid=,sid=,tpgid=,tty= -p $$; tty")
        pid = stream.pid()
        out, end, _ = stream.rest()
        line, tty = out["pty"].decode().split("\r\n")[:2]
        *numbers, terminal = line.split()
        self.assertEqual(numbers, [str(pid)] * 4)
        self.assertEqual("/dev/" + terminal, tty)
        self.assertEqual(end, {"exited": True, "status": "exit status 0"})

    def test_a_resize_is_seen_and_signalled(self):
        stream = self.open("/bin/sh", "-c", "trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done",
                           cols=91, rows=17)
        pid = stream.pid()
        self.assertIn(b"17 91\r\n", stream.until("pty", b"91\r\n"))
        for cols, rows in ((100, 30), (1, 1), (65535, 65535)):
            self.assertEqual(self.resize(pid, cols, rows), (200, {}))
            stream.until("pty", f"{rows} {cols}\r\n".encode())
        self.assertEqual(self.envd.call(PROCESS + "Update", {"process": {"pid": pid}}), (200, {}))  # changes nothing
        self.envd.signal(pid=pid)
        self.assertEqual(stream.rest()[1:], (KILLED, {}))

    def test_a_login_shell_controls_its_jobs(self):
        stream = self.open("/bin/bash", "--norc", "--noprofile", "-i", "-l", envs={"PS1": "ready> ", "TERM": "xterm-256color"})
        pid = stream.pid()
        self.assertNotIn(b"no job control", stream.until("pty", b"ready> "))
        self.type(pid, b"sleep 100\n")
        stream.until("pty", b"sleep 100\r\n")
        wait.until(lambda: job_in_front(pid), "the job to run in front")
        self.type(pid, b"\x1a")  # Ctrl+Z
        self.assertIn(b"Stopped", stream.until("pty", b"ready> "))
        self.type(pid, b"bg; jobs; kill %1; wait %1; echo status $?\n")
        self.assertIn(b"Running", stream.until("pty", b"status 143"))
        self.type(pid, b"echo $TERM; exit 5\n")
        out, end, _ = stream.rest()
        self.assertIn(b"xterm-256color\r\n", out["pty"])
        self.assertEqual(end["exitCode"], 5)

    def test_input_goes_in_order_and_is_echoed(self):
        stream = self.shell("echo up; while read -r x; do echo \"<$x>\"; done; echo end")
        pid = stream.pid()
        stream.until("pty", b"up\r\n")
        for number in range(20):
            self.type(pid, f"{number}\n".encode())
        self.type(pid, b"")
        self.type(pid, b"\x04")
        out, end, _ = stream.rest()
        lines = out["pty"].decode().replace("\r", "").split("\n")
        self.assertEqual([line for line in lines if line.startswith("<")], [f"<{number}>" for number in range(20)])
        for number in range(20):
            self.assertIn(str(number), lines)  # the echo
        self.assertEqual(end["status"], "exit status 0")

    def test_bytes_pass_unchanged(self):
        stream = self.shell("stty raw -echo; echo up; head -c 256 | md5sum; head -c 100000 /dev/zero | tr '\\0' x")
        pid = stream.pid()
        stream.until("pty", b"up")
        self.type(pid, bytes(range(256)))
        out, end, _ = stream.rest()
        self.assertIn(b"e2c865db4162bed963bfaa9ef6ac18f0", out["pty"])
        self.assertEqual(out["pty"].count(b"x"), 100000)
        self.assertEqual(end["status"], "exit status 0")

    def test_what_is_refused(self):
        self.assertEqual(self.end(self.open("/bin/true", cwd="/missing"), "invalid_argument"),
                         "cwd '/missing' does not exist")
        stream = self.open("/no/such")
        stream.pid()
        self.assertEqual(stream.rest()[1]["exitCode"], 127)
        ghost = self.open("/bin/true", headers={"Authorization": "Basic " + b64(b"ghost:")})
        self.assertEqual(self.end(ghost, "unauthenticated"), "invalid username: 'ghost'")
        (self.home / "file").write_text("")
        said = self.end(self.open("/bin/true", "a", cwd="file"), "invalid_argument")
        self.assertTrue(said.startswith(f"error starting pty with command '/bin/true a' in dir '{self.home}/file' "
                                        "with '80' cols and '24' rows: "), said)
        if AS_ROOT:
            os.mkdir(self.dir / "closed", 0o700)
            said = self.end(self.open("/bin/true", cwd=str(self.dir / "closed")), "invalid_argument")
            self.assertTrue(said.endswith("permission denied"), said)
        self.assertEqual(self.envd.list(), [])

    @unittest.skipUnless(AS_ROOT, "needs several users")
    def test_the_terminal_belongs_to_the_user(self):
        stream = self.shell("stat -c %U:%u $(tty); id -u; echo x > $(tty) && echo written")
        stream.pid()
        out = stream.rest()[0]["pty"]
        self.assertIn(b":1000\r\n1000\r\n", out)
        self.assertIn(b"written", out)


class SeveralTest(TerminalCase):
    def test_two_clients_see_the_same(self):
        first = self.shell("stty -echo; echo up; while read -r x; do echo \"got $x\"; done")
        pid = first.pid()
        first.until("pty", b"up\r\n")
        second = self.envd.attach(pid=pid)
        self.assertEqual(second.pid(), pid)
        self.type(pid, b"one\n")
        self.assertEqual(first.until("pty", b"one\r\n"), second.until("pty", b"one\r\n"))
        first.close()
        self.type(pid, b"two\n")
        self.assertEqual(second.until("pty", b"two\r\n"), b"got two\r\n")
        self.envd.signal(pid=pid)
        self.assertEqual(second.rest()[1:], (KILLED, {}))

    def test_a_client_that_comes_back_meets_the_same_program(self):  # BR-147
        stream = self.shell("echo up; read x; kept=$x; while read -r x; do echo \"$kept $x\"; done", tag="term")
        pid = stream.pid()
        stream.until("pty", b"up\r\n")
        self.type(pid, b"first\n")
        stream.close()
        again = self.envd.attach(tag="term")
        self.assertEqual(again.pid(), pid)
        self.type(pid, b"then\n")
        again.until("pty", b"first then\r\n")
        self.type(pid, b"\x04")
        end = again.rest()[1]
        self.assertEqual(end, {"exited": True, "status": "exit status 0"})
        # After its end it is shown as ended and is not started again.
        late = self.envd.attach(pid=pid)
        self.assertEqual(late.pid(), pid)
        self.assertEqual(late.rest()[1:], (end, {}))
        self.assertEqual(self.envd.list(), [])

    def test_the_last_resize_holds_for_all(self):  # BR-146
        stream = self.shell("echo up; while read -r x; do stty size; done", cols=100, rows=50)
        pid = stream.pid()
        stream.until("pty", b"up\r\n")
        phone = self.envd.attach(pid=pid)
        phone.pid()
        self.assertEqual(self.resize(pid, 40, 20), (200, {}))
        phone.close()  # a client that left does not pin its size
        self.assertEqual(self.resize(pid, 100, 50), (200, {}))
        self.type(pid, b"\n")
        stream.until("pty", b"50 100\r\n")
        self.envd.signal(pid=pid)
        stream.rest()

    def test_a_stuck_terminal_does_not_hold_others(self):  # BR-097
        stuck = self.shell("stty raw -echo; echo up; sleep 100")  # reads nothing
        pid = stuck.pid()
        stuck.until("pty", b"up")
        self.assertEqual(self.resize(pid, 10, 10), (200, {}))
        for _ in range(3):
            out, end, _ = self.envd.run("echo fine")
            self.assertEqual((out["stdout"], end["status"]), (b"fine\n", "exit status 0"))
        self.assertEqual(self.envd.signal(pid=pid), (200, {}))
        self.assertEqual(stuck.rest()[1], KILLED)

    def test_the_deadline_ends_a_terminal(self):
        stream = self.shell("echo up; trap '' HUP TERM INT; sleep 100", headers={"Connect_Timeout_Ms": "500"})
        pid = stream.pid()
        out, end, tail = stream.rest()
        self.assertEqual((out["pty"], end, tail["error"]["code"]), (b"up\r\n", None, "deadline_exceeded"))
        wait.until(lambda: not os.path.exists(f"/proc/{pid}"), "the program to be reaped")
        self.assertEqual(self.envd.list(), [])

    def test_a_kill_hangs_up_what_runs_in_front(self):
        stream = self.open("/bin/bash", "--norc", "--noprofile", "-i", envs={"PS1": "ready> "})
        pid = stream.pid()
        stream.until("pty", b"ready> ")
        self.type(pid, b"sleep 1000\n")
        job = wait.until(lambda: job_in_front(pid), "the job to run in front")
        self.envd.signal(pid=pid)
        self.assertEqual(stream.rest()[1], KILLED)
        wait.until(lambda: not os.path.exists(f"/proc/{job}"), "the job to be hung up")


if __name__ == "__main__":
    unittest.main()

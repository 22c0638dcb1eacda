# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The pool runs nothing: the system calls of the dsh process over turns that use every tool. It starts no program,
opens no file of the workspace and writes only in its home."""

import os
import re
import shutil
import tempfile
import unittest

from contract.row import move_workspace
from dsh_process import Dsh, make_home, prefix
from fake_model import FakeModel, call, say
from fault_world import FaultWorld
from wait import until

STARTS = re.compile(r"^\d+ +(execve|execveat|fork|vfork|clone|clone3)\((.*)$")
OPENS = re.compile(
    r"^\d+ +(?:open|openat|openat2|creat|unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|link|"
    r"linkat|symlink|symlinkat|truncate|chmod|fchmodat|chown|fchownat)\((.*)$"
)
CONNECTS = re.compile(r"^\d+ +connect\(\d+, (.*)$")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
TRACED = "trace=process,file,connect,bind,listen,ptrace,io_uring_setup,mount,setns,unshare"
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")


def is_error(rest):
    return re.search(r"\) += -1 E", rest) is not None


class TraceTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        strace = shutil.which("strace")
        if not strace:
            raise AssertionError("strace is not installed: scripts/packages.txt names what the tests need")
        cls.folder = os.path.realpath(tempfile.mkdtemp(prefix="dsh-trace-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.home = make_home(cls.folder)
        cls.world = FaultWorld(cls.folder)
        cls.addClassCleanup(cls.world.close)
        cls.model = FakeModel()
        cls.addClassCleanup(cls.model.close)
        move_workspace(os.path.join(cls.home, "profiles", "agentpool"), cls.world.workspace)
        cls.log = os.path.join(cls.folder, "trace")
        cls.results = cls.converse([strace, "-f", "-qq", "-s", "4096", "-e", TRACED, "-o", cls.log])
        with open(cls.log, encoding="utf-8", errors="replace") as file:
            cls.lines = file.read().splitlines()

    @classmethod
    def converse(cls, wrapper):
        """Every tool once; what the model read of each."""
        path = os.path.join(cls.world.workspace, "a.txt")
        tools = [
            ("write", {"file_path": path, "content": "needle\n"}),
            ("read", {"file_path": path}),
            ("edit", {"file_path": path, "old_string": "needle", "new_string": "needle two"}),
            ("bash", {"command": "cat a.txt; echo made > b.txt", "description": "d"}),
            ("grep", {"pattern": "needle"}),
            ("glob", {"pattern": "*.txt"}),
            ("todo_write", {"todos": [{"content": "c", "status": "pending"}]}),
            ("bash", {"command": "echo tick; sleep 600", "description": "d", "run_in_background": True}),
            ("job_list", {}),
            ("job_output", {"job_id": "bash-1"}),
            ("job_kill", {"job_id": "bash-1"}),
        ]
        dsh = Dsh(cls.home, {**cls.world.env(), **cls.model.env()}, wrapper)
        try:
            dsh.initialize()
            session = dsh.call("session/new", cwd=cls.world.workspace, mcpServers=[])["result"]["sessionId"]
            results = []
            for name, arguments in tools:
                if "job_id" in arguments:
                    arguments = {"job_id": re.search(r"bash-[\w-]+", results[7])[0]}
                cls.model.script = [call(name, arguments), say("done")]
                dsh.prompt(session, "go")
                results.append(cls.model.last_results()[-1])
            cls.job = dsh.call("session/close", sessionId=session)
            dsh.end()
            return dict(zip([f"{name} {n}" for n, (name, _) in enumerate(tools)], results))
        finally:
            dsh.stop()

    def test_every_tool_ran_in_the_world(self):
        for name, result in self.results.items():
            self.assertFalse(result.startswith("Error"), f"{name}: {result}")
        self.assertIn("needle two", self.results["bash 3"])
        self.assertIn("needle two", self.results["grep 4"])
        self.assertIn("b.txt", self.results["glob 5"])
        self.assertEqual(sorted(os.listdir(self.world.workspace)), ["a.txt", "b.txt"])
        self.assertTrue(
            until(lambda: all(child.events.empty() for child in self.world.processes.children.values()))
        )

    def test_no_program_is_started(self):
        started = [line for line in self.lines if STARTS.match(line) and not is_error(line)]
        programs = [line for line in started if "exec" in STARTS.match(line)[1]]
        self.assertEqual(len(programs), 1, programs)  # node itself
        self.assertIn(os.path.join(prefix(), "bin", "node"), programs[0])
        processes = [
            line
            for line in started
            if line not in programs and "CLONE_THREAD" not in line and "resumed>" not in line
        ]
        self.assertEqual(processes, [])
        self.assertTrue(
            [line for line in started if "CLONE_THREAD" in line], "the trace saw no thread: it is blind"
        )

    def opened(self):
        """(line, path) of every successful call that opens or changes something by name."""
        for line in self.lines:
            match = OPENS.match(line)
            if match and not is_error(line):
                for path in QUOTED.findall(match[1]):
                    yield line, path

    def test_no_file_of_the_workspace_is_opened(self):
        self.assertEqual([line for line, path in self.opened() if path.startswith(self.world.workspace)], [])
        relative = [
            line for line, path in self.opened() if not path.startswith("/") and path in ("a.txt", "b.txt")
        ]
        self.assertEqual(relative, [])
        self.assertTrue(
            [line for line, path in self.opened() if path.startswith(self.home)], "the trace is blind"
        )

    def test_no_ring_does_file_work_that_a_trace_cannot_see(self):
        """libuv batches epoll_ctl in a ring; the one for files would poll its queue in the kernel."""
        rings = [line for line in self.lines if "io_uring_setup(" in line]
        self.assertEqual([line for line in rings if re.search(r"flags=[^,]*SQPOLL", line)], [])

    def test_only_the_home_is_written(self):
        changed = [
            line
            for line, path in self.opened()
            if WRITES.search(line) and not path.startswith((self.home, "/dev/null", "/proc/self"))
        ]
        self.assertEqual(changed, [])

    def test_only_the_world_and_the_model_are_connected_to(self):
        others = [
            line
            for line in self.lines
            if CONNECTS.match(line)
            and self.world.path not in line
            and f"htons({self.model.server_port})" not in line
        ]
        self.assertEqual(others, [])
        self.assertFalse(
            [line for line in self.lines if re.match(r"^\d+ +(ptrace|mount|setns|unshare)\(", line)]
        )


if __name__ == "__main__":
    unittest.main()

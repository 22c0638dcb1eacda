#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/run and scripts/test on a small tree whose daemon is a fake with faults on demand."""

import json
import os
import pathlib
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEADLINE = 120

HEAD = "# SPDX-FileCopyrightText: 2026 The agentpool authors\n# SPDX-License-Identifier: Apache-2.0\n"

# Takes agentpoold's place: FAKE_FAULT chooses what goes wrong; it tells its pid, arguments and model endpoint.
FAKE_DAEMON = "#!/usr/bin/python3\n" + HEAD + """\
import json, os, signal, sys
fault = os.environ.get("FAKE_FAULT", "")
if "--check" in sys.argv:
    if fault == "config":
        print("agentpool.toml:3: unknown key `oops`; remove it", file=sys.stderr)
    sys.exit(2 if fault == "config" else 0)
if fault == "start":
    print("the port is in use", file=sys.stderr)
    sys.exit(2)
seen = {"pid": os.getpid(), "argv": sys.argv[1:], "url": os.environ.get("DEEPSEEK_BASE_URL"),
        "key": os.environ.get("DEEPSEEK_API_KEY")}
with open(os.environ["FAKE_FILE"], "w") as file:
    json.dump(seen, file)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
print("ready http://127.0.0.1:4711 device_token=abc", flush=True)
if fault == "crash":
    print("the fake daemon fell over", file=sys.stderr)
    sys.exit(7)
got = signal.sigwait({signal.SIGTERM, signal.SIGINT})
with open(os.environ["FAKE_FILE"] + ".end", "w") as file:
    json.dump({"signal": int(got), "model_lives": "--demo-model-pid" not in sys.argv or os.path.exists(
        "/proc/" + sys.argv[sys.argv.index("--demo-model-pid") + 1])}, file)
"""

# Takes sandboxd's place: FAKE_ISOLATION=refused is a machine that cannot isolate.
FAKE_SANDBOXD = "#!/usr/bin/python3\n" + HEAD + """\
import json, os, signal, sys
if os.environ.get("FAKE_ISOLATION") == "refused":
    print("sandboxd: the kernel has no id-mapped mounts; use 5.12 or newer", file=sys.stderr)
    sys.exit(3)
if os.environ.get("FAKE_ISOLATION") == "broken":
    print("the fake sandboxd fell over", file=sys.stderr)
    sys.exit(1)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
with open(os.environ["FAKE_FILE"] + ".sandboxd", "w") as file:
    json.dump({"pid": os.getpid(), "argv": sys.argv[1:]}, file)
print("ready http://127.0.0.1:4712", flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
"""

# Takes agentpoolctl's place: FAKE_PROVIDER is what it says of the provider.
FAKE_CTL = "#!/usr/bin/python3\n" + HEAD + """\
import os, sys
said = os.environ.get("FAKE_PROVIDER", "")
print(said or "the sandbox provider answers")
sys.exit(1 if said else 0)
"""

# Stands in for what needs the network: one line that tells that it was called.
FAKE_INSTALLER = "#!/bin/sh\n" + HEAD + 'echo "$(basename "$0") was called"\n'

CMAKE = HEAD + """cmake_minimum_required(VERSION 3.25)
project(fake NONE)
enable_testing()
add_custom_target(agentpoold ALL ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/fake ${CMAKE_BINARY_DIR}/apps/agentpoold/agentpoold)
add_custom_target(agentpoolctl ALL ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/fake-ctl ${CMAKE_BINARY_DIR}/apps/agentpoolctl/agentpoolctl)
add_custom_target(sandboxd ALL ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/fake-sandboxd ${CMAKE_BINARY_DIR}/sandboxd/sandboxd)
add_custom_target(envd ALL)
add_test(NAME Good COMMAND true)
add_test(NAME Bad COMMAND sh -c "echo says why; false")
add_test(NAME Env COMMAND sh -c "test -x $AGENTPOOL_DSH_PREFIX/bin/node && test -d $AGENTPOOL_BUILD_DIR")
set_tests_properties(Good Env PROPERTIES LABELS unit)
set_tests_properties(Bad PROPERTIES LABELS e2e)
"""

PRESETS = {"version": 6, "configurePresets": [
    {"name": name, "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}
    for name in ("release", "debug")]}


class Tree:
    """A repository with the real scripts and a fake daemon, CAF and dsh."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="run-test-"))
        self.repo = self.root / "repo"
        shutil.copytree(ROOT / "scripts", self.repo / "scripts")
        self.write("repo/scripts/packages.txt", "util-linux\n")  # never the machine's package manager
        for installer in ("build-template", "install-sdks"):
            self.write(f"repo/scripts/{installer}", FAKE_INSTALLER, executable=True)
        self.write("repo/fake", FAKE_DAEMON, executable=True)
        self.write("repo/fake-sandboxd", FAKE_SANDBOXD, executable=True)
        self.write("repo/fake-ctl", FAKE_CTL, executable=True)
        self.write("repo/CMakeLists.txt", CMAKE)
        self.write("repo/CMakePresets.json", json.dumps(PRESETS))
        self.write("caf/lib/cmake/CAF/CAFConfigVersion.cmake", 'set(PACKAGE_VERSION "0.18.7")\n')
        self.write("dsh/bin/node", "#!/bin/sh\n", executable=True)
        (self.root / "dsh/dsh").mkdir()
        self.data = self.root / "data"
        self.seen = self.root / "seen.json"
        self.env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.root), "FAKE_FILE": str(self.seen),
                    "CMAKE_PREFIX_PATH": str(self.root / "caf"), "AGENTPOOL_DSH_PREFIX": str(self.root / "dsh")}

    def write(self, path, text, executable=False):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if executable:
            file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def start(self, *arguments, script="run", **env):
        return subprocess.Popen([self.repo / "scripts" / script, *arguments], env={**self.env, **env}, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def finish(self, *arguments, **env):
        process = self.start(*arguments, **env)
        out, err = process.communicate(timeout=DEADLINE)
        return process.returncode, out, err


needs_root = unittest.skipUnless(os.geteuid() == 0, "sandboxes need root")


def gone(pidfd):
    """Whether the process of the pidfd ends before the deadline."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(DEADLINE * 1000))


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree()
        self.addCleanup(shutil.rmtree, self.tree.root)

    def start_ready(self, *arguments, **env):
        """(process, printed lines up to the third command, what the daemon saw)."""
        process = self.tree.start("--data", str(self.tree.data), *arguments, **env)
        self.addCleanup(self.end, process)
        lines = []
        while not lines or "agentpoolctl" not in lines[-1]:
            line = process.stdout.readline()
            if not line:
                self.fail("".join(lines) + process.stderr.read())
            lines.append(line)
        return process, lines, json.loads(self.tree.seen.read_text())

    def end(self, process):
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=DEADLINE)

    def pidfd(self, pid):
        descriptor = os.pidfd_open(pid)
        self.addCleanup(os.close, descriptor)
        return descriptor


class RunReady(ScriptTest):
    def test_ready_line_commands_and_demo_model(self):
        _, lines, seen = self.start_ready("--port", "0")
        ready = [line for line in lines if line.startswith("ready ")]
        self.assertEqual(ready, ["ready http://127.0.0.1:4711 device_token=abc\n"])
        commands = lines[lines.index(ready[0]) + 2:]
        self.assertEqual(len(commands), 3, lines)
        self.assertIn("http://127.0.0.1:4711/v1/sessions", commands[0])
        self.assertIn("Bearer abc", commands[1])
        self.assertEqual(seen["key"], "demo")
        for pair in (("--data", str(self.tree.data)), ("--port", "0"), ("--dsh-prefix", str(self.tree.root / "dsh")),
                     ("--demo-model-url", seen["url"])):
            self.assertEqual(seen["argv"][seen["argv"].index(pair[0]) + 1], pair[1])

    def test_with_a_key_there_is_no_demo_model(self):
        _, _, seen = self.start_ready(DEEPSEEK_API_KEY="k", DEEPSEEK_BASE_URL="http://127.0.0.1:9/")
        self.assertEqual((seen["key"], seen["url"]), ("k", "http://127.0.0.1:9/"))
        self.assertNotIn("--demo-model-url", seen["argv"])

    @needs_root
    def test_sandboxd_lends_the_hands(self):
        process, _, seen = self.start_ready("--port", "0")
        at = dict(zip(seen["argv"][::2], seen["argv"][1::2]))
        self.assertEqual(at["--hands-url"], "http://127.0.0.1:4712")
        self.assertEqual(at["--hands-api-key-file"], str(self.tree.data / "sandboxd" / "api-key"))
        sandboxd = self.pidfd(int(at["--sandboxd-pid"]))
        self.end(process)
        self.assertTrue(gone(sandboxd))

    @needs_root
    def test_a_machine_that_cannot_isolate_serves_chat(self):
        _, lines, seen = self.start_ready("--port", "0", FAKE_ISOLATION="refused")
        self.assertNotIn("--hands-url", seen["argv"])
        self.assertIn("hands: none, chat only (sandboxd: the kernel has no id-mapped mounts; use 5.12 or newer)\n", lines)

    @needs_root
    def test_a_sandboxd_that_fails_is_a_failure(self):
        status, _, err = self.tree.finish("--data", str(self.tree.data), FAKE_ISOLATION="broken")
        self.assertEqual(status, 1)
        self.assertIn("the fake sandboxd fell over", err)

    def test_a_provider_that_fails_is_a_warning(self):
        process, _, _ = self.start_ready(FAKE_PROVIDER="the sandbox provider at http://x fails")
        self.assertEqual(process.stderr.readline(), "run: warning: the sandbox provider at http://x fails\n")

    @needs_root
    def test_hands_of_the_configuration_need_no_sandboxd(self):
        self.tree.write("own.toml", "[hands]\nprovider = \"none\"\n")
        _, _, seen = self.start_ready("--config", str(self.tree.root / "own.toml"))
        self.assertNotIn("--hands-url", seen["argv"])

    @needs_root
    def test_sandboxd_gets_its_table_of_the_configuration(self):
        self.tree.write("own.toml", '[sandboxd]\nruntime = "/opt/a b/runsc"\napt_security_mirror = "http://m/s"\npip_mirror = ""\n')
        self.start_ready("--config", str(self.tree.root / "own.toml"))
        argv = json.loads((self.tree.root / "seen.json.sandboxd").read_text())["argv"]
        self.assertEqual(argv[argv.index("--runtime") + 1], "/opt/a b/runsc")
        self.assertEqual(argv[argv.index("--apt-security-mirror") + 1], "http://m/s")
        self.assertNotIn("--pip-mirror", argv)

    def test_a_second_start_does_not_configure_again(self):
        process, lines, _ = self.start_ready()
        self.assertTrue(any("configured" in line for line in lines))
        self.end(process)
        _, lines, _ = self.start_ready()
        self.assertFalse(any("configured" in line for line in lines))


@needs_root
class RunSandboxdKilled(ScriptTest):
    def kill_sandboxd(self):
        """kill -9 of the sandboxd of now; its pid."""
        pid = json.loads(pathlib.Path(str(self.tree.seen) + ".sandboxd").read_text())["pid"]
        os.kill(pid, signal.SIGKILL)
        return pid

    def lines_until(self, process, words):
        for line in process.stdout:
            if words in line:
                return
        self.fail(f"the script ended before {words!r}: {process.stderr.read()}")

    def test_it_is_started_again_at_its_address(self):
        process, _, seen = self.start_ready("--port", "0")
        endpoints = self.tree.data / "run" / "endpoints.json"
        at = dict(zip(seen["argv"][::2], seen["argv"][1::2]))
        text = '{"gateway":{"pid":%s},"sandboxd":{"url":"u","api_key":"k","pid":%s}}'
        self.tree.write("data/run/endpoints.json", text % (seen["pid"], at["--sandboxd-pid"]))
        old = self.kill_sandboxd()
        self.lines_until(process, "hands: sandboxd is back at http://127.0.0.1:4712")
        again = json.loads(pathlib.Path(str(self.tree.seen) + ".sandboxd").read_text())
        self.assertNotEqual(again["pid"], old)
        self.assertEqual(again["argv"][again["argv"].index("--port") + 1], "4712")
        self.assertEqual(endpoints.read_text(), text % (seen["pid"], again["pid"]))
        self.assertEqual(stat.S_IMODE(endpoints.stat().st_mode), 0o600)
        self.assertTrue(os.path.exists(f"/proc/{seen['pid']}"))
        process.terminate()
        _, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 143)
        log = self.tree.data / "log" / "sandboxd.log"
        self.assertEqual(err.splitlines()[0],
                         f"run: sandboxd was killed by signal 9 and is started again; its output is in {log}")
        self.assertNotRegex(err, r"line \d+")  # bash's own words

    def test_again_and_again_it_is_a_failure(self):
        process, _, seen = self.start_ready("--port", "0")
        daemon = self.pidfd(seen["pid"])
        for _ in range(3):
            self.kill_sandboxd()
            self.lines_until(process, "sandboxd is back")
        self.kill_sandboxd()
        _, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 137)
        self.assertIn("run: sandboxd was killed by signal 9; its output is in", err)
        self.assertNotRegex(err, r"line \d+")
        self.assertTrue(gone(daemon))

    def test_a_killed_daemon_is_one_sentence(self):
        process, _, seen = self.start_ready()
        os.kill(seen["pid"], signal.SIGKILL)
        _, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 137)
        log = self.tree.data / "log" / "agentpoold.log"
        self.assertEqual(err, f"run: agentpoold was killed by signal 9; its output is in {log}\n")


class RunEnd(ScriptTest):
    def stop_with(self, send):
        process, _, seen = self.start_ready()
        model = int(seen["argv"][seen["argv"].index("--demo-model-pid") + 1])
        watched = [self.pidfd(seen["pid"]), self.pidfd(model)]
        send(process)
        process.communicate(timeout=DEADLINE)
        self.assertTrue(all(map(gone, watched)))
        return process.returncode

    def last_words(self):
        return json.loads(pathlib.Path(str(self.tree.seen) + ".end").read_text())

    def test_sigterm_ends_the_daemon_before_the_model(self):
        self.assertEqual(self.stop_with(lambda process: process.terminate()), 143)
        self.assertEqual(self.last_words(), {"signal": signal.SIGTERM, "model_lives": True})

    def test_control_c_reaches_only_the_script(self):
        # A terminal sends SIGINT to the whole process group.
        self.assertEqual(self.stop_with(lambda process: os.killpg(process.pid, signal.SIGINT)), 130)
        self.assertEqual(self.last_words(), {"signal": signal.SIGTERM, "model_lives": True})

    def test_nothing_survives_kill_9(self):
        self.stop_with(lambda process: process.kill())

    def test_a_daemon_that_ends_is_a_failure_and_takes_the_model_along(self):
        status, _, err = self.tree.finish("--data", str(self.tree.data), FAKE_FAULT="crash")
        self.assertEqual(status, 7)
        self.assertIn("the fake daemon fell over", err)
        model = json.loads(self.tree.seen.read_text())["argv"]
        pid = model[model.index("--demo-model-pid") + 1]
        self.assertFalse(os.path.exists(f"/proc/{pid}"))


class RunBadInput(ScriptTest):
    def test_a_configuration_error_is_shown_before_anything_starts(self):
        self.tree.write("own.toml", "oops = 1\n")
        status, out, err = self.tree.finish("--data", str(self.tree.data), "--config", str(self.tree.root / "own.toml"),
                                            FAKE_FAULT="config")
        self.assertEqual((status, err), (2, "agentpool.toml:3: unknown key `oops`; remove it\n"))
        for started in ("model:", "hands:", "ready "):
            self.assertNotIn(started, out)
        self.assertEqual(os.listdir(self.tree.data / "log"), [])

    def test_a_start_that_fails_is_shown_with_its_status(self):
        self.tree.write("data/log/agentpoold.log", "an older complaint\n")
        status, out, err = self.tree.finish("--data", str(self.tree.data), FAKE_FAULT="start")
        self.assertEqual(status, 2)
        self.assertIn("the port is in use", err)
        self.assertNotIn("older", err)
        self.assertNotIn("ready ", out)

    def test_arguments(self):
        for arguments in (["--port", "65536"], ["--port", "x"], ["--port"], ["--config", "/nonexistent"], ["--oops"]):
            status, _, err = self.tree.finish(*arguments)
            self.assertEqual((status, err.count("\n")), (2, 1), err)

    def test_data_folder_that_cannot_be_written(self):
        self.tree.write("file", "")
        status, _, err = self.tree.finish("--data", str(self.tree.root / "file" / "data"))
        self.assertEqual((status, err.count("\n")), (1, 1), err)
        self.assertIn("--data", err)

    def test_failed_build_shows_the_end_of_its_output(self):
        self.tree.write("repo/CMakeLists.txt", CMAKE + 'message(FATAL_ERROR "no such library")\n')
        status, out, err = self.tree.finish("--data", str(self.tree.data))
        self.assertNotEqual(status, 0)
        self.assertIn("no such library", err)
        self.assertIn("run.log", err.splitlines()[-1])

    def test_missing_dsh(self):
        status, _, err = self.tree.finish("--data", str(self.tree.data), AGENTPOOL_DSH_PREFIX="/nonexistent")
        self.assertEqual((status, err.count("\n")), (1, 1), err)
        self.assertIn("install-dsh", err)


class CompileJobs(ScriptTest):
    def jobs(self, **env):
        command = ["bash", "-euc", ". scripts/lib/common.sh; compile_jobs"]
        return subprocess.run(command, cwd=self.tree.repo, env={**self.tree.env, **env}, text=True, check=True,
                              capture_output=True, timeout=DEADLINE).stdout

    def test_between_one_and_the_cores(self):
        before = sorted(os.listdir(self.tree.repo))
        self.assertIn(int(self.jobs()), range(1, os.cpu_count() + 1))
        self.assertEqual(sorted(os.listdir(self.tree.repo)), before)

    def test_can_be_set(self):
        self.assertEqual(self.jobs(AGENTPOOL_JOBS="7"), "7")


class RunTests(ScriptTest):
    def test_labels_names_and_status(self):
        for arguments, status, ran in ((["unit"], 0, 2), (["e2e"], 8, 1), ([], 8, 3), (["-R", "Good"], 0, 1),
                                       (["e2e", "-R", "Good"], 8, 0)):
            process = self.tree.start(*arguments, script="test")
            out, err = process.communicate(timeout=DEADLINE)
            self.assertEqual(process.returncode, status, out + err)
            self.assertIn(f"out of {ran}" if ran else "No tests were found", out + err)
            if status and ran:
                self.assertIn("says why", out)

    def run_ci(self):
        shutil.copytree(ROOT / ".ci", self.tree.repo / ".ci")
        subprocess.run(["git", "init", "-q", str(self.tree.repo)], check=True, timeout=DEADLINE)
        self.tree.write("repo/.gitignore", "/build/\n")
        self.tree.write("repo/tests/e2e/run_smoke.py", HEAD + "import os, sys\n"
                        'print("smoke", sys.argv[1:], os.path.isdir(os.environ["AGENTPOOL_BUILD_DIR"]))\n')
        done = subprocess.run([self.tree.repo / ".ci" / "run"], env=self.tree.env, text=True, timeout=DEADLINE,
                              stdin=subprocess.DEVNULL, capture_output=True)
        return done.returncode, done.stdout + done.stderr

    def test_ci_runs_tests_checks_and_a_smoke_turn_on_the_release_build(self):
        self.tree.write("repo/CMakeLists.txt", CMAKE.replace("; false", ""))
        status, output = self.run_ci()
        self.assertEqual(status, 0, output)
        self.assertIn("out of 3", output)
        self.assertIn("rules: ok", output)
        self.assertIn("smoke ['build/release'] True", output)

    def test_ci_stops_at_the_first_failure(self):
        status, output = self.run_ci()
        self.assertEqual(status, 8, output)
        self.assertNotIn("smoke [", output)

    def test_unknown_argument(self):
        process = self.tree.start("fast", script="test")
        process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 2)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check: each rule fails on a planted violation, names its place, and passes on what is allowed."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEADLINE = 120
CPP_HEAD = "// SPDX-FileCopyrightText: 2026 The agentpool authors\n// SPDX-License-Identifier: Apache-2.0\n"
HASH_HEAD = CPP_HEAD.replace("//", "#")

# A small tree that obeys every rule and comes close to breaking some.
CLEAN = {
    "protocol/wire/ids.hpp": CPP_HEAD + "#include <string>\n",
    "protocol/wire/json.cpp": CPP_HEAD + '#include "protocol/wire/ids.hpp"\n\n#include <rapidjson/document.h>\n',
    "protocol/ports/process.hpp": CPP_HEAD + '#include "protocol/wire/ids.hpp"\n',
    "protocol/actors/messages.hpp": CPP_HEAD + '#include "protocol/wire/ids.hpp"\n\n#include <caf/all.hpp>\n',
    "net/http/server.cpp": CPP_HEAD + '#include "protocol/ports/process.hpp"\n\n#include <boost/beast.hpp>\n'
                           "\n#include <mutex>\n",
    "actors/session.cpp": CPP_HEAD + '#include "protocol/actors/messages.hpp"\n\n#include <caf/io/middleman.hpp>\n\n'
                          "// std::mutex has no place here; system(\"x\") neither.\n"
                          "auto& f(auto* self) {\n  return self->system().registry();\n}\n"
                          'const char* text = "std::thread popen(";\n',
    "gateway/bridge.cpp": CPP_HEAD + '#include "net/http/server.hpp"\n#include "protocol/actors/messages.hpp"\n\n'
                          "#include <boost/asio.hpp>\n#include <caf/all.hpp>\n",
    "apps/agentpoold/main.cpp": CPP_HEAD + '#include "actors/session.hpp"\n#include "gateway/bridge.hpp"\n',
    "sandboxd/main.cpp": CPP_HEAD + '#include "net/http/server.hpp"\n#include "protocol/wire/ids.hpp"\n',
    "tests/actors/session_test.cpp": CPP_HEAD + '#include "actors/session.hpp"\n#include "net/http/server.hpp"\n\n'
                                     "#include <rapidjson/document.h>\n\n#include <mutex>\n",
    "tests/support/wait.py": HASH_HEAD + "import time\ntime.sleep(0.01)\n",
    "tests/e2e/chat_test.py": HASH_HEAD + "# never time.sleep(1)\n",
    "scripts/run": "#!/bin/bash\n" + HASH_HEAD + "cd /workspace # TO" "DO(#12): later\n",
    "notes.md": "No TO" "DO without a number.\n",
    "conf/agentpool.toml": "workspace = \"/workspace/\"\n",
}

HOST = "registry.npm" "js.org"
MACHINE = "/wor" "k/"

# (path, the line that breaks a rule, part of the message); the line is put after the two header lines
PLANTED = (
    ("actors/lock.cpp", "#include <mutex>", "no threads and no locks"),
    ("actors/lock.cpp", "#include <thread>", "no threads and no locks"),
    ("actors/lock.cpp", "#include <condition_variable>", "no threads and no locks"),
    ("actors/lock.cpp", "std::mutex guard;", "no thread and no lock"),
    ("actors/lock.cpp", "std::thread worker;", "no thread and no lock"),
    ("actors/lock.cpp", "std::jthread worker;", "no thread and no lock"),
    ("actors/lock.cpp", "auto later = std::async([] {});", "no thread and no lock"),
    ("actors/lock.cpp", "std::condition_variable ready;", "no thread and no lock"),
    ("protocol/actors/lock.hpp", "#include <mutex>", "no threads and no locks"),
    ("actors/block.cpp", "self->request_receive(a, b);", "blocks a scheduler thread"),
    ("actors/block.cpp", "caf::scoped_actor self{system};", "blocks a scheduler thread"),
    ("actors/block.cpp", "std::ifstream file;", "blocks a scheduler thread"),
    ("actors/block.cpp", 'auto status = system("ls");', "blocks a scheduler thread"),
    ("actors/block.cpp", "auto pipe = popen(command, mode);", "blocks a scheduler thread"),
    ("gateway/wait.cpp", "self->request(a, caf::infinite, b);", "deadline"),
    ("tests/net/wait_test.cpp", "std::this_thread::sleep_for(1s);", "no sleeping"),
    ("tests/net/wait_test.cpp", "std::this_thread::sleep_until(then);", "no sleeping"),
    ("tests/net/wait_test.cpp", "usleep(1000);", "no sleeping"),
    ("tests/e2e/slow_test.py", "time.sleep(1)", "no sleeping"),
    ("tests/e2e/slow_test.py", "from time import sleep", "no sleeping"),
    ("tests/e2e/slow.sh", "true; sleep 1", "no sleeping"),
    ("net/bad.cpp", '#include "actors/session.hpp"', "net must not include actors"),
    ("net/bad.cpp", '#include "gateway/bridge.hpp"', "net must not include gateway"),
    ("net/bad.cpp", '#include "protocol/actors/messages.hpp"', "net must not include protocol/actors"),
    ("net/bad.cpp", "#include <caf/all.hpp>", "net must not include <caf/"),
    ("actors/bad.cpp", '#include "net/http/server.hpp"', "actors must not include net"),
    ("actors/bad.cpp", '#include "gateway/bridge.hpp"', "actors must not include gateway"),
    ("actors/bad.cpp", "#include <boost/asio.hpp>", "actors must not include <boost/"),
    ("actors/bad.cpp", "#include <curl/curl.h>", "actors must not include <curl/"),
    ("gateway/bad.cpp", '#include "actors/session.hpp"', "gateway must not include actors"),
    ("gateway/bad.cpp", "#include <rapidjson/document.h>", "gateway must not include <rapidjson/"),
    ("gateway/bad.cpp", "#include <caf/io/all.hpp>", "gateway must not include <caf/io/"),
    ("apps/bad.cpp", "#include <caf/openssl/all.hpp>", "apps must not include <caf/openssl/"),
    ("apps/bad.cpp", '#include "sandboxd/sandbox.hpp"', "apps must not include sandboxd"),
    ("protocol/wire/bad.hpp", '#include "protocol/ports/process.hpp"', "protocol/wire must not include protocol/ports"),
    ("protocol/wire/bad.hpp", "#include <caf/all.hpp>", "protocol/wire must not include <caf/"),
    ("protocol/ports/bad.hpp", '#include "net/http/server.hpp"', "protocol/ports must not include net"),
    ("protocol/ports/bad.hpp", "#include <boost/asio.hpp>", "protocol/ports must not include <boost/"),
    ("sandboxd/bad.cpp", "#include <caf/all.hpp>", "sandboxd must not include <caf/"),
    ("sandboxd/bad.cpp", '#include "protocol/ports/process.hpp"', "sandboxd must not include protocol/ports"),
    ("gateway/bad.cpp", "#include <sqlite3.h>", "gateway must not include <sqlite3.h>"),
    ("net/bad.cpp", '#include "server.hpp"', "not rooted at the repository"),
    ("net/bad.cpp", "// TO" "DO: finish", "needs an issue"),
    ("net/bad.cpp", "// FIX" "ME", "needs an issue"),
    ("notes2.md", f"see {MACHINE}main", "no paths of one machine"),
    ("scripts/other.sh", f"cd {MACHINE}main", "no paths of one machine"),
    ("conf/other.toml", f'url = "https://{HOST}/x"', "no names of registry hosts"),
    ("elsewhere/bad.cpp", "int a;", "this folder is no layer"),
)

HEADLESS = (
    ("net/bare.cpp", "int a;\n"), ("net/bare.hpp", "int a;\n"), ("tests/bare.py", "a = 1\n"),
    ("scripts/lib/bare.sh", "true\n"), ("scripts/bare", "#!/bin/sh\ntrue\n"), ("dsh-world/bare.js", "let a\n"),
    ("net/CMakeLists.txt", "add_library(net)\n"),
    ("net/half.cpp", CPP_HEAD.splitlines()[0] + "\nint a;\n"),
)


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.tree = pathlib.Path(tempfile.mkdtemp(prefix="check-test-"))
        self.addCleanup(shutil.rmtree, self.tree)
        subprocess.run(["git", "init", "-q", str(self.tree)], check=True, timeout=DEADLINE)
        shutil.copy(ROOT / ".clang-format", self.tree)
        for path, text in CLEAN.items():
            self.plant(path, text)

    def plant(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run_check(self, program="scripts/check"):
        command = [str(ROOT / program), "--root", str(self.tree)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
        return done.returncode, done.stdout + done.stderr

    def expect(self, program, path, line, message):
        status, output = self.run_check(program)
        places = [text for text in output.splitlines() if text.startswith(f"{path}:{line}:")]
        self.assertEqual(status, 1, output)
        self.assertTrue(any(message in text for text in places), output)

    def test_clean_tree_passes(self):
        status, output = self.run_check()
        self.assertEqual(status, 0, output)

    def test_each_planted_violation_is_found(self):
        for path, line, message in PLANTED:
            with self.subTest(path=path, line=line):
                file = self.plant(path, (HASH_HEAD if path.endswith((".py", ".sh")) else CPP_HEAD) + line + "\n")
                of_includes = line.startswith("#include") or path.startswith("elsewhere")
                program = "scripts/lib/check_includes.py" if of_includes else "scripts/lib/check_rules.py"
                self.expect(program, path, 1 if path.startswith("elsewhere") else 3, message)
                file.unlink()

    def test_missing_header_is_found(self):
        for path, text in HEADLESS:
            with self.subTest(path=path):
                file = self.plant(path, text)
                self.expect("scripts/lib/check_rules.py", path, 1, "no SPDX header")
                file.unlink()

    def test_the_whole_check_fails_on_a_mutex_or_a_thread_in_actors(self):
        for line in ("#include <mutex>", "std::thread worker;"):
            self.plant("actors/lock.cpp", CPP_HEAD + line + "\n")
            self.expect("scripts/check", "actors/lock.cpp", 3, "no ")

    def test_bad_format_is_found(self):
        self.plant("net/format.cpp", CPP_HEAD + "int   a;\n")
        status, output = self.run_check()
        self.assertEqual(status, 1)
        self.assertIn("net/format.cpp:3:", output)

    def test_ignored_files_are_not_looked_at(self):
        self.plant(".gitignore", "/build/\n")
        self.plant("build/x.cpp", "#include <bad>\n")
        self.assertEqual(self.run_check()[0], 0)

    def test_unknown_option_is_refused(self):
        done = subprocess.run([str(ROOT / "scripts/check"), "--oops"], capture_output=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()

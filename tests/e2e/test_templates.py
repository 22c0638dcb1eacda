# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Templates: what `base` has, recipes, versions that are switched to at once, removal. Nothing here needs a network."""

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from tests.e2e import settings
from tests.e2e.sandboxd import TEMPLATES, SandboxdCase, needs_sandboxes
from tests.e2e.wait import DEADLINE, until

BUILD = os.path.join(settings.REPO, "scripts", "build-template")
CTL = os.path.join(settings.BUILD, "apps", "agentpoolctl", "agentpoolctl")
STAMP = ".agentpool-stamp"
VERSION = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")

WHEEL = """
import zipfile
name = "hello_agentpool"
with zipfile.ZipFile("/tmp/hello_agentpool-1-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}.py", "def main(): print('hello from a wheel')\\n")
    info = f"{name}-1.dist-info"
    wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: hello-agentpool\\nVersion: 1\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/entry_points.txt", f"[console_scripts]\\nhello-agentpool = {name}:main\\n")
    wheel.writestr(f"{info}/RECORD", "")
"""


@needs_sandboxes
class Base(SandboxdCase):
    def test_it_has_what_users_of_the_sdks_expect(self):
        box = self.sandbox()
        self.assertEqual(box.must("id -un; id -u; echo $HOME; getent passwd user | cut -d: -f7; echo $SHELL"),
                         "user\n1000\n/home/user\n/bin/bash\n/bin/bash")
        self.assertEqual(box.must("sudo -n id -u"), "0")
        for tool in ("git python3 pip node npm npx gcc g++ make cmake curl jq rg setfattr").split():
            box.must(f"command -v {tool}")
        self.assertEqual(box.must("touch a && setfattr -n user.k -v v a && getfattr --only-values -n user.k a"), "v")
        self.assertEqual(box.must("locale 2>/dev/null | grep -E '^(LANG|LC_CTYPE)=' ; python3 -c 'print(\"héllo\")'"),
                         'LANG=C.UTF-8\nLC_CTYPE="C.UTF-8"\nhéllo')
        self.assertEqual(box.must("stat -c %U /workspace; id -nG"), "user\nuser")

    def test_nothing_of_its_own_listens(self):
        box = self.sandbox()
        box.must("true")
        sockets = box.must("cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\" {print $2}'", "root")
        listening = {int(socket.split(":")[1], 16) for socket in sockets.split()}
        self.assertLessEqual(listening, {49983, 53})

    def test_c_programs_can_be_built(self):
        box = self.sandbox()
        box.must("mkdir p && cd p && echo '#include <iostream>\nint main() { std::cout << 6 * 7; }' > a.cpp")
        box.must("cd p && echo 'cmake_minimum_required(VERSION 3.20)\nproject(p)\nadd_executable(a a.cpp)' > CMakeLists.txt")
        self.assertEqual(box.must("cd p && cmake -B b . >/dev/null && make -C b >/dev/null && b/a"), "42")

    def test_pip_installs_without_flags(self):
        for user in ("user", "root"):
            box = self.sandbox()
            box.must(f"cat > /tmp/w.py <<'E'\n{WHEEL}\nE\npython3 /tmp/w.py")
            out = box.must("pip install --no-index /tmp/hello_agentpool-1-py3-none-any.whl 2>&1", user)
            self.assertIn("Successfully installed hello-agentpool-1", out)
            self.assertNotIn("WARNING", out)
            self.assertEqual(box.must("hello-agentpool", user), "hello from a wheel")
            self.assertEqual(box.must("python3 -c 'import hello_agentpool as h; h.main()'"), "hello from a wheel")

    def test_npm_installs_without_flags(self):
        box = self.sandbox()
        box.must("mkdir p && echo '#!/usr/bin/env node\nconsole.log(\"hello from npm\")' > p/cli.js && chmod +x p/cli.js")
        package = {"name": "p", "version": "1.0.0", "bin": {"hello-npm": "cli.js"}}
        box.must(f"cd p && echo '{json.dumps(package)}' > package.json && npm pack")
        out = box.must("npm install -g --offline ./p/p-1.0.0.tgz 2>&1")
        self.assertNotIn("warn", out)
        self.assertEqual(box.must("hello-npm"), "hello from npm")
        self.assertEqual(box.must("which node npm hello-npm | xargs -n 1 dirname | sort -u"), "/usr/local/bin")

    def test_it_names_no_mirror_of_the_machine_that_made_it(self):
        box = self.sandbox()
        self.assertEqual(box.must("pip config get global.index-url 2>/dev/null || echo none"), "none")
        self.assertEqual(box.must("test -e /etc/npmrc && grep registry /etc/npmrc || echo none"), "none")
        hosts = box.must("grep -rhE '^deb ' /etc/apt/sources.list /etc/apt/sources.list.d | awk '{print $2}' | sort -u")
        example = "/usr/share/doc/apt/examples/sources.list"  # what Debian itself suggests
        if os.path.exists(example):
            with open(example, encoding="utf-8") as file:
                suggested = {line.split()[1] for line in file if line.startswith("deb ")}
            self.assertLessEqual(set(hosts.split()), suggested)
        self.assertEqual(box.must("ls /etc/apt/apt.conf.d | grep -c mmdebstrap || true"), "0")


class Recipes(SandboxdCase):
    """A folder of templates of its own: `tiny` is a busybox-sized tree, made from a recipe without packages."""

    @classmethod
    def setUpClass(cls):
        pass  # each test starts what it needs

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="ap-templates-")
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        os.chmod(self.work, 0o755)
        self.folder = os.path.join(self.work, "templates")
        # What `from = "base"` copies: not the whole base, which takes long, but what runs in it.
        self.make_base()

    def make_base(self):
        tree = os.path.join(self.folder, "base", "versions", "1", "rootfs")
        real = os.path.realpath(os.path.join(TEMPLATES, "base", "rootfs"))
        for name in "home/user tmp root proc dev sys usr/bin usr/sbin usr/lib usr/lib64 etc var workspace".split():
            os.makedirs(os.path.join(tree, name))
        for name in ("bin", "lib", "lib64", "sbin"):
            if os.path.islink(os.path.join(real, name)):
                os.symlink(os.readlink(os.path.join(real, name)), os.path.join(tree, name))
        for name in ("passwd", "group", "hosts", "hostname", "resolv.conf"):
            shutil.copy(os.path.join(real, "etc", name), os.path.join(tree, "etc", name))
        for program in ("bash", "cat", "env", "ls"):
            self.copy_program(real, tree, "usr/bin/" + program)
        shutil.chown(os.path.join(tree, "home/user"), 1000, 1000)
        os.symlink("versions/1", os.path.join(self.folder, "base", "current"))
        os.symlink("current/rootfs", os.path.join(self.folder, "base", "rootfs"))

    def copy_program(self, real, tree, path):
        """A program with the libraries that it needs, at the places where it looks for them."""
        said = subprocess.run(["chroot", real, "ldd", "/" + path], capture_output=True, text=True, check=True).stdout
        for file in (path, *(part.lstrip("/") for part in said.split() if part.startswith("/"))):
            folder, name = os.path.split(os.path.join(real, file))
            place = tree + os.path.realpath(folder).removeprefix(real)
            os.makedirs(place, exist_ok=True)
            shutil.copy(os.path.join(folder, name), os.path.join(place, name))

    def recipe(self, name="tiny", toml='from = "base"\n', customize=None, files=None):
        folder = os.path.join(self.work, "recipes", name)
        os.makedirs(folder, exist_ok=True)
        self.put(folder, "template.toml", toml)
        if customize is not None:
            self.put(folder, "customize", "#!/bin/bash\nset -euo pipefail\nroot=$1\n" + customize, 0o755)
        for path, text in (files or {}).items():
            self.put(folder, os.path.join("files", path), text)
        return folder

    @staticmethod
    def put(folder, path, text, mode=0o644):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def run_build(self, recipe, *options, program=(BUILD,)):
        return subprocess.run([*program, "--prefix", self.folder, *options, recipe], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE * 10)

    def build(self, recipe, *options):
        """Builds it; the version that is current then."""
        done = self.run_build(recipe, *options)
        self.assertEqual(done.returncode, 0, done)
        return self.current(os.path.basename(recipe))

    def current(self, name="tiny"):
        return os.path.basename(os.path.realpath(os.path.join(self.folder, name, "current")))

    def versions(self, name="tiny"):
        return sorted(os.listdir(os.path.join(self.folder, name, "versions")))

    def ctl(self, *words):
        return subprocess.run([CTL, "template", *words, "--prefix", self.folder], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE * 10)

    def refused(self, *words):
        done = self.ctl(*words)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        return done.stderr

    def rows(self):
        """The table of `list`, by NAME@VERSION."""
        done = self.ctl("list")
        self.assertEqual(done.returncode, 0, done)
        head, *lines = (re.split(r"  +", line.strip()) for line in done.stdout.splitlines())
        return {f"{line[0]}@{line[1]}": dict(zip(head, line, strict=True)) for line in lines}

    def service_on(self, *options):
        return self.own_service("--network", "none", *options, templates=self.folder)

    def text(self, box, path="/etc/made"):
        return box.read(path).body.decode().strip()


@needs_sandboxes
class Build(Recipes):
    def test_a_recipe_becomes_a_template_without_a_restart(self):
        service = self.service_on()
        self.assertError(service.call("POST", "/v2/sandboxes", {"templateID": "tiny"}), 404)
        version = self.build(self.recipe(
            toml='from = "base"\nuser = "root"\nworkdir = "/srv/w"\n[env]\nGREETING = "héllo"\nOTHER = "t"\n',
            customize='mkdir -p "$root/srv/w"; echo one >"$root/etc/made"\n', files={"etc/extra": "file\n"}))
        self.assertRegex(version, VERSION)
        box = service.create(templateID="tiny", envVars={"OTHER": "mine"})
        self.assertEqual(box.made["templateID"], "tiny")
        self.assertEqual(box.must("cat /etc/made /etc/extra; echo $GREETING $OTHER $USER; pwd"),
                         "one\nfile\nhéllo mine root\n/srv/w")
        self.assertEqual(service.stop(), 0)

    def test_the_same_recipe_makes_no_new_version(self):
        recipe = self.recipe(customize='echo one >"$root/etc/made"\n')
        first = self.build(recipe)
        self.assertEqual(self.build(recipe), first)
        self.recipe(customize='echo two >"$root/etc/made"\n')
        second = self.build(recipe)
        self.assertNotEqual(second, first)
        self.assertEqual(self.versions(), sorted([first, second]))
        self.recipe(customize='echo one >"$root/etc/made"\n')
        self.assertEqual(self.build(recipe), first)  # that one is there already

    def test_versions_and_tags_can_be_named(self):
        recipe = self.recipe(customize='echo one >"$root/etc/made"\n')
        first = self.build(recipe, "--tag", "v1")
        self.recipe(customize='echo two >"$root/etc/made"\n')
        self.build(recipe)
        service = self.service_on()
        for name, made in (("tiny", "two"), ("tiny:latest", "two"), ("tiny:v1", "one"), (f"tiny@{first}", "one"),
                           (f"tiny:{first}", "one")):
            box = service.create(templateID=name)
            self.assertEqual(self.text(box), made, name)
            self.assertEqual(box.kill().status, 204)
        for name in ("tiny:v2", "tiny@v2", "tiny:", "tiny@", "tiny@../../base", "Tiny"):
            self.assertError(service.call("POST", "/v2/sandboxes", {"templateID": name}), 404)
        self.assertEqual(service.stop(), 0)

    def test_mirrors_of_the_recipe(self):
        self.build(self.recipe(toml='from = "base"\n[mirrors]\npip = "http://one.example/python"\n'
                                    'npm = "http://one.example/node/"\napt = "http://one.example/system"\n'))
        tree = os.path.join(self.folder, "tiny", "rootfs")
        for path, text in (("etc/xdg/pip/pip.conf", "[global]\nindex-url = http://one.example/python\n"),
                           ("etc/npmrc", "registry=http://one.example/node/\n"),
                           ("etc/apt/sources.list", "deb http://one.example/system bookworm main\n"
                                                    "deb http://one.example/system bookworm-updates main\n")):
            with open(os.path.join(tree, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_mirrors_of_the_service_win(self):
        self.build(self.recipe(toml='from = "base"\n[mirrors]\npip = "http://m/python"\nnpm = "http://m/node"\n'))
        service = self.service_on("--pip-mirror", "http://other.example/python",
                                  "--apt-mirror", "http://other.example/system")
        box = service.create(templateID="tiny", timeout=3000)
        self.assertEqual(box.must("cat /etc/xdg/pip/pip.conf /etc/npmrc"),
                         "[global]\nindex-url = http://other.example/python\nregistry=http://m/node")
        self.assertIn("deb http://other.example/system bookworm main\n", box.read("/etc/apt/sources.list").body.decode())
        box.must("echo registry=mine > /etc/npmrc; echo mine > /etc/xdg/pip/pip.conf", "root")
        self.assertEqual(service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(box.must("cat /etc/xdg/pip/pip.conf"), "mine")  # written once: then it is the sandbox's own
        self.assertEqual(service.stop(), 0)

    def test_mistakes_name_cause_and_fix(self):
        for toml, said in (("from = 7\n", "recipe.from must be a text"), ("form = 'base'\n", "unknown key form; the known"),
                           ("from = 'none'\n", "build it first: scripts/build-template none"),
                           ("from = 'base@9'\n", "which is not in"), ("from = 'a/b'\n", "names no template"),
                           ("[env]\n'a b' = 'x'\n", "env.a b is no name"), ("from =", "is no TOML"),
                           ("[mirrors]\ncargo = 'x'\n", "unknown key mirrors.cargo"),
                           ("workdir = 'srv'\n", "must begin with /")):
            done = self.run_build(self.recipe(toml=toml))
            self.assertNotEqual(done.returncode, 0, toml)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "tiny")))
        for recipe, said in (("nosuch", "there is no recipe at"), (os.path.join(self.work, "No"), "small letters")):
            done = self.run_build(recipe)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_agentpoolctl_builds_too(self):
        recipe = self.recipe(customize='echo one >"$root/etc/made"\n')
        done = self.ctl("build", recipe, "--tag", "v1")
        self.assertEqual(done.returncode, 0, done)
        version = self.current()
        self.assertIn(f"template tiny@{version} is current", done.stdout)
        rows = self.rows()
        self.assertEqual(rows[f"tiny@{version}"]["CURRENT"], "yes")
        self.assertEqual(rows[f"tiny@{version}"]["TAGS"], "v1")
        self.assertEqual(rows[f"tiny@{version}"]["FROM"], "base@1")
        self.assertRegex(rows[f"tiny@{version}"]["SIZE"], r"^\d+ MiB$")
        self.assertEqual(rows[f"tiny@{version}"]["IN USE"], "-")
        self.assertEqual(self.ctl("build", os.path.join(self.work, "nosuch")).returncode, 2)

    def test_a_tree_without_versions_becomes_one(self):
        shutil.move(os.path.join(self.folder, "base", "versions", "1", "rootfs"), os.path.join(self.work, "tree"))
        self.build_old_layout("tiny")
        shutil.copytree(os.path.join(self.work, "tree"), os.path.join(self.folder, "base", "versions", "1", "rootfs"),
                        symlinks=True)
        service = self.service_on()
        box = service.create(templateID="tiny", timeout=3000)
        self.assertEqual(self.text(box), "old")
        version = self.build(self.recipe(customize='echo new >"$root/etc/made"\n'))
        self.assertEqual(self.versions(), sorted([version, "v0"]))
        self.assertEqual(service.stop(), 0)
        service.start()
        self.assertEqual(box.connect().status, 201)
        self.assertEqual(self.text(box), "old")
        self.assertEqual(self.text(service.create(templateID="tiny")), "new")
        self.assertIn("tiny@v0 is used by 1 sandboxes", self.refused("remove", "tiny@v0"))
        self.assertEqual(service.stop(), 0)

    def build_old_layout(self, name):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        shutil.copytree(os.path.join(self.work, "tree"), os.path.join(folder, "rootfs"), symlinks=True)
        self.put(folder, "rootfs/etc/made", "old\n")
        self.put(folder, STAMP, "template tiny recipe=0")


@needs_sandboxes
class Broken(Recipes):
    """A build that fails or is killed leaves the old version current, and the next one cleans up."""

    def setUp(self):
        super().setUp()
        self.first = self.build(self.recipe(customize='echo one >"$root/etc/made"\n'))

    def assert_old(self):
        self.assertEqual(self.current(), self.first)
        with open(os.path.join(self.folder, "tiny", "rootfs", "etc", "made"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "one\n")

    def assert_next_build_is_clean(self):
        second = self.build(self.recipe(customize='echo two >"$root/etc/made"\n'))
        self.assertNotEqual(second, self.first)
        self.assertEqual(self.versions(), sorted([self.first, second]))
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "tiny"))), ["current", "rootfs", "versions"])

    def test_a_failing_customize(self):
        done = self.run_build(self.recipe(customize='echo two >"$root/etc/made"; echo its words >&2; exit 7\n'))
        self.assertEqual(done.returncode, 7, done)
        self.assertIn("its words", done.stderr)
        self.assert_old()
        self.assertEqual(self.versions(), [self.first])
        self.assert_next_build_is_clean()

    def killed_at(self, step):
        """kill -9 of a build in the moment when its recipe's `step` holds it; its steps have ended after."""
        fifo = os.path.join(self.work, "fifo")
        os.mkfifo(fifo)
        recipe = step(f"echo here >{fifo}; read -r _ <{fifo}.never\n")
        os.mkfifo(fifo + ".never")
        child = subprocess.Popen([BUILD, "--prefix", self.folder, recipe], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(fifo, encoding="utf-8") as said:
            self.assertEqual(said.read(), "here\n")
        child.send_signal(signal.SIGKILL)
        child.wait(DEADLINE)
        os.unlink(fifo)
        os.unlink(fifo + ".never")
        until(self.is_unlocked, "the steps of the killed build have ended")

    def is_unlocked(self):
        with open(os.path.join(self.folder, "tiny.lock"), encoding="utf-8") as lock:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
        return False

    def test_a_kill_while_the_recipe_runs(self):
        self.killed_at(lambda wait: self.recipe(customize='echo two >"$root/etc/made"\n' + wait))
        self.assert_old()
        self.assertTrue([name for name in self.versions() if name.startswith(".new-")])
        self.assertEqual(list(self.rows()), ["base@1", f"tiny@{self.first}"])
        self.assert_next_build_is_clean()

    def test_a_kill_between_the_version_and_the_switch(self):
        # As such a kill leaves it: the version is there and whole, `current` names the older one.
        second = self.build(self.recipe(customize='echo two >"$root/etc/made"\n'))
        link = os.path.join(self.folder, "tiny", "current")
        os.unlink(link)
        os.symlink(f"versions/{self.first}", link)
        os.symlink(f"versions/{second}", link + ".new")
        self.assert_old()
        again = self.build(self.recipe(customize='echo two >"$root/etc/made"\n'))
        self.assertEqual(again, second)
        self.assert_next_build_is_clean()

    def test_two_builds_at_once(self):
        recipe = self.recipe(customize='echo two >"$root/etc/made"\n')
        children = [subprocess.Popen([BUILD, "--prefix", self.folder, recipe], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]
        for child in children:
            self.assertEqual(child.wait(DEADLINE * 10), 0)
        self.assertEqual(len(self.versions()), 2)


@needs_sandboxes
class Use(Recipes):
    def setUp(self):
        super().setUp()
        self.first = self.build(self.recipe(customize='echo one >"$root/etc/made"\n'))

    def build_second(self):
        return self.build(self.recipe(customize='echo two >"$root/etc/made"; echo b >"$root/etc/second"\n'))

    def test_a_sandbox_keeps_the_version_that_it_was_made_from(self):
        service = self.service_on()
        running, stopped = (service.create(templateID="tiny", timeout=3000) for _ in range(2))
        self.assertEqual(service.call("POST", f"/sandboxes/{stopped.id}/pause", {"memory": False}).status, 204)
        self.build_second()
        self.assertEqual(stopped.connect().status, 201)
        for box in (running, stopped):
            self.assertEqual(self.text(box), "one")
            self.assertEqual(box.read("/etc/second").status, 404)
        self.assertEqual(self.text(service.create(templateID="tiny")), "two")
        service.kill()
        service.start()
        for box in (running, stopped):
            self.assertEqual(box.connect().status, 201)
            self.assertEqual(self.text(box), "one")
        with open(os.path.join(service.data, "sandboxes", running.id, "record.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["template_version"], self.first)
        self.assertEqual(service.stop(), 0)

    def test_what_is_used_is_not_removed(self):
        service = self.service_on()
        box = service.create(templateID="tiny", timeout=3000)
        second = self.build_second()
        self.assertEqual(self.rows()[f"tiny@{self.first}"]["IN USE"], "1 sandbox")
        said = self.refused("remove", f"tiny@{self.first}")
        self.assertIn(f"tiny@{self.first} is used by 1 sandboxes, the first is {service.data}/sandboxes/{box.id}", said)
        self.refused("remove", "tiny")
        self.assertEqual(service.stop(), 0)
        self.assertEqual(self.rows()[f"tiny@{self.first}"]["IN USE"], "1 sandbox, not running")
        self.assertIn("is used by 1 sandboxes", self.refused("remove", f"tiny@{self.first}"))
        service.start()
        self.assertEqual(box.kill().status, 204)
        done = self.ctl("remove", f"tiny@{self.first}")
        self.assertEqual((done.returncode, done.stdout), (0, f"removed tiny@{self.first}\n"), done)
        self.assertEqual(self.versions(), [second])
        self.assertIn("is the current version", self.refused("remove", f"tiny@{second}"))
        self.assertEqual(self.ctl("remove", "tiny").returncode, 0)
        self.assertError(service.call("POST", "/v2/sandboxes", {"templateID": "tiny"}), 404)
        self.assertIn("there is no template tiny", self.refused("remove", "tiny"))
        self.assertIn("names no template", self.refused("remove", "../base"))
        self.assertEqual(service.stop(), 0)

    def test_a_version_that_somebody_took_by_force_is_named(self):
        service = self.service_on()
        box = service.create(templateID="tiny", timeout=3000)
        self.assertEqual(service.call("POST", f"/sandboxes/{box.id}/pause", {"memory": False}).status, 204)
        self.assertEqual(service.stop(), 0)
        shutil.rmtree(os.path.join(self.folder, "tiny", "versions", self.first))
        service.start()
        self.assertIn(f"sandbox {box.id} cannot boot: template 'tiny:{self.first}' not found", service.text())
        self.assertError(box.connect(), 500)
        self.assertEqual(box.kill().status, 204)
        self.assertEqual(service.stop(), 0)


if __name__ == "__main__":
    unittest.main()

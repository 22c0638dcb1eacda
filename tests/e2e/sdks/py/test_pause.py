# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""pause and connect, what the end of the time does, snapshots, forks, network options, signed addresses, figures."""

import datetime
import urllib.error
import urllib.request

from e2b import InvalidArgumentException, SandboxException, SandboxNotFoundException
from support import DEADLINE, TEMPLATE, Sandbox, Scenario, ask, unique, until


def boot(sandbox):
    return sandbox.commands.run("cat /proc/sys/kernel/random/boot_id").stdout


def everything(pages):
    found = []
    while pages.has_next:
        found += [one.snapshot_id for one in pages.next_items()]
    return found


class Pause(Scenario):
    options = None

    def test_with_memory(self):
        sandbox = self.own(envs={"KEPT": "yes"})
        sandbox.files.write("f", "kept")
        busy = sandbox.commands.run('read line; echo "got $line"', background=True, stdin=True, timeout=0)
        busy.disconnect()
        before = boot(sandbox)
        self.assertTrue(sandbox.pause())
        self.assertFalse(sandbox.is_running())
        self.assertFalse(sandbox.pause())
        self.fails(SandboxException, sandbox.commands.run, "true")
        sandbox.connect()
        self.assertTrue(sandbox.is_running())
        self.assertEqual(boot(sandbox), before)
        self.assertEqual(sandbox.commands.run("cat f; echo $KEPT").stdout, "keptyes\n")
        again = sandbox.commands.connect(busy.pid)
        again.send_stdin("after\n")
        self.assertEqual(again.wait().stdout, "got after\n")

    def test_without_memory(self):
        sandbox = self.own()
        sandbox.files.write("f", "kept")
        before = boot(sandbox)
        self.assertTrue(sandbox.pause(mode="filesystem"))
        sandbox.connect()
        self.assertNotEqual(boot(sandbox), before)
        self.assertEqual((sandbox.files.read("f"), sandbox.commands.list()), ("kept", []))
        self.assertTrue(Sandbox.pause(sandbox.sandbox_id, strict=True))
        before = boot(Sandbox.connect(sandbox.sandbox_id))
        self.assertTrue(sandbox.beta_pause())
        Sandbox.connect(sandbox.sandbox_id, on_resume="reboot")
        self.assertNotEqual(boot(sandbox), before)

    def test_at_the_end_of_its_time(self):
        sandbox = self.own(lifecycle={"on_timeout": "pause"})
        self.assertEqual(sandbox.get_info().lifecycle, {"on_timeout": "pause", "auto_resume": False})
        sandbox.set_timeout(0)
        until(lambda: sandbox.get_info().state.value == "paused", "the pause")
        sandbox.connect()
        self.assertTrue(sandbox.is_running())
        self.fails(InvalidArgumentException, Sandbox.create, lifecycle={"on_timeout": "kill", "auto_resume": True})

    def test_traffic_wakes(self):
        sandbox = self.own(lifecycle={"on_timeout": "pause", "auto_resume": True})
        sandbox.pause()
        self.assertEqual(sandbox.commands.run("echo awake").stdout, "awake\n")


class Copies(Scenario):
    options = None

    def test_snapshots(self):
        sandbox, name = self.own(), unique()
        sandbox.files.write("f", "then")
        made = [sandbox.create_snapshot(), Sandbox.create_snapshot(sandbox.sandbox_id, name=name)]
        for one in made:
            self.addCleanup(Sandbox.delete_snapshot, one.snapshot_id)
        self.assertEqual((made[0].names, len(made[1].names)), ([], 1))
        self.assertEqual(sorted(everything(sandbox.list_snapshots(limit=1))), sorted(one.snapshot_id for one in made))
        self.assertEqual(everything(Sandbox.list_snapshots(name=name)), [made[1].snapshot_id])
        sandbox.files.write("f", "later")
        copy = Sandbox.create(made[0].snapshot_id, timeout=600)
        self.addCleanup(copy.kill)
        self.assertEqual((copy.files.read("f"), sandbox.files.read("f")), ("then", "later"))
        self.assertTrue(Sandbox.delete_snapshot(made[1].snapshot_id))
        self.assertFalse(Sandbox.delete_snapshot(made[1].snapshot_id))

    def test_forks(self):
        sandbox = self.own()
        sandbox.files.write("f", "before")
        forks = sandbox.fork(count=2, timeout=120) + Sandbox.fork(sandbox.sandbox_id)
        for fork in forks:
            self.addCleanup(fork.kill)
            self.assertEqual(fork.files.read("f"), "before")
            fork.files.write("f", "changed")
        self.assertEqual((len(forks), sandbox.files.read("f")), (3, "before"))
        sandbox.kill()
        self.fails(SandboxNotFoundException, sandbox.fork)
        self.fails(InvalidArgumentException, sandbox.fork, count=0)


class Options(Scenario):
    options = {}

    def test_network(self):
        sandbox = self.own(network={"allow_public_traffic": False, "deny_out": ["10.0.0.0/8"]})
        sandbox.commands.run("python3 -m http.server 8000", background=True, timeout=0)
        until(lambda: ask(sandbox, 8000, e2b_traffic_access_token=sandbox.traffic_access_token)[0] == 200, "the server")
        self.assertEqual(ask(sandbox, 8000)[0], 403)
        network = sandbox.get_info().network
        self.assertEqual((network["allow_public_traffic"], network["deny_out"]), (False, ["10.0.0.0/8"]))
        sandbox.update_network({"deny_out": ["192.168.0.0/16"]})
        self.assertEqual(Sandbox.get_info(sandbox.sandbox_id).network["deny_out"], ["192.168.0.0/16"])
        Sandbox.update_network(sandbox.sandbox_id, {"allow_internet_access": False})
        self.fails(SandboxException, Sandbox.create, TEMPLATE, network={"allow_out": ["example.com"]})

    def fetch(self, url):
        try:
            with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def test_signed_addresses(self):
        self.sandbox.files.write(f"{self.dir}/a file", "signed")
        for options in ({}, {"use_signature_expiration": 10_000}, {"user": "root"}):
            self.assertEqual(self.fetch(self.sandbox.download_url(f"{self.dir}/a file", **options)), (200, b"signed"))
        late = self.fetch(self.sandbox.download_url(f"{self.dir}/a file", use_signature_expiration=-10_000))
        self.assertEqual(late[0], 401)
        self.assertIn(b"signature is already expired", late[1])
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nup\r\n--x--\r\n'
        lines = {"Content-Type": "multipart/form-data; boundary=x"}
        to = urllib.request.Request(self.sandbox.upload_url(f"{self.dir}/up"), form, lines)
        self.assertEqual((self.fetch(to)[0], self.sandbox.files.read(f"{self.dir}/up")), (200, "up"))

    def test_figures(self):
        start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=5)
        one = until(self.sandbox.get_metrics, "a measurement")[0]
        self.assertTrue(one.cpu_count > 0 and 0 < one.mem_used <= one.mem_total and 0 < one.disk_used <= one.disk_total)
        self.assertTrue(Sandbox.get_metrics(self.sandbox.sandbox_id, start=start))
        before = start - datetime.timedelta(hours=2)
        self.assertEqual(self.sandbox.get_metrics(start=before, end=before + datetime.timedelta(hours=1)), [])

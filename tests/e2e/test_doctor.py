# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The doctor names what is off with a provider, and leaves nothing there. Each class of faults of the proxy has its
finding."""

import os
import shutil
import subprocess
import tempfile
import unittest

from tests.e2e.doctor import DOMAIN, PROGRAM, DoctorCase, doctor
from tests.e2e.sandboxd import free_port, needs_sandboxes
from tests.e2e.wait import DEADLINE, until
from tests.support.fault_proxy_client import make_authority

PATIENCE = ("--patience", "6")
FILE = "/home/user/agentpool-doctor.bin"
STEPS = ["api", "key", "clock-api", "create", "version", "list", "list-filter", "routing", "stale-routes", "identity",
         "template", "exit-codes", "input", "clock-sandbox", "files", "timeout", "ports", "pause", "paused-state",
         "resume", "connections", "memory", "files-kept", "kill", "connect-dead", "clean"]


@needs_sandboxes
class Healthy(DoctorCase):
    def test_sandboxd_has_nothing_that_fails(self):
        report = doctor("--api-url", self.service.url, "--api-key-file", self.service.key_file)
        self.assertEqual((report.code, report.of("FAIL", "SKIP")), (0, {}), report)
        self.assertEqual([row["step"] for row in report.rows if row["step"] not in STEPS], [])
        self.assertTrue(all(row["ms"] >= 0 for row in report.rows))

    def test_a_provider_with_pauses_passes_every_step(self):
        report = self.examine("pause")
        self.assertEqual(report.of("FAIL", "SKIP", "WARN"), {}, report)
        self.assertEqual([row["step"] for row in report.rows], STEPS)

    def test_the_daemon_s_configuration_says_where(self):
        path = os.path.join(self.folder, "agentpool.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'[hands]\nprovider = "sandboxd"\nurl = "{self.service.url}"\n'
                       f'api_key_file = "{self.service.key_file}"\n')
        report = doctor("--config", path, as_json=False)
        self.assertEqual(report.code, 0, report)
        self.assertIn("OK   create", report.text)
        self.assertIn(" ms", report.text)

    def test_what_cannot_begin_is_2(self):
        for options, word in (
            ((), "--api-url"),
            (("--config", "/nowhere/x.toml"), "/nowhere/x.toml"),
            (("--api-url", self.service.url, "--api-key-file", "/nowhere/key"), "/nowhere/key"),
        ):
            report = doctor(*options)
            self.assertEqual((report.code, report.text), (2, ""), report)
            self.assertIn(word, report.error)

    def test_nobody_there(self):
        report = doctor("--api-url", f"http://127.0.0.1:{free_port()}", "--api-key-file", self.service.key_file)
        self.assertFinding(report, "FAIL", "api", "cannot be reached")
        self.assertEqual(len(report.of("FAIL")), 1, "the others were not examined")

    def test_a_wrong_key(self):
        path = os.path.join(self.folder, "key")
        with open(path, "w", encoding="utf-8") as file:
            file.write("e2b_11\n")
        report = doctor("--api-url", self.service.url, "--api-key-file", path)
        self.assertFinding(report, "FAIL", "key", "hands.api_key_file")

    def test_an_unknown_template(self):
        report = self.examine(options=("--template", "nosuch"))
        self.assertFinding(report, "FAIL", "create", "hands.template")

    def test_an_interrupt_removes_the_sandbox(self):
        self.proxy.rules({"rule": "delay", "seconds": 0.3, "plane": "envd"})
        where = ("--api-url", self.proxy.url, "--api-key-file", self.service.key_file)
        child = subprocess.Popen([PROGRAM, "doctor", "provider", *where, "--json"], stdout=subprocess.PIPE, text=True)
        until(self.service.list, "a sandbox is there")
        child.terminate()
        self.assertIn("it was interrupted", child.communicate(timeout=DEADLINE * 2)[0])


@needs_sandboxes
class ControlPlane(DoctorCase):
    def test_a_create_that_lost_its_answer_is_found_again(self):
        report = self.examine({"rule": "empty_408", "times": 1})
        self.assertFinding(report, "WARN", "create", "found by its metadata")

    def test_a_create_that_was_not_executed(self):
        report = self.examine({"rule": "empty_408", "execute": False})
        self.assertFinding(report, "FAIL", "create", "408")

    def test_a_create_whose_answer_is_cut(self):
        report = self.examine({"rule": "cut", "at": 40, "path": "sandboxes$", "method": "POST", "times": 1})
        self.assertFinding(report, "WARN", "create", "found by its metadata")

    def test_no_room(self):
        for rule in ({"rule": "busy", "method": "POST"}, {"rule": "busy", "status": 503, "method": "POST"},
                     {"rule": "cube_error", "number": 130597, "method": "POST"}):
            self.assertFinding(self.examine(rule), "FAIL", "create", "no room")

    def test_older_calls_only(self):
        report = self.examine("no_v2_create", "no_v2_connect", "pause")
        self.assertEqual((report.code, report.of("WARN", "FAIL")), (0, {}), report)

    def test_a_list_that_hides(self):
        self.assertFinding(self.examine("list_without"), "FAIL", "list", "metadata")
        self.assertFinding(self.examine("list_no_filter"), "WARN", "list-filter", "cube")

    def test_a_web_server_in_place_of_the_api(self):
        self.assertFinding(self.examine({"rule": "html", "status": 404}), "FAIL", "key", "hands.url")

    def test_a_clock_that_is_ahead(self):
        self.assertFinding(self.examine("clock"), "WARN", "clock-api", "ahead of")
        self.assertFinding(self.examine({"rule": "clock", "seconds": -3600}), "WARN", "clock-api", "behind")

    def test_a_timeout_that_does_not_move(self):
        report = self.examine({"rule": "answer", "status": 204, "content_type": None, "path": "/(timeout|refreshes)$"})
        self.assertFinding(report, "FAIL", "timeout", "does not move")

    def test_a_delete_that_is_refused_for_a_while(self):
        report = self.examine({"rule": "refuse_delete", "times": 1})
        self.assertFinding(report, "FAIL", "kill", "cannot be deleted")
        self.assertIn("gone now", report.of("WARN")["clean"]["fix"])

    def test_a_connect_that_is_always_fine(self):
        self.assertFinding(self.examine("connect_200"), "WARN", "connect-dead", "cube")
        report = self.cube("connect_200")
        self.assertIn("connect-dead", report.of("OK"), report)


@needs_sandboxes
class DataPlane(DoctorCase):
    def test_host_names_only(self):
        self.assertFinding(self.examine("host_only"), "FAIL", "routing", "hands.domain")
        report = self.cube("host_only", "pause")
        self.assertEqual(report.of("FAIL"), {}, report)
        self.assertIn("headers alone do not", report.of("OK")["routing"]["text"])

    def test_headers_only(self):
        report = self.examine("headers_only", options=("--domain", DOMAIN, "--sandbox-url", self.proxy.url))
        self.assertFinding(report, "FAIL", "routing", "by headers it can")

    def test_another_sandbox_answers(self):
        self.sandbox()  # made past the proxy: it is named here
        other = self.service.list()[0]
        token = self.service.call("GET", f"/sandboxes/{other}").json["envdAccessToken"]
        self.proxy.rules()
        report = self.examine({"rule": "wrong_route", "to": other, "token": token})
        self.assertFinding(report, "FAIL", "identity", "another one")
        self.service.call("DELETE", f"/sandboxes/{other}")

    def test_stale_routes(self):  # BR-080
        report = self.examine({"rule": "stale_route", "share": 0.3, "skip": 2, "path": "^/health$"})
        self.assertFinding(report, "WARN", "stale-routes", "of 20 calls failed")

    def test_an_envd_that_is_called_old(self):
        report = self.examine({"rule": "envd_version", "version": "0.2.0", "acts": False})
        self.assertFinding(report, "WARN", "version", "cube")
        report = self.cube("host_only", {"rule": "envd_version", "version": "0.2.0"}, "pause")
        self.assertEqual(report.of("FAIL"), {}, report)
        self.assertFinding(report, "WARN", "input", "cannot close")

    def test_an_envd_that_dies_of_odd_intervals(self):
        report = self.examine({"rule": "envd_version", "version": "0.5.13"}, "pause")
        self.assertEqual(report.of("FAIL", "WARN"), {}, report)

    def test_streams_that_end_badly(self):  # BR-075, BR-077, BR-095
        for rule, word in (("no_end_event", "without the end"), ("stream_json", "the sandbox is being resumed"),
                           ("stream_silent", "in time"), ({"rule": "silence", "path": "Start$"}, "in time")):
            report = self.examine(rule, options=PATIENCE)
            self.assertFinding(report, "FAIL", "identity", word)
            self.assertIn("files", report.of("SKIP"))

    def test_streams_that_end_oddly(self):
        report = self.examine("double_end", "no_end_of_stream", "pause")
        self.assertEqual(report.of("FAIL", "WARN"), {}, report)

    def test_a_sandbox_whose_clock_is_wrong(self):
        self.assertFinding(self.examine("sandbox_clock"), "WARN", "clock-sandbox", "ahead of")

    def test_ports_that_are_closed(self):
        self.assertFinding(self.examine("closed_port"), "WARN", "ports", "not reached")

    def test_files_that_are_cut(self):
        report = self.examine({"rule": "cut", "at": 5000, "path": "^/files$", "method": "GET", "how": "fin"})
        self.assertFinding(report, "FAIL", "files", "cannot be read")


@needs_sandboxes
class Pauses(DoctorCase):
    def test_no_pauses(self):
        report = self.examine({"rule": "answer", "status": 501, "path": "/pause$", "body": {"code": 501, "message": "no"}})
        self.assertFinding(report, "WARN", "pause", "pauses do not work")
        self.assertNotIn("resume", [row["step"] for row in report.rows])

    def test_a_resume_that_does_nothing(self):
        for report in (self.examine("pause", "resume_nothing", options=PATIENCE),
                       self.cube("pause", {"rule": "resume_nothing", "status": 200}, options=PATIENCE)):
            self.assertFinding(report, "FAIL", "resume", "without executing")
            self.assertIn("clean", report.of("OK"))

    def test_a_resume_that_does_nothing_at_first(self):
        report = self.examine("pause", {"rule": "resume_nothing", "times": 1})
        self.assertFinding(report, "WARN", "resume", "attempt 2")

    def test_what_is_lost(self):
        self.assertFinding(self.examine("pause", {"rule": "lost_files", "paths": [FILE]}), "FAIL", "files-kept", "lost")
        self.assertFinding(self.examine("pause", "lost_processes"), "WARN", "memory", "gone")

    def test_connections_that_are_dead_after_a_resume(self):  # BR-079
        self.assertFinding(self.examine("pause", "black_hole"), "WARN", "connections", "dead")

    def test_cube_on_paused_ones(self):
        report = self.cube("host_only", "connect_200", "pause_twice_fails", "delete_paused_fails", "pause")
        self.assertEqual(report.of("FAIL"), {}, report)


@needs_sandboxes
class PrivateAuthority(DoctorCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.ca, cls.proxy_options = make_authority(folder.name)
        cls.certificates = folder.name
        super().setUpClass()

    def test_it_is_trusted_when_it_is_named(self):
        self.assertFinding(self.examine(), "FAIL", "api", "hands.ca_file")
        report = self.cube("host_only", "pause", options=("--ca-file", self.ca))
        self.assertEqual(report.of("FAIL"), {}, report)
        self.assertEqual({row["host"].split(".", 1)[1] for row in self.proxy.log("/process")},
                         {f"{DOMAIN}:{self.proxy.url.rsplit(':', 1)[1]}"})

    @unittest.skipUnless(shutil.which("nghttpx"), "there is no nghttpx (package nghttp2-proxy)")
    def test_the_control_plane_speaks_http_2_where_it_is_offered(self):
        port = free_port()
        behind = self.service.url.removeprefix("http://").replace(":", ",")
        path = os.path.join(self.certificates, "access.log")
        child = subprocess.Popen(
            ["nghttpx", f"--frontend=127.0.0.1,{port}", f"--backend={behind}", f"--accesslog-file={path}",
             "--accesslog-format=$alpn $method $path", "--workers=1",
             f"--errorlog-file={self.certificates}/error.log", f"{self.certificates}/key.pem",
             f"{self.certificates}/cert.pem"], stdin=subprocess.DEVNULL)
        self.addCleanup(child.wait, DEADLINE)
        self.addCleanup(child.terminate)
        where = ("--api-url", f"https://127.0.0.1:{port}", "--api-key-file", self.service.key_file, "--ca-file", self.ca)
        report = until(lambda: (got := doctor(*where)).of("OK").get("api") and got, "nghttpx serves")
        self.assertEqual(report.of("FAIL"), {}, report)
        with open(path, encoding="utf-8") as log:
            lines = log.read().splitlines()
        self.assertIn("h2 POST /v2/sandboxes", lines)
        self.assertIn("http/1.1 POST /process.Process/Start", lines, "streams, which are paused, stay out of it")

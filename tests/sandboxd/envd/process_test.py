# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""process.Process of the real envd, with real processes."""

import base64
import codecs
import hashlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import unittest

from tests.e2e import procs, wait
from tests.sandboxd.envd.envd_case import PATH, EnvdCase, b64, binary, envelope

GIGABYTE = 1 << 30
AS_ROOT = os.geteuid() == 0
EXIT_0 = {"exited": True, "status": "exit status 0"}
KILLED = {"exitCode": -1, "status": "signal: killed", "error": "signal: killed"}


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class StartTest(EnvdCase):
    def test_outputs_and_the_end(self):
        stream = self.envd.sh("echo out; echo err >&2; exit 3")
        pid = stream.pid()
        self.assertGreater(pid, 0)
        out, end, tail = stream.rest()
        self.assertEqual((out["stdout"], out["stderr"]), (b"out\n", b"err\n"))
        self.assertEqual(end, {"exitCode": 3, "exited": True, "status": "exit status 3", "error": "exit status 3"})
        self.assertEqual(tail, {})
        self.assertEqual(stream.tail, b"")
        self.assertFalse(alive(pid))

    def test_the_pid_is_that_of_the_program(self):
        stream = self.envd.sh("echo $$")
        pid = stream.pid()
        self.assertEqual(stream.rest()[0]["stdout"], f"{pid}\n".encode())

    def test_very_short_commands_deliver_all(self):
        for number in range(30):
            out, end, _ = self.envd.run(f"echo {number}")
            self.assertEqual((out["stdout"], end), (f"{number}\n".encode(), EXIT_0))

    def test_binary_and_large_output(self):
        out, end, _ = self.envd.run("head -c 3000000 /dev/zero | tr '\\0' '\\377'; printf '\\000\\001'")
        self.assertEqual(out["stdout"], b"\xff" * 3000000 + b"\x00\x01")
        self.assertEqual(end, EXIT_0)

    def test_characters_are_not_cut_between_events(self):
        stream = self.envd.sh("yes 'äöü€𝄞' | head -c 400000")
        stream.pid()
        size, decoder = 0, codecs.getincrementaldecoder("utf-8")()
        while (event := stream.event()).get("end") is None:
            part = base64.b64decode(event["data"]["stdout"])
            size += len(part)
            decoder.decode(part)  # a short read may begin or end inside of a character
            if len(part) > 32764:  # a full read
                self.assertEqual(decoder.getstate()[0], b"")
        self.assertEqual(size, 400000)

    def test_signals_by_themselves(self):
        self.assertEqual(self.envd.run("kill -KILL $$")[1], KILLED)
        self.assertEqual(self.envd.run("kill -TERM $$")[1]["status"], "signal: terminated")
        self.assertEqual(self.envd.run("ulimit -c 0; kill -SEGV $$")[1]["status"], "signal: segmentation fault")

    def test_a_missing_command_is_exit_127(self):  # BR-077
        for cmd, code in (("/no/such", 127), ("no-such-program", 127), ("", 127), (str(self.home), 126)):
            stream = self.envd.start(cmd, "x")
            self.assertGreater(stream.pid(), 0)
            out, end, _ = stream.rest()
            self.assertEqual(end["exitCode"], code, cmd)
            self.assertIn(b"'" + cmd.encode() + b"': ", out["stderr"])
        stream = self.envd.stream("/process.Process/Start", {})
        stream.pid()
        self.assertEqual(stream.rest()[1]["exitCode"], 127)

    def test_a_script_without_interpreter_runs_in_sh(self):
        script = self.home / "script"
        script.write_text("echo $0 $1\n")
        script.chmod(0o755)
        stream = self.envd.start(str(script), "a b")
        stream.pid()
        self.assertEqual(stream.rest()[0]["stdout"], f"{script} a b\n".encode())

    def test_the_path_of_the_command_finds_it(self):
        (self.home / "bin").mkdir(mode=0o755)
        tool = self.home / "bin" / "tool"
        tool.write_text("#!/bin/sh\necho found\n")
        tool.chmod(0o755)
        stream = self.envd.start("tool", envs={"PATH": f"/nonexistent:{self.home}/bin"})
        stream.pid()
        self.assertEqual(stream.rest()[0]["stdout"], b"found\n")

    def test_the_environment_is_made_from_scratch(self):
        envd = self.make({"envVars": {"GLOBAL": "g", "BOTH": "g", "E2B_SANDBOX": "no"}}, extra_env={"SECRET": "s"})
        out = envd.start("/usr/bin/env", envs={"BOTH": "own", "EMPTY": "", "UML": "ä"})
        out.pid()
        got = dict(line.split("=", 1) for line in out.rest()[0]["stdout"].decode().splitlines())
        self.assertEqual(got, {"PATH": PATH, "HOME": str(self.home), "USER": "user", "LOGNAME": "user",
                               "GLOBAL": "g", "BOTH": "own", "EMPTY": "", "UML": "ä", "E2B_SANDBOX": "true",
                               "E2B_SANDBOX_ID": "itest"})
        self.assertNotIn(b"BOTH=own", envd.run("env")[0]["stdout"])

    def test_a_child_has_no_descriptors_signals_or_masks_of_envd(self):
        out = self.envd.run("ls /proc/self/fd; grep -E 'SigIgn|SigBlk' /proc/self/status; umask")[0]["stdout"]
        self.assertEqual(out.split()[:4], [b"0", b"1", b"2", b"3"])
        self.assertEqual(set(out.split()[5:8:2]), {b"0" * 16})
        self.assertEqual(out.split()[-1], b"0022")

    @unittest.skipUnless(AS_ROOT, "needs several users")
    def test_users_and_their_groups(self):
        self.assertEqual(self.envd.run("id -u; id -g; id -G")[0]["stdout"], b"1000\n1000\n1000 2000 2001\n")
        root = self.envd.sh("id -u; echo $HOME", cwd="/", headers={"Authorization": "Basic " + b64(b"root:")})
        root.pid()
        self.assertEqual(root.rest()[0]["stdout"], b"0\n/root\n")

    def test_unknown_and_malformed_users(self):
        stream = self.envd.sh("true", headers={"Authorization": "Basic " + b64(b"ghost:")})
        self.assertEqual(self.end(stream, "unauthenticated"), "invalid username: 'ghost'")
        status, body = self.envd.call("/process.Process/List", {}, Authorization="Basic " + b64(b":"))
        self.assertEqual((status, body), (401, {"code": "unauthenticated", "message": "invalid username: ''"}))
        self.assertEqual(self.envd.call("/process.Process/List", {}, Authorization="Basic *")[0], 200)

    def test_working_directories(self):
        (self.home / "sub").mkdir()
        os.chmod(self.home / "sub", 0o777)
        for cwd, expected in ((None, self.home), ("", self.home), ("~/sub", self.home / "sub"),
                              ("sub/../sub", self.home / "sub"), ("/usr/../tmp", "/tmp")):
            members = {} if cwd is None else {"cwd": cwd}
            self.assertEqual(self.envd.run("pwd -P", **members)[0]["stdout"], f"{expected}\n".encode(), cwd)
        message = self.end(self.envd.sh("true", cwd="/no/such"), "invalid_argument")
        self.assertEqual(message, "cwd '/no/such' does not exist")
        self.assertEqual(self.end(self.envd.sh("true", cwd="~other"), "invalid_argument"),
                         "failed to expand path '' for user 'user': cannot expand user-specific home dir")
        self.end(self.envd.sh("true", cwd="/tmp\0x"), "invalid_argument")
        (self.home / "file").write_text("")
        self.assertIn("not a directory", self.end(self.envd.sh("true", cwd="file"), "invalid_argument"))
        if AS_ROOT:
            os.mkdir(self.dir / "closed", 0o700)
            message = self.end(self.envd.sh("true", cwd=str(self.dir / "closed")), "invalid_argument")
            self.assertIn("permission denied", message)
        self.assertEqual(self.envd.list(), [])

    def test_bad_requests_end_the_stream(self):  # BR-075
        start = "/process.Process/Start"
        for body, code in ((b"", "unimplemented"), (envelope({}, 2), "unimplemented"),
                           (envelope({}) + envelope({}), "unimplemented"),
                           (b"\x00\x00\x00\x00\x20{}", "invalid_argument"), (b"\x00\x00", "invalid_argument"),
                           (envelope({}, 1), "internal"), (envelope(b"{"), "invalid_argument"),
                           (envelope({"process": {"cmd": 7}}), "invalid_argument"),
                           (b"\x00\x7f\xff\xff\xff", "resource_exhausted"),
                           (envelope({"process": {"cmd": "a\0b"}}), "invalid_argument"),
                           (envelope({"process": {"cmd": "true", "args": ["x" * 3_000_000]}}), "invalid_argument")):
            self.end(self.envd.stream(start, body), code)
        for name, value, why in (("A=B", "x", "has '=' in its name"), ("A\0", "x", "has a NUL byte in its name"),
                                 ("", "x", "has no name"), ("A", "\0", "has a NUL byte in its value")):
            refused = self.envd.stream(start, {"process": {"cmd": "true", "envs": {name: value}}})
            self.assertTrue(self.end(refused, "invalid_argument").endswith(why), why)
        for value in ("x", "99999999999"):
            self.end(self.envd.stream(start, {}, Connect_Timeout_Ms=value), "invalid_argument")
        for value in ("0", "-1"):
            self.end(self.envd.stream(start, {}, Connect_Timeout_Ms=value), "deadline_exceeded")
        self.end(self.envd.stream(start, {}, Connect_Protocol_Version="2"), "invalid_argument")
        self.assertEqual(self.envd.list(), [])

    def test_what_a_wrong_stream_request_is_told(self):
        for body, said in ((b"", "unary request has zero messages"), (envelope({}, 2), "unary request has zero messages"),
                           (envelope({}) * 2, "unary request has multiple messages"),
                           (b"\0\0\0\0\x20{}",
                            "protocol error: promised 32 bytes in enveloped message, got 2 bytes"),
                           (envelope({}, 1),
                            "protocol error: sent compressed message without compression support")):
            for method in ("Start", "Connect"):
                stream = self.envd.stream(f"/process.Process/{method}", body)
                flags, message = stream.next()
                stream.close()
                self.assertEqual((flags, message["error"]["message"]), (2, said))

    def test_wrong_unary_requests(self):
        path = "/process.Process/List"
        for body, headers, status, code in (
                (b"", {}, 400, "invalid_argument"), (b"{", {}, 400, "invalid_argument"),
                (b"[]", {}, 400, "invalid_argument"), (b"{}", {"Connect_Protocol_Version": "2"}, 400, "invalid_argument"),
                (b"{}", {"Connect_Timeout_Ms": "0"}, 504, "deadline_exceeded"),
                (b"{}", {"Connect_Timeout_Ms": "12345678901"}, 400, "invalid_argument"),
                (bytes(17 << 20), {}, 429, "resource_exhausted")):
            said, error = self.envd.call(path, body, **headers)
            self.assertEqual((said, error["code"]), (status, code), (body[:9], headers))
        for method, status in (("GET", 405), ("PUT", 405), ("OPTIONS", 204)):
            response, _ = self.envd.http(method, path, headers={"Content-Type": "application/json"})
            self.assertEqual(response.status, status)
            self.assertEqual(response.getheader("Allow"), "POST" if status == 405 else None)
        response, body = self.envd.http("POST", "/process.Process/Nothing", "{}", {"Content-Type": "application/json"})
        self.assertEqual((response.status, body.strip()), (404, b"404 page not found"))

    def test_the_begin_of_a_character_is_not_kept_for_ever(self):
        stream = self.envd.sh("printf 'x\\303'; read y; printf '\\303'", stdin=True)
        pid = stream.pid()
        self.assertEqual(stream.until("stdout", b"\xc3"), b"x\xc3")
        self.envd.send(b"\n", pid=pid)
        self.assertEqual(stream.rest()[0]["stdout"], b"\xc3")

    def test_the_first_envelope_may_come_in_pieces(self):
        message = envelope({"process": {"cmd": "/bin/echo", "args": ["hi"]}})
        with socket.create_connection(("127.0.0.1", self.envd.port), timeout=60) as peer:
            peer.sendall(b"POST /process.Process/Start HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+json\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")
            for byte in message:
                peer.sendall(b"1\r\n" + bytes([byte]) + b"\r\n")
            peer.sendall(b"0\r\n\r\n")
            got = b""
            while not got.endswith(b"0\r\n\r\n"):
                got += peer.recv(65536)
        self.assertIn(b64(b"hi\n").encode(), got)

    def test_a_connection_goes_on_after_a_stream(self):
        connection = self.envd.connection()
        for _ in range(3):
            connection.request("POST", "/process.Process/Start", envelope({"process": {"cmd": "true"}}),
                               {"Content-Type": "application/connect+json"})
            local = connection.sock.getsockname()
            self.assertIn(b"exit status 0", connection.getresponse().read())
            self.assertEqual(connection.sock.getsockname(), local)
        connection.close()

    def test_keepalives_come_after_silence_and_never_first(self):
        stream = self.envd.sh("sleep 2.5; echo x", headers={"Keepalive_Ping_Interval": "1"})
        self.assertIn("start", stream.next()[1]["event"])
        self.assertIn("keepalive", stream.next()[1]["event"])
        self.assertEqual(stream.rest()[0]["stdout"], b"x\n")
        for value in ("0", "-1", "x"):
            self.assertEqual(self.envd.run("echo x", headers={"Keepalive_Ping_Interval": value})[1], EXIT_0)


    def test_data_puts_the_keepalive_off(self):
        stream = self.envd.sh("for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.5; done",
                              headers={"Keepalive_Ping_Interval": "4"})
        stream.pid()
        kinds = []
        while (message := stream.next())[0] == 0:
            kinds += message[1]["event"]
        self.assertEqual(set(kinds), {"data", "end"})


class FreezeTest(EnvdCase):
    def freeze(self, path="/freeze"):
        response, body = self.envd.http("POST", path)
        self.assertEqual((response.status, body), (204, b""))

    def test_deadlines_and_keepalives_stand_still(self):
        for _ in range(2):
            self.freeze()
        stream = self.envd.sh("sleep 100", headers={"Connect_Timeout_Ms": "500", "Keepalive_Ping_Interval": "1"})
        pid = stream.pid()
        other = self.envd.stream("/process.Process/Connect", {"process": {"pid": pid}}, Connect_Timeout_Ms="500")
        other.pid()
        self.assertEqual(self.envd.run("sleep 2.5")[1], EXIT_0)  # longer than both; requests are served
        self.assertTrue(alive(pid))
        for _ in range(2):
            self.freeze("/unfreeze")
        flags, message = stream.next()
        self.assertEqual((flags, message["error"]["code"]), (2, "deadline_exceeded"))
        flags, message = other.next()
        self.assertTrue(flags == 0 or message["error"]["code"] == "deadline_exceeded", message)
        wait.until(lambda: not alive(pid), "the deadline")
        other.close()

    def test_a_deadline_goes_on_where_it_was(self):
        stream = self.envd.sh("sleep 100", headers={"Connect_Timeout_Ms": "3000"})
        pid = stream.pid()
        self.freeze()
        self.envd.run("sleep 4")
        still = alive(pid)  # unless three seconds went by before the freeze
        self.freeze("/unfreeze")
        self.assertEqual(stream.rest()[2]["error"]["code"], "deadline_exceeded")
        self.assertTrue(still)

    def test_an_ended_process_is_kept_and_a_killed_one_ends(self):
        self.freeze()
        ended = self.envd.sh("exit 4")
        pid = ended.pid()
        end = ended.rest()[1]
        again = self.envd.attach(pid=pid)
        again.pid()
        self.assertEqual(again.rest()[1], end)
        stream = self.envd.sh("sleep 100")
        self.envd.signal(pid=stream.pid())
        self.assertEqual(stream.rest()[1], KILLED)

    def test_who_may_freeze(self):
        secured = self.make({"accessToken": "secret"})
        for path in ("/freeze", "/unfreeze"):
            response, _ = secured.http("POST", path, headers={})
            self.assertEqual(response.status, 401)
            response, _ = secured.http("POST", path)
            self.assertEqual(response.status, 204)
            response, _ = secured.http("GET", path)
            self.assertEqual((response.status, response.getheader("Allow")), (405, "POST"))


class StreamsTest(EnvdCase):
    def test_streams_of_clients_that_left_are_free_again(self):
        stream = self.envd.sh("sleep 100")
        pid = stream.pid()
        for _ in range(100):  # more than one process may have at once
            other = self.envd.attach(pid=pid)
            self.assertEqual(other.pid(), pid)
            other.close()
        self.envd.signal(pid=pid)
        self.assertEqual(stream.rest()[1], KILLED)

    def test_many_streams_hold_nothing_else(self):
        starts = [self.envd.sh("sleep 100") for _ in range(5)]
        pids = [stream.pid() for stream in starts]
        streams = [self.envd.attach(pid=pids[number % 5]) for number in range(220)]
        for number, stream in enumerate(streams):
            self.assertEqual(stream.pid(), pids[number % 5])
        self.assertEqual(len(self.envd.list()), 5)
        self.assertEqual(self.envd.run("echo x")[0]["stdout"], b"x\n")
        for pid in pids:
            self.envd.signal(pid=pid)
        for stream in starts + streams:
            self.assertEqual(stream.rest()[1:], (KILLED, {}))

    def test_too_many_streams_of_one_process(self):
        stream = self.envd.sh("sleep 100")
        pid = stream.pid()
        others = [self.envd.attach(pid=pid) for _ in range(63)]
        for other in others:
            other.pid()
        self.end(self.envd.attach(pid=pid), "resource_exhausted")
        self.envd.signal(pid=pid)
        for other in others:
            self.assertEqual(other.rest()[1], KILLED)

    def test_events_come_at_once(self):
        stream = self.envd.sh("while read -r x; do echo \"$x\"; done", stdin=True)
        pid = stream.pid()
        for number in range(20):  # each needs the one before
            self.envd.send(f"{number}\n".encode(), pid=pid)
            self.assertEqual(stream.until("stdout", b"\n"), f"{number}\n".encode())
        self.envd.signal(pid=pid)

    def test_a_killed_process_is_gone_when_the_call_answers(self):
        for _ in range(20):
            stream = self.envd.start("/bin/sleep", "100")
            pid = stream.pid()
            self.assertEqual(self.envd.signal(pid=pid), (200, {}))
            self.assertEqual(self.envd.run(f"kill -0 {pid} 2>/dev/null")[1]["exitCode"], 1)


class LifeTest(EnvdCase):
    def test_a_client_that_leaves_changes_nothing(self):
        os.mkfifo(self.home / "pipe")
        os.chmod(self.home / "pipe", 0o666)
        stream = self.envd.sh("echo up; read x < pipe; echo back; sleep 100", tag="mine")
        pid = stream.pid()
        stream.until("stdout", b"up\n")
        stream.close()
        self.assertEqual([one["pid"] for one in self.envd.list()], [pid])
        by_pid, by_tag = self.envd.attach(pid=pid), self.envd.attach(tag="mine")
        self.assertEqual((by_pid.pid(), by_tag.pid()), (pid, pid))
        with open(self.home / "pipe", "w", encoding="utf-8") as pipe:
            pipe.write("go\n")
        self.assertEqual(by_pid.until("stdout", b"back\n"), b"back\n")
        by_pid.close()
        self.assertTrue(alive(pid))
        self.envd.signal(tag="mine")
        self.assertEqual(by_tag.rest()[1:], (KILLED, {}))

    def test_list_echoes_the_request(self):
        stream = self.envd.start("/bin/sleep", "100", envs={"A": "b"}, cwd="/", tag="")
        pid = stream.pid()
        self.assertEqual(self.envd.list(), [{"config": {"cmd": "/bin/sleep", "args": ["100"], "envs": {"A": "b"},
                                                        "cwd": "/"}, "pid": pid, "tag": ""}])
        self.envd.signal(pid=pid)
        stream.rest()
        self.assertEqual(self.envd.list(), [])

    def test_an_ended_process_is_found_for_a_while(self):
        stream = self.envd.sh("exit 4", tag="t")
        pid = stream.pid()
        end = stream.rest()[1]
        for selector in ({"pid": pid}, {"tag": "t"}):
            again = self.envd.attach(**selector)
            self.assertEqual(again.pid(), pid)
            self.assertEqual(again.rest()[1:], (end, {}))
        stream = self.envd.sh("sleep 100", tag="t")
        again = self.envd.attach(tag="t")
        self.assertEqual(again.pid(), stream.pid())
        self.envd.signal(tag="t")
        self.assertEqual(again.rest()[1], KILLED)

    def test_unknown_processes(self):
        self.assertEqual(self.end(self.envd.attach(pid=999999)), "process with pid 999999 not found")
        self.assertEqual(self.end(self.envd.attach(tag="x")), "process with tag x not found")
        self.end(self.envd.attach(), "unimplemented")
        for method in ("SendInput", "CloseStdin", "SendSignal", "Update"):
            status, body = self.envd.call(f"/process.Process/{method}", {"process": {"pid": 999999}})
            self.assertEqual((status, body["code"]), (404, "not_found"), method)

    def test_a_kill_ends_the_stream_though_an_orphan_holds_the_pipe(self):
        # Row 108: the shell is killed, a child of it that left the group lives on with the outputs.
        stream = self.envd.sh("setsid sh -c 'echo $$; exec sleep 30'; echo never")
        pid = stream.pid()
        orphan = int(stream.until("stdout", b"\n"))
        self.assertEqual(self.envd.signal(pid=pid), (200, {}))
        self.assertEqual(stream.rest()[1:], (KILLED, {}))
        self.assertEqual(self.envd.list(), [])
        self.assertFalse(alive(pid))
        self.assertEqual(self.envd.signal(pid=pid)[0], 404)
        self.assertTrue(alive(orphan))
        os.kill(orphan, 9)

    def test_a_kill_ends_the_whole_group(self):
        # While the shell runs, after its end, and by its deadline.
        for script, members in (("sleep 100 & echo $!; wait", {}), ("sleep 100 & echo $!", {}),
                                ("sleep 100 & echo $!; wait", {"headers": {"Connect_Timeout_Ms": "500"}})):
            stream = self.envd.sh(script, **members)
            pid = stream.pid()
            child = int(stream.until("stdout", b"\n"))
            if "wait" not in script:
                wait.until(lambda: not alive(pid), "the shell to exit")
            self.assertTrue(alive(child))
            if not members:
                self.assertEqual(self.envd.signal(pid=pid), (200, {}))
            stream.rest()
            wait.until(lambda: not alive(child), "the child to end")

    def test_a_program_that_makes_its_session_is_its_leader(self):
        stream = self.envd.start("/usr/bin/setsid", "-w", "sh", "-c", "echo $$; sleep 100 & wait", stdin=False)
        pid = stream.pid()
        self.assertEqual(int(stream.until("stdout", b"\n")), pid)
        self.envd.signal(pid=pid)
        self.assertEqual(stream.rest()[1:], (KILLED, {}))

    def test_a_background_grandchild_delays_the_end_until_a_signal(self):
        stream = self.envd.sh("sleep 100 & echo started")
        pid = stream.pid()
        stream.until("stdout", b"started\n")
        wait.until(lambda: not alive(pid), "the shell to exit")
        self.assertEqual([one["pid"] for one in self.envd.list()], [pid])
        self.assertEqual(self.envd.signal("SIGNAL_SIGTERM", pid=pid), (200, {}))
        self.assertEqual(stream.rest()[1:], (EXIT_0, {}))

    def test_terminate_may_be_handled(self):
        stream = self.envd.sh("trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done")
        pid = stream.pid()
        stream.until("stdout", b"up\n")
        self.assertEqual(self.envd.signal("SIGNAL_SIGTERM", pid=pid), (200, {}))
        out, end, _ = stream.rest()
        self.assertEqual((out["stdout"], end["exitCode"]), (b"bye\n", 5))

    def test_other_signals_are_not_served(self):
        stream = self.envd.sh("sleep 100")
        pid = stream.pid()
        for signal in ("SIGNAL_SIGINT", "SIGNAL_UNSPECIFIED", 2):
            status, body = self.envd.call("/process.Process/SendSignal", {"process": {"pid": pid}, "signal": signal})
            self.assertEqual((status, body["code"]), (501, "unimplemented"))
        self.envd.signal(pid=pid)

    def test_the_deadline_kills_the_process(self):
        stream = self.envd.sh("echo up; sleep 100", headers={"Connect_Timeout_Ms": "500"})
        pid = stream.pid()
        other = self.envd.attach(pid=pid)
        out, end, tail = stream.rest()
        self.assertEqual((out["stdout"], end, tail["error"]["code"]), (b"up\n", None, "deadline_exceeded"))
        other.pid()
        self.assertEqual(other.rest()[1:], (KILLED, {}))
        self.assertFalse(alive(pid))

    def test_odd_deadlines_never_hang(self):  # BR-076
        for value in ("0", "-1"):
            stream = self.envd.sh("sleep 100", headers={"Connect_Timeout_Ms": value})
            self.assertEqual(stream.rest()[2]["error"]["code"], "deadline_exceeded", value)
        stream = self.envd.sh("sleep 100", headers={"Connect_Timeout_Ms": "1"})
        self.assertEqual(stream.rest()[2]["error"]["code"], "deadline_exceeded")
        stream = self.envd.sh("echo done", headers={"Connect_Timeout_Ms": str(2**31)})
        stream.pid()
        self.assertEqual(stream.rest()[0]["stdout"], b"done\n")

    def test_the_deadline_holds_without_a_client(self):
        stream = self.envd.sh("sleep 100", headers={"Connect_Timeout_Ms": "300"})
        pid = stream.pid()
        stream.close()
        wait.until(lambda: not alive(pid), "the deadline of a process whose client left")

    def test_the_deadline_of_connect_ends_the_stream_only(self):
        stream = self.envd.sh("sleep 100")
        pid = stream.pid()
        other = self.envd.stream("/process.Process/Connect", {"process": {"pid": pid}}, Connect_Timeout_Ms="200")
        other.pid()
        self.assertEqual(other.rest()[2]["error"]["code"], "deadline_exceeded")
        self.assertTrue(alive(pid))
        self.envd.signal(pid=pid)

    def test_orphans_are_reaped(self):
        out = self.envd.run("(setsid sh -c 'echo $$; exec sleep 0.2' &) ; true")[0]
        orphan = int(out["stdout"])
        # Its output ends before it is a zombie, and nobody but init waits for it: the stream may be over first.
        wait.until(lambda: not os.path.exists(f"/proc/{orphan}"), "the orphan to be reaped")
        self.envd.run("for i in 1 2 3 4 5 6 7 8; do (sleep 0.05 >/dev/null 2>&1 &); done")
        children = f"/proc/{self.envd.process.pid}/task/{self.envd.process.pid}/children"
        wait.until(lambda: not open(children, encoding="ascii").read().strip(), "all orphans to be reaped")

    def test_the_end_of_the_lifeline_ends_envd(self):
        stream = self.envd.sh("sleep 100")
        pid = stream.pid()
        self.assertEqual(self.envd.stop(), 0)
        wait.until(lambda: not alive(pid), "its processes to end")
        with self.assertRaises(Exception):
            stream.rest()

    def test_a_stopped_envd_ends_with_its_parent(self):
        given, giving = os.pipe()  # its lifeline: open to the end
        announce, told = os.pipe()
        envd = [str(binary()), "--listen", "127.0.0.1", "--port", "0", "--lifeline-fd", str(given), "--announce-fd",
                str(told), "--parent-death-signal", str(int(signal.SIGKILL))]
        script = "import subprocess, sys; child = subprocess.Popen(sys.argv[1:], close_fds=False); child.wait()"
        parent = subprocess.Popen([sys.executable, "-c", script, *envd], pass_fds=(given, told))
        for end in (given, told):
            os.close(end)
        with os.fdopen(announce) as port, os.fdopen(giving, "w"):
            self.assertGreater(int(port.readline()), 0)
            (pid,) = procs.descendants(parent.pid)
            os.kill(pid, signal.SIGSTOP)
            parent.kill()
            parent.wait()
            wait.until(lambda: not procs.alive(pid), "the kernel to end it")


@unittest.skipUnless(AS_ROOT, "limits for another user")
class RoomTest(EnvdCase):
    def test_a_start_without_a_free_process_is_typed(self):
        envd = self.make({"defaultUser": "alone"}, options=("--processes", "5"))
        held = [envd.start("/bin/sleep", "100") for _ in range(6)]  # one that becomes this user is not counted yet
        pids = [stream.pid() for stream in held]
        said = self.end(envd.start("/bin/echo", "x"), "resource_exhausted")
        self.assertEqual(said, "no process can be started in the sandbox: all 5 of its processes are in use")
        self.end(envd.start("/bin/echo", "x", pty={"size": {"cols": 80, "rows": 24}}), "resource_exhausted")
        own = envd.start("/bin/echo", "kept", tag="agentpool:own")
        own.pid()
        self.assertEqual(own.rest()[0]["stdout"], b"kept\n")
        for stream, pid in zip(held[:2], pids):
            envd.signal(pid=pid)
            stream.rest()
        again = envd.start("/bin/echo", "x")
        again.pid()
        self.assertEqual(again.rest()[1], EXIT_0)


class OutputTest(EnvdCase):
    def test_a_stalled_reader_holds_the_process_not_memory(self):
        self.envd.run("true")
        before = self.envd.memory()
        stream = self.envd.sh(f"head -c {GIGABYTE} /dev/zero; echo done > {self.home}/done")
        pid = stream.pid()
        # The pipe is full when the writer sleeps in it.
        def stuck():
            with open(f"/proc/{self.envd.process.pid}/stat", encoding="ascii") as stat:
                used = stat.read().rsplit(")", 1)[1].split()[11:13]
            was, stuck.used = stuck.used, used
            return was == used
        stuck.used = None
        wait.until(stuck, "envd to stop reading", step=0.5)
        self.assertFalse((self.home / "done").exists())
        self.assertLess(self.envd.memory() - before, 64 << 20)
        self.assertEqual(self.envd.call("/process.Process/List", {})[0], 200)
        self.envd.signal(pid=pid)
        stream.close()

    def test_a_gigabyte_without_a_reader_is_discarded(self):
        stream = self.envd.sh(f"head -c {GIGABYTE} /dev/zero; touch {self.home}/done; sleep 100")
        pid = stream.pid()
        stream.close()
        wait.until(lambda: (self.home / "done").exists(), "the output to be discarded", timeout=300)
        self.assertLess(self.envd.memory("VmHWM"), 400 << 20)
        self.envd.signal(pid=pid)

    def test_a_reader_that_stands_still_does_not_hold_the_other_for_ever(self):
        slow = self.envd.sh("read x; head -c 50000000 /dev/zero", stdin=True)
        pid = slow.pid()
        fast = self.envd.attach(pid=pid)
        fast.pid()
        self.envd.send(b"\n", pid=pid)
        out, end, tail = fast.rest()
        self.assertEqual((len(out["stdout"]), end, tail), (50000000, EXIT_0, {}))
        with self.assertRaises((ConnectionResetError, AssertionError, http.client.IncompleteRead)):
            slow.rest()
        slow.close()


class InputTest(EnvdCase):
    def test_input_is_ordered_and_ends(self):
        stream = self.envd.sh("cat; echo end; sleep 100", stdin=True)
        pid = stream.pid()
        for number in range(20):
            self.assertEqual(self.envd.send(f"{number}\n".encode(), pid=pid), (200, {}))
        self.assertEqual(self.envd.send(b"", pid=pid), (200, {}))
        for _ in range(2):
            self.assertEqual(self.envd.call("/process.Process/CloseStdin", {"process": {"pid": pid}}), (200, {}))
        expected = "".join(f"{number}\n" for number in range(20)).encode() + b"end\n"
        self.assertEqual(stream.until("stdout", b"end\n"), expected)
        self.envd.signal(pid=pid)

    def test_large_input_waits_for_the_process(self):
        os.mkfifo(self.home / "pipe")
        os.chmod(self.home / "pipe", 0o666)
        stream = self.envd.sh("read go < pipe; md5sum", stdin=True)
        pid = stream.pid()
        data = os.urandom(5_000_000)
        results = []
        sender = threading.Thread(target=lambda: results.append(self.envd.send(data, pid=pid)))
        sender.start()
        self.assertEqual(len(self.envd.list()), 1)
        with open(self.home / "pipe", "w", encoding="utf-8") as pipe:
            pipe.write("\n")
        sender.join()
        self.assertEqual(results, [(200, {})])
        self.envd.call("/process.Process/CloseStdin", {"process": {"pid": pid}})
        self.assertIn(hashlib.md5(data).hexdigest().encode(), stream.rest()[0]["stdout"])

    def test_without_stdin_a_read_sees_the_end(self):
        self.assertEqual(self.envd.run("read x", stdin=False)[1]["exitCode"], 1)

    def test_input_that_cannot_be_taken(self):
        stream = self.envd.sh("sleep 100", stdin=False)
        pid = stream.pid()
        for message in ({"input": {"stdin": b64(b"x")}}, {"input": {"pty": b64(b"x")}}):
            status, body = self.envd.call("/process.Process/SendInput", {"process": {"pid": pid}, **message})
            self.assertEqual((status, body["code"]), (500, "internal"))
        status, body = self.envd.call("/process.Process/SendInput", {"process": {"pid": pid}})
        self.assertEqual((status, body["code"]), (501, "unimplemented"))
        self.envd.signal(pid=pid)
        deaf = self.envd.sh("exec <&-; echo closed; sleep 100", stdin=True)
        pid = deaf.pid()
        deaf.until("stdout", b"closed\n")
        self.assertEqual(self.envd.send(b"x", pid=pid)[1]["code"], "internal")
        self.envd.signal(pid=pid)

    def test_a_kill_answers_input_that_waits(self):
        stream = self.envd.sh("sleep 100", stdin=True)
        pid = stream.pid()
        results = []
        sender = threading.Thread(target=lambda: results.append(self.envd.send(bytes(1_000_000), pid=pid)))
        sender.start()
        self.envd.signal(pid=pid)
        sender.join()
        self.assertIn(results[0][1]["code"], ("internal", "not_found"))
        stream.close()

    def test_stream_input(self):
        stream = self.envd.sh("cat", stdin=True)
        pid = stream.pid()
        body = envelope({"start": {"process": {"pid": pid}}}) + envelope({"keepalive": {}})
        body += b"".join(envelope({"data": {"input": {"stdin": b64(text)}}}) for text in (b"a", b"b", b"c"))
        answer = self.envd.stream("/process.Process/StreamInput", body)
        self.assertEqual([answer.next(), answer.next()], [(0, {}), (2, {})])
        self.envd.call("/process.Process/CloseStdin", {"process": {"pid": pid}})
        self.assertEqual(stream.rest()[0]["stdout"], b"abc")
        for body in (envelope({"data": {"input": {"stdin": ""}}}), envelope(b"x")):
            self.end(self.envd.stream("/process.Process/StreamInput", body), "invalid_argument")
        self.end(self.envd.stream("/process.Process/StreamInput", envelope({"start": {"process": {"pid": 999999}}})))


class TerminalTest(EnvdCase):
    def test_size_echo_resize_and_exit(self):
        stream = self.envd.start("/bin/sh", "-i", pty={"size": {"cols": 91, "rows": 17}}, envs={"PS1": "ready> "})
        pid = stream.pid()
        stream.until("pty", b"ready> ")
        self.assertEqual(self.envd.send(b"stty size\n", "pty", pid=pid), (200, {}))
        self.assertIn(b"17 91", stream.until("pty", b"17 91"))
        size = {"process": {"pid": pid}, "pty": {"size": {"cols": 100, "rows": 30}}}
        self.assertEqual(self.envd.call("/process.Process/Update", size), (200, {}))
        self.envd.send(b"stty size; tty; exit 7\n", "pty", pid=pid)
        out, end, _ = stream.rest()
        self.assertIn(b"30 100", out["pty"])
        self.assertIn(b"/dev/pts/", out["pty"])
        self.assertEqual(end["exitCode"], 7)

    def test_what_a_terminal_does_not_take(self):
        stream = self.envd.start("/bin/cat", pty={"size": {"cols": 80, "rows": 24}}, stdin=False)
        pid = stream.pid()
        self.assertEqual(self.envd.send(b"x", pid=pid)[1]["code"], "internal")
        self.assertEqual(self.envd.call("/process.Process/CloseStdin", {"process": {"pid": pid}})[1]["code"], "unknown")
        self.assertEqual(self.envd.call("/process.Process/Update", {"process": {"pid": pid}}), (200, {}))
        self.envd.send(b"\x04", "pty", pid=pid)
        self.assertEqual(stream.rest()[1], EXIT_0)
        plain = self.envd.sh("sleep 100")
        pid = plain.pid()
        status, body = self.envd.call("/process.Process/Update", {"process": {"pid": pid}, "pty": {"size": {}}})
        self.assertEqual((status, body["message"]), (500, "error resizing tty: tty not assigned to process"))
        self.envd.signal(pid=pid)

    def test_interrupt_and_kill(self):
        # No shell: one that is about to start its last command may lose the signal.
        stream = self.envd.start("/bin/cat", pty={"size": {"cols": 80, "rows": 24}})
        pid = stream.pid()
        self.envd.send(b"up\n", "pty", pid=pid)
        stream.until("pty", b"up\r\nup\r\n")  # the terminal's echo, and its own output
        self.envd.send(b"\x03", "pty", pid=pid)
        self.assertEqual(stream.rest()[1]["status"], "signal: interrupt")
        stream = self.envd.start("/bin/sleep", "100", pty={"size": {"cols": 80, "rows": 24}})
        self.envd.signal(pid=stream.pid())
        self.assertEqual(stream.rest()[1], KILLED)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/demo-model: every line of its script language over both APIs, and its process life."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "demo-model"
DEADLINE = 60
CONTEXT = {"type": "text", "text": "Current runtime context:\n- cwd: /workspace"}


class DemoModel:
    """A running demo model; `log()` gives its request log."""

    def __init__(self, *arguments):
        self.directory = tempfile.TemporaryDirectory()
        self.log_file = pathlib.Path(self.directory.name) / "requests.jsonl"
        self.process = subprocess.Popen([str(PROGRAM), "--log", str(self.log_file), *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ready = json.loads(self.process.stdout.readline())
        self.port = int(self.ready["url"].rpartition(":")[2])

    def close(self):
        self.process.terminate()
        _, errors = self.process.communicate(timeout=DEADLINE)
        self.directory.cleanup()
        return self.process.returncode, errors.decode()

    def log(self):
        return [json.loads(line) for line in self.log_file.read_text().splitlines()]

    def open(self, path, body, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, headers or {})
        return connection, connection.getresponse()

    def post(self, path, body, headers=None):
        connection, response = self.open(path, body, headers)
        with connection, response:
            return response.status, response.read()


# http.client's connection is no context manager before Python 3.14.
http.client.HTTPConnection.__enter__ = lambda self: self
http.client.HTTPConnection.__exit__ = lambda self, *_: self.close()


def user(*texts):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def result(text, *more):
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": text}, *more]}


ASSISTANT = {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "bash", "input": {}}]}


def sse(data):
    """The events of a body: (name, value) pairs; "[DONE]" stays a string."""
    events = []
    for frame in data.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in frame.split("\n"))
        value = fields["data"]
        events.append((fields.get("event"), value if value == "[DONE]" else json.loads(value)))
    return events


def assemble_messages(events):
    """Checks the order that dsh's strict reader wants and builds the content blocks."""
    names = [name for name, _ in events]
    assert names[0] == "message_start" and names[-2:] == ["message_delta", "message_stop"], names
    blocks, arguments, open_index = [], "", None
    for name, value in events[1:-2]:
        assert name == value["type"], name
        if name == "content_block_start":
            assert open_index is None and value["index"] == len(blocks), "the block before is still open"
            open_index, arguments = value["index"], ""
            blocks.append(dict(value["content_block"]))
        elif name == "content_block_delta":
            assert value["index"] == open_index
            delta = value["delta"]
            kind = delta["type"]
            if kind == "input_json_delta":
                arguments += delta["partial_json"]
            elif kind != "signature_delta":
                field = kind.removesuffix("_delta")
                blocks[-1][field] += delta[field]
        else:
            assert name == "content_block_stop" and value["index"] == open_index
            if blocks[-1]["type"] == "tool_use":
                blocks[-1]["input"] = json.loads(arguments)
            open_index = None
    assert open_index is None
    return blocks, events[-2][1]["delta"]["stop_reason"]


class DemoModelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = DemoModel()

    @classmethod
    def tearDownClass(cls):
        status, errors = cls.model.close()
        assert (status, errors) == (0, ""), (status, errors)

    def messages(self, *messages, session=None, **more):
        headers = {"x-deepseek-harness-session-id": session} if session else {}
        body = {"model": "m", "stream": True, "messages": list(messages), **more}
        return self.model.post("/v1/messages", body, headers)

    def blocks(self, *messages, session=None):
        status, data = self.messages(*messages, session=session)
        self.assertEqual(status, 200, data)
        return assemble_messages(sse(data))

    def texts(self, *messages, session=None):
        return [b["text"] for b in self.blocks(*messages, session=session)[0] if b["type"] == "text"]

    def chat(self, text, **more):
        body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
        status, data = self.model.post("/v1/chat/completions", body)
        self.assertEqual(status, 200, data)
        return data


class WhatTheModelReads(DemoModelTest):
    def test_any_other_text_gets_the_count_of_user_text_blocks(self):
        self.assertIn("seen 1 user text block ", self.texts(user("hello"))[0])
        # A failed turn's text is merged into the next user message, and dsh adds its own block.
        merged = {"role": "user", "content": [*user("one", "two")["content"], CONTEXT]}
        self.assertIn("seen 3 user text blocks ", self.texts(user("zero"), ASSISTANT, merged)[0])

    def test_content_as_a_plain_string(self):
        self.assertIn("seen 1 user text block ", self.texts({"role": "user", "content": "hello"})[0])

    def test_last_text_block_decides_and_runtime_context_never(self):
        blocks, _ = self.blocks({"role": "user", "content": [*user("$ a", "$ b")["content"], CONTEXT]})
        self.assertEqual(blocks[0]["input"]["command"], "b")

    def test_step_is_the_count_of_results_after_the_text(self):
        script = user("$ a\n$ b")
        self.assertEqual(self.blocks(script)[0][0]["input"]["command"], "a")
        # dsh may repeat its context beside a result.
        blocks, stop = self.blocks(script, ASSISTANT, result("one", CONTEXT))
        self.assertEqual((blocks[0]["input"]["command"], stop), ("b", "tool_use"))
        texts = self.texts(script, ASSISTANT, result("one"), ASSISTANT, result([{"type": "text", "text": "x\n two "}]))
        self.assertEqual(texts, ["Done; the last tool result ends with: x two"])

    def test_results_before_a_merged_text_do_not_count(self):
        broken_off = {"role": "user", "content": [*result("old")["content"], *user("$ new")["content"]]}
        self.assertEqual(self.blocks(user("$ a"), ASSISTANT, broken_off)[0][0]["input"]["command"], "new")

    def test_tail_has_two_hundred_characters(self):
        text = self.texts(user("$ a"), ASSISTANT, result("x" * 300 + "y" * 200))[0]
        self.assertTrue(text.endswith(": " + "y" * 200))

    def test_tool_call_ids_differ_in_one_conversation(self):
        first = self.blocks(user("$ a\n$ b"))[0][0]["id"]
        second = self.blocks(user("$ a\n$ b"), ASSISTANT, result("r"))[0][0]["id"]
        third = self.blocks(user("$ a"), ASSISTANT, result("r"), user("$ a"))[0][0]["id"]
        self.assertEqual(len({first, second, third}), 3)


class ScriptLines(DemoModelTest):
    def test_dollar_calls_bash(self):
        blocks, stop = self.blocks(user("please run\n$ echo 'hi  there' | cat"))
        self.assertEqual(stop, "tool_use")
        self.assertEqual([b["type"] for b in blocks], ["tool_use"])
        self.assertEqual(blocks[0]["name"], "bash")
        self.assertEqual(blocks[0]["input"]["command"], "echo 'hi  there' | cat")
        self.assertTrue(blocks[0]["input"]["description"])

    def test_at_calls_a_tool_by_name(self):
        arguments = {"file_path": "/workspace/ü", "content": "a\nb" * 5000}
        blocks, stop = self.blocks(user("@write " + json.dumps(arguments)))
        self.assertEqual((blocks[0]["name"], blocks[0]["input"], stop), ("write", arguments, "tool_use"))

    def test_text_streams_words(self):
        status, data = self.messages(user("@text 4"))
        deltas = [v["delta"]["text"] for n, v in sse(data) if n == "content_block_delta"]
        self.assertEqual(deltas[:4], ["word1", " word2", " word3", " word4"])
        self.assertEqual(self.texts(user("@text 2 1")), ["word1 word2", "Done; no tool ran."])

    def test_words_arrive_one_by_one(self):
        body = {"stream": True, "messages": [user("@text 2 600000")]}
        connection, response = self.model.open("/v1/messages", body)
        with connection:
            while b'"word1"' not in response.readline():
                pass  # the second word is ten minutes away: the first one came alone

    def test_think_makes_a_thinking_block(self):
        blocks, _ = self.blocks(user("@think 2\n@text 1"))
        self.assertEqual([b["type"] for b in blocks], ["thinking", "text", "text"])
        self.assertEqual(blocks[0]["thinking"], "word1 word2")

    def test_lines_without_a_result_play_with_the_next_call(self):
        script = user("@text 1\n$ a\n@think 1\n@text 2\n$ b\n@text 3")
        self.assertEqual([b["type"] for b in self.blocks(script)[0]], ["text", "tool_use"])
        blocks, _ = self.blocks(script, ASSISTANT, result("r"))
        self.assertEqual([b["type"] for b in blocks], ["thinking", "text", "tool_use"])
        texts = self.texts(script, ASSISTANT, result("r"), ASSISTANT, result("s"))
        self.assertEqual(texts, ["word1 word2 word3", "Done; the last tool result ends with: s"])

    def test_sleep_holds_the_output_back(self):
        body = {"stream": True, "messages": [user("@text 1\n@sleep 600000\n@text 1")]}
        connection, response = self.model.open("/v1/messages", body)
        with connection:
            while b"content_block_stop" not in response.readline():
                pass
        self.assertEqual(self.texts(user("@sleep 1\n@text 1"))[0], "word1")

    def test_error_fails_every_request_with_its_status(self):
        for _ in range(2):
            status, data = self.messages(user("@error 503"))
            self.assertEqual((status, json.loads(data)["type"]), (503, "error"))

    def test_error_with_a_limit_lets_the_retry_pass(self):
        session = self.id()
        self.assertEqual(self.messages(user("@error 529 2"), session=session)[0], 529)
        self.assertEqual(self.messages(user("@error 529 2"), session=session)[0], 529)
        self.assertEqual(self.messages(user("@error 529 2"), session=session)[0], 200)
        self.assertEqual(self.messages(user("@error 529 2"), session=session + "other")[0], 529)

    def test_error_after_output_is_an_event(self):
        status, data = self.messages(user("@text 1\n@error 500"))
        self.assertEqual(status, 200)
        self.assertEqual(sse(data)[-1][0], "error")

    def test_cut_breaks_the_stream_once_per_step(self):
        session = self.id()
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.messages(user("@cut 3"), session=session)
        deltas = [v["delta"]["text"] for n, v in sse(caught.exception.partial) if n == "content_block_delta"]
        self.assertEqual(deltas, ["lost1", " lost2", " lost3"])
        self.assertEqual(self.texts(user("@cut 3"), session=session)[0], "word1 word2 word3")
        with self.assertRaises(http.client.IncompleteRead):  # the next turn is another step
            self.messages(user("@cut 3"), ASSISTANT, user("@cut 3"), session=session)

    def test_cut_with_a_limit(self):
        session = self.id()
        for _ in range(2):
            with self.assertRaises(http.client.IncompleteRead):
                self.messages(user("@text 1\n@cut 1 2"), session=session)
        self.assertEqual(self.texts(user("@text 1\n@cut 1 2"), session=session)[1], "word1")

    def test_hang_sends_the_header_only(self):
        body = {"stream": True, "messages": [user("@hang")]}
        connection, response = self.model.open("/v1/messages", body)  # returns: the header is there
        with connection:
            self.assertEqual(response.status, 200)
            connection.sock.settimeout(0.2)
            with self.assertRaises(TimeoutError):
                response.readline()

    def test_hang_with_a_limit(self):
        session = {"x-deepseek-harness-session-id": self.id()}
        body = {"stream": True, "messages": [user("@hang 1")]}
        connection, _ = self.model.open("/v1/messages", body, session)
        connection.close()
        self.assertEqual(self.texts(user("@hang 1"), session=self.id()), ["Done; no tool ran."])

    def test_malformed_lines_fail_loudly(self):
        for line in ("@text", "@text x", "@text 0", "@text 1 2 3", "@error 200", "@sleep -1", "@write {oops", "@cut",
                     "@hang x", "@think"):
            status, data = self.messages(user("first\n" + line))
            self.assertEqual((status, "line 2" in json.loads(data)["error"]["message"]), (400, True), line)

    def test_what_only_looks_like_a_line_is_text(self):
        for text in ("mail me @home please", "costs $5", "$", "@someone hello", "$HOME is set"):
            self.assertIn("seen 1 user text block ", self.texts(user(text))[0])


class BothApis(DemoModelTest):
    def test_messages_without_stream(self):
        status, data = self.messages(user("@think 1\n@text 2\n$ ls"), stream=False)
        answer = json.loads(data)
        self.assertEqual((status, answer["stop_reason"], answer["role"]), (200, "tool_use", "assistant"))
        self.assertEqual([b["type"] for b in answer["content"]], ["thinking", "text", "tool_use"])
        self.assertEqual(answer["content"][2]["input"]["command"], "ls")
        self.assertGreater(answer["usage"]["output_tokens"], 0)

    def test_messages_usage_is_in_the_first_and_the_last_event(self):
        events = sse(self.messages(user("@text 5"))[1])
        self.assertGreater(events[0][1]["message"]["usage"]["input_tokens"], 0)
        self.assertGreaterEqual(events[-2][1]["usage"]["output_tokens"], 5)

    def test_chat_stream(self):
        data = self.chat("@think 1\n@text 2\n@read {\"file_path\": \"/a\"}", stream=True,
                         stream_options={"include_usage": True})
        values = [value for _, value in sse(data)]
        self.assertEqual(values[-1], "[DONE]")
        self.assertGreater(values[-2]["usage"]["completion_tokens"], 0)
        deltas = [v["choices"][0]["delta"] for v in values[:-2]]
        self.assertEqual("".join(d.get("content", "") for d in deltas), "word1 word2")
        self.assertEqual("".join(d.get("reasoning_content", "") for d in deltas), "word1")
        calls = [d["tool_calls"][0]["function"] for d in deltas if "tool_calls" in d]
        self.assertEqual(calls[0]["name"], "read")
        self.assertEqual(json.loads("".join(c["arguments"] for c in calls)), {"file_path": "/a"})
        self.assertEqual(values[-3]["choices"][0]["finish_reason"], "tool_calls")

    def test_chat_without_stream(self):
        answer = json.loads(self.chat("@text 2"))
        self.assertEqual(answer["choices"][0]["message"]["content"], "word1 word2\nDone; no tool ran.")
        self.assertEqual(answer["choices"][0]["finish_reason"], "stop")
        call = json.loads(self.chat("$ ls"))["choices"][0]["message"]["tool_calls"][0]["function"]
        self.assertEqual((call["name"], json.loads(call["arguments"])["command"]), ("bash", "ls"))

    def test_chat_counts_tool_messages(self):
        messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "$ a"},
                    {"role": "assistant", "content": None, "tool_calls": []},
                    {"role": "tool", "tool_call_id": "x", "content": "out"}]
        status, data = self.model.post("/chat/completions", {"messages": messages})
        content = json.loads(data)["choices"][0]["message"]["content"]
        self.assertEqual((status, content), (200, "Done; the last tool result ends with: out"))

    def test_chat_errors(self):
        status, data = self.model.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "@error 418"}]})
        self.assertEqual((status, json.loads(data)["error"]["code"]), (418, "418"))
        data = self.chat("@text 1\n@error 500", stream=True)
        self.assertIn("error", sse(data)[-1][1])
        with self.assertRaises(http.client.IncompleteRead):
            self.chat("@cut 2", stream=True)


class BadInput(DemoModelTest):
    def test_bodies(self):
        for body in (b"{", b"[]", b"{}", b'{"messages": []}', b'{"messages": [1]}', b""):
            self.assertEqual(self.model.post("/v1/messages", body)[0], 400, body)

    def test_routes(self):
        self.assertEqual(self.model.post("/v1/nothing", {})[0], 404)
        connection = http.client.HTTPConnection("127.0.0.1", self.model.port, timeout=DEADLINE)
        with connection:
            for path, status in (("/healthz", 200), ("/v1/models", 200), ("/v1/messages", 404)):
                connection.request("GET", path)
                response = connection.getresponse()
                response.read()
                self.assertEqual(response.status, status, path)

    def test_too_large_and_without_length(self):
        for headers, status in (({"Content-Length": str(2**40)}, 413), ({"Transfer-Encoding": "chunked"}, 411)):
            connection = http.client.HTTPConnection("127.0.0.1", self.model.port, timeout=DEADLINE)
            with connection:
                connection.putrequest("POST", "/v1/messages")
                for name, value in headers.items():
                    connection.putheader(name, value)
                connection.endheaders()
                self.assertEqual(connection.getresponse().status, status)


class ManyRequests(DemoModelTest):
    def test_three_hundred_at_once(self):
        # All are open before the first is read to its end.
        body = {"stream": True, "messages": [user("@text 3 20")]}
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            opened = list(pool.map(lambda _: self.model.open("/v1/messages", body), range(300)))
        for connection, response in opened:
            with connection:
                self.assertEqual(assemble_messages(sse(response.read()))[0][0]["text"], "word1 word2 word3")


class Process(unittest.TestCase):
    def test_log_line(self):
        model = DemoModel()
        self.addCleanup(model.close)
        body = {"stream": True, "tools": [{"name": "bash"}], "messages": [user("a", "b")]}
        model.post("/v1/messages", body, {"x-deepseek-harness-session-id": "s1", "x-api-key": "secret"})
        chat_tools = [{"type": "function", "function": {"name": "read"}}]
        model.post("/v1/chat/completions", {"tools": chat_tools, "messages": [{"role": "user", "content": "c"}]})
        first, second = model.log()
        self.assertEqual((first["session"], first["user_text_blocks"], first["tools"]), ("s1", 2, ["bash"]))
        self.assertEqual(first["keys"], ["messages", "stream", "tools"])
        self.assertNotIn("secret", json.dumps(first))
        self.assertEqual((second["api"], second["tools"], second["text"]), ("chat/completions", ["read"], "c"))

    def test_ready_line(self):
        model = DemoModel()
        self.assertEqual(model.ready, {"url": f"http://127.0.0.1:{model.port}", "pid": model.process.pid})
        self.assertEqual(model.close(), (0, ""))

    def test_ends_on_sigterm_with_open_requests(self):
        model = DemoModel()
        connection, _ = model.open("/v1/messages", {"stream": True, "messages": [user("@hang")]})
        with connection:
            self.assertEqual(model.close(), (0, ""))

    def test_ends_on_end_of_input(self):
        model = DemoModel("--exit-on-eof")
        self.addCleanup(model.close)
        model.process.stdin.close()
        model.process.stdin = None
        self.assertEqual(model.process.wait(DEADLINE), 0)

    def test_port_in_use_is_one_sentence(self):
        model = DemoModel()
        self.addCleanup(model.close)
        second = subprocess.run([PROGRAM, "--port", str(model.port)], capture_output=True, timeout=DEADLINE)
        self.assertNotEqual(second.returncode, 0)
        self.assertEqual(second.stderr.count(b"\n"), 1)
        self.assertIn(b"--port", second.stderr)

    def test_dies_with_its_parent(self):
        code = ("import subprocess, sys\n"
                "p = subprocess.Popen([sys.argv[1], '--die-with-parent'], stdout=subprocess.PIPE, text=True)\n"
                "print(p.stdout.readline(), end='', flush=True)\n"
                "sys.stdin.read()\n")
        parent = subprocess.Popen([sys.executable, "-c", code, PROGRAM], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.addCleanup(parent.communicate)
        pidfd = os.pidfd_open(json.loads(parent.stdout.readline())["pid"])
        self.addCleanup(os.close, pidfd)
        parent.send_signal(signal.SIGKILL)
        parent.wait(DEADLINE)
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        self.assertTrue(poller.poll(DEADLINE * 1000), "the demo model outlived its parent")

    def test_help_documents_the_language(self):
        text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        for word in ("$ CMD", "@NAME {JSON}", "@sleep MS", "@text N", "@think N", "@error CODE", "@cut N", "@hang",
                     "--port", "--log", "--exit-on-eof", "--die-with-parent"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()

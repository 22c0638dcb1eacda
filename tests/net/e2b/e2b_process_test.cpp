// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/limits.hpp"
#include "protocol/wire/connect_stream.hpp"
#include "protocol/wire/defaults.hpp"
#include "protocol/wire/envd_process.hpp"
#include "tests/net/e2b/link_fixture.hpp"

#include <algorithm>

namespace agentpool::net::test {

using connect::envelope_bytes;
using namespace std::chrono_literals;

namespace {

const std::string stream_head =
  "HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string start_event = envelope_bytes(R"({"event":{"start":{"pid":42}}})");
const std::string out_event = envelope_bytes(R"({"event":{"data":{"stdout":"b3V0"}}})");
const std::string err_event = envelope_bytes(R"({"event":{"data":{"stderr":"ZXJy"}}})");
const std::string end_event =
  envelope_bytes(R"({"event":{"end":{"exitCode":3,"exited":true,"status":"exit status 3","error":"x"}}})");
const std::string keepalive_event = envelope_bytes(R"({"event":{"keepalive":{}}})");
const std::string end_of_stream = envelope_bytes("{}", connect::envelope::end_flag);

std::string stream(const std::string& body) {
  return stream_head + chunk(body) + "0\r\n\r\n";
}

} // namespace

class E2bProcessTest : public LinkTest {
protected:
  std::shared_ptr<recording_process> start(ports::stream_options options = {}) {
    auto sink = std::make_shared<recording_process>();
    ports::command_spec command;
    command.argv = {"sh", "-c", "true"};
    command.cwd = "/workspace";
    last_ = link_->start(command, options, sink);
    return sink;
  }
  std::shared_ptr<recording_process> attach() {
    auto sink = std::make_shared<recording_process>();
    last_ = link_->attach({42, {}}, {}, sink);
    return sink;
  }

  ports::operation_id last_ = 0;
};

TEST_F(E2bProcessTest, TellsStartOutputAndEnd) {
  always(stream(start_event + keepalive_event + out_event + err_event +
                envelope_bytes(R"({"event":{"new":{}}})") + end_event + end_of_stream));
  auto sink = start();
  auto end = sink->end();
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_TRUE(end->exited);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->status, "exit status 3");
  auto now = sink->record.now();
  EXPECT_EQ(now.pid, 42u);
  EXPECT_EQ(now.out + "|" + now.err, "out|err");
  auto request = last_seen();
  EXPECT_TRUE(request.starts_with("POST /process.Process/Start HTTP/1.1\r\n"));
  for (auto line : {"E2b-Sandbox-Id: iabc", "E2b-Sandbox-Port: 49983", "X-Access-Token: t0k",
         "Content-Type: application/connect+json", "Connect-Protocol-Version: 1",
         "Keepalive-Ping-Interval: 10", "Authorization: Basic dXNlcjo="})
    EXPECT_NE(request.find(std::string{line} + "\r\n"), std::string::npos) << line;
  EXPECT_EQ(request.find("X-API-Key"), std::string::npos) << "no credential of ours in a hand";
}

TEST_F(E2bProcessTest, fault_StreamByteByByte) {
  serve([](fault_peer& peer) {
    peer.read_request();
    peer.send_slowly(stream_head);
    for (char c : start_event + out_event + end_event + end_of_stream)
      peer.send(chunk({&c, 1}));
    peer.send("0\r\n\r\n");
  });
  auto sink = start();
  ASSERT_TRUE(sink->end());
  EXPECT_EQ(sink->record.now().out, "out");
}

// BR-095: before the end event came whole the outcome is unknown, and never exit 0; behind it nothing changes
// it.
TEST_F(E2bProcessTest, fault_StreamCutAtEveryByte) {
  auto whole = stream(start_event + out_event + end_event + end_of_stream);
  auto decided = whole.find(end_event) + end_event.size();
  std::atomic<size_t> cut{0};
  serve([&](fault_peer& peer) {
    peer.read_request();
    if (cut % 2 == 0)
      peer.reset();
    peer.send(std::string_view{whole}.substr(0, cut));
  });
  auto before = count_descriptors();
  for (; cut <= whole.size(); ++cut) {
    auto sink = start();
    auto end = sink->end();
    // A reset may overtake what was sent before it.
    if (cut < decided || !end) {
      ASSERT_EQ(code_of(end), errc::outcome_unknown) << cut;
      ASSERT_TRUE(cut < decided || cut % 2 == 0) << cut;
    } else {
      ASSERT_EQ(end->exit_code, 3) << cut;
    }
    ASSERT_EQ(sink->record.now().ends.size(), 1u);
  }
  link_.reset();
  EXPECT_TRUE(descriptors_fall_to(before));
}

TEST_F(E2bProcessTest, fault_AttachCutBeforeTheStartSaysNothingOfTheProcess) {
  serve([](fault_peer& peer) { peer.read_request(); });
  EXPECT_EQ(code_of(attach()->end()), errc::hand_unreachable);
}

struct told_stream {
  std::string bytes;
  errc code;
};

// The command line may be a program of ours that fills the whole sentence.
TEST_F(E2bProcessTest, fault_AStartThatFailedTellsTheReasonOnly) {
  auto line = "/bin/sh -c " + std::string(2000, 'x');
  for (const auto& text : {"error starting process '" + line + "': chdir: permission denied",
         "error starting pty with command '" + line +
           "' with '80' cols and '24' rows: chdir: permission denied"}) {
    always(stream(envelope_bytes(R"({"error":{"code":"invalid_argument","message":")" + text + R"("}})", 2)));
    auto end = start()->end();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().detail, "chdir: permission denied");
  }
}

TEST_F(E2bProcessTest, fault_ATemplateWithoutItsPrograms) {
  for (const auto& [why, code] : {std::pair{"exec: No such file or directory", errc::hand_damaged},
         {"fork/exec /bin/sh: no such file or directory", errc::hand_damaged},
         {"fork/exec /bin/sh: exec format error", errc::hand_damaged},
         {"fork/exec /bin/sh: permission denied", errc::envd_invalid}, // it may be the working directory
         {"chdir: No such file or directory", errc::envd_invalid},
         {"cwd '/x' does not exist", errc::envd_invalid}}) {
    auto text = "error starting process '/bin/sh -c x': " + std::string{why};
    always(stream(envelope_bytes(R"({"error":{"code":"invalid_argument","message":")" + text + R"("}})", 2)));
    EXPECT_EQ(code_of(start()->end()), code) << why;
  }
}

// BR-075
TEST_F(E2bProcessTest, fault_EveryOtherAnswerHasItsCode) {
  auto ended = [](std::string_view code) {
    return stream(envelope_bytes(R"({"error":{"code":")" + std::string{code} + R"(","message":"m"}})", 2));
  };
  auto json_on_stream = [](std::string_view body) { return answer(200, body, "application/connect+json"); };
  for (const auto& [bytes, code] :
    std::vector<told_stream>{{ended("invalid_argument"), errc::envd_invalid},
      {ended("not_found"), errc::envd_not_found}, {ended("unauthenticated"), errc::envd_unauthorized},
      {ended("unavailable"), errc::hand_unreachable}, {ended("deadline_exceeded"), errc::deadline},
      {ended("nonsense"), errc::envd_failed}, {ended("resource_exhausted"), errc::envd_exhausted},
      {stream(start_event + envelope_bytes(R"({"error":{"code":"deadline_exceeded"}})", 2)), errc::deadline},
      {stream(end_of_stream), errc::outcome_unknown},
      {stream(start_event + end_of_stream), errc::outcome_unknown}, {stream(""), errc::outcome_unknown},
      {stream_head + "0\r\n\r\n", errc::outcome_unknown}, {stream(out_event), errc::provider_nonsense},
      {stream(end_event), errc::provider_nonsense},
      {stream(start_event + envelope_bytes("[")), errc::outcome_unknown},
      {stream(envelope_bytes(R"({"event":{"start":{"pid":"x"}}})")), errc::provider_nonsense},
      {stream(envelope_bytes("{}", 1)), errc::provider_nonsense}, // compressed
      {stream(std::string("\0\xff\xff\xff\xff", 5)), errc::provider_nonsense},
      // A proxy's JSON under the type of a stream.
      {json_on_stream(R"({"code":"unauthenticated","message":"m"})"), errc::envd_unauthorized},
      {json_on_stream(R"({"code":502,"sandboxId":"iabc","message":"The sandbox was not found"})"),
        errc::hand_stopped},
      {json_on_stream(R"({"code":503,"message":"m"})"), errc::provider_busy},
      {json_on_stream(R"({"code":"503","message":"m"})"), errc::provider_busy},
      {json_on_stream(R"({"code":"unavailable","message":"m"})"), errc::hand_unreachable},
      {json_on_stream(R"({"code":504,"message":"m"})"), errc::outcome_unknown},
      {json_on_stream(R"({"code":7,"message":"m"})"), errc::provider_nonsense},
      {json_on_stream("<html>"), errc::provider_nonsense},
      {answer(200, "{}", "text/html"), errc::provider_nonsense},
      {answer(200, "<html>", "text/html"), errc::provider_nonsense},
      {answer(401, R"({"code":401,"message":"unauthorized access"})"), errc::envd_unauthorized},
      {stream(
         envelope_bytes(R"({"error":{"code":"unauthenticated","message":"invalid username: 'root'"}})", 2)),
        errc::hand_damaged},
      {answer(404, "404 page not found\n", "text/plain"), errc::envd_unsupported},
      {answer(410, "", "text/html"), errc::hand_stopped}, {answer(429, ""), errc::provider_busy},
      {answer(500, "<html>", "text/html"), errc::provider_failed},
      {answer(502, R"({"sandboxId":"iabc","message":"The sandbox was not found","code":502})"),
        errc::hand_stopped},
      {answer(502, "<html>", "text/html"), errc::outcome_unknown},
      {answer(503, "<html>", "text/html"), errc::provider_busy}, {answer(408, ""), errc::outcome_unknown}}) {
    always(bytes);
    auto end = start()->end();
    EXPECT_EQ(code_of(end), code) << bytes;
  }
}

// BR-075
TEST_F(E2bProcessTest, fault_AJsonErrorInPlaceOfAStreamIsToldInItsWords) {
  for (const auto& bytes :
    {answer(200, R"({"code":503,"message":"resume in progress"})", "application/connect+json"),
      answer(503, R"({"code":503,"message":"resume in progress"})"),
      answer(200, R"({"code":"unavailable","message":"resume in progress"})", "application/json")}) {
    always(bytes);
    auto end = start()->end();
    ASSERT_FALSE(end);
    EXPECT_NE(end.error().detail.find("resume in progress"), std::string::npos) << end.error().text();
  }
}

// BR-076: nothing is sent for a limit that no server could mean, and a limit that the wire cannot say is cut.
TEST_F(E2bProcessTest, OddTimeLimits) {
  always(stream(start_event + end_event + end_of_stream));
  auto limited = [this](std::chrono::milliseconds limit) {
    auto sink = std::make_shared<recording_process>();
    ports::command_spec command;
    command.argv = {"true"};
    command.kill_after = limit;
    link_->start(command, {}, sink);
    return sink->end();
  };
  EXPECT_EQ(code_of(limited(-1ms)), errc::envd_invalid);
  EXPECT_TRUE(seen_.now().empty());
  EXPECT_TRUE(limited(0ms));
  EXPECT_EQ(last_seen().find("Connect-Timeout-Ms"), std::string::npos) << "0 is no limit";
  for (auto [limit, said] : {std::pair{1ms, "1"}, {std::chrono::milliseconds{1ll << 31}, "2147483648"},
         {std::chrono::milliseconds{1ll << 60}, "9999999999"}}) {
    EXPECT_TRUE(limited(limit));
    EXPECT_NE(last_seen().find("Connect-Timeout-Ms: " + std::string{said} + "\r\n"), std::string::npos)
      << said;
  }
}

// BR-080: a command that may have been started is not started again; what only asks is.
TEST_F(E2bProcessTest, fault_AStaleRoute) {
  std::atomic<int> starts{0}, lists{0};
  serve([&](fault_peer& peer) {
    while (auto request = peer.read_request()) {
      if (request->find("/Start") != std::string::npos) {
        ++starts;
        peer.send(answer(502, "<html>", "text/html"));
      } else {
        peer.send(++lists < 3 ? answer(502, "<html>", "text/html") : answer(200, "{}"));
      }
    }
  });
  EXPECT_EQ(code_of(start()->end()), errc::outcome_unknown);
  EXPECT_EQ(starts, 1);
  reply<std::vector<ports::running_process>> got;
  link_->processes({}, got.completion());
  EXPECT_TRUE(got.get());
  EXPECT_EQ(lists, 3);
  EXPECT_EQ(counters_->reads_repeated, 2u);
}

TEST_F(E2bProcessTest, fault_AReadIsRepeatedNoMoreThanItsBoundAndItsTime) {
  std::atomic<int> lists{0};
  serve([&](fault_peer& peer) {
    while (peer.read_request()) {
      ++lists;
      peer.send(answer(502, "<html>", "text/html"));
    }
  });
  reply<std::vector<ports::running_process>> got;
  link_->processes({}, got.completion());
  EXPECT_EQ(code_of(got.get()), errc::hand_unreachable);
  EXPECT_EQ(lists, 1 + e2b_limits::read_repeats);
}

TEST_F(E2bProcessTest, ARepeatedReadCanBeCancelled) {
  std::atomic<int> lists{0};
  serve([&](fault_peer& peer) {
    peer.read_request();
    if (++lists == 1)
      return peer.reset();
    seen_.change([](auto& all) { all.push_back("again"); });
    peer.drain();
  });
  reply<std::vector<ports::running_process>> got;
  auto id = link_->processes({}, got.completion());
  ASSERT_TRUE(seen_.wait([](const auto& all) { return !all.empty(); }));
  link_->cancel(id);
  EXPECT_EQ(code_of(got.get()), errc::cancelled);
}

TEST_F(E2bProcessTest, fault_EventWithoutEnd) {
  serve([](fault_peer& peer) {
    peer.read_request();
    peer.send(stream_head);
    std::string head("\0\x00\xf0\x00\x00", 5); // 15 MiB: within the bound
    peer.send(chunk(head + "{\"event\":"));
    while (peer.send(chunk(std::string(60'000, ' ')))) {
    }
  });
  EXPECT_EQ(code_of(start()->end()), errc::provider_nonsense);
}

// BR-077
TEST_F(E2bProcessTest, fault_SilenceEndsAStream) {
  serve([](fault_peer& peer) {
    peer.read_request();
    peer.send(stream_head + chunk(start_event));
    peer.drain();
  });
  ports::stream_options options;
  options.limits.idle = 50ms;
  EXPECT_EQ(code_of(start(options)->end()), errc::outcome_unknown);
}

TEST_F(E2bProcessTest, HoldsTheProcessBackUntilItsOutputIsConsumed) {
  constexpr size_t events = 400, size = 16'384;
  auto output = envelope_bytes(to_json(envd::process_event{
    envd::process_output{envd::process_output::source::standard_output, std::string(size, 'x')}}));
  serve([&](fault_peer& peer) {
    peer.read_request();
    peer.send(stream_head + chunk(start_event));
    for (size_t i = 0; i < events; ++i)
      peer.send(chunk(output));
    peer.send(chunk(end_event + end_of_stream) + "0\r\n\r\n");
    peer.drain();
  });
  ports::stream_options options;
  options.window = 64 * 1024;
  auto sink = start(options);
  size_t told = 0;
  while (told < events * size) {
    ASSERT_TRUE(sink->record.wait([told](const auto& x) { return x.out.size() > told; }));
    auto got = sink->record.now().out.size();
    // One event at a time: whoever takes it more slowly than it comes must not be run over. BR-137
    for (; told < got; told += size) {
      ASSERT_LE(sink->record.now().out.size() - told, options.window + 256 * 1024);
      link_->consumed(last_, size);
    }
  }
  EXPECT_TRUE(sink->end());
}

TEST_F(E2bProcessTest, InputGoesInOrderOneAtATime) {
  std::atomic<int> at_once{0}, most{0};
  serve([&](fault_peer& peer) {
    while (auto request = peer.read_request()) {
      most = std::max(most.load(), ++at_once);
      seen_.change([&](auto& all) { all.push_back(request->substr(request->find("\r\n\r\n") + 4)); });
      --at_once;
      peer.send(answer(200, "{}"));
    }
  });
  std::vector<reply<void>> replies(20);
  for (size_t i = 0; i + 1 < replies.size(); ++i)
    link_->send_input({42, {}}, std::to_string(i), false, {}, replies[i].completion());
  link_->close_stdin({42, {}}, {}, replies.back().completion());
  for (auto& one : replies)
    EXPECT_TRUE(one.get());
  EXPECT_EQ(most, 1);
  auto all = seen_.now();
  ASSERT_EQ(all.size(), replies.size());
  for (size_t i = 0; i + 1 < all.size(); ++i)
    EXPECT_EQ(envd::read_input(all[i])->input.bytes, std::to_string(i));
}

TEST_F(E2bProcessTest, InputWaitsWithinABound) {
  serve([](fault_peer& peer) { peer.drain(); });
  reply<void> stuck, waiting, refused, other;
  auto id = link_->send_input({42, {}}, "a", true, {}, stuck.completion());
  auto second = link_->send_input({42, {}}, std::string(1u << 20, 'x'), true, {}, waiting.completion());
  link_->send_input({42, {}}, std::string(defaults::input_waiting, 'x'), true, {}, refused.completion());
  EXPECT_EQ(code_of(refused.get()), errc::overloaded);
  link_->cancel(second);
  EXPECT_EQ(code_of(waiting.get()), errc::cancelled);
  link_->cancel(id);
  EXPECT_EQ(code_of(stuck.get()), errc::cancelled);
  link_->send_input({42, {}}, "a", true, {}, other.completion());
  link_->close({errc::hand_lost, "gone"});
  EXPECT_EQ(code_of(other.get()), errc::hand_lost);
}

TEST_F(E2bProcessTest, SignalsResizesAndLists) {
  always(
    answer(200, R"({"processes":[{"config":{"cmd":"sh","args":["-c","x"],"cwd":"/w"},"pid":7,"tag":"t"}]})"));
  reply<std::vector<ports::running_process>> list;
  link_->processes({}, list.completion());
  auto got = list.get();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->at(0).argv, (std::vector<std::string>{"sh", "-c", "x"}));
  EXPECT_EQ(got->at(0).tag, "t");
  reply<void> signal, resize;
  link_->signal({0, "t"}, ports::process_signal::kill, {}, signal.completion());
  EXPECT_TRUE(signal.get());
  EXPECT_NE(last_seen().find("SIGNAL_SIGKILL"), std::string::npos);
  link_->resize({7, {}}, {100, 30}, {}, resize.completion());
  EXPECT_TRUE(resize.get());
}

TEST_F(E2bProcessTest, CancelAndCloseLeaveNothingOpen) {
  serve([](fault_peer& peer) {
    peer.read_request();
    peer.send(stream_head + chunk(start_event));
    peer.drain();
  });
  auto before = count_descriptors();
  auto cancelled = start();
  ASSERT_TRUE(cancelled->record.wait([](const auto& x) { return x.pid.has_value(); }));
  link_->cancel(last_);
  EXPECT_EQ(code_of(cancelled->end()), errc::cancelled);
  auto closed = start();
  ASSERT_TRUE(closed->record.wait([](const auto& x) { return x.pid.has_value(); }));
  link_->close({errc::hand_lost, "gone"});
  EXPECT_EQ(code_of(closed->end()), errc::hand_lost);
  EXPECT_EQ(code_of(start()->end()), errc::hand_lost) << "also later calls";
  EXPECT_TRUE(descriptors_fall_to(before));
}

} // namespace agentpool::net::test

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/processes.hpp"
#include "protocol/wire/base64.hpp"
#include "protocol/wire/envd_process.hpp"
#include "tests/support/world_fixture.hpp"

namespace agentpool::test {

namespace {

using namespace std::chrono_literals;
using ports::output_stream;

class Command : public WorldFixture {
protected:
  static inline const std::string plain = R"("stdin":"none","stdout":{"mode":"collect","max_bytes":64},)"
                                          R"("stderr":{"mode":"collect","max_bytes":64})";

  std::shared_ptr<asked> spawn(const std::string& streams = plain, const std::string& more = {}) {
    auto out = std::make_shared<asked>();
    auto body = R"({"argv":["bash","-c","x"],"cwd":"/workspace","env":{"A":"1","B":null},"grace_ms":3000,)" +
                streams + more + "}";
    world::operation op;
    op.hand = lend();
    op.body = *json::parse(body);
    op.stream = out->stream;
    op.done = [out](world::reply reply) { out->reply = std::move(reply); };
    all->spawn(op, notice);
    home->run();
    return out;
  }

  /// A command that does not start for this reason.
  std::shared_ptr<asked> not_started(const failure& why) {
    auto out = spawn();
    link->last().fail(why);
    home->run();
    return out;
  }

  /// The command runs: what the wrapper says first came.
  void run(fault_link::process& one, uint32_t pid = 77) {
    nonce = one.spec.argv.at(12);
    one.sink->on_started(pid);
    say(one, output_stream::err, mark("p " + std::to_string(pid)));
  }
  std::string mark(const std::string& words) const { return '\x1e' + nonce + ' ' + words + '\x1e'; }
  void say(fault_link::process& one, output_stream which, const std::string& bytes) {
    one.sink->on_output(which, bytes);
    home->run();
  }

  static std::vector<json> events(const asked& of) {
    std::vector<json> out;
    std::string_view rest{of.stream->sink->bytes};
    while (!rest.empty()) {
      auto end = rest.find('\n');
      out.push_back(*json::parse(rest.substr(0, end)));
      rest.remove_prefix(end + 1);
    }
    return out;
  }
  /// `started output exit gone`.
  static std::string story(const asked& of) {
    std::string out;
    for (const auto& event : events(of))
      out += (out.empty() ? "" : " ") + event["event"].text_or("?");
    return out;
  }
  static std::string output(const asked& of, std::string_view stream) {
    std::string out;
    for (const auto& event : events(of))
      if (event["event"].text() == "output" && event["stream"].text() == stream)
        out += *base64_decode(event["data"].text_or(""));
    return out;
  }
  static json event(const asked& of, std::string_view name) {
    for (const auto& one : events(of))
      if (one["event"].text() == name)
        return one;
    return {};
  }
  std::string id_of(const asked& of) { return event(of, "started")["process"].text_or(""); }
  asked on_process(void (world::processes::*what)(const world::operation&), const std::string& body,
    std::string content = {}) {
    asked out;
    out.reply = *begin_on_process(what, body, std::move(content));
    return out;
  }

  /// Its answer may come later.
  std::shared_ptr<std::optional<world::reply>> begin_on_process(
    void (world::processes::*what)(const world::operation&), const std::string& body, std::string content) {
    auto got = std::make_shared<std::optional<world::reply>>();
    world::operation op;
    op.body = *json::parse(body);
    op.content = std::move(content);
    op.done = [got](world::reply reply) { *got = std::move(reply); };
    ((*all).*what)(op);
    home->run();
    return got;
  }

  std::vector<live_frame> live;
  std::string notice;
  std::string nonce;
  std::shared_ptr<world::processes> all =
    std::make_shared<world::processes>([this](live_frame frame) { live.push_back(std::move(frame)); });
};

} // namespace

TEST_F(Command, OutputExitAndGone) {
  auto out = spawn();
  auto& one = link->last();
  EXPECT_EQ(one.spec.cwd, "/workspace");
  EXPECT_EQ(one.spec.env, (std::map<std::string, std::string>{{"A", "1"}}));
  EXPECT_FALSE(one.spec.stdin_open);
  EXPECT_EQ(out->reply->status, 0);
  run(one);
  say(one, output_stream::out, "hello\n");
  say(one, output_stream::err, "careful" + mark("x 7 1"));
  EXPECT_EQ(story(*out), "started output output");
  one.end(7);
  home->run();
  EXPECT_EQ(story(*out), "started output output exit gone");
  EXPECT_EQ(output(*out, "stdout"), "hello\n");
  EXPECT_EQ(output(*out, "stderr"), "careful");
  EXPECT_EQ(event(*out, "exit")["exit_code"].integer(), 7);
  EXPECT_TRUE(event(*out, "exit")["signal"].is_null());
  EXPECT_TRUE(out->stream->sink->finished);
  EXPECT_EQ(all->size(), 0u);
  EXPECT_EQ(home->timers(), 0u);
  EXPECT_EQ(given_back, std::vector{hand_outcome::done});
}

// A background grandchild holds the pipes: the exit comes after the grace period, all of the group is
// awaited.
TEST_F(Command, HeldPipesDoNotHangTheCall) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  say(one, output_stream::err, mark("x 0 0"));
  home->advance(2999ms);
  EXPECT_EQ(story(*out), "started");
  say(one, output_stream::out, "late, in time");
  home->advance(1ms);
  home->run();
  EXPECT_EQ(story(*out), "started output exit");
  say(one, output_stream::out, "too late");
  EXPECT_EQ(output(*out, "stdout"), "late, in time");
  ASSERT_EQ(link->started.size(), 2u); // waits for the group in the hand
  EXPECT_EQ(link->last().spec.argv.at(4), "77");
  EXPECT_EQ(link->last().spec.user, "root");
  link->last().end(0);
  home->run();
  EXPECT_EQ(story(*out), "started output exit gone");
  EXPECT_EQ(all->size(), 0u);
}

// BR-095: a stream that ends without an end event is an unknown outcome, never 0.
TEST_F(Command, EndOfTheStreamWithoutAnEndIsUnknown) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  say(one, output_stream::out, "half");
  one.fail({errc::outcome_unknown, "stream ended"});
  home->run();
  EXPECT_EQ(story(*out), "started output error");
  EXPECT_EQ(event(*out, "error")["code"].text(), "WORLD_LOST");
  EXPECT_EQ(all->size(), 0u);
  EXPECT_EQ(given_back.back(), hand_outcome::broken);
}

TEST_F(Command, AKnownExitSurvivesALostStream) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  say(one, output_stream::err, mark("x 3 1"));
  one.fail({errc::hand_unreachable, {}});
  home->run();
  EXPECT_EQ(story(*out), "started exit gone");
  EXPECT_EQ(event(*out, "exit")["exit_code"].integer(), 3);
}

TEST_F(Command, ABadStartIsAnErrorBeforeStarted) {
  auto out = not_started({errc::envd_invalid, "cwd '/nowhere' does not exist"});
  EXPECT_EQ(story(*out), "error");
  EXPECT_EQ(event(*out, "error")["code"].text(), "PROCESS_FAILED");
}

// envd starts it, and what starts everything in a sandbox is missing.
TEST_F(Command, AWrapperThatNeverRanIsADamagedSandboxAndNoExitOfTheCommand) {
  for (int code : {0, 1, 126, 127}) {
    auto out = spawn();
    link->last().sink->on_started(77);
    say(link->last(), output_stream::err, "'/usr/bin/setsid': No such file or directory\n");
    link->last().end(code);
    home->run();
    EXPECT_EQ(event(*out, "error")["code"].text(), "WORLD_LOST");
    EXPECT_EQ(event(*out, "error")["message"].text(), describe(errc::hand_damaged).text);
    EXPECT_EQ(given_back.back(), hand_outcome::broken);
  }
}

TEST_F(Command, AWrapperThatHangsBeforeItsFirstWordIsADamagedSandbox) {
  auto out = spawn();
  link->last().sink->on_started(77);
  home->run();
  home->advance(defaults::hand_first_byte - 1s);
  EXPECT_EQ(story(*out), "started ping");
  home->advance(2s);
  EXPECT_EQ(event(*out, "error")["message"].text(), describe(errc::hand_damaged).text);
  EXPECT_EQ(given_back.back(), hand_outcome::broken);
}

TEST_F(Command, WithoutAFreeProcessTheSentenceSaysSo) {
  auto out = not_started({errc::envd_exhausted, "no process can be started in the sandbox"});
  EXPECT_EQ(story(*out), "error");
  EXPECT_EQ(event(*out, "error")["code"].text(), "PROCESS_FAILED");
  EXPECT_EQ(event(*out, "error")["message"].text(), "No process can be started in the sandbox.");
}

TEST_F(Command, WithoutAFreeProcessWhatEarlierOnesLeftIsEnded) {
  auto before = spawn();
  auto& one = link->last();
  run(one);
  say(one, output_stream::err, mark("x 0 0")); // something of its group goes on
  one.end(0);
  home->run();
  ASSERT_EQ(event(*before, "exit")["exit_code"].integer(), 0);
  before->stream->sink->leave(); // nobody watches it any more
  home->run();
  for (auto more : {"; what earlier commands left running is being ended, try again in a moment.", "."}) {
    auto out = spawn();
    auto starts = link->started.size();
    link->last().fail({errc::envd_exhausted, "no process can be started in the sandbox"});
    home->run();
    EXPECT_EQ(
      event(*out, "error")["message"].text(), "No process can be started in the sandbox" + std::string{more});
    ASSERT_EQ(link->started.size(), starts + (more[0] == ';'));
    if (more[0] == ';') {
      EXPECT_NE(link->last().spec.argv[2].find("kill -s KILL"), std::string::npos);
      EXPECT_EQ(link->last().spec.argv[4], "77");
      EXPECT_EQ(link->last().spec.user, "root");
    }
  }
}

TEST_F(Command, WhatEndsItIsStartedFromWhatIsKeptBack) {
  auto out = spawn();
  run(link->last());
  EXPECT_NE(link->last().spec.tag, envd::own_tag);
  out->stream->sink->leave();
  home->run();
  ASSERT_EQ(link->started.size(), 2U);
  EXPECT_EQ(link->last().spec.tag, envd::own_tag);
}

TEST_F(Command, AWrapperThatWasKilledTellsItsSignal) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  one.killed();
  home->run();
  EXPECT_EQ(story(*out), "started exit");
  EXPECT_EQ(event(*out, "exit")["signal"].text(), "SIGKILL");
  link->last().end(0); // the rest of the group
  home->run();
  EXPECT_EQ(story(*out), "started exit gone");
}

// BR-086
TEST_F(Command, TerminateReachesTheWholeGroup) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  auto body = json_object{}.add("process", id_of(*out)).str();
  EXPECT_EQ(on_process(&world::processes::terminate, body).reply->status, 200);
  EXPECT_EQ(on_process(&world::processes::terminate, body).reply->status, 200);
  ASSERT_EQ(link->started.size(), 2u);
  EXPECT_EQ(link->last().spec.argv.at(4), "77");
  EXPECT_EQ(link->last().spec.argv.at(5), "3000");
  say(one, output_stream::err, mark("x 143 1"));
  one.end(143);
  home->run();
  EXPECT_EQ(event(*out, "exit")["signal"].text(), "SIGTERM");
  EXPECT_EQ(story(*out), "started exit gone");
  EXPECT_EQ(on_process(&world::processes::terminate, body).reply->status, 200);
}

TEST_F(Command, AKilledGroupWhosePipesAreHeldElsewhereEndsToo) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  on_process(&world::processes::terminate, json_object{}.add("process", id_of(*out)).str());
  link->last().end(0); // the group is gone, a process that left it holds the pipes
  home->run();
  EXPECT_EQ(story(*out), "started");
  home->advance(1s);
  home->run();
  EXPECT_EQ(story(*out), "started exit gone");
  EXPECT_EQ(event(*out, "exit")["signal"].text(), "SIGKILL");
  EXPECT_EQ(link->cancelled, std::vector{one.id});
}

TEST_F(Command, AClosedConnectionTerminatesTheGroup) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  out->stream->sink->leave();
  home->run();
  ASSERT_EQ(link->started.size(), 2u);
  EXPECT_EQ(link->last().spec.argv.at(4), "77");
  say(one, output_stream::out, "for nobody");
  EXPECT_EQ(link->consumed_bytes[one.id], 10u + mark("p 77").size());
  say(one, output_stream::err, mark("x 143 1"));
  one.end(143);
  home->run();
  EXPECT_EQ(all->size(), 0u);
}

// What a command leaves running belongs to the hand: it is no work of the agent, and outlives it.
TEST_F(Command, WhatIsLeftRunningOutlivesThePeer) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  EXPECT_TRUE(given_back.empty());
  say(one, output_stream::err, mark("x 0 0"));
  home->advance(3s);
  home->run();
  EXPECT_EQ(story(*out), "started exit");
  EXPECT_EQ(given_back, std::vector{hand_outcome::left});
  ASSERT_EQ(link->started.size(), 2u) << "it is watched";
  out->stream->sink->leave();
  home->run();
  EXPECT_EQ(link->started.size(), 2u) << "nothing is killed";
  EXPECT_EQ(all->size(), 0u);
}

TEST_F(Command, NothingIsStartedForAConnectionThatIsClosed) {
  auto out = std::make_shared<asked>();
  out->stream->sink->closed = true;
  world::operation op;
  op.hand = lend();
  op.body = *json::parse(R"({"argv":["x"],"cwd":"/","env":{},"grace_ms":1,)" + plain + "}");
  op.stream = out->stream;
  op.done = [](const world::reply&) {};
  all->spawn(op, notice);
  home->run();
  EXPECT_TRUE(link->started.empty());
  EXPECT_EQ(all->size(), 0u);
}

TEST_F(Command, AConnectionThatClosedBeforeTheStartIsHonoured) {
  auto out = spawn();
  out->stream->sink->leave();
  home->run();
  EXPECT_EQ(link->started.size(), 1u);
  run(link->last());
  EXPECT_EQ(link->started.size(), 2u);
}

// BR-135: a peer that does not read holds the process back; nothing piles up here.
TEST_F(Command, WhatThePeerDoesNotTakeIsNotConsumed) {
  auto out = spawn();
  auto& one = link->last();
  run(one);
  auto before = link->consumed_bytes[one.id];
  out->stream->sink->stuck = true;
  say(one, output_stream::out, std::string(1000, 'x'));
  say(one, output_stream::out, std::string(500, 'y'));
  EXPECT_EQ(link->consumed_bytes[one.id], before);
  out->stream->sink->stuck = false;
  out->stream->sink->take();
  home->run();
  EXPECT_EQ(link->consumed_bytes[one.id], before + 1500);
}

TEST_F(Command, SilenceIsPinged) {
  auto out = spawn();
  run(link->last());
  home->advance(10s);
  home->run();
  home->advance(10s);
  EXPECT_EQ(story(*out), "started ping ping");
}

TEST_F(Command, OverflowIsSpilledWhole) {
  auto streams = R"("stdin":"none","stdout":{"mode":"collect","max_bytes":8,"spill_bytes":100},)"
                 R"("stderr":{"mode":"collect","max_bytes":8,"spill_bytes":100})";
  auto out = spawn(streams);
  auto& one = link->last();
  run(one);
  say(one, output_stream::out, "12345678");
  EXPECT_EQ(story(*out), "started output");
  say(one, output_stream::out, "9abc");
  auto path = event(*out, "spill")["path"].text_or("");
  EXPECT_TRUE(path.starts_with("/tmp/agentpool-p-")) << path;
  say(one, output_stream::out, "def");
  say(one, output_stream::err, mark("x 0 1"));
  one.end(0);
  home->run();
  EXPECT_EQ(link->content(path), "123456789abcdef");
  EXPECT_EQ(story(*out), "started output output spill output exit gone");
}

TEST_F(Command, ASpillOverItsBoundIsTakenBack) {
  auto streams = R"("stdin":"none","stdout":{"mode":"collect","max_bytes":4,"spill_bytes":10},)"
                 R"("stderr":{"mode":"collect","max_bytes":4})";
  auto out = spawn(streams);
  auto& one = link->last();
  run(one);
  say(one, output_stream::out, "123456");
  auto path = event(*out, "spill")["path"].text_or("");
  say(one, output_stream::out, "7890abc");
  say(one, output_stream::err, mark("x 0 1"));
  one.end(0);
  home->run();
  EXPECT_EQ(story(*out), "started output spill output spill exit gone");
  EXPECT_TRUE(events(*out).at(4)["path"].is_null());
  EXPECT_EQ(link->find(path), nullptr);
}

TEST_F(Command, InputGoesInOrderAndEnds) {
  auto out = spawn(R"("stdin":"pipe","stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"})");
  auto& one = link->last();
  EXPECT_TRUE(one.spec.stdin_open);
  run(one);
  auto body = json_object{}.add("process", id_of(*out)).add("end", false).str();
  auto first = on_process(&world::processes::input, body, "one");
  auto second = on_process(
    &world::processes::input, json_object{}.add("process", id_of(*out)).add("end", true).str(), "two");
  EXPECT_FALSE(first.reply);
  ASSERT_EQ(link->inputs.size(), 1u);
  EXPECT_EQ(link->inputs[0].bytes, "one");
  link->inputs[0].done({});
  home->run();
  ASSERT_EQ(link->inputs.size(), 2u);
  link->inputs[1].done({});
  home->run();
  ASSERT_EQ(link->inputs.size(), 3u);
  EXPECT_TRUE(link->inputs[2].end);
  EXPECT_EQ(on_process(&world::processes::input, R"({"process":"p-x"})", "a").code(), "unknown_process");
}

// The end of the process may be told before the answer of what closed its input.
TEST_F(Command, TheLastInputArrivesWhenTheProcessEndsMeanwhile) {
  auto out = spawn(R"("stdin":"pipe","stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"})");
  auto& one = link->last();
  run(one);
  auto got = begin_on_process(
    &world::processes::input, json_object{}.add("process", id_of(*out)).add("end", true).str(), "all");
  link->inputs.at(0).done({});
  home->run();
  ASSERT_TRUE(link->inputs.at(1).end);
  say(one, output_stream::err, mark("x 0 1"));
  one.end(0);
  home->run();
  EXPECT_FALSE(*got);
  link->inputs[1].done(fail(errc::envd_not_found));
  home->run();
  ASSERT_TRUE(*got);
  EXPECT_EQ((*got)->status, 200);
}

TEST_F(Command, InputThatDidNotArriveIsToldSo) {
  auto out = spawn(R"("stdin":"pipe","stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"})");
  auto& one = link->last();
  run(one);
  auto got = begin_on_process(
    &world::processes::input, json_object{}.add("process", id_of(*out)).add("end", true).str(), "all");
  say(one, output_stream::err, mark("x 0 1"));
  one.end(0);
  home->run();
  link->inputs.at(0).done(fail(errc::envd_not_found));
  home->run();
  ASSERT_TRUE(*got);
  EXPECT_EQ((*got)->status, 404);
}

TEST_F(Command, PipesAreReadToTheirEnd) {
  auto out = spawn(R"("stdin":"none","stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"})");
  auto& one = link->last();
  run(one);
  say(one, output_stream::err, mark("x 0 1"));
  home->advance(3s);
  home->run();
  EXPECT_EQ(story(*out), "started exit");
  say(one, output_stream::out, "late");
  EXPECT_EQ(output(*out, "stdout"), "late");
  one.end(0);
  home->run();
  EXPECT_EQ(story(*out), "started exit output gone");
}

TEST_F(Command, DataIsSentAndClosed) {
  auto out = spawn(R"("stdin":"data","stdin_data":"aGk=","stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"})");
  run(link->last());
  home->run();
  ASSERT_EQ(link->inputs.size(), 1u);
  EXPECT_EQ(link->inputs[0].bytes, "hi");
  link->inputs[0].done({});
  home->run();
  EXPECT_TRUE(link->inputs.at(1).end);
}

TEST_F(Command, NoticeIsToldOnce) {
  notice = "The sandbox was rebuilt.";
  auto out = spawn();
  run(link->last());
  EXPECT_EQ(story(*out), "started notice");
  EXPECT_EQ(notice, "");
}

// BR-133
TEST_F(Command, LiveOutputIsBoundedAndWhole) {
  auto out = spawn(plain, R"(,"tool_call":"call_1")");
  auto& one = link->last();
  run(one);
  say(one, output_stream::out, "a\xe4\xb8");
  ASSERT_EQ(live.size(), 1u);
  EXPECT_EQ(live[0].kind, "tool_output");
  EXPECT_EQ(live[0].subject, "call_1");
  EXPECT_EQ(live[0].text, "a");
  say(one, output_stream::out, "\xad" + std::string(defaults::live_output_bytes, 'x'));
  EXPECT_EQ(live.size(), 1u);
  home->advance(100ms);
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[1].offset, 4u); // the oldest character did not fit
  EXPECT_EQ(live[1].text.size(), defaults::live_output_bytes);
  say(one, output_stream::err, "end" + mark("x 0 1"));
  one.end(0);
  home->run();
  EXPECT_EQ(live.back().text, "end");
  EXPECT_EQ(live.back().offset, 4u + defaults::live_output_bytes);
}

TEST_F(Command, SearchArgumentsAreRebuilt) {
  auto out = spawn(plain, R"(,"seam":"search")"); // bash is not the search program
  EXPECT_EQ(link->last().spec.argv.at(13), "bash");
  auto bad = std::make_shared<asked>();
  world::operation op;
  op.hand = lend();
  op.body = *json::parse(
    R"({"argv":["rg","--pre=sh","x"],"seam":"search","cwd":"/workspace","grace_ms":1,)" + plain + "}");
  op.done = [bad](world::reply reply) { bad->reply = std::move(reply); };
  all->spawn(op, notice);
  EXPECT_EQ(bad->code(), "bad_request");
}

TEST_F(Command, TooManyAreRefused) {
  for (size_t i = 0; i < defaults::world_processes; ++i)
    spawn();
  EXPECT_EQ(spawn()->code(), "too_many");
}

TEST_F(Command, BadSpawnsAreTheCallersFault) {
  for (const std::string change : {R"("argv":[])", R"("argv":[""])", R"("cwd":"x")", R"("grace_ms":0)",
         R"("env":{"A=B":"1"})", R"("stdin":"x")", R"("stdout":{})", R"("stdin":"data","stdin_data":"%")"}) {
    asked out;
    world::operation op;
    op.hand = lend();
    op.body = *json::parse(R"({"argv":["a"],"cwd":"/","grace_ms":1,)" + plain + "," + change + "}");
    op.done = [&out](world::reply reply) { out.reply = std::move(reply); };
    all->spawn(op, notice);
    ASSERT_TRUE(out.reply) << change;
    EXPECT_EQ(out.code(), "bad_request") << change;
  }
}

} // namespace agentpool::test

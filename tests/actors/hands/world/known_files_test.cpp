// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/files.hpp"
#include "actors/hands/world/processes.hpp"
#include "tests/support/world_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class KnownFiles : public WorldFixture {
protected:
  KnownFiles() { known = std::make_shared<world::known_files>(home); }

  /// The calls of the link that one request makes.
  std::vector<std::string> calls_of(
    void (*run)(const world::operation&), const std::string& body, const std::string& content = {}) {
    link->calls.clear();
    last = ask(run, body, content);
    return link->calls;
  }
  std::vector<std::string> stat(const std::string& path) { return calls_of(world::stat, at(path)); }
  std::vector<std::string> resolve(const std::string& path) { return calls_of(world::resolve, at(path)); }
  std::vector<std::string> read(const std::string& path) { return calls_of(world::read, at(path)); }
  static std::string at(const std::string& path) { return R"({"path":")" + path + R"("})"; }
  static std::string write_of(const std::string& path) {
    return R"({"path":")" + path + R"(","display":"f"})";
  }
  std::string version_of(const std::string& path) {
    stat(path);
    return last.body()["version"].text_or("?");
  }
  /// A command that ran and ended.
  void run_command() { known->begin_writer(); }

  asked last;
};

} // namespace

TEST_F(KnownFiles, WhatIsKnownIsNotAskedForAgainHoweverLongItIs) {
  link->file("/workspace/a", "x");
  EXPECT_THAT(resolve("/workspace/a"), UnorderedElementsAre("stat /workspace", "stat /workspace/a"));
  EXPECT_THAT(stat("/workspace/a"), IsEmpty());
  home->advance(24h);
  EXPECT_THAT(resolve("/workspace/a"), IsEmpty());
  EXPECT_THAT(resolve("/workspace"), IsEmpty());
  EXPECT_THAT(resolve("/workspace/b"), ElementsAre("stat /workspace/b"));
  EXPECT_THAT(stat("/workspace/b"), IsEmpty()) << "that it is not there is known too";
}

TEST_F(KnownFiles, ACommandsBeginAndEndAreChanges) {
  stat("/workspace");
  auto runs = known->begin_writer();
  EXPECT_THAT(stat("/workspace"), ElementsAre("stat /workspace"));
  EXPECT_THAT(stat("/workspace"), IsEmpty());
  runs = nullptr;
  EXPECT_THAT(stat("/workspace"), ElementsAre("stat /workspace"));
}

TEST_F(KnownFiles, WhileSomethingWritesItHoldsTwoSeconds) {
  auto runs = known->begin_writer();
  stat("/workspace");
  home->advance(1999ms);
  EXPECT_THAT(stat("/workspace"), IsEmpty());
  home->advance(1ms);
  EXPECT_THAT(stat("/workspace"), ElementsAre("stat /workspace"));
  runs = nullptr;
  stat("/workspace");
  home->advance(1h);
  EXPECT_THAT(stat("/workspace"), IsEmpty());
  EXPECT_EQ(home->timers(), 0u);
}

TEST_F(KnownFiles, ACommandWritesUntilItsExitIsToldAndAsLongAsWhatItLeft) {
  auto all = std::make_shared<world::processes>(nullptr, [this](uint64_t since) { left.push_back(since); });
  auto run = [&](const std::string& argv, const std::string& last_words) {
    auto stream = std::make_shared<recorded_stream>();
    world::operation op;
    op.hand = lend();
    op.body =
      *json::parse(R"({"argv":)" + argv + R"(,"cwd":"/","env":{},"grace_ms":1,)" +
                   R"("stdout":{"mode":"collect","max_bytes":9},"stderr":{"mode":"collect","max_bytes":9}})");
    op.stream = stream;
    op.done = [](const world::reply&) {};
    std::string notice;
    all->spawn(op, notice);
    home->run();
    auto& one = link->last();
    auto mark = [&](const std::string& words) {
      one.sink->on_output(ports::output_stream::err, '\x1e' + one.spec.argv.at(12) + ' ' + words + '\x1e');
      home->run();
    };
    one.sink->on_started(7);
    mark("p 7 40");
    bool restless = known->is_restless();
    mark(last_words);
    one.end(0);
    home->run();
    return restless;
  };
  EXPECT_TRUE(run(R"(["true"])", "x 0 1 0"));
  EXPECT_FALSE(known->is_restless());
  EXPECT_THAT(left, IsEmpty());
  run(R"(["server"])", "x 0 1 40");
  EXPECT_THAT(left, ElementsAre(40u));
  EXPECT_FALSE(run(R"(["rg","--files"],"seam":"search")", "x 0 1 40")) << "a search changes nothing";
  EXPECT_THAT(left, ElementsAre(40u));
}

TEST_F(KnownFiles, TheFirstMissAfterAChangeAsksForAllThatWasUsed) {
  for (const auto* path : {"/workspace/a", "/workspace/b", "/workspace/c"})
    stat(path);
  run_command();
  EXPECT_THAT(stat("/workspace/b"),
    UnorderedElementsAre("stat /workspace/a", "stat /workspace/b", "stat /workspace/c"));
  EXPECT_EQ(link->calls.front(), "stat /workspace/b") << "what somebody waits for goes first";
  EXPECT_THAT(stat("/workspace/a"), IsEmpty());
  EXPECT_THAT(stat("/workspace/d"), ElementsAre("stat /workspace/d"));
}

TEST_F(KnownFiles, WhatIsAskedForInVainThriceIsForgotten) {
  stat("/workspace/once");
  for (int i = 0; i < 3; ++i) {
    run_command();
    EXPECT_EQ(stat("/workspace").size(), 2u) << i;
  }
  run_command();
  EXPECT_THAT(stat("/workspace"), ElementsAre("stat /workspace"));
}

TEST_F(KnownFiles, OneQuestionServesAllThatAskMeanwhile) {
  auto one = begin(world::stat, at("/workspace"));
  auto two = begin(world::stat, at("/workspace"));
  home->run();
  EXPECT_THAT(link->calls, ElementsAre("stat /workspace"));
  EXPECT_EQ(one->reply->body, two->reply->body);
}

TEST_F(KnownFiles, AnAnswerToAQuestionFromBeforeAChangeIsNotKept) {
  auto one = begin(world::stat, at("/workspace/f")); // not answered yet
  auto runs = known->begin_writer();
  home->run();
  EXPECT_TRUE(one->reply);
  EXPECT_THAT(stat("/workspace/f"), ElementsAre("stat /workspace/f"));
}

TEST_F(KnownFiles, AQuestionFromBeforeAChangeIsNotShared) {
  auto one = begin(world::stat, at("/workspace/f"));
  known->begin_writer();
  link->file("/workspace/f", "x");
  auto two = begin(world::stat, at("/workspace/f"));
  home->run();
  EXPECT_FALSE(one->body()["found"].boolean().value());
  EXPECT_TRUE(two->body()["found"].boolean().value());
}

TEST_F(KnownFiles, AFailureIsNotKept) {
  link->fault = [](const std::string&, const std::string&) { return failure{errc::envd_failed, "no"}; };
  EXPECT_EQ((stat("/workspace/f"), last.reply->status), 500);
  link->fault = nullptr;
  EXPECT_THAT(stat("/workspace/f"), ElementsAre("stat /workspace/f"));
}

TEST_F(KnownFiles, AWriteIsKnownWithTheDirectoriesAboveIt) {
  resolve("/workspace/new");
  resolve("/workspace/other");
  auto before = version_of("/workspace");
  EXPECT_THAT(
    calls_of(world::write, write_of("/workspace/new"), "text"), ElementsAre("publish /workspace/new"));
  auto written = last.body()["version"].text_or("");
  EXPECT_THAT(stat("/workspace/new"), IsEmpty());
  EXPECT_EQ(last.body()["version"].text_or(""), written);
  EXPECT_THAT(stat("/workspace/other"), IsEmpty());
  EXPECT_NE(version_of("/workspace"), before);
  EXPECT_THAT(link->calls, IsEmpty());
  auto told = last.reply->body;
  run_command();
  stat("/workspace");
  EXPECT_EQ(last.reply->body, told) << "the same as the hand itself says";
}

TEST_F(KnownFiles, AWriteForgetsWhatElseLeadsToTheFile) {
  link->directory("/workspace/d");
  link->file("/workspace/d/f", "old");
  link->file("/workspace/d/g", "old");
  link->symlink("/workspace/l", "/workspace/d");
  link->symlink("/workspace/m", "/workspace/d/f");
  link->symlink("/workspace/loose", "/workspace/none");
  for (const auto* path : {"/workspace/l/f", "/workspace/l/g", "/workspace/m", "/workspace/loose"})
    resolve(path);
  calls_of(world::write, write_of("/workspace/d/f"), "new text");
  EXPECT_THAT(resolve("/workspace/l/f"), ElementsAre("stat /workspace/l/f"));
  EXPECT_THAT(resolve("/workspace/l/g"), IsEmpty());
  EXPECT_THAT(resolve("/workspace/m"), ElementsAre("stat /workspace/m"));
  EXPECT_THAT(resolve("/workspace/loose"), ElementsAre("stat /workspace/loose"))
    << "it may lead to the new file";
}

TEST_F(KnownFiles, AWriteForgetsWhatWasMissingBelowALinkThatLedNowhere) {
  link->symlink("/workspace/loose", "/workspace/none");
  stat("/workspace/loose");
  stat("/workspace/loose/f");
  calls_of(world::write, write_of("/workspace/none/f"), "text");
  EXPECT_THAT(stat("/workspace/loose/f"), ElementsAre("stat /workspace/loose/f"));
}

TEST_F(KnownFiles, BelowWhatIsNotThereNothingIsAskedFor) {
  std::string deep = "/workspace";
  for (int i = 0; i < 1500; ++i)
    deep += "/x";
  EXPECT_LE(resolve(deep).size(), 2 * defaults::world_wave);
}

TEST_F(KnownFiles, LongPathsFillItByTheirBytes) {
  std::string path = "/workspace";
  for (int i = 0; path.size() < 3000; ++i)
    link->directory(path += "/d");
  resolve(path);
  resolve("/workspace");
  EXPECT_THAT(stat(path), IsEmpty());
  for (int i = 0; i < 400; ++i)
    stat(path + std::to_string(i));
  EXPECT_THAT(stat("/workspace"), ElementsAre("stat /workspace"));
}

TEST_F(KnownFiles, AParentThatTheWriteMadeIsThere) {
  stat("/workspace/x");
  stat("/workspace/x/y");
  calls_of(world::write, write_of("/workspace/x/y/f"), "text");
  link->directory("/workspace/x/y");
  stat("/workspace/x/y");
  EXPECT_TRUE(last.body()["found"].boolean().value());
}

TEST_F(KnownFiles, TheAppLooksAgainAndItsChangesCount) {
  link->file("/workspace/f", "x");
  stat("/workspace/f");
  fresh = true;
  EXPECT_FALSE(calls_of(world::files_list, R"({"path":"f"})").empty());
  calls_of(world::files_delete, R"({"path":"f"})");
  fresh = false;
  EXPECT_THAT(stat("/workspace/f"), ElementsAre("stat /workspace/f"));
  EXPECT_FALSE(last.body()["found"].boolean().value());
}

TEST_F(KnownFiles, AnotherGenerationOfTheHandKnowsNothing) {
  link->file("/workspace/f", "x");
  known->enter(1, 1);
  read("/workspace/f");
  known->enter(1, 1);
  EXPECT_THAT(read("/workspace/f"), IsEmpty());
  known->enter(2, 1);
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f")) << "it is the same file";
  known->enter(2, 2);
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f", "read /workspace/f"));
}

// -- content

TEST_F(KnownFiles, ContentOfAKnownVersionIsReadOnce) {
  link->file("/workspace/f", "some text");
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f", "read /workspace/f"));
  EXPECT_THAT(read("/workspace/f"), IsEmpty());
  EXPECT_EQ(last.stream->sink->bytes, "some text");
  EXPECT_THAT(calls_of(world::read, R"({"path":"/workspace/f","offset":5,"length":2})"), IsEmpty());
  EXPECT_EQ(last.stream->sink->bytes, "te");
  run_command();
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f")) << "it has the same version";
  EXPECT_EQ(last.stream->sink->bytes, "some text");
  run_command();
  link->file("/workspace/f", "other");
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f", "read /workspace/f"));
  EXPECT_EQ(last.stream->sink->bytes, "other");
}

TEST_F(KnownFiles, WhileSomethingWritesContentComesFromTheHand) {
  link->file("/workspace/f", "some text");
  read("/workspace/f");
  auto runs = known->begin_writer();
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f", "read /workspace/f"));
  EXPECT_THAT(read("/workspace/f"), ElementsAre("read /workspace/f"));
}

TEST_F(KnownFiles, WhileSomethingWritesAFileThatWasMissingIsLookedForAgain) {
  auto runs = known->begin_writer();
  read("/workspace/f");
  link->file("/workspace/f", "some text");
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f", "read /workspace/f"));
  EXPECT_EQ(last.stream->sink->bytes, "some text");
}

TEST_F(KnownFiles, ContentThatChangedWhileItWasReadIsNotKept) {
  link->file("/workspace/f", "some text");
  link->fault = [this](const std::string& call, const std::string&) -> std::optional<failure> {
    if (call == "read-end")
      known->touch("/workspace/f");
    return std::nullopt;
  };
  read("/workspace/f");
  link->fault = nullptr;
  EXPECT_THAT(read("/workspace/f"), ElementsAre("stat /workspace/f", "read /workspace/f"));
}

TEST(KeptContent, IsBoundedByBytesAndFile) {
  world::kept_content kept;
  kept.put("/big", "1", std::string(defaults::kept_file + 1, 'x'));
  EXPECT_EQ(kept.bytes(), 0u);
  for (int i = 0; i < 10'000; ++i) {
    kept.put("/f" + std::to_string(i), "1", std::string(i % 3 * 1000, 'x'));
    kept.find("/f0", "1");
  }
  EXPECT_LE(kept.bytes(), defaults::kept_content);
  EXPECT_TRUE(kept.find("/f0", "1")) << "the longest unused goes";
  EXPECT_TRUE(kept.find("/f9999", "1"));
  EXPECT_FALSE(kept.find("/f1", "1"));
  kept.put("/f0", "2", "new");
  EXPECT_FALSE(kept.find("/f0", "1"));
  EXPECT_EQ(*kept.find("/f0", "2"), "new");
}

// -- mutations in few rounds

TEST_F(KnownFiles, AnEditOfAFileThatWasReadIsOneRound) {
  link->file("/workspace/f", "one two");
  read("/workspace/f");
  auto version = version_of("/workspace/f");
  auto body =
    R"({"path":"/workspace/f","display":"f","old":"two","new":"$& 3","replace_all":false,"expected":)"
    R"({"kind":"replaceIfVersion","version":")" +
    version + "\"}}";
  EXPECT_THAT(calls_of(world::edit, body), ElementsAre("publish /workspace/f"));
  EXPECT_EQ(link->content("/workspace/f"), "one $& 3");
  EXPECT_THAT(read("/workspace/f"), IsEmpty());
  EXPECT_EQ(last.stream->sink->bytes, "one $& 3");
}

TEST_F(KnownFiles, AVersionThatIsNotTheKnownOneIsRefusedByTheHand) {
  link->file("/workspace/f", "one two");
  read("/workspace/f");
  auto body = R"({"path":"/workspace/f","display":"f","old":"two","new":"3","replace_all":false,"expected":)"
              R"({"kind":"replaceIfVersion","version":"another"}})";
  EXPECT_THAT(calls_of(world::edit, body), ElementsAre("stat /workspace/f"));
  EXPECT_EQ(last.code(), "FS_STALE_VERSION");
}

TEST_F(KnownFiles, WhatIsKnownIsCheckedAgainByThePublication) {
  link->file("/workspace/f", "one two");
  read("/workspace/f");
  auto version = version_of("/workspace/f");
  link->file("/workspace/f", "changed unseen");
  auto body = R"({"path":"/workspace/f","display":"f","expected":{"kind":"replaceIfVersion","version":")" +
              version + "\"}}";
  calls_of(world::write, body, "new");
  EXPECT_EQ(link->calls.front(), "publish /workspace/f");
  EXPECT_EQ(last.code(), "FS_STALE_VERSION");
  EXPECT_EQ(link->content("/workspace/f"), "changed unseen");
  EXPECT_THAT(stat("/workspace/f"), ElementsAre("stat /workspace/f")) << "and it is not known any more";
}

TEST_F(KnownFiles, ANewFileIsOneRoundAndNeverReplacesOne) {
  auto body = R"({"path":"/workspace/f","display":"f","expected":{"kind":"createIfAbsent"}})";
  EXPECT_THAT(calls_of(world::write, body, "new"), ElementsAre("publish /workspace/f"));
  EXPECT_EQ(last.reply->status, 200);
  EXPECT_EQ((calls_of(world::write, body, "newer"), last.code()), "FS_NOT_OBSERVED");
  EXPECT_EQ(link->content("/workspace/f"), "new");
}

TEST_F(KnownFiles, APublicationThatMayRunOnIsWaitedFor) {
  link->fault = [](const std::string& call, const std::string&) -> std::optional<failure> {
    return call == "publish" ? std::optional{failure{errc::outcome_unknown, {}}} : std::nullopt;
  };
  calls_of(world::write, write_of("/workspace/f"), "text");
  EXPECT_THAT(left, ElementsAre(0u));
}

} // namespace agentpool::test

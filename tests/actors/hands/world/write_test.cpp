// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/publish.hpp"
#include "tests/support/world_fixture.hpp"

namespace agentpool::test {

namespace {

class Write : public WorldFixture {
protected:
  std::string version(const std::string& path) {
    return ask(world::stat, json_object{}.add("path", path).str()).body()["version"].text_or("");
  }
  static std::string line(const std::string& path, const std::string& expected = {}) {
    json_object out;
    out.add("path", path).add("display", "shown");
    if (!expected.empty())
      out.add_raw("expected", expected);
    return out.str();
  }
  static std::string at_version(const std::string& version) {
    return json_object{}.add("kind", "replaceIfVersion").add("version", version).str();
  }
  const std::string absent = R"({"kind":"createIfAbsent"})";

  /// Runs `change` right before the publication is carried out.
  void race(std::function<void()> change) {
    link->fault = [change, done = false](
                    const std::string& call, const auto&) mutable -> std::optional<failure> {
      if (call == "publish" && !std::exchange(done, true))
        change();
      return std::nullopt;
    };
  }
  void no_leftovers() {
    for (const auto& name : link->names("/workspace"))
      EXPECT_FALSE(name.starts_with(".agentpool-")) << name;
  }
};

} // namespace

TEST_F(Write, CreatesAndReplacesInOneRound) {
  auto made = ask(world::write, line("/workspace/a"), "one\r\ntwo");
  EXPECT_EQ(made.body()["operation"].text(), "create");
  EXPECT_TRUE(made.body()["before"].is_null());
  EXPECT_EQ(made.body()["version"].text(), version("/workspace/a"));
  EXPECT_EQ(link->find("/workspace/a")->mode, 0600u);
  link->calls.clear();
  auto again = ask(world::write, line("/workspace/a"), "three");
  EXPECT_EQ(again.body()["operation"].text(), "update");
  EXPECT_EQ(again.body()["before"].text(), "one\ntwo");
  EXPECT_EQ(link->content("/workspace/a"), "three");
  EXPECT_EQ(link->calls, (std::vector<std::string>{"publish /workspace/a"}));
}

TEST_F(Write, AnExistingModeIsKept) {
  link->put("/workspace/run", {.content = "x", .mode = 0755});
  ask(world::write, line("/workspace/run"), "y");
  EXPECT_EQ(link->find("/workspace/run")->mode, 0755u);
}

TEST_F(Write, GuardsAreCheckedInTheOrderOfTheSeam) {
  link->file("/workspace/a", "1");
  link->directory("/workspace/d");
  link->symlink("/workspace/dangling", "x");
  auto now = version("/workspace/a");
  struct row {
    std::string path, expected, out;
  };
  const row rows[] = {
    {"/workspace/d", "", "FS_NOT_REGULAR_FILE"},
    {"/workspace/d", absent, "FS_NOT_REGULAR_FILE"},
    {"/workspace/dangling", absent, "FS_NOT_REGULAR_FILE"},
    {"/workspace/a", absent, "FS_NOT_OBSERVED"},
    {"/workspace/a", at_version("other"), "FS_STALE_VERSION"},
    {"/workspace/gone", at_version(now), "FS_STALE_VERSION"},
    {"/workspace/a", at_version(now), ""},
    {"/workspace/new", absent, ""},
  };
  for (const auto& row : rows)
    EXPECT_EQ(ask(world::write, line(row.path, row.expected), "2").code(), row.out)
      << row.path << row.expected;
  EXPECT_EQ(link->find("/workspace/gone"), nullptr);
}

TEST_F(Write, WithoutAFreeProcessNothingIsChangedAndTheSentenceSaysWhy) {
  link->fault = [](const std::string& call, const auto&) -> std::optional<failure> {
    return call == "publish" ? std::optional{failure{errc::envd_exhausted, "no process can be started"}}
                             : std::nullopt;
  };
  auto out = ask(world::write, line("/workspace/a"), std::string(300 * 1024, 'x'));
  EXPECT_EQ(out.code(), "FS_IO_ERROR");
  EXPECT_EQ(out.body()["message"].text(), "No process can be started.");
  EXPECT_EQ(link->names("/workspace"), std::vector<std::string>{});
}

TEST_F(Write, AChangeBetweenLookAndPublicationIsNotOverwritten) {
  link->file("/workspace/a", "1");
  auto now = version("/workspace/a");
  race([&] { link->file("/workspace/a", "theirs"); });
  EXPECT_EQ(ask(world::write, line("/workspace/a", at_version(now)), "mine").code(), "FS_STALE_VERSION");
  EXPECT_EQ(link->content("/workspace/a"), "theirs");
}

TEST_F(Write, ACompetitorsFileSurvivesACreate) {
  race([&] { link->file("/workspace/new", "theirs"); });
  EXPECT_EQ(ask(world::write, line("/workspace/new", absent), "mine").code(), "FS_NOT_OBSERVED");
  EXPECT_EQ(link->content("/workspace/new"), "theirs");
  race([&] { link->directory("/workspace/dir"); });
  EXPECT_EQ(ask(world::write, line("/workspace/dir", absent), "mine").code(), "FS_NOT_REGULAR_FILE");
}

TEST_F(Write, OfTwoGuardedWritesOneWins) {
  link->file("/workspace/a", "1");
  auto now = version("/workspace/a");
  auto first = begin(world::write, line("/workspace/a", at_version(now)), "first");
  auto second = begin(world::write, line("/workspace/a", at_version(now)), "second");
  home->run();
  EXPECT_EQ(first->reply->status, 200);
  EXPECT_EQ(second->code(), "FS_STALE_VERSION");
  EXPECT_EQ(link->content("/workspace/a"), "first");
  EXPECT_EQ(targets->size(), 0u);
}

TEST_F(Write, LargeContentIsStagedBesideAndPublishedWhole) {
  std::string large(world::inline_bytes + 1, 'x');
  auto out = ask(world::write, line("/workspace/big"), large);
  EXPECT_EQ(out.reply->status, 200) << out.reply->body;
  EXPECT_EQ(link->content("/workspace/big"), large);
  no_leftovers();
}

TEST_F(Write, AFailedUploadLeavesNothing) {
  link->file("/workspace/big", "old");
  link->fault = [](const std::string& call, const auto&) -> std::optional<failure> {
    return call == "write" ? std::optional{failure{errc::envd_no_space, {}}} : std::nullopt;
  };
  auto out = ask(world::write, line("/workspace/big"), std::string(world::inline_bytes + 1, 'x'));
  EXPECT_EQ(out.code(), "FS_IO_ERROR");
  EXPECT_NE(out.body()["message"].text_or("").find("full"), std::string::npos);
  EXPECT_EQ(link->content("/workspace/big"), "old");
  EXPECT_EQ(link->calls.back().substr(0, 27), "remove /workspace/.agentpoo");
}

TEST_F(Write, LostAnswerOfAPublicationIsUnknown) {
  link->fault = [](const std::string& call, const auto&) -> std::optional<failure> {
    return call == "publish" ? std::optional{failure{errc::outcome_unknown, {}}} : std::nullopt;
  };
  auto out = ask(world::write, line("/workspace/a"), "x");
  EXPECT_EQ(out.code(), "WORLD_TIMEOUT");
  EXPECT_NE(out.body()["message"].text_or("").find("unknown"), std::string::npos);
  EXPECT_EQ(given_back.back(), hand_outcome::broken);
}

TEST_F(Write, CancelledBeforeItsPublicationChangesNothing) {
  link->file("/workspace/a", "old");
  auto flag = std::make_shared<bool>(false);
  link->fault = [flag](const std::string& call, const auto&) -> std::optional<failure> {
    *flag = *flag || call == "stat";
    return std::nullopt;
  };
  auto out = begin(world::write, line("/workspace/a"), std::string(world::inline_bytes + 1, 'x'), flag);
  home->run();
  EXPECT_EQ(out->code(), "FS_ABORTED");
  EXPECT_EQ(link->content("/workspace/a"), "old");
  no_leftovers();
}

TEST_F(Write, BeforeIsNullForWhatIsNoTextOrTooLarge) {
  link->file("/workspace/b", std::string{"a\0b", 3});
  EXPECT_TRUE(ask(world::write, line("/workspace/b"), "x").body()["before"].is_null());
  link->file("/workspace/l", std::string((1 << 20) + 1, 'x'));
  EXPECT_TRUE(ask(world::write, line("/workspace/l"), "x").body()["before"].is_null());
  link->file("/workspace/e", "");
  EXPECT_EQ(ask(world::write, line("/workspace/e"), "x").body()["before"].text(), "");
}

// -- edits

TEST_F(Write, EditReadsReplacesAndPublishesInThreeRounds) {
  link->put("/workspace/a", {.content = "one\r\n$& two\r\n", .mode = 0700});
  link->calls.clear();
  auto out = ask(world::edit,
    json_object{}.add("path", "/workspace/a").add("display", "a").add("old", "two").add("new", "$1").str());
  EXPECT_EQ(out.body()["before"].text(), "one\n$& two\n") << out.reply->body;
  EXPECT_EQ(out.body()["after"].text(), "one\n$& $1\n");
  EXPECT_EQ(link->content("/workspace/a"), "one\r\n$& $1\r\n");
  EXPECT_EQ(link->find("/workspace/a")->mode, 0700u);
  EXPECT_EQ(link->calls.size(), 3u);
  EXPECT_EQ(out.body()["version"].text(), version("/workspace/a"));
}

TEST_F(Write, EditErrorsComeInTheOrderOfTheSeam) {
  link->directory("/workspace/d");
  link->file("/workspace/bin", std::string{"x\0", 2});
  link->file("/workspace/t", "ab ab");
  struct row {
    std::string path, old, expected, out;
  };
  const row rows[] = {
    {"/workspace/gone", "a", "", "FS_STALE_VERSION"},
    {"/workspace/d", "a", at_version("x"), "FS_NOT_REGULAR_FILE"},
    {"/workspace/bin", "a", at_version("x"), "FS_STALE_VERSION"},
    {"/workspace/bin", "", "", "FS_NOT_TEXT"},
    {"/workspace/t", "", "", "FS_EDIT_NOT_FOUND"},
    {"/workspace/t", "zz", "", "FS_EDIT_NOT_FOUND"},
    {"/workspace/t", "ab", "", "FS_AMBIGUOUS_EDIT"},
  };
  for (const auto& row : rows) {
    json_object body;
    body.add("path", row.path).add("display", "d").add("old", row.old).add("new", "n");
    if (!row.expected.empty())
      body.add_raw("expected", row.expected);
    EXPECT_EQ(ask(world::edit, body.str()).code(), row.out) << row.path << row.old;
  }
  EXPECT_EQ(link->content("/workspace/t"), "ab ab");
}

TEST_F(Write, AnEditOfWhatChangedMeanwhileIsStaleAlsoWithoutAGuard) {
  link->file("/workspace/a", "one");
  race([&] { link->file("/workspace/a", "one, theirs"); });
  auto out = ask(world::edit, R"({"path":"/workspace/a","display":"a","old":"one","new":"two"})");
  EXPECT_EQ(out.code(), "FS_STALE_VERSION");
  EXPECT_EQ(link->content("/workspace/a"), "one, theirs");
}

TEST_F(Write, TooLargeForAnEdit) {
  link->file("/workspace/a", std::string((10 << 20) + 1, 'x'));
  EXPECT_EQ(
    ask(world::edit, R"({"path":"/workspace/a","display":"a","old":"o","new":"t"})").code(), "FS_TOO_LARGE");
}

// -- reads

TEST_F(Write, ReadStreamsTheRangeWithItsVersion) {
  link->file("/workspace/a", "0123456789");
  struct row {
    std::string range, out;
  };
  const row rows[] = {{"", "0123456789"}, {R"(,"offset":3)", "3456789"},
    {R"(,"offset":3,"length":4)", "3456"}, {R"(,"offset":8,"length":40)", "89"}, {R"(,"offset":99)", ""},
    {R"(,"length":0)", ""}, {R"(,"max_bytes":10)", "0123456789"}};
  for (const auto& row : rows) {
    auto out = ask(world::read, R"({"path":"/workspace/a")" + row.range + "}");
    EXPECT_EQ(out.reply->status, 0) << row.range;
    EXPECT_EQ(out.stream->sink->bytes, row.out) << row.range;
    EXPECT_TRUE(out.stream->sink->finished);
    ASSERT_TRUE(out.stream->head);
    EXPECT_EQ(out.stream->head->headers.at(0).second, version("/workspace/a"));
  }
}

TEST_F(Write, ReadRefusesWhatIsNoFile) {
  link->directory("/workspace/d");
  link->put("/workspace/pipe", {.type = ports::entry_type::other});
  link->file("/workspace/a", "0123456789");
  EXPECT_EQ(ask(world::read, R"({"path":"/workspace/d"})").code(), "FS_NOT_REGULAR_FILE");
  EXPECT_EQ(ask(world::read, R"({"path":"/workspace/pipe"})").code(), "FS_NOT_REGULAR_FILE");
  EXPECT_EQ(ask(world::read, R"({"path":"/workspace/x"})").code(), "FS_NOT_FOUND");
  EXPECT_EQ(ask(world::read, R"({"path":"/workspace/a","max_bytes":9})").code(), "FS_TOO_LARGE");
  for (const auto& call : link->calls)
    EXPECT_TRUE(call.starts_with("stat ")) << call; // nothing was opened: a pipe would hang
}

TEST_F(Write, AFileThatGrowsPastTheBoundEndsTheBodyEarly) {
  link->file("/workspace/a", "0123456789");
  link->fault = [this](const std::string& call, const auto&) -> std::optional<failure> {
    if (call == "read")
      link->file("/workspace/a", std::string(100, 'x'));
    return std::nullopt;
  };
  auto out = ask(world::read, R"({"path":"/workspace/a","max_bytes":20})");
  EXPECT_TRUE(out.stream->sink->aborted);
  EXPECT_LE(out.stream->sink->bytes.size(), 20u);
}

TEST_F(Write, ABrokenReadEndsTheBodyEarly) {
  link->file("/workspace/a", "0123456789");
  link->fault = [](const std::string& call, const auto&) -> std::optional<failure> {
    return call == "read-end" ? std::optional{failure{errc::hand_unreachable, {}}} : std::nullopt;
  };
  auto out = ask(world::read, R"({"path":"/workspace/a"})");
  EXPECT_TRUE(out.stream->sink->aborted);
  EXPECT_FALSE(out.stream->sink->finished);
}

TEST_F(Write, ReadingGoesOnOnlyWhenThePeerTook) {
  link->file("/workspace/a", "0123456789abcdef");
  auto out = begin(world::read, R"({"path":"/workspace/a"})");
  out->stream->sink->stuck = true;
  home->run();
  EXPECT_EQ(out->stream->sink->bytes.size(), link->piece_bytes);
  EXPECT_TRUE(link->consumed_bytes.empty());
  out->stream->sink->take();
  home->run();
  EXPECT_EQ(out->stream->sink->bytes.size(), 2 * link->piece_bytes);
  out->stream->sink->leave();
  home->run();
  EXPECT_FALSE(out->stream->sink->finished);
}

} // namespace agentpool::test

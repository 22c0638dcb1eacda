// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/marker_scanner.hpp"
#include "actors/hands/world/publish.hpp"
#include "actors/hands/world/wrapper.hpp"
#include "tests/support/run_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

/// The small programs of the hand, run here.
namespace agentpool::test {

namespace {

namespace fs = std::filesystem;
using world::publication;
using world::published;

/// Whether the file has something to read within the deadline.
bool comes(const fs::path& file) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds{50};
  while (slurp(file).empty() && std::chrono::steady_clock::now() < end)
    ::poll(nullptr, 0, 1);
  return !slurp(file).empty();
}

class Scripts : public ::testing::Test {
protected:
  Scripts() {
    auto pattern = (fs::temp_directory_path() / "agentpool-scripts-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    fs::create_directory(root / "io");
    fs::create_directory(root / "w");
  }
  ~Scripts() override { fs::remove_all(root); }

  std::string at(const std::string& name) const { return (root / "w" / name).string(); }
  void put(const std::string& name, const std::string& content) {
    std::ofstream{at(name), std::ios::binary} << content;
  }
  std::string get(const std::string& name) const { return slurp(at(name)); }

  published publish(publication what) {
    auto beside = what.staged.empty() ? world::staging_name(what.target) : what.staged;
    auto argv = world::publish_argv(what, "pub_test", beside);
    argv.insert(argv.begin(), {"/usr/bin/env", "PATH=" + (root / "bin").string() + ":/usr/bin:/bin"});
    auto ran = run_program(argv, root / "io");
    auto done = world::read_published(ran.out, ran.err, "pub_test");
    EXPECT_TRUE(done) << ran.out << ran.err;
    for (const auto& entry : fs::directory_iterator(root / "w"))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".agentpool-")) << entry.path();
    return done.value_or(published{});
  }
  /// The barrier of a race: right before the publication starts `program` for the first time, somebody else
  /// does `what`, a line of sh in the directory.
  void before(const std::string& program, const std::string& what) {
    fs::create_directory(root / "bin");
    auto file = root / "bin" / program;
    std::ofstream{file} << "#!/bin/sh\nif mkdir '" << (root / ("once " + program)).string()
                        << "' 2>/dev/null; then cd '" << at("") << "' && { " << what << "\n}; fi\n"
                        << "PATH=/usr/bin:/bin exec " << program << " \"$@\"\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  world::facts facts(const std::string& name) {
    auto ran = run_program({"stat", "-c", "%s %.9Y %a %U %G", at(name)}, root / "io");
    auto line = ran.out.substr(0, ran.out.find('\n'));
    auto found = world::facts_from(line);
    EXPECT_TRUE(found) << line;
    found->mode = static_cast<uint32_t>(std::stoul(std::to_string(found->mode), nullptr, 8)) & 0777;
    return *found;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    ::stat(path.c_str(), &info);
    return info.st_mode & 07777;
  }

  program_output wrapped(const std::vector<std::string>& argv, const world::environment& env = {}) {
    auto ran = run_program(world::wrap("nonce", env, argv), root / "io");
    world::marker_scanner scanner{"nonce"};
    std::string text;
    scanner.feed(ran.err, text);
    scanner.flush(text);
    EXPECT_TRUE(scanner.begun());
    EXPECT_TRUE(scanner.exited()) << ran.err;
    if (scanner.exited())
      last = *scanner.exited();
    ran.err = text;
    return ran;
  }

  fs::path root;
  world::marker last;
};

using outcome = published::outcome;

} // namespace

TEST_F(Scripts, PublicationCreatesWithParentsAndTellsTheFacts) {
  auto done = publish({.target = at("a b/c'd/$x"), .content = "hello"});
  EXPECT_EQ(done.how, outcome::done);
  EXPECT_TRUE(done.created);
  EXPECT_FALSE(done.before);
  EXPECT_EQ(get("a b/c'd/$x"), "hello");
  EXPECT_EQ(mode_of(at("a b/c'd/$x")), 0600u);
  EXPECT_EQ(done.now, facts("a b/c'd/$x"));
}

TEST_F(Scripts, OddNamesAndContentsSurvive) {
  for (std::string name : {"--help", "-rf", "line\nend", "中文 🚀", "`id`", "*", "a;b"})
    EXPECT_EQ(publish({.target = at(name), .content = name}).how, outcome::done) << name;
  for (std::string name : {"--help", "-rf", "line\nend", "中文 🚀", "`id`", "*", "a;b"})
    EXPECT_EQ(get(name), name); // BR-124
  EXPECT_EQ(publish({.target = at(std::string(200, 'n')), .content = "x"}).how, outcome::done);
  std::string all;
  for (int i = 0; i < 1 << 18; ++i)
    all += static_cast<char>(i * 7 + i / 256);
  publish({.target = at("all"), .content = all});
  EXPECT_EQ(get("all"), all);
  publish({.target = at("empty"), .content = ""});
  EXPECT_EQ(get("empty"), "");
}

TEST_F(Scripts, UpdateKeepsTheModeAndGivesTheOldContent) {
  put("a", "old\ncontent");
  ::chmod(at("a").c_str(), 0750);
  auto done = publish({.target = at("a"), .content = "new", .keep_before = 100});
  EXPECT_FALSE(done.created);
  EXPECT_EQ(done.before, "old\ncontent");
  EXPECT_EQ(mode_of(at("a")), 0750u);
  EXPECT_EQ(get("a"), "new");
  EXPECT_FALSE(publish({.target = at("a"), .content = "x", .keep_before = 2}).before);
  put("a", "");
  EXPECT_EQ(publish({.target = at("a"), .content = "x", .keep_before = 2}).before, "");
}

TEST_F(Scripts, UnchangedMeansTheSameFacts) {
  put("a", "one");
  auto known = facts("a");
  auto guard = publication::guard::unchanged;
  EXPECT_EQ(
    publish({.target = at("a"), .expects = guard, .known = known, .content = "two"}).how, outcome::done);
  EXPECT_EQ(
    publish({.target = at("a"), .expects = guard, .known = known, .content = "three"}).how, outcome::stale);
  EXPECT_EQ(get("a"), "two");
  EXPECT_EQ(
    publish({.target = at("gone"), .expects = guard, .known = known, .content = "x"}).how, outcome::stale);
  EXPECT_FALSE(fs::exists(at("gone")));
}

TEST_F(Scripts, AbsentReplacesNothing) {
  put("a", "theirs");
  fs::create_directory(at("d"));
  fs::create_symlink("nowhere", at("dangling"));
  auto guard = publication::guard::absent;
  EXPECT_EQ(publish({.target = at("a"), .expects = guard, .content = "x"}).how, outcome::exists);
  EXPECT_EQ(publish({.target = at("d"), .expects = guard, .content = "x"}).how, outcome::irregular);
  EXPECT_EQ(publish({.target = at("dangling"), .expects = guard, .content = "x"}).how, outcome::irregular);
  EXPECT_EQ(get("a"), "theirs");
  EXPECT_TRUE(fs::is_symlink(at("dangling")));
  auto made = publish({.target = at("new"), .expects = guard, .content = "x"});
  EXPECT_TRUE(made.created);
  EXPECT_EQ(fs::hard_link_count(at("new")), 1u);
}

TEST_F(Scripts, SpecialFilesAndStagedContent) {
  ::mkfifo(at("pipe").c_str(), 0600);
  EXPECT_EQ(publish({.target = at("pipe"), .content = "x"}).how, outcome::irregular);
  put("beside", "staged content");
  EXPECT_TRUE(publish({.target = at("t"), .staged = at("beside"), .mode = "644"}).created);
  EXPECT_EQ(get("t"), "staged content");
  EXPECT_EQ(mode_of(at("t")), 0644u);
  EXPECT_FALSE(fs::exists(at("beside")));
  put("beside", "again");
  EXPECT_EQ(publish({.target = at("pipe"), .staged = at("beside")}).how, outcome::irregular);
  EXPECT_FALSE(fs::exists(at("beside")));
}

TEST_F(Scripts, AFileInTheWayOfAParentIsAFailure) {
  put("file", "x");
  auto done = publish({.target = at("file/below"), .content = "y"});
  EXPECT_EQ(done.how, outcome::failed);
  EXPECT_NE(done.error, "");
  EXPECT_EQ(get("file"), "x");
}

// -- commands

// -- races, with the other one's step between two of the publication's

TEST_F(Scripts, ACompetitorThatCreatesFirstWins) {
  publication what{.target = at("f"), .expects = publication::guard::absent, .content = "ours"};
  before("ln", "echo theirs >f");
  EXPECT_EQ(publish(what).how, outcome::exists);
  EXPECT_EQ(get("f"), "theirs\n");
}

TEST_F(Scripts, ADirectoryOrLooseLinkThatComesFirstStays) {
  publication what{.target = at("d"), .expects = publication::guard::absent, .content = "ours"};
  before("ln", "mkdir d");
  EXPECT_EQ(publish(what).how, outcome::irregular);
  EXPECT_TRUE(fs::is_empty(at("d")));
  fs::remove(root / "once ln");
  what.target = at("l");
  before("ln", "ln -s nowhere l");
  EXPECT_EQ(publish(what).how, outcome::irregular);
  EXPECT_EQ(fs::read_symlink(at("l")), "nowhere");
  EXPECT_FALSE(fs::exists(at("nowhere")));
}

TEST_F(Scripts, AWriterBetweenLookAndPublicationIsNotOverwritten) {
  for (std::string theirs :
    {"echo theirs >f", "echo theirs >g; mv g f", "rm f; mkdir f", "rm f; ln -s g f", "rm f", "chmod 600 f"}) {
    put("f", "old");
    publication what{
      .target = at("f"), .expects = publication::guard::unchanged, .known = facts("f"), .content = "ours"};
    before("chmod", theirs);
    auto how = publish(what).how;
    EXPECT_TRUE(how == outcome::stale || how == outcome::irregular) << theirs;
    EXPECT_NE(fs::is_regular_file(at("f")) ? get("f") : "", "ours") << theirs;
    fs::remove_all(at("f"));
    fs::remove_all(at("g"));
    fs::remove(root / "once chmod");
  }
}

TEST_F(Scripts, AnUnguardedWriteReplacesAFileThatCameMeanwhileButNothingElse) {
  publication what{.target = at("f"), .content = "ours"};
  before("chmod", "echo theirs >f");
  EXPECT_EQ(publish(what).how, outcome::done);
  EXPECT_EQ(get("f"), "ours");
  fs::remove(root / "once chmod");
  before("chmod", "rm f; mkdir f");
  EXPECT_EQ(publish(what).how, outcome::irregular);
  EXPECT_TRUE(fs::is_directory(at("f")));
}

TEST_F(Scripts, TheDirectoriesAboveAreToldAsTheyAreAfterIt) {
  auto done = publish({.target = at("x/y/f"), .content = "text"});
  auto depth = static_cast<size_t>(std::ranges::count(at("x/y/f"), '/'));
  ASSERT_EQ(done.above.size(), depth);
  auto same = [&](const world::facts& told, const std::string& name) {
    auto now = facts(name);
    return told.modified_ns == now.modified_ns && told.mode == now.mode && told.owner == now.owner;
  };
  EXPECT_TRUE(same(done.above[0], "x/y"));
  EXPECT_TRUE(same(done.above[1], "x"));
  EXPECT_TRUE(same(done.above[2], ""));
}

// -- commands

TEST_F(Scripts, TheWrapperTellsTheExitAndKeepsTheOutput) {
  auto ran = wrapped({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_EQ(ran.err, "err\n");
  EXPECT_EQ(last.value, 7);
  EXPECT_TRUE(last.alone);
  EXPECT_EQ(ran.code, 7);
}

TEST_F(Scripts, ArgumentsAreNeverInterpreted) {
  auto ran = wrapped({"printf", "%s|", "$(id)", "a b", "", "'", "\"", "-n", "*", "\\"});
  EXPECT_EQ(ran.out, "$(id)|a b||'|\"|-n|*|\\|");
}

TEST_F(Scripts, MissingProgramsAndBuiltinsAreNoPrograms) {
  auto ran = wrapped({"no-such-program"});
  EXPECT_EQ(last.value, 127);
  EXPECT_NE(ran.err.find("not found"), std::string::npos);
  wrapped({"cd", "/"});
  EXPECT_EQ(last.value, 127);
}

TEST_F(Scripts, TheEnvironmentIsScrubbed) {
  ::setenv("SOME_API_KEY", "leak", 1);
  ::setenv("my_password", "leak", 1);
  ::setenv("DSH_HOME", "leak", 1);
  ::setenv("REMOVED", "leak", 1);
  ::setenv("GIVEN_TOKEN", "given", 1); // as envd sets what a request names
  ::setenv("BASH_ENV", "/nonexistent", 1);
  auto ran = wrapped({"env"}, {{"GIVEN_TOKEN", "given"}, {"REMOVED", std::nullopt}});
  for (const char* name : {"SOME_API_KEY", "my_password", "DSH_HOME", "REMOVED", "GIVEN_TOKEN", "BASH_ENV"})
    ::unsetenv(name);
  EXPECT_EQ(ran.out.find("leak"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("GIVEN_TOKEN=given"), std::string::npos);
}

// A shell that runs a script removes the prompts of an interactive one.
TEST_F(Scripts, PromptsReachTheProgram) {
  auto ran = wrapped({"env"}, {{"PS1", "a $(id) b> "}, {"PS2", ""}, {"X", "y"}});
  EXPECT_NE(ran.out.find("PS1=a $(id) b> \n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("PS2=\n"), std::string::npos);
}

TEST_F(Scripts, TheGroupOfACommandIsFoundByItsProcess) {
  auto pid = start_program(world::wrap("nonce", {}, {"sh", "-c", "echo up; sleep 300"}), root / "io");
  ASSERT_TRUE(comes(root / "io" / "stdout"));
  fs::create_directory(root / "find");
  auto found = run_program(world::led_groups(static_cast<uint32_t>(pid)), root / "find");
  ASSERT_FALSE(found.out.empty());
  auto group = static_cast<uint32_t>(std::stoul(found.out));
  EXPECT_EQ(found.out, std::to_string(group) + "\n");
  EXPECT_EQ(run_program(world::kill_group(group, 50), root / "find").code, 0);
  await_program(pid, root / "io");
  EXPECT_EQ(run_program(world::led_groups(static_cast<uint32_t>(pid)), root / "find").out, "");
}

TEST_F(Scripts, ABackgroundGrandchildIsSeenAndEnded) {
  wrapped({"sh", "-c", "sleep 300 >/dev/null 2>&1 & echo $! >" + at("pid")});
  EXPECT_FALSE(last.alone);
  auto pid = std::stoi(get("pid"));
  auto group = ::getpgid(pid);
  ASSERT_GT(group, 0);
  EXPECT_EQ(run_program(world::kill_group(static_cast<uint32_t>(group), 5000), root / "io").code, 0);
  auto stat = slurp("/proc/" + std::to_string(pid) + "/stat");
  EXPECT_TRUE(stat.empty() || stat.find(") Z") != std::string::npos) << stat;
  EXPECT_EQ(run_program(world::await_group(static_cast<uint32_t>(group)), root / "io").code, 0);
}

TEST_F(Scripts, TermReachesTheGroupAndTheCommandsAnswerIsTold) {
  auto pid = start_program(
    world::wrap("nonce", {}, {"bash", "-c", "trap 'exit 9' TERM; echo up; sleep 300 & wait"}), root / "io");
  ASSERT_TRUE(comes(root / "io" / "stdout"));
  fs::create_directory(root / "kill");
  EXPECT_EQ(run_program(world::kill_group(static_cast<uint32_t>(pid), 60000), root / "kill").code, 0);
  auto ran = await_program(pid, root / "io");
  EXPECT_NE(ran.err.find("nonce x 9 "), std::string::npos) << ran.err;
}

TEST_F(Scripts, WhoIgnoresTermIsKilled) {
  auto pid = start_program(
    world::wrap("nonce", {}, {"bash", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"}),
    root / "io");
  ASSERT_TRUE(comes(root / "io" / "stdout"));
  fs::create_directory(root / "kill");
  auto killer = start_program(world::kill_group(static_cast<uint32_t>(pid), 50), root / "kill");
  EXPECT_EQ(await_program(pid, root / "io").code, -1);
  EXPECT_EQ(await_program(killer, root / "kill").code, 0);
}

} // namespace agentpool::test

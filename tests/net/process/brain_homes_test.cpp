// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/brain_homes.hpp"
#include "tests/net/temp_dir.hpp"

#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agentpool::net::test {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t worker_uid = 43'210;

/// While it lives every attempt to open a descriptor fails with EMFILE.
class no_descriptors {
public:
  no_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_{};
};

class BrainHomesTest : public testing::Test {
protected:
  BrainHomesTest() {
    fs::permissions(dir_.path(), fs::perms{0711});
    write("profile/package.json", "{}");
    write("profile/cordis.patch.yml", "[]");
    write("plugin/package.json", "{}");
    write("plugin/lib/fs.js", "export {}");
    fs::create_directory(at("data"));
    fs::permissions(at("data"), fs::perms{0711});
    homes_ = *make_brain_homes(at("data"));
  }

  std::optional<uint32_t> uid() const { return ::geteuid() == 0 ? std::optional{worker_uid} : std::nullopt; }
  ports::brain_home prepare(const std::string& worker = "w1") {
    auto home = homes_->prepare({{worker}, uid(), at("profile"), at("plugin"), "@agentpool/dsh-world"});
    EXPECT_TRUE(home) << home.error().text();
    return *home;
  }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path{at(path)}.parent_path());
    std::ofstream{at(path)} << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  static std::string log_in(const ports::brain_home& home, const std::string& brain) {
    return home.home + "/sessions/--workspace--/" + brain;
  }
  // What dsh does: a directory and a file of the worker's.
  void make_log(const ports::brain_home& home, const std::string& brain, const std::string& text) {
    fs::create_directory(log_in(home, brain));
    std::ofstream{log_in(home, brain) + "/session.v4"} << text;
    for (const auto& path : {log_in(home, brain), log_in(home, brain) + "/session.v4"})
      ASSERT_EQ(::chown(path.c_str(), uid().value_or(-1), uid().value_or(-1)), 0);
  }
  std::string at(const std::string& path) const { return dir_.path() + "/" + path; }
  static uint32_t owner(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_uid : UINT32_MAX;
  }

  temp_dir dir_;
  std::unique_ptr<ports::brain_homes> homes_;
};

TEST_F(BrainHomesTest, PreparesTheLayoutThatDshExpects) {
  auto home = prepare();
  EXPECT_EQ(home.root, at("data/workers/w1"));
  EXPECT_EQ(home.home, at("data/workers/w1/home"));
  EXPECT_EQ(home.socket, at("data/workers/w1/w.sock"));
  EXPECT_EQ(read(home.home + "/profiles/agentpool/cordis.patch.yml"), "[]");
  EXPECT_EQ(read(home.home + "/profiles/agentpool/node_modules/@agentpool/dsh-world/lib/fs.js"), "export {}");
  EXPECT_TRUE(fs::is_empty(home.home + "/sessions/--workspace--"));
  EXPECT_TRUE(fs::is_empty(home.home + "/profiles/agentpool/cordis.yml"));
}

TEST(BrainHomes, ADataDirectoryTooLongForSocketsIsToldWithItsBound) {
  auto folder = [](size_t size) { return "/" + std::string(size - 1, 'd'); };
  std::string tail = "/workers/w1/w.sock";
  auto most = 107 - tail.size();
  EXPECT_TRUE(check_socket_path(folder(most), "w1"));
  auto refused = check_socket_path(folder(most + 1), "w1");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("at most " + std::to_string(most) + " bytes"), std::string::npos);
}

TEST_F(BrainHomesTest, AWorkerWritesOnlyItsSessionsAndBootFile) {
  if (!uid())
    GTEST_SKIP() << "needs root";
  auto home = prepare();
  auto script = "cd '" + home.home +
                "' && echo x > profiles/agentpool/cordis.yml && echo x > sessions/--workspace--/a"
                " && ! echo x > profiles/agentpool/new && ! echo x > profiles/agentpool/package.json && ! mv "
                "profiles other"
                " && ! echo x > new && ! echo x > ../w.sock && ! ls ..";
  auto command =
    "setpriv --reuid 43210 --regid 43210 --clear-groups /bin/sh -c \"" + script + "\" 2>/dev/null";
  EXPECT_EQ(::system(command.c_str()), 0);
  auto foreign =
    "setpriv --reuid 43211 --regid 43211 --clear-groups /bin/ls '" + home.home + "/profiles' 2>/dev/null";
  EXPECT_NE(::system(foreign.c_str()), 0);
}

TEST_F(BrainHomesTest, AHomeWithoutProfileIsTheWorkers) {
  auto home = homes_->prepare({{"w2"}, uid(), "", "", ""});
  ASSERT_TRUE(home);
  EXPECT_TRUE(fs::is_empty(home->home));
  EXPECT_EQ(owner(home->home), uid().value_or(::geteuid()));
  EXPECT_TRUE(homes_->move_in(*home, {"ses_1"}, {"any id: of this agent/.."}, uid()));
  EXPECT_TRUE(homes_->move_out(*home, {"ses_1"}, {"any id: of this agent/.."}));
  EXPECT_TRUE(homes_->discard(*home, {"x"}));
}

TEST_F(BrainHomesTest, PreparingAgainRemovesWhatWasLeft) {
  auto home = prepare();
  make_log(home, "b1", "old");
  write("data/workers/w1/home/stray", "x");
  prepare();
  EXPECT_FALSE(fs::exists(log_in(home, "b1")));
  EXPECT_FALSE(fs::exists(home.home + "/stray"));
}

TEST_F(BrainHomesTest, MovesALogOutAndIntoTheNextHome) {
  auto first = prepare("w1");
  make_log(first, "b1", "memory");
  ASSERT_TRUE(homes_->move_out(first, {"ses_1"}, {"b1"}));
  EXPECT_FALSE(fs::exists(log_in(first, "b1")));
  EXPECT_EQ(read(at("data/brains/ses_1/b1/session.v4")), "memory");
  EXPECT_EQ(owner(at("data/brains/ses_1/b1/session.v4")), ::geteuid());
  auto second = prepare("w2");
  ASSERT_TRUE(homes_->move_in(second, {"ses_1"}, {"b1"}, uid()));
  EXPECT_FALSE(fs::exists(at("data/brains/ses_1/b1")));
  EXPECT_EQ(read(log_in(second, "b1") + "/session.v4"), "memory");
  EXPECT_EQ(owner(log_in(second, "b1") + "/session.v4"), uid().value_or(::geteuid()));
  EXPECT_EQ(owner(log_in(second, "b1")), uid().value_or(::geteuid()));
}

TEST_F(BrainHomesTest, ALogThatCouldNotMoveComesWithTheNextUse) {
  auto first = prepare("w1");
  make_log(first, "b1", "memory");
  auto second = prepare("w2");
  {
    no_descriptors full;
    EXPECT_FALSE(homes_->move_out(first, {"ses_1"}, {"b1"}));
    EXPECT_FALSE(homes_->move_in(second, {"ses_1"}, {"b1"}, uid()));
  }
  ASSERT_TRUE(homes_->move_in(second, {"ses_1"}, {"b1"}, uid()));
  EXPECT_EQ(read(log_in(second, "b1") + "/session.v4"), "memory");
  EXPECT_EQ(owner(log_in(second, "b1")), uid().value_or(::geteuid()));
  EXPECT_FALSE(fs::exists(first.root));
  EXPECT_FALSE(fs::exists(at("data/brains/ses_1/b1")));
}

TEST_F(BrainHomesTest, ALogThatCouldNotMoveIsDeletedWithItsSession) {
  auto home = prepare("w1");
  make_log(home, "b1", "memory");
  {
    no_descriptors full;
    EXPECT_FALSE(homes_->move_out(home, {"ses_1"}, {"b1"}));
    EXPECT_FALSE(homes_->erase({"ses_1"}));
  }
  ASSERT_TRUE(homes_->erase({"ses_1"}));
  EXPECT_FALSE(fs::exists(home.root));
}

TEST_F(BrainHomesTest, ASessionWithoutLogHasNothingToMove) {
  auto home = prepare();
  EXPECT_TRUE(homes_->move_in(home, {"ses_1"}, {"b1"}, uid()));
  EXPECT_TRUE(homes_->move_out(home, {"ses_1"}, {"b1"}));
  EXPECT_TRUE(homes_->discard(home, {"b1"}));
  EXPECT_TRUE(homes_->erase({"ses_1"}));
}

TEST_F(BrainHomesTest, TheLogInTheHomeIsTheNewerOne) {
  auto home = prepare();
  write("data/brains/ses_1/b1/session.v4", "older");
  make_log(home, "b1", "newer");
  ASSERT_TRUE(homes_->move_out(home, {"ses_1"}, {"b1"}));
  EXPECT_EQ(read(at("data/brains/ses_1/b1/session.v4")), "newer");
}

TEST_F(BrainHomesTest, NeverMovesIntoTakenPlaces) {
  auto home = prepare();
  write("data/brains/ses_1/b1/session.v4", "memory");
  make_log(home, "b1", "planted");
  EXPECT_FALSE(homes_->move_in(home, {"ses_1"}, {"b1"}, uid()));
  EXPECT_EQ(read(at("data/brains/ses_1/b1/session.v4")), "memory");
}

TEST_F(BrainHomesTest, RefusesIdsThatAreNoNames) {
  auto home = prepare();
  for (auto id : {"", ".", "..", "a/b", "../../etc", ".hidden"}) {
    EXPECT_FALSE(homes_->move_in(home, {"ses_1"}, {id}, uid())) << id;
    EXPECT_FALSE(homes_->move_out(home, {"ses_1"}, {id})) << id;
    EXPECT_FALSE(homes_->discard(home, {id})) << id;
    EXPECT_FALSE(homes_->erase({id})) << id;
    EXPECT_FALSE(homes_->prepare({{id}, uid(), "", "", ""})) << id;
  }
}

TEST_F(BrainHomesTest, FollowsNoPlantedLinks) {
  auto home = prepare();
  write("victim/b1/session.v4", "private");
  fs::remove_all(home.home + "/sessions/--workspace--");
  fs::create_symlink(at("victim"), home.home + "/sessions/--workspace--");
  write("data/brains/ses_1/b2/session.v4", "memory");
  EXPECT_FALSE(homes_->move_out(home, {"ses_1"}, {"b1"}));
  EXPECT_FALSE(homes_->move_in(home, {"ses_1"}, {"b2"}, uid()));
  EXPECT_FALSE(homes_->discard(home, {"b1"}));
  EXPECT_TRUE(homes_->remove(home));
  EXPECT_EQ(read(at("victim/b1/session.v4")), "private");
  EXPECT_EQ(read(at("data/brains/ses_1/b2/session.v4")), "memory");
}

TEST_F(BrainHomesTest, DiscardsOneLogAndRemovesTheHome) {
  auto home = prepare();
  make_log(home, "throwaway", "x");
  make_log(home, "b1", "x");
  ASSERT_TRUE(homes_->discard(home, {"throwaway"}));
  EXPECT_FALSE(fs::exists(log_in(home, "throwaway")));
  EXPECT_TRUE(fs::exists(log_in(home, "b1")));
  ASSERT_TRUE(homes_->remove(home));
  EXPECT_FALSE(fs::exists(home.root));
  EXPECT_TRUE(homes_->remove(home));
  EXPECT_FALSE(homes_->remove({"/", "", ""}));
}

TEST_F(BrainHomesTest, ErasesALogAtRest) {
  write("data/brains/ses_1/b1/session.v4", "x");
  write("data/brains/ses_2/b2/session.v4", "x");
  ASSERT_TRUE(homes_->erase({"ses_1"}));
  EXPECT_FALSE(fs::exists(at("data/brains/ses_1")));
  EXPECT_TRUE(fs::exists(at("data/brains/ses_2")));
}

TEST_F(BrainHomesTest, SweepHarvestsKnownLogsAndRemovesTheRest) {
  make_log(prepare("w1"), "b1", "memory 1");
  auto second = prepare("w2");
  make_log(second, "b2", "memory 2");
  make_log(second, "throwaway", "x");
  write("data/workers/stray-file", "x");
  write("data/brains/ses_3/b3/session.v4", "memory 3");
  write("data/brains/ses_gone/b9/session.v4", "deleted");
  auto count =
    homes_->sweep({{{"ses_1"}, {"b1"}}, {{"ses_2"}, {"b2"}}, {{"ses_3"}, {"b3"}}, {{"ses_4"}, {""}}});
  ASSERT_TRUE(count) << count.error().text();
  EXPECT_EQ(*count, 2u);
  EXPECT_EQ(read(at("data/brains/ses_1/b1/session.v4")), "memory 1");
  EXPECT_EQ(read(at("data/brains/ses_2/b2/session.v4")), "memory 2");
  EXPECT_EQ(read(at("data/brains/ses_3/b3/session.v4")), "memory 3");
  EXPECT_FALSE(fs::exists(at("data/brains/ses_gone")));
  EXPECT_TRUE(fs::is_empty(at("data/workers")));
}

TEST_F(BrainHomesTest, NamesASocketPathThatIsTooLong) {
  auto deep = at(std::string(90, 'd'));
  fs::create_directory(deep);
  auto home = (*make_brain_homes(deep))->prepare({{"w1"}, {}, "", "", ""});
  ASSERT_FALSE(home);
  EXPECT_NE(home.error().text().find("bytes with --data"), std::string::npos);
}

TEST_F(BrainHomesTest, ChecksThatAUidMayEnter) {
  EXPECT_TRUE(check_traversable(at("data"), worker_uid));
  fs::create_directory(at("data/closed"));
  fs::create_directory(at("data/closed/below"));
  fs::permissions(at("data/closed"), fs::perms{0700});
  EXPECT_TRUE(check_traversable(at("data/closed/below"), ::geteuid()));
  auto refused = check_traversable(at("data/closed/below"), worker_uid);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("chmod o+x " + at("data/closed")), std::string::npos);
  EXPECT_FALSE(check_traversable(at("nowhere"), worker_uid));
}

} // namespace

} // namespace agentpool::net::test

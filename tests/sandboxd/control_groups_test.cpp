// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/control_groups.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace agentpool::sandboxd {
namespace {

namespace fs = std::filesystem;

// Plain folders in the place of control groups: they too go only when they are empty.
class ControlGroups : public ::testing::Test {
protected:
  ControlGroups() {
    make("/pids");
    make("/memory");
    EXPECT_TRUE(write_whole(root() + "/pids/cgroup.procs", "", 0644));
  }

  std::string root() const { return dir_.path(); }
  void make(const std::string& folder) const { fs::create_directories(root() + folder); }
  bool there(const std::string& folder) const { return fs::exists(root() + folder); }
  own_groups start() const { return own_groups::make("/p", root()).value(); }

  net::test::temp_dir dir_;
};

TEST_F(ControlGroups, OfDeadServicesAreRemoved) {
  make("/pids/p/run-dead/box/commands");
  make("/memory/p/run-dead/box");
  make("/memory/p/run-half"); // the locked folder went first
  auto own = start();
  for (auto folder : {"/pids/p/run-dead", "/memory/p/run-dead", "/memory/p/run-half"})
    EXPECT_FALSE(there(folder)) << folder;
}

TEST_F(ControlGroups, OfLivingServicesStayAlsoWhenTheyAreEmpty) {
  auto first = start();
  make("/memory" + first.place() + "/box");
  auto second = start();
  EXPECT_NE(first.place(), second.place());
  EXPECT_TRUE(there("/pids" + first.place()) && there("/memory" + first.place() + "/box"));
}

TEST_F(ControlGroups, OfOthersStay) {
  make("/pids/p/other/box");
  make("/memory/q/run-dead");
  auto own = start();
  EXPECT_TRUE(there("/pids/p/other/box") && there("/memory/q/run-dead"));
}

TEST_F(ControlGroups, EndWithTheirService) {
  std::optional<own_groups> own{start()};
  auto place = own->place();
  make("/pids" + place + "/box/commands");
  make("/memory" + place + "/box");
  own.reset();
  EXPECT_FALSE(there("/pids" + place) || there("/memory" + place));
  EXPECT_TRUE(there("/pids/p"));
}

TEST_F(ControlGroups, WithProcessesStay) {
  make("/pids/p/run-a/box");
  make("/pids/p/run-a/other");
  ASSERT_TRUE(write_whole(root() + "/pids/p/run-a/box/busy", "", 0644));
  EXPECT_FALSE(remove_cgroups("/p/run-a", root()));
  EXPECT_TRUE(there("/pids/p/run-a/box"));
  EXPECT_FALSE(there("/pids/p/run-a/other"));
  EXPECT_TRUE(remove_cgroups("/p/run-a/other", root()));
}

TEST_F(ControlGroups, ThatCannotBeMadeAreASentence) {
  ASSERT_TRUE(write_whole(root() + "/pids/p", "", 0644));
  auto own = own_groups::make("/p", root());
  ASSERT_FALSE(own);
  EXPECT_NE(own.error().detail.find(root() + "/pids/p: "), std::string::npos) << own.error().detail;
}

// The files of both kinds of hierarchy; a real kernel's are in the end-to-end tests.
TEST_F(ControlGroups, AreThawedWithAllBelow) {
  for (auto folder : {"/freezer/p/box", "/freezer/p/box/inner", "/unified/p/box"})
    make(folder);
  for (auto file : {"/freezer/p/box/freezer.state", "/freezer/p/box/inner/freezer.state"})
    ASSERT_TRUE(write_whole(root() + file, "FROZEN", 0644));
  ASSERT_TRUE(write_whole(root() + "/unified/p/box/cgroup.freeze", "1", 0644));
  thaw_cgroups("/p/box", root());
  EXPECT_EQ(read_whole(root() + "/freezer/p/box/freezer.state").value(), "THAWED");
  EXPECT_EQ(read_whole(root() + "/freezer/p/box/inner/freezer.state").value(), "THAWED");
  EXPECT_EQ(read_whole(root() + "/unified/p/box/cgroup.freeze").value(), "0");
}

} // namespace
} // namespace agentpool::sandboxd

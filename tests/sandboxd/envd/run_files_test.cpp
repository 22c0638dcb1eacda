// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/run_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace agentpool::envd {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

struct RunFiles : testing::Test {
  RunFiles() { fs::create_directory(folder); }
  ~RunFiles() override { fs::remove_all(folder); }

  fs::path folder{testing::TempDir() + "run-files-" + std::to_string(::getpid())};
  fs::path inside{folder / "e2b"};
};

TEST_F(RunFiles, SayWhichSandboxItIs) {
  write_run_files(inside, "iabc");
  write_run_files(inside, "idef");
  EXPECT_EQ(text_of(inside / ".E2B_SANDBOX"), "true");
  EXPECT_EQ(text_of(inside / ".E2B_SANDBOX_ID"), "idef");
}

// Whoever is root inside may have put anything there before the next boot.
TEST_F(RunFiles, FollowNoLinkAndWaitForNobody) {
  fs::create_directory(inside);
  std::ofstream{folder / "kept"} << "kept";
  fs::create_symlink(folder / "kept", inside / ".E2B_SANDBOX");
  ASSERT_EQ(::mkfifo((inside / ".E2B_SANDBOX_ID").c_str(), 0600), 0);
  write_run_files(inside, "iabc");
  EXPECT_EQ(text_of(folder / "kept"), "kept");
  EXPECT_EQ(text_of(inside / ".E2B_SANDBOX_ID"), "iabc");
  fs::remove_all(inside);
  fs::create_directory_symlink(folder, inside);
  write_run_files(inside, "iabc");
  EXPECT_FALSE(fs::exists(folder / ".E2B_SANDBOX"));
}

} // namespace
} // namespace agentpool::envd

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/history.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/limits.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace agentpool::sandboxd {
namespace {

using namespace std::chrono_literals;

struct Usage : ::testing::Test {
  void put(const std::string& file, const std::string& text) {
    auto path = dir.path() + file;
    std::filesystem::create_directories(path.substr(0, path.rfind('/')));
    ASSERT_TRUE(write_whole(path, text, 0644));
  }
  net::test::temp_dir dir;
};

TEST_F(Usage, IsReadFromTheOlderHierarchies) {
  put("/cpuacct/p/box/cpuacct.usage", "1500000000\n");
  put("/memory/p/box/memory.usage_in_bytes", "5000\n");
  put("/memory/p/box/memory.stat", "cache 7\nrss 9\ntotal_cache 2000\ntotal_rss 1\n");
  auto used = read_usage("/p/box", dir.path(), dir.path());
  ASSERT_TRUE(used);
  EXPECT_EQ(used->cpu, 1500ms);
  EXPECT_EQ(used->memory, 3000u);
  EXPECT_EQ(used->cache, 2000u);
  EXPECT_GT(used->disk_total, used->disk_used);
}

TEST_F(Usage, IsReadFromTheUnifiedHierarchy) {
  put("/p/box/cpu.stat", "usage_usec 1500000\nuser_usec 1\n");
  put("/p/box/memory.current", "5000\n");
  put("/p/box/memory.stat", "anon 1\nfile 6000\nfile_mapped 2\n");
  auto used = read_usage("/p/box", dir.path(), dir.path());
  ASSERT_TRUE(used);
  EXPECT_EQ(used->cpu, 1500ms);
  EXPECT_EQ(used->memory, 0u) << "never below nothing";
  EXPECT_EQ(used->cache, 5000u);
}

TEST_F(Usage, OfWhatIsGoneIsNothing) {
  EXPECT_FALSE(read_usage("/p/none", dir.path(), dir.path()));
}

TEST(UsageHistory, CpuIsOfTheTimeSinceTheLastSampleOfTheSameBoot) {
  usage_history history;
  history.add(1'000, 1, {.cpu = 0ms}, 2, 100);
  history.add(2'000, 1, {.cpu = 1s}, 2, 100);
  history.add(3'000, 2, {.cpu = 100ms}, 2, 100);
  auto rows = history.between({});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_DOUBLE_EQ(rows[0].cpu_used_pct, 0);
  EXPECT_DOUBLE_EQ(rows[1].cpu_used_pct, 50);
  EXPECT_DOUBLE_EQ(rows[2].cpu_used_pct, 0);
  EXPECT_EQ(history.latest()->at, 3'000);
  EXPECT_EQ(history.between({2, 2}).size(), 1u);
  EXPECT_EQ(history.between({4, {}}).size(), 0u);
}

TEST(UsageHistory, AndTheLogAreBounded) {
  usage_history history;
  sandbox_log log;
  for (size_t i = 0; i < limits::samples + 5; ++i)
    history.add(static_cast<int64_t>(i) * 1000, 1, {}, 1, 1);
  for (size_t i = 0; i < limits::log_entries + 5; ++i)
    log.add(e2b::log_level::info, std::to_string(i));
  EXPECT_EQ(history.between({}).size(), limits::samples);
  EXPECT_EQ(log.entries().size(), limits::log_entries);
  EXPECT_EQ(log.entries().front().message, "5");
  log.add(e2b::log_level::warn, std::string(10'000, 'x'));
  EXPECT_LE(log.entries().back().message.size(), limits::log_line_bytes);
}

} // namespace
} // namespace agentpool::sandboxd

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/usage.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace agentpool::envd {

namespace {

class UsageTest : public testing::Test {
protected:
  UsageTest() {
    put("/proc/meminfo", "MemTotal:    1000 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\nCached:  300 kB\n");
    put("/proc/stat", "cpu  100 0 100 5000 0 0 0\n");
  }
  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path{dir_.path() + name}.parent_path());
    std::ofstream{dir_.path() + name} << text;
  }

  net::test::temp_dir dir_;
};

} // namespace

TEST_F(UsageTest, OfTheMachine) {
  usage_reader reader{dir_.path()};
  auto now = reader.read();
  EXPECT_EQ(now.memory, 1000u << 10);
  EXPECT_EQ(now.memory_used, 400u << 10);
  EXPECT_EQ(now.cache, 300u << 10);
  EXPECT_EQ(now.cpu_percent, 0);
  EXPECT_GE(now.cpus, 1u);
  EXPECT_GT(now.disk, now.disk_used);
}

TEST_F(UsageTest, OfTheControlGroup) {
  put("/sys/fs/cgroup/memory.current", "500000\n");
  put("/sys/fs/cgroup/memory.max", "700000\n");
  put("/sys/fs/cgroup/memory.stat", "anon 7\nfile 100000\n");
  put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  put("/sys/fs/cgroup/cpu.stat", "usage_usec 1000\nuser_usec 1\n");
  usage_reader reader{dir_.path()};
  put("/sys/fs/cgroup/cpu.stat", "usage_usec 90000000000\n");
  auto now = reader.read();
  EXPECT_EQ(now.memory, 700000u);
  EXPECT_EQ(now.memory_used, 400000u);
  EXPECT_EQ(now.cache, 100000u);
  EXPECT_EQ(now.cpus, 1u);
  EXPECT_EQ(now.cpu_percent, 100);
  EXPECT_EQ(reader.read().cpu_percent, 0);
  put("/sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(reader.read().memory, 1000u << 10);
}

TEST(Usage, ItsText) {
  EXPECT_EQ(to_json(usage{7, 2, 12.346, 3 << 20, 1 << 20, 5, 100, 60}),
    R"({"ts":7,"cpu_count":2,"cpu_used_pct":12.35,"mem_total":3145728,"mem_used":1048576,"mem_cache":5,)"
    R"("mem_total_mib":3,"mem_used_mib":1,"disk_used":60,"disk_total":100})");
}

} // namespace agentpool::envd

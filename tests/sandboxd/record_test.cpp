// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/record.hpp"
#include "sandboxd/files.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace agentpool::sandboxd {
namespace {

sandbox_record whole_record() {
  sandbox_record record;
  record.id = "iabc";
  record.template_id = "base";
  record.first_id = 0x20010000;
  record.started_at = 1'700'000'000'000;
  record.end_at = 1'700'000'300'000;
  record.access_token = "secret";
  record.paused = true;
  record.auto_pause = true;
  record.allow_internet_access = false;
  record.network = {
    e2b::network_options{false, {"1.1.1.1"}, {"0.0.0.0/0"}, "h:${PORT}", {}}, std::string(64, 'a')};
  record.limits = {1ull << 30, 3ull << 30, 77, 3};
  record.metadata = {{"k\"", "v\n"}};
  record.env_vars = {{"A", "b=c"}};
  return record;
}

TEST(SandboxRecord, ComesBackAsItWasWritten) {
  auto written = whole_record();
  auto read = parse_record(record_json(written));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(record_json(*read), record_json(written));
  EXPECT_EQ(read->limits.disk_bytes, 3ull << 30);
  EXPECT_EQ(read->allow_internet_access, false);
  EXPECT_EQ(read->metadata, written.metadata);
  EXPECT_EQ(read->network.options, written.network.options);
  EXPECT_EQ(read->network.traffic_token, written.network.traffic_token);
  EXPECT_TRUE(read->paused);
}

TEST(SandboxRecord, RefusesWhatNamesNoSandbox) {
  for (auto text : {"", "{}", "[]", R"({"id":"../x","template":"base","first_id":7})",
         R"({"id":"i","template":"","first_id":7})", R"({"id":"i","template":"base"})"})
    EXPECT_FALSE(parse_record(text)) << text;
}

TEST(SandboxRecord, ShowsTheTokenOnlyWhenThereIsOne) {
  auto record = whole_record();
  EXPECT_EQ(as_sandbox(record).envd_access_token, "secret");
  EXPECT_EQ(as_detail(record, false).state, "paused");
  EXPECT_EQ(as_detail(record, true).state, "running");
  EXPECT_EQ(as_detail(record, true).disk_size_mb, 3072);
  record.access_token.clear();
  EXPECT_FALSE(as_sandbox(record).envd_access_token);
  EXPECT_EQ(as_sandbox(record).traffic_access_token, std::string(64, 'a'));
  record.network = {};
  EXPECT_FALSE(as_sandbox(record).traffic_access_token);
}

TEST(RecordStore, LoadsWholeSandboxesAndRemovesUnfinishedOnes) {
  net::test::temp_dir dir;
  record_store store{dir.path()};
  ASSERT_TRUE(store.make_folder("iabc"));
  ASSERT_TRUE(store.save(whole_record()));
  ASSERT_TRUE(store.make_folder("ihalf"));
  std::vector<std::string> faults;
  auto loaded = store.load(faults);
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded.front().id, "iabc");
  EXPECT_TRUE(faults.empty());
  EXPECT_FALSE(std::filesystem::exists(store.folder_of("ihalf")));
  store.erase("iabc");
  EXPECT_TRUE(store.load(faults).empty());
}

TEST(RecordStore, KeepsWhatItCannotRead) {
  net::test::temp_dir dir;
  record_store store{dir.path()};
  ASSERT_TRUE(store.make_folder("iabc"));
  ASSERT_TRUE(write_whole(store.folder_of("iabc") + "/record.json", "{cut", 0600));
  std::vector<std::string> faults;
  EXPECT_TRUE(store.load(faults).empty());
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(store.folder_of("iabc")));
}

TEST(Files, ADurableWriteReplacesAtOnce) {
  net::test::temp_dir dir;
  auto path = dir.path() + "/file";
  ASSERT_TRUE(write_durably(path, "one", 0600));
  ASSERT_TRUE(write_durably(path, "two", 0600));
  EXPECT_EQ(read_whole(path).value(), "two");
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  EXPECT_FALSE(read_whole(dir.path() + "/none"));
}

} // namespace
} // namespace agentpool::sandboxd

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_files.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

namespace {

entry_info sample() {
  return {"a.txt", file_type::file, "/home/user/a.txt", 5, 420, "-rw-r--r--", "user", "user",
    timestamp{1796049182, 420'000'000}, "/x", {{"author", "me"}}};
}

constexpr std::string_view sample_text =
  R"({"name":"a.txt","type":"FILE_TYPE_FILE","path":"/home/user/a.txt","size":"5","mode":420,)"
  R"("permissions":"-rw-r--r--","owner":"user","group":"user","modifiedTime":"2026-11-30T14:33:02.420Z",)"
  R"("symlinkTarget":"/x","metadata":{"author":"me"}})";

} // namespace

TEST(EnvdFiles, RequestsGoBothWays) {
  EXPECT_EQ(to_json(path_request{"/a"}), R"({"path":"/a"})");
  EXPECT_EQ(read_path(R"({"path":"/a"})"), path_request{"/a"});
  EXPECT_EQ(read_path("{}"), path_request{});
  EXPECT_EQ(to_json(list_request{"~", 3}), R"({"path":"~","depth":3})");
  EXPECT_EQ(read_list(R"({"path":"~","depth":3})"), (list_request{"~", 3}));
  EXPECT_EQ(read_list(R"({"path":"~"})"), (list_request{"~", 0}));
  EXPECT_EQ(to_json(move_request{"/a", "/b"}), R"({"source":"/a","destination":"/b"})");
  EXPECT_EQ(read_move(R"({"source":"/a","destination":"/b"})"), (move_request{"/a", "/b"}));
  for (std::string_view text : {"", "[]", R"({"path":7})", R"({"path":"/","depth":-1})"}) {
    ASSERT_FALSE(read_list(text)) << text;
    EXPECT_EQ(read_list(text).error().what, connect::code::invalid_argument);
  }
}

TEST(EnvdFiles, EntriesGoBothWays) {
  EXPECT_EQ(to_json(sample()), R"({"entry":)" + std::string{sample_text} + "}");
  EXPECT_EQ(read_entry(to_json(sample())), sample());
  std::vector<entry_info> all{
    sample(), {"d", file_type::directory, "/d"}, {"s", file_type::unspecified, "/s"}};
  EXPECT_EQ(read_entries(to_json(all)), all);
  EXPECT_EQ(to_json(std::vector<entry_info>{}), "{}");
  EXPECT_EQ(read_entries("{}"), std::vector<entry_info>{});
}

TEST(EnvdFiles, EntriesAreReadLeniently) {
  auto entry = read_entry(R"({"entry":{"type":2,"size":7,"mode":"8","symlink_target":"/y","new":1}})");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->type, file_type::directory);
  EXPECT_EQ(entry->size, 7);
  EXPECT_EQ(entry->mode, 8u);
  EXPECT_EQ(entry->symlink_target, "/y");
  EXPECT_EQ(read_entry(R"({"entry":{"type":"FILE_TYPE_NEW"}})")->type, file_type::unspecified);
  for (std::string_view text :
    {R"({"entry":7})", R"({"entry":{"size":"x"}})", R"({"entry":{"modifiedTime":"now"}})"})
    EXPECT_FALSE(read_entry(text)) << text;
}

TEST(EnvdFiles, TimesAreRfc3339) {
  struct row {
    timestamp time;
    std::string_view text;
  };
  for (auto [time, text] : std::initializer_list<row>{{{0, 0}, "1970-01-01T00:00:00Z"},
         {{951782400, 1}, "2000-02-29T00:00:00.000000001Z"}, {{-1, 500'000'000}, "1969-12-31T23:59:59.500Z"},
         {{1796049182, 1'000}, "2026-11-30T14:33:02.000001Z"}, {{253402300799, 0}, "9999-12-31T23:59:59Z"}}) {
    EXPECT_EQ(to_text(time), text);
    EXPECT_EQ(timestamp_from(text), time);
  }
  EXPECT_EQ(timestamp_from("1970-01-01T02:00:00+02:00"), (timestamp{0, 0}));
  EXPECT_EQ(timestamp_from("1969-12-31t22:30:00.5-01:30"), (timestamp{0, 500'000'000}));
  for (std::string_view text : {"", "now", "1970-01-01", "1970-01-01T00:00:00", "1970-13-01T00:00:00Z",
         "1970-02-30T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00Zx",
         "1970-01-01 00:00:00Z", "-970-01-01T00:00:00Z", "1970-01-01T00:00:00+2:00"})
    EXPECT_FALSE(timestamp_from(text)) << text;
}

TEST(EnvdFiles, UploadRepliesGoBothWays) {
  std::vector<written_file> files{{"/home/user/a.txt", "a.txt", {{"author", "me"}}}, {"/b", "b", {}}};
  EXPECT_EQ(written_body(files),
    R"([{"path":"/home/user/a.txt","name":"a.txt","type":"file","metadata":{"author":"me"}},)"
    R"({"path":"/b","name":"b","type":"file"}])");
  EXPECT_EQ(read_written(written_body(files)), files);
  for (std::string_view text : {"", "{}", "null", R"([{"path":7}])"})
    EXPECT_FALSE(read_written(text)) << text;
}

TEST(EnvdFiles, PlainErrorsGoBothWays) {
  EXPECT_EQ(plain_error_body(404, "path '/a' does not exist"),
    "{\"code\":404,\"message\":\"path '/a' does not exist\"}\n");
  EXPECT_EQ(read_plain_error(plain_error_body(404, "gone")), "gone");
  EXPECT_EQ(read_plain_error("404 page not found"), "404 page not found");
}

TEST(EnvdFiles, QueriesAreEscaped) {
  EXPECT_EQ(query_escape("/a b+ä&=%"), "%2Fa%20b%2B%C3%A4%26%3D%25");
}

TEST(EnvdFiles, WatchRequestsGoBothWays) {
  EXPECT_EQ(to_json(watch_request{"/a"}), R"({"path":"/a"})");
  watch_request all{"~", true, true, true};
  EXPECT_EQ(to_json(all), R"({"path":"~","recursive":true,"includeEntry":true,"allowNetworkMounts":true})");
  EXPECT_EQ(read_watch(to_json(all)), all);
  EXPECT_EQ(
    read_watch(R"({"path":"~","recursive":true,"include_entry":true,"allow_network_mounts":true})"), all);
  EXPECT_EQ(read_watch("{}"), watch_request{});
  EXPECT_EQ(to_json(watcher_id{"w1"}), R"({"watcherId":"w1"})");
  for (std::string_view text : {R"({"watcherId":"w1"})", R"({"watcher_id":"w1"})"})
    EXPECT_EQ(read_watcher_id(text), watcher_id{"w1"});
  for (std::string_view text : {"", R"({"recursive":1})", R"({"path":[]})"})
    EXPECT_FALSE(read_watch(text)) << text;
}

TEST(EnvdFiles, WatchMessagesGoBothWays) {
  EXPECT_EQ(to_json(watch_message{watch_started{}}), R"({"start":{}})");
  EXPECT_EQ(to_json(watch_message{keepalive{}}), R"({"keepalive":{}})");
  file_event event{"d/f", file_change::rename, std::nullopt};
  EXPECT_EQ(to_json(watch_message{event}), R"({"filesystem":{"name":"d/f","type":"EVENT_TYPE_RENAME"}})");
  file_event full{"a.txt", file_change::create, sample()};
  for (const auto& one : std::vector<watch_message>{watch_started{}, keepalive{}, event, full})
    EXPECT_EQ(read_watch_message(to_json(one)), one);
  EXPECT_EQ(read_watch_message(R"({"new":{}})"), watch_message{});
  EXPECT_EQ(read_watch_message(R"({"filesystem":{"name":"f","type":2}})"),
    (watch_message{file_event{"f", file_change::write, std::nullopt}}));
  for (std::string_view text : {"", R"({"start":1})", R"({"filesystem":{"name":7}})"})
    EXPECT_FALSE(read_watch_message(text)) << text;
}

TEST(EnvdFiles, PolledEventsGoBothWays) {
  EXPECT_EQ(to_json(std::vector<file_event>{}), "{}");
  std::vector<file_event> events{
    {"f", file_change::create, sample()}, {".", file_change::remove, std::nullopt}};
  EXPECT_EQ(read_file_events(to_json(events)), events);
  EXPECT_EQ(read_file_events("{}"), std::vector<file_event>{});
  EXPECT_FALSE(read_file_events(R"({"events":{}})"));
}

TEST(EnvdFiles, ComposeRequestsGoBothWays) {
  compose_request request{{"/a", "b"}, "/c", "user"};
  EXPECT_EQ(to_json(request), R"({"source_paths":["/a","b"],"destination":"/c","username":"user"})");
  EXPECT_EQ(read_compose(to_json(request)), request);
  EXPECT_EQ(read_compose("{}"), compose_request{});
  EXPECT_FALSE(read_compose(R"({"source_paths":"a"})"));
}

} // namespace agentpool::envd

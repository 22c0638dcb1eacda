// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/defaults.hpp"
#include "tests/net/e2b/link_fixture.hpp"

namespace agentpool::net::test {

using namespace std::chrono_literals;

namespace {

const std::string entry_json =
  R"({"entry":{"name":"a","type":"FILE_TYPE_FILE","path":"/w/a","size":"5","mode":420,"permissions":"-rw-r--r--",)"
  R"("owner":"user","group":"user","modifiedTime":"2026-11-29T14:33:02.420Z"}})";

std::string error_json(std::string_view code) {
  return R"({"code":")" + std::string{code} + R"(","message":"m"})";
}

std::string part(const std::string& bytes, const std::string& range) {
  return answer(206, bytes, "application/octet-stream", "Content-Range: bytes " + range + "\r\n");
}

} // namespace

class E2bFilesTest : public LinkTest {
protected:
  result<std::optional<ports::entry_info>> stat() {
    reply<std::optional<ports::entry_info>> got;
    link_->stat("/w/a", "user", {}, got.completion());
    return got.get();
  }
  result<void> remove() {
    reply<void> got;
    link_->remove("/w/a", "user", {}, got.completion());
    return got.get();
  }
  std::shared_ptr<recording_bytes> read(ports::byte_range range = {}, ports::stream_options options = {}) {
    auto sink = std::make_shared<recording_bytes>();
    last_ = link_->read_file("/w/a b", "user", range, options, sink);
    return sink;
  }
  result<std::string> write(std::string bytes) {
    reply<std::string> got;
    link_->write_file("/w/a", "user", std::move(bytes), {}, got.completion());
    return got.get();
  }

  ports::operation_id last_ = 0;
};

TEST_F(E2bFilesTest, StatsAFile) {
  always(answer(200, entry_json));
  auto got = stat();
  ASSERT_TRUE(got) << got.error().text();
  ASSERT_TRUE(*got);
  EXPECT_EQ((*got)->size, 5u);
  EXPECT_EQ((*got)->mode, 0644u);
  EXPECT_EQ((*got)->modified_ns, 1795962782420000000);
  EXPECT_FALSE((*got)->symlink);
  EXPECT_TRUE(last_seen().ends_with(R"({"path":"/w/a"})")) << last_seen();
}

TEST_F(E2bFilesTest, MissingIsAnAnswer) {
  always(answer(404, error_json("not_found")));
  EXPECT_EQ(stat(), std::nullopt);
  always(answer(409, error_json("already_exists")));
  reply<bool> made;
  link_->make_dir("/w", "user", {}, made.completion());
  EXPECT_EQ(made.get(), false);
}

struct told_unary {
  int status;
  std::string body, type;
  errc reading, changing;
};

TEST_F(E2bFilesTest, fault_EveryRefusalHasItsCode) {
  const std::string html = "text/html", json = "application/json";
  for (const auto& [status, body, type, reading, changing] : std::vector<told_unary>{
         {400, error_json("invalid_argument"), json, errc::envd_invalid, errc::envd_invalid},
         {403, error_json("permission_denied"), json, errc::envd_denied, errc::envd_denied},
         {500, error_json("internal"), json, errc::envd_failed, errc::envd_failed},
         {500, R"({"code":"internal","message":"write: no space left on device"})", json, errc::envd_no_space,
           errc::envd_no_space},
         {500, error_json("failed_precondition"), json, errc::envd_refused, errc::envd_refused},
         {401, R"({"code":401,"message":"m"})", json, errc::envd_unauthorized, errc::envd_unauthorized},
         {401, R"({"code":"unauthenticated","message":"invalid username: 'user'"})", json, errc::hand_damaged,
           errc::hand_damaged},
         {404, "404 page not found\n", "text/plain", errc::envd_unsupported, errc::envd_unsupported},
         {502, R"({"sandboxId":"i","message":"The sandbox was not found","code":502})", json,
           errc::hand_stopped, errc::hand_stopped},
         {502, "<html>", html, errc::hand_unreachable, errc::outcome_unknown},
         {504, "", html, errc::hand_unreachable, errc::outcome_unknown},
         {408, "", html, errc::hand_unreachable, errc::outcome_unknown},
         {500, "<html>", html, errc::provider_failed, errc::provider_failed},
         {503, "<html>", html, errc::provider_busy, errc::provider_busy},
         {200, "<html>", html, errc::provider_nonsense, errc::provider_nonsense},
         {200, "", json, errc::provider_nonsense, errc::provider_nonsense},
         {200, "[]", json, errc::provider_nonsense, errc::provider_nonsense}}) {
    always(answer(status, body, type));
    EXPECT_EQ(code_of(stat()), reading) << status << body;
    EXPECT_EQ(code_of(remove()), changing) << status << body;
  }
}

TEST_F(E2bFilesTest, fault_UnaryCutAtEveryByte) {
  auto whole = answer(200, entry_json);
  std::atomic<size_t> cut{0};
  serve([&](fault_peer& peer) {
    while (peer.read_request())
      if (peer.send(std::string_view{whole}.substr(0, cut)); cut < whole.size())
        return;
  });
  for (; cut < whole.size(); ++cut) {
    ASSERT_EQ(code_of(stat()), errc::hand_unreachable) << cut;
    ASSERT_EQ(code_of(remove()), errc::outcome_unknown) << cut;
  }
  EXPECT_TRUE(stat());
}

TEST_F(E2bFilesTest, fault_AnswerWithoutEnd) {
  serve([](fault_peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
    while (peer.send(std::string(1u << 20, ' '))) {
    }
  });
  EXPECT_EQ(code_of(stat()), errc::provider_nonsense);
}

TEST_F(E2bFilesTest, ReadsAFile) {
  always(answer(200, "content", "text/plain"));
  auto sink = read();
  ASSERT_TRUE(sink->end());
  EXPECT_EQ(sink->record.now().bytes, "content");
  EXPECT_EQ(sink->record.now().head->length, 7u);
  EXPECT_TRUE(last_seen().starts_with("GET /files?path=%2Fw%2Fa%20b&username=user HTTP/1.1\r\n"));
  EXPECT_EQ(last_seen().find("Range:"), std::string::npos);
}

TEST_F(E2bFilesTest, ReadsARange) {
  always(part("nte", "2-4/7"));
  auto sink = read({2, 3});
  ASSERT_TRUE(sink->end());
  EXPECT_EQ(sink->record.now().bytes, "nte");
  EXPECT_EQ(sink->record.now().head->total, 7u);
  EXPECT_NE(last_seen().find("Range: bytes=2-4\r\n"), std::string::npos);
}

TEST_F(E2bFilesTest, ReadsARangeFromAServerWithoutRanges) {
  for (bool more : {false, true}) {
    serve([more](fault_peer& peer) {
      peer.read_request();
      peer.send(more ? "HTTP/1.1 200 OK\r\n\r\ncontent" : answer(200, "content"));
      if (more) // a file without end: nothing beyond the range is waited for
        peer.drain();
    });
    auto sink = read({2, 3});
    ASSERT_TRUE(sink->end());
    EXPECT_EQ(sink->record.now().bytes, "nte");
  }
}

TEST_F(E2bFilesTest, NothingBehindTheEnd) {
  always(answer(416, "", "text/plain", "Content-Range: bytes */7\r\n"));
  auto sink = read({9, {}});
  EXPECT_TRUE(sink->end());
  EXPECT_EQ(sink->record.now().head->total, 7u);
  EXPECT_EQ(sink->record.now().bytes, "");
}

TEST_F(E2bFilesTest, fault_AnotherRange) {
  for (auto range : {"0-2/7", "3-4/7", "4-2/7", "", "2", "*/7"}) {
    always(part("nte", range));
    EXPECT_EQ(code_of(read({2, 3})->end()), errc::provider_nonsense) << range;
  }
  always(answer(200, "x", "text/plain", "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(code_of(read()->end()), errc::provider_nonsense);
}

TEST_F(E2bFilesTest, fault_FileErrors) {
  auto error = [](int status) {
    return answer(status, R"({"code":)" + std::to_string(status) + R"(,"message":"m"})");
  };
  for (auto [status, code] : {std::pair{400, errc::envd_invalid}, {401, errc::envd_unauthorized},
         {404, errc::envd_not_found}, {500, errc::envd_failed}, {507, errc::envd_no_space}}) {
    always(error(status));
    EXPECT_EQ(code_of(read()->end()), code) << status;
    EXPECT_EQ(code_of(write("x")), code) << status;
  }
  // A proxy that does not know the sandbox is not taken for a missing file.
  always(answer(404, R"({"code":404})", "application/json", "X-Cube-Retcode: 310507\r\n"));
  EXPECT_EQ(code_of(read()->end()), errc::hand_stopped);
  always(answer(413, "<html>", "text/html"));
  EXPECT_EQ(code_of(write("x")), errc::provider_nonsense);
}

TEST_F(E2bFilesTest, fault_FileCutAtEveryByte) {
  auto whole = answer(200, "content");
  std::atomic<size_t> cut{0};
  serve([&](fault_peer& peer) {
    peer.read_request();
    peer.send(std::string_view{whole}.substr(0, cut));
  });
  for (; cut < whole.size(); ++cut) {
    auto sink = read();
    ASSERT_EQ(code_of(sink->end()), errc::hand_unreachable) << cut;
    ASSERT_TRUE(std::string_view{"content"}.starts_with(sink->record.now().bytes));
  }
}

TEST_F(E2bFilesTest, WritesAFile) {
  always(answer(200, R"([{"path":"/w/a","name":"a","type":"file"}])", "text/plain"));
  EXPECT_EQ(write("content"), "/w/a");
  EXPECT_TRUE(last_seen().starts_with("POST /files?path=%2Fw%2Fa&username=user HTTP/1.1\r\n"));
  EXPECT_TRUE(last_seen().ends_with("\r\n\r\ncontent"));
  reply<std::string> got;
  link_->write_file("/w/a", "user",
    std::make_shared<scripted_source>(std::vector<result<std::string>>{{"con"}, {"tent"}}, 7), {},
    got.completion());
  EXPECT_EQ(got.get(), "/w/a");
  EXPECT_TRUE(last_seen().ends_with("\r\n\r\ncontent"));
}

TEST_F(E2bFilesTest, WritesAFormWhereNothingElseIsKnown) {
  serve(
    [this](fault_peer& peer) {
      while (auto request = peer.read_request()) {
        seen_.change([&](auto& all) { all.push_back(*request); });
        peer.send(answer(200, R"([{"path":"/w/a","name":"a","type":"file"}])"));
      }
    },
    "0.2.0");
  EXPECT_EQ(write("content"), "/w/a");
  auto as_text = last_seen();
  reply<std::string> got;
  auto source = std::make_shared<scripted_source>(
    std::vector<result<std::string>>{{"con"}, {"tent"}, {std::string{}}}, 7);
  link_->write_file("/w/a", "user", source, {}, got.completion());
  EXPECT_EQ(got.get(), "/w/a");
  auto as_stream = last_seen();
  for (const auto& request : {as_text, as_stream}) {
    EXPECT_NE(request.find("Content-Type: multipart/form-data; boundary=form-"), std::string::npos);
    EXPECT_NE(request.find("\r\n\r\ncontent\r\n--form-"), std::string::npos) << request;
    EXPECT_TRUE(request.ends_with("--\r\n"));
  }
  EXPECT_EQ(as_text.size(), as_stream.size());
}

TEST_F(E2bFilesTest, fault_WriteOfAFailingSource) {
  always(answer(200, "[]"));
  reply<std::string> got;
  link_->write_file("/w/a", "user",
    std::make_shared<scripted_source>(
      std::vector<result<std::string>>{{"con"}, fail(errc::brain_lost, "x")}, 7),
    {}, got.completion());
  EXPECT_EQ(code_of(got.get()), errc::brain_lost);
  EXPECT_EQ(code_of(write("x")), errc::provider_nonsense) << "no file was named";
}

TEST_F(E2bFilesTest, InitAndHealth) {
  always("HTTP/1.1 204 No Content\r\n\r\n");
  reply<void> init, health;
  link_->health({}, health.completion());
  EXPECT_TRUE(health.get());
  link_->init({"t0k", {{"A", "b"}}, "user", "", 1'000'000'000}, {}, init.completion());
  EXPECT_TRUE(init.get());
  EXPECT_TRUE(last_seen().ends_with(
    R"({"envVars":{"A":"b"},"accessToken":"t0k","timestamp":"1970-01-01T00:00:01Z","defaultUser":"user"})"))
    << last_seen();
}

} // namespace agentpool::net::test

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/base64.hpp"
#include "protocol/wire/connect.hpp"

#include <gtest/gtest.h>

namespace agentpool::connect {

using namespace std::chrono_literals;

TEST(Base64, WritesTheVectorsOfRfc4648AndReadsThemBack) {
  struct row {
    std::string_view bytes, text;
  };
  for (auto [bytes, text] :
    std::initializer_list<row>{{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "+/8="}}) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, ReadsBothAlphabetsWithAndWithoutPadding) {
  for (std::string_view text : {"+/8=", "-_8=", "+/8", "-_8"})
    EXPECT_EQ(base64_decode(text), "\xfb\xff") << text;
  for (std::string_view text : {"Z", "Zg=", "Zg===", "Zm 9v", "Zm9v\n", "Zm9*", "=", "===="})
    EXPECT_FALSE(base64_decode(text)) << text;
}

TEST(Base64, KeepsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all.push_back(static_cast<char>(i));
    EXPECT_EQ(base64_decode(base64_encode(all)), all);
  }
}

TEST(Connect, CodesHaveNamesAndStatuses) {
  for (int i = 1; i <= 16; ++i)
    EXPECT_EQ(code_from(to_string(static_cast<code>(i))), static_cast<code>(i));
  EXPECT_FALSE(code_from("cancelled"));
  EXPECT_FALSE(code_from(""));
  EXPECT_EQ(http_status(code::not_found), 404);
  EXPECT_EQ(http_status(code::canceled), 499);
  EXPECT_EQ(http_status(code::unimplemented), 501);
  EXPECT_EQ(to_string(static_cast<code>(0)), "unknown");
  EXPECT_EQ(to_string(static_cast<code>(17)), "unknown");
}

TEST(Connect, AStatusWithoutACodeHasAMeaning) {
  for (auto [status, meaning] : std::initializer_list<std::pair<int, code>>{{400, code::internal},
         {401, code::unauthenticated}, {403, code::permission_denied}, {404, code::unimplemented},
         {429, code::unavailable}, {502, code::unavailable}, {503, code::unavailable},
         {504, code::unavailable}, {418, code::unknown}, {500, code::unknown}}) {
    EXPECT_EQ(code_from_status(status), meaning) << status;
    EXPECT_EQ(stream_refusal(status), (error{meaning, "HTTP " + std::to_string(status)}));
  }
}

TEST(Connect, AUnaryErrorIsWrittenAndRead) {
  error why{code::not_found, "process with pid 7 not found"};
  EXPECT_EQ(error_body(why), R"({"code":"not_found","message":"process with pid 7 not found"})");
  EXPECT_EQ(read_unary_error(404, "application/json", error_body(why)), why);
  struct row {
    int status;
    std::string_view type, body;
    error expected;
  };
  for (const auto& [status, type, body, expected] : std::initializer_list<row>{
         {500, "application/json", R"({"code":"not_found"})", {code::not_found, ""}}, // the code decides
         {401, "Application/JSON; charset=utf-8", R"({"code":401,"message":"no token"})",
           {code::unauthenticated, "no token"}},
         {502, "application/json", R"({"code":502})", {code::unavailable, "HTTP 502"}},
         {502, "text/html", R"({"code":"not_found"})", {code::unavailable, "HTTP 502"}},
         {404, "application/json", "", {code::unimplemented, "HTTP 404"}},
         {404, "application/json", "[]", {code::unimplemented, "HTTP 404"}},
         {404, "", "404 page not found", {code::unimplemented, "HTTP 404"}}})
    EXPECT_EQ(read_unary_error(status, type, body), expected) << body;
}

TEST(Connect, TheContentTypeTellsTheKindOfCall) {
  EXPECT_EQ(kind_of("application/json"), call_kind::unary);
  EXPECT_EQ(kind_of("Application/JSON ; charset=utf-8"), call_kind::unary);
  EXPECT_EQ(kind_of("application/connect+json"), call_kind::stream);
  for (std::string_view type :
    {"", "application/proto", "application/connect+proto", "application/jsonx", ";"})
    EXPECT_FALSE(kind_of(type)) << type;
}

TEST(Connect, TheContentTypeTellsTheCodec) {
  EXPECT_EQ(media_of("application/proto"), (media{call_kind::unary, codec::proto}));
  EXPECT_EQ(media_of("application/Connect+Proto; x=y"), (media{call_kind::stream, codec::proto}));
  EXPECT_EQ(media_of("application/connect+json"), (media{call_kind::stream, codec::json}));
  for (auto kind : {call_kind::unary, call_kind::stream})
    for (auto as : {codec::json, codec::proto})
      EXPECT_EQ(media_of(content_type({kind, as})), (media{kind, as}));
  for (std::string_view type : {"", "application/grpc", "application/connect+", "application/protobuf"})
    EXPECT_FALSE(media_of(type)) << type;
}

TEST(Connect, TheTimeoutHasAtMostTenDigits) {
  EXPECT_EQ(read_timeout("1"), 1ms);
  EXPECT_EQ(read_timeout("9999999999"), 9999999999ms);
  EXPECT_EQ(read_timeout("0"), 0ms);
  EXPECT_EQ(read_timeout("-5"), 0ms);
  for (std::string_view value : {"", "-", "1s", " 1", "99999999999", "1.5", "+1"})
    EXPECT_EQ(read_timeout(value).error().what, code::invalid_argument) << value;
}

TEST(Connect, TheKeepaliveIntervalFallsBack) {
  EXPECT_EQ(read_keepalive("50"), 50s);
  EXPECT_EQ(read_keepalive(std::nullopt), 90s);
  for (std::string_view value : {"", "0", "-1", "x", "1x", "86401", "99999999999999999999"})
    EXPECT_EQ(read_keepalive(value), 90s) << value;
}

} // namespace agentpool::connect

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b.hpp"
#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/e2b_route.hpp"

#include <gtest/gtest.h>

namespace agentpool::e2b {
namespace {

TEST(E2bNewSandbox, TakesTheBodyOfTheOlderClients) {
  auto request = parse_new_sandbox(
    R"({"templateID":"base","metadata":{"a":"1"},"timeout":300,"secure":true,"allow_internet_access":true,)"
    R"("autoPause":false,"autoResume":{"enabled":false},"envVars":{"X":"é"}})");
  ASSERT_TRUE(request) << request.error().text();
  EXPECT_EQ(request->template_id, "base");
  EXPECT_EQ(request->timeout_or_default(api::v1), 300);
  EXPECT_TRUE(request->secure_or_default(api::v1));
  EXPECT_EQ(request->metadata, (string_map{{"a", "1"}}));
  EXPECT_EQ(request->env_vars, (string_map{{"X", "é"}}));
  EXPECT_TRUE(request->unsupported.empty());
}

TEST(E2bNewSandbox, TheGenerationsHaveTheirOwnDefaults) {
  auto request = parse_new_sandbox(R"({"templateID":"base"})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->timeout_or_default(api::v1), 15);
  EXPECT_EQ(request->timeout_or_default(api::v2), 300);
  EXPECT_FALSE(request->secure_or_default(api::v1));
  EXPECT_TRUE(request->secure_or_default(api::v2));
}

TEST(E2bNewSandbox, RefusesWithTheSentenceOfTheReply) {
  EXPECT_EQ(parse_new_sandbox(R"({"templateID":"base","timeout":0})").error().detail,
    "Timeout must be greater than 0");
  for (auto body : {"{", "[]", "{}", R"({"templateID":7})", R"({"templateID":"b","metadata":{"a":1}})",
         R"({"templateID":"b","autoResume":true})", R"({"templateID":"b","timeout":"9"})"})
    EXPECT_TRUE(parse_new_sandbox(body).error().detail.starts_with("validation error: ")) << body;
  EXPECT_FALSE(parse_new_sandbox(R"({"templateID":"b","autoPauseMemory":false})"));
}

TEST(E2bNewSandbox, RefusesVariablesThatNoProgramCanGet) {
  auto said = [](std::string_view variables) {
    auto out = parse_new_sandbox(R"({"templateID":"b","envVars":{)" + std::string{variables} + "}}");
    return out ? "" : out.error().detail;
  };
  EXPECT_EQ(said(R"("A":"b=c","B":"")"), "");
  EXPECT_EQ(said(R"("A":"","B=C":"d")"), "validation error: envVars: the variable 'B=C' has '=' in its name");
  EXPECT_EQ(said(R"("":"d")"), "validation error: envVars: the variable '' has no name");
  EXPECT_EQ(
    said(R"("B\u0000":"d")"), "validation error: envVars: the variable 'B' has a NUL byte in its name");
  EXPECT_EQ(
    said(R"("B":"\u0000")"), "validation error: envVars: the variable 'B' has a NUL byte in its value");
}

TEST(E2bNewSandbox, NamesWhatItCannotHoldUnlessItAsksForNothing) {
  auto request = parse_new_sandbox(
    R"({"templateID":"b","network":{"rules":{"a":[]}},"mcp":{},"volumeMounts":[1],"iam":null})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->unsupported, (std::vector<std::string>{"volumeMounts", "network.rules"}));
}

TEST(E2bNewSandbox, ComesBackAsItWasWritten) {
  new_sandbox request{
    .template_id = "base", .timeout = 900, .auto_pause = true, .metadata = {{"k\"", "v\n"}}};
  request.auto_pause_memory = false;
  request.allow_internet_access = false;
  request.network = network_options{false, {"1.1.1.1"}, {"0.0.0.0/0"}, "localhost:${PORT}", {}};
  for (auto version : {api::v1, api::v2}) {
    auto again = parse_new_sandbox(new_sandbox_json(request, version));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->timeout, 900);
    EXPECT_TRUE(again->auto_pause);
    EXPECT_FALSE(again->auto_pause_memory);
    EXPECT_EQ(again->allow_internet_access, false);
    EXPECT_EQ(again->network, request.network);
    EXPECT_EQ(again->metadata, request.metadata);
  }
  EXPECT_EQ(parse_new_sandbox(new_sandbox_json({.template_id = "b"}, api::v1))->secure, false);
}

TEST(E2bSandbox, ReadsRepliesOfOtherServers) {
  auto reply = parse_sandbox(
    R"({"sandboxID":"i1","templateID":"base","trafficAccessToken":null,"domain":"","envdVersion":null,"x":1})");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->sandbox_id, "i1");
  EXPECT_EQ(reply->envd_version, "0.0.0");
  EXPECT_FALSE(reply->domain);
  EXPECT_FALSE(reply->envd_access_token);
  for (auto body : {"", "<html>", "[]", "{}", R"({"sandboxID":""})"})
    EXPECT_FALSE(parse_sandbox(body)) << body;
}

TEST(E2bSandbox, ComesBackAsItWasWritten) {
  sandbox written{"iabc", "base", "base", "00000000", "0.6.13", "tok", std::nullopt, std::nullopt};
  auto text = sandbox_json(written);
  EXPECT_NE(text.find(R"("trafficAccessToken":null,"domain":null)"), std::string::npos);
  auto read = parse_sandbox(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->envd_access_token, "tok");
  EXPECT_EQ(read->envd_version, "0.6.13");
}

TEST(E2bDetail, ComesBackAsItWasWritten) {
  sandbox_detail written;
  written.sandbox_id = "iabc";
  written.started_at = 1'796'000'000'123;
  written.end_at = 1'796'000'900'000;
  written.memory_mb = 512;
  written.state = "paused";
  written.metadata = {{"user", "a b"}};
  written.allow_internet_access = false;
  written.auto_pause = true;
  auto read = parse_sandbox_detail(sandbox_detail_json(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->started_at, written.started_at);
  EXPECT_EQ(read->end_at, written.end_at);
  EXPECT_EQ(read->memory_mb, 512);
  EXPECT_EQ(read->state, "paused");
  EXPECT_EQ(read->metadata, written.metadata);
  EXPECT_EQ(read->allow_internet_access, false);
  EXPECT_TRUE(read->auto_pause);
  EXPECT_FALSE(parse_sandbox_detail(R"({"sandboxID":"i","startedAt":"2026-01-01T00:00:00Z"})")->end_at);
}

TEST(E2bList, LeavesRowsWithoutAnIdOut) {
  listed_sandbox row;
  row.sandbox_id = "i1";
  row.state = "running";
  auto rows = parse_sandbox_list(sandbox_list_json({row, {}}));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().state, "running");
  EXPECT_FALSE(parse_sandbox_list("{}"));
}

TEST(E2bConnect, OnlyTheOlderGenerationRequiresTheTimeout) {
  EXPECT_FALSE(parse_connect("", api::v1));
  EXPECT_FALSE(parse_connect("{}", api::v2)->timeout);
  EXPECT_EQ(parse_connect(connect_json({.timeout = 20, .memory = false}), api::v1)->timeout, 20);
  EXPECT_FALSE(parse_connect(R"({"memory":false})", api::v2)->memory);
}

TEST(E2bTimeouts, KeepToTheirRanges) {
  EXPECT_EQ(parse_timeout(timeout_json(-5)), 0);
  EXPECT_FALSE(parse_timeout("{}"));
  EXPECT_EQ(parse_refresh(""), 0);
  EXPECT_EQ(parse_refresh(R"({"duration":3600})"), 3600);
  EXPECT_FALSE(parse_refresh(R"({"duration":3601})"));
  EXPECT_FALSE(parse_refresh(R"({"duration":-1})"));
  EXPECT_EQ(parse_pause(R"({"memory":false})"), false);
  EXPECT_EQ(parse_pause(""), true);
}

TEST(E2bError, TheBodysCodeCountsOnlyWhereClientsCompareIt) {
  EXPECT_EQ(parse_error(500, R"({"code":404,"message":"gone"})"), (api_error{404, "gone", ""}));
  EXPECT_EQ(parse_error(503, R"({"code":7,"message":"full","error_code":"sandbox_capacity_unavailable"})"),
    (api_error{503, "full", "sandbox_capacity_unavailable"}));
  EXPECT_EQ(parse_error(405, ""), (api_error{405, "", ""}));
  EXPECT_EQ(parse_error(502, "<html>bad gateway</html>").message, "<html>bad gateway</html>");
  EXPECT_EQ(parse_error(400, error_json({400, "no", "x"})), (api_error{400, "no", "x"}));
}

TEST(E2bError, ASandboxIsGoneOnlyByTheProxysWord) {
  EXPECT_TRUE(says_sandbox_gone(502, sandbox_not_found_json("i1")));
  EXPECT_FALSE(says_sandbox_gone(502, port_closed_json("i1", 3000)));
  EXPECT_FALSE(says_sandbox_gone(502, "<html>"));
  EXPECT_FALSE(says_sandbox_gone(404, sandbox_not_found_json("i1")));
}

TEST(E2bRoute, FindsTheTargetInTheFirstLabel) {
  EXPECT_EQ(parse_host("49983-iabc.example.org:8443").value(), (std::optional<target>{{"iabc", 49983}}));
  EXPECT_EQ(parse_host("3000-iabc-00000000.localhost").value(), (std::optional<target>{{"iabc", 3000}}));
  for (auto host : {"localhost", "127.0.0.1:80", "api.example.org", "my-host.example.org", "3000-iabc"})
    EXPECT_EQ(parse_host(host).value(), std::optional<target>{}) << host;
  for (auto host : {"3000-IABC.x", "0-iabc.x", "99999-iabc.x", "3000-.x", "3000-a-b-c.x"})
    EXPECT_FALSE(parse_host(host)) << host;
  EXPECT_EQ(host_name({"iabc", 80}, "d.test"), "80-iabc.d.test");
}

TEST(E2bRoute, BothHeadersOrNone) {
  EXPECT_EQ(parse_route_headers("iabc", "80").value(), (std::optional<target>{{"iabc", 80}}));
  EXPECT_EQ(parse_route_headers({}, {}).value(), std::optional<target>{});
  EXPECT_EQ(parse_route_headers("iabc", {}).error().detail, "missing header");
  EXPECT_FALSE(parse_route_headers("../x", "80"));
  EXPECT_FALSE(parse_route_headers("iabc", "80x"));
}

TEST(E2bRoute, NewIdsAreGoodIds) {
  auto id = new_sandbox_id();
  EXPECT_EQ(id.size(), 21u);
  EXPECT_EQ(id.front(), 'i');
  EXPECT_EQ(parse_sandbox_id(id), id);
  EXPECT_NE(id, new_sandbox_id());
}

} // namespace
} // namespace agentpool::e2b

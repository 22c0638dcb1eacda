// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// The served description says what the routes do.
#include "protocol/wire/json.hpp"
#include "tests/gateway/gateway_fixture.hpp"

namespace agentpool::test {

namespace {

class OpenApi : public GatewayFixture {
protected:
  OpenApi() { all = *json::parse(ask("GET", "/openapi.json")->answer->body); }

  json operation(const route& one) const {
    std::string method{one.method};
    std::ranges::transform(method, method.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    return all["paths"][one.pattern][method];
  }

  /// What `{"$ref":"#/components/<kind>/<name>"}` stands for, or the value itself.
  json resolve(const json& value, std::string_view kind) const {
    auto target = value["$ref"].text_or("");
    return target.empty() ? value : all["components"][kind][target.substr(target.rfind('/') + 1)];
  }

  json all;
};

// The error codes among the words in backticks.
std::vector<errc> codes_in(const std::string& text) {
  std::vector<errc> out;
  for (auto begin = text.find('`'); begin != std::string::npos;) {
    auto end = text.find('`', begin + 1);
    errc code{};
    if (end != std::string::npos && from_string(text.substr(begin + 1, end - begin - 1), code))
      out.push_back(code);
    begin = end == std::string::npos ? end : text.find('`', end + 1);
  }
  return out;
}

} // namespace

TEST_F(OpenApi, HasEveryRouteWithItsQuery) {
  for (const auto& one : app_routes()) {
    auto about = operation(one);
    EXPECT_FALSE(about.missing()) << one.method << " " << one.pattern;
    std::string queries;
    for (size_t i = 0; i < about["parameters"].size(); ++i)
      if (auto each = resolve(about["parameters"].at(i), "parameters"); each["in"].text_or("") == "query")
        queries += (queries.empty() ? "" : ", ") + each["name"].text_or("");
    EXPECT_EQ(queries, one.query) << one.method << " " << one.pattern;
  }
}

TEST_F(OpenApi, CodesHaveTheirStatus) {
  for (const auto& one : app_routes()) {
    auto responses = operation(one)["responses"];
    for (const auto& status : responses.keys()) {
      if (status < "400")
        continue;
      auto text = resolve(responses[status], "responses")["description"].text_or("");
      auto codes = codes_in(text);
      EXPECT_FALSE(codes.empty()) << one.method << one.pattern << status;
      for (auto code : codes)
        EXPECT_EQ(std::to_string(describe(code).http_status), status) << one.method << one.pattern << text;
    }
  }
}

// What the router and the key of a request answer, whatever the route.
TEST_F(OpenApi, RoutesTellWhatAllOfTheirKindAnswer) {
  for (const auto& one : app_routes()) {
    auto about = operation(one);
    std::vector<std::string> expected{"400"};
    if (one.who == access::device)
      expected.insert(expected.end(), {"401", "429", "503"});
    if (one.pattern.find("{id}") != std::string_view::npos)
      expected.push_back("404");
    if (one.method == "POST" || one.method == "PUT")
      expected.insert(expected.end(), {"413", "415"});
    for (size_t i = 0; i < about["parameters"].size(); ++i)
      if (resolve(about["parameters"].at(i), "parameters")["name"].text_or("") == "Idempotency-Key")
        expected.insert(expected.end(), {"409", "422"});
    for (const auto& status : expected)
      EXPECT_FALSE(about["responses"][status].missing()) << one.method << " " << one.pattern << " " << status;
  }
}

} // namespace agentpool::test

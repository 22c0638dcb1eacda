// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/steps.hpp"
#include "apps/agentpoolctl/doctor/waiting.hpp"
#include "net/e2b/route.hpp"
#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/json.hpp"

#include <cstdlib>
#include <ctime>

namespace agentpool::ctl::doctor {

namespace {

using std::chrono::milliseconds;

constexpr int64_t skew_to_tell_ms = 5'000;
constexpr int64_t second_ms = 1'000;

int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
    .count();
}

/// "Mon, 30 Nov 2026 10:00:00 GMT"
std::optional<int64_t> http_date_ms(const std::string& text) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (rest == nullptr)
    return std::nullopt;
  return static_cast<int64_t>(::timegm(&parts)) * second_ms;
}

std::string list_url(const examined& x, const std::string& query) {
  return net::without_slash(x.given.provider.api_url) + "/v2/sandboxes" + query;
}

finding clock_of(examined& x, const plain_answer& answer, int64_t before, int64_t after) {
  auto told = http_date_ms(answer.date);
  if (!told)
    return odd("the API's answers have no Date: its clock cannot be compared", "nothing to do");
  // The header has whole seconds, cut.
  x.api_ahead_ms = *told + second_ms / 2 - (before + after) / 2;
  if (std::llabs(x.api_ahead_ms) < skew_to_tell_ms)
    return good("the API's clock and this machine's agree");
  auto far = std::to_string(std::llabs(x.api_ahead_ms) / second_ms) + " s " +
             (x.api_ahead_ms > 0 ? "ahead of" : "behind") + " this machine's";
  return odd(
    "the API's clock is " + far, "keep both machines' clocks by NTP: times of sandboxes are shown wrong");
}

finding check_key(examined& x) {
  waiting<ports::sandbox_page> page;
  x.api().list({{}, {}, 1}, x.limits(), page.completion());
  if (auto got = page.get(); !got) {
    x.broken = true;
    return bad(got.error(), "a list with the key failed");
  }
  auto other = x.plain(list_url(x, "?limit=1"), {"X-API-Key: e2b_" + std::string(40, '0')});
  if (other && other->status / 100 == 2)
    return odd("the key works, and so does any other: this provider asks for none",
      "let only this machine reach it: whoever reaches it owns all sandboxes");
  return good("the key works");
}

} // namespace

void check_api(examined& x) {
  std::optional<finding> clock;
  x.step("api", [&] {
    auto before = now_ms();
    auto answer = x.plain(list_url(x, "?limit=1"), {x.key_line()});
    if (!answer) {
      x.broken = true;
      return bad(answer.error(), "the API cannot be reached");
    }
    clock = clock_of(x, *answer, before, now_ms());
    return good("the API answers (" + std::to_string(answer->status) + ")");
  });
  x.step("key", [&] { return check_key(x); });
  x.step("clock-api", [&] {
    auto one = *clock;
    one.took = milliseconds{0};
    return one;
  });
}

void check_list(examined& x) {
  x.step("list", [&x] {
    auto rows = x.listed();
    if (!rows)
      return bad(rows.error(), "the list failed");
    if (rows->size() != 1 || rows->front().id != x.id)
      return bad("the list does not show the new sandbox with its metadata (" + std::to_string(rows->size()) +
                   " rows of this run)",
        "a sandbox whose create lost its answer can then never be found and costs for ever: ask the "
        "operator");
    if (rows->front().state != ports::sandbox_state::running)
      return odd("the list shows the new sandbox as '" + rows->front().state_text + "'", "ask the operator");
    return good("the list shows the new sandbox, its metadata and its state");
  });
  x.step("list-filter", [&x] {
    e2b::list_query query;
    query.metadata = {{"agentpool-doctor", x.nonce + " none"}};
    auto answer = x.plain(list_url(x, "?" + list_query_text(query)), {x.key_line()});
    if (!answer || answer->status != 200)
      return odd("a list with a filter is refused", "set hands.provider = \"cube\": it lists without one");
    auto rows = json::parse(answer->body);
    auto fits = rows && rows->size() == 0;
    if (fits || !x.given.provider.kind->list_query)
      return good(fits ? "the list filters by metadata" : "the list does not filter; the client does");
    return odd("the list does not filter by metadata; the client does, over the whole list",
      "set hands.provider = \"cube\" when the provider is a CubeSandbox");
  });
}

} // namespace agentpool::ctl::doctor

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/steps.hpp"
#include "apps/agentpoolctl/doctor/waiting.hpp"

#include <algorithm>

namespace agentpool::ctl::doctor {

namespace {

constexpr std::chrono::seconds life{600};

finding refused(const failure& why) {
  auto found = bad(why, "create failed");
  if (why.code == errc::provider_refused)
    found.fix = "look at hands.template: an id, alias or name:tag that this key may use";
  return found;
}

/// The answer was lost: the sandbox may be there.
finding adopt(examined& x, const failure& why) {
  auto rows = x.listed();
  if (!rows || rows->empty()) {
    x.broken = true;
    return refused(why);
  }
  x.id = rows->front().id;
  waiting<ports::sandbox_connected> connected;
  x.api().connect(x.id, life, x.limits(), connected.completion());
  auto got = connected.get();
  if (!got) {
    x.broken = true;
    return bad(got.error(), "create lost its answer, and the sandbox that it made cannot be connected");
  }
  x.access = got->access;
  return odd("create lost its answer (" + why.text() + ") but made the sandbox; it was found by its metadata",
    "raise the time limit of the proxy before the API above the time of a create");
}

} // namespace

void check_create(examined& x) {
  x.step("create", [&x] {
    ports::sandbox_spec spec;
    spec.template_id = x.given.template_id;
    spec.timeout = life;
    spec.metadata = {{"agentpool-doctor", x.nonce}};
    spec.env = {{"AGENTPOOL_DOCTOR", x.nonce}};
    waiting<ports::sandbox_access> made;
    x.api().create(spec, x.limits(), made.completion());
    auto got = made.get();
    if (!got && got.error().code == errc::outcome_unknown)
      return adopt(x, got.error());
    if (!got) {
      x.broken = true;
      return refused(got.error());
    }
    x.access = *got;
    x.id = got->id;
    return good("a sandbox was made; it says that its envd is " + x.access.envd_version);
  });
  x.step("version", [&x] {
    if (x.access.envd_version == "0.2.0" && x.given.provider.kind->tells_version)
      return odd("envd is said to be 0.2.0, which CubeSandbox says of any", "set hands.provider = \"cube\"");
    if (x.access.envd_token.empty())
      return odd("the sandbox has no token: whoever reaches its address runs commands in it",
        "ask the operator to make sandboxes secure, or let only this machine reach them");
    return good("the sandbox has a token of its own");
  });
  if (!x.broken)
    x.fresh_link();
}

void check_timeout(examined& x) {
  auto end = [&x]() -> result<int64_t> {
    waiting<std::optional<ports::sandbox_info>> info;
    x.api().info(x.id, x.limits(), info.completion());
    auto got = info.get();
    if (!got)
      return tl::unexpected{got.error()};
    return *got ? (*got)->end_at : 0;
  };
  x.step("timeout", [&x, end] {
    auto before = end();
    waiting<void> set;
    x.api().set_timeout(x.id, 2 * life, x.limits(), set.completion());
    if (auto how = set.get(); !how)
      return bad(how.error(), "the timeout cannot be set");
    auto after = end();
    if (!before || !after)
      return bad(before ? after.error() : before.error(), "the sandbox's end cannot be asked");
    if (*after == 0)
      return odd("the provider does not say when the sandbox ends", "nothing to do: the daemon refreshes it");
    if (*after <= *before)
      return bad("setting the timeout does not move the sandbox's end",
        "sandboxes will end while they are used: ask the operator, or raise hands.timeout");
    waiting<void> refreshed;
    x.api().refresh(x.id, 3 * life, x.limits(), refreshed.completion());
    if (auto how = refreshed.get(); !how)
      return bad(how.error(), "the timeout cannot be refreshed");
    return good("the timeout can be set and refreshed");
  });
}

} // namespace agentpool::ctl::doctor

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/sessions.hpp"

#include "protocol/wire/e2b_list.hpp"

namespace agentpool::ctl {

result<json> all_sessions(const api& daemon) {
  json_array all;
  std::string cursor;
  do {
    auto page =
      daemon.get("/v1/sessions?limit=200" + (cursor.empty() ? "" : "&cursor=" + e2b::url_encode(cursor)));
    if (!page)
      return page;
    auto list = (*page)["sessions"];
    for (size_t i = 0; i < list.size(); ++i)
      all.add_raw(list.at(i).dump());
    cursor = (*page)["next"].text_or("");
  } while (!cursor.empty());
  return json::parse(json_object{}.add_raw("sessions", all.str()).str());
}

result<void> delete_session(const api& daemon, const std::string& session) {
  return of_session(daemon.remove("/v1/sessions/" + session), session).map([](const json&) {});
}

result<json> of_session(result<json> answer, const std::string& session) {
  if (!answer && answer.error().code == errc::not_found)
    return fail(errc::not_found, "this device has no session " + session);
  return answer;
}

} // namespace agentpool::ctl

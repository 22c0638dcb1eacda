// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/chat.hpp"

#include "apps/agentpoolctl/chat_view.hpp"
#include "apps/agentpoolctl/interrupts.hpp"
#include "apps/agentpoolctl/sessions.hpp"
#include "protocol/wire/ids.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace agentpool::ctl {

namespace {

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int give_up(const failure& why) {
  std::fprintf(stderr, "agentpoolctl: %s\n", why.text().c_str());
  return 1;
}

// Other failures may be over at the next try.
bool is_final(const failure& why) {
  return why.code == errc::not_found || why.code == errc::unauthorized || why.code == errc::bad_request;
}

class conversation {
public:
  conversation(const api& daemon, std::string session)
      : daemon_{daemon}, session_{std::move(session)}, view_{::isatty(STDOUT_FILENO) &&
                                                             !std::getenv("NO_COLOR")} {}

  /// Shows events until `done`, over as many connections as it takes. // BR-016
  result<void> follow(const std::function<bool()>& done) {
    for (std::chrono::milliseconds pause{0};;) {
      reader_.reconnect();
      view_.reconnect();
      bool came = false;
      auto end = daemon_.events(session_, reader_.last_event_id(), [&](std::string_view bytes) {
        came = true;
        for (const auto& frame : reader_.feed(bytes))
          put(view_.show(frame));
        return !done() && !reader_.broken() && !view_.asked();
      });
      if (done())
        return {};
      if (view_.asked()) {
        if (auto told = decide(*view_.asked()); !told)
          return told;
        continue;
      }
      if (!end && is_final(end.error()))
        return end;
      if (came || pause.count() == 0)
        put(view_.note("the connection is lost; trying again"));
      pause = next_pause(came, pause);
      keys_.wait(pause);
    }
  }

  /// What was said so far, and the turn that runs.
  result<void> catch_up() {
    keys_.turn_begins();
    auto end = follow([this] { return view_.caught_up() && !view_.turn_running(); });
    keys_.turn_ended();
    return end;
  }

  result<void> prompt(const std::string& text) {
    keys_.turn_begins();
    auto end = send(json_object{}.add("text", text).str()).and_then([this](const json& accepted) {
      auto turn = accepted["turn_id"].text_or("");
      view_.sent(turn);
      return follow([this, turn] { return view_.ended(turn); });
    });
    keys_.turn_ended();
    return end;
  }

private:
  /// Asks the person at the terminal; another device may be quicker.
  result<void> decide(const question asked) {
    for (;;) {
      put("  " + asked.text + " [y/n] ");
      auto line = read_line([&] { return still_open(asked); });
      if (!line)
        return line.error().code == errc::unknown_permission ? forget(asked) : tl::unexpected{line.error()};
      auto yes = yes_or_no(*line);
      const auto& option = yes.value_or(false) ? asked.allow : asked.reject;
      if (!yes || option.empty())
        continue;
      auto done = daemon_.post(path() + "/permissions/" + asked.request,
        json_object{}.add("option_id", option).str(), random_id("ctl_"));
      if (!done && done.error().code != errc::unknown_permission)
        return tl::unexpected{done.error()};
      return forget(asked);
    }
  }

  result<void> forget(const question& asked) {
    view_.answered(asked.request);
    return {};
  }

  bool still_open(const question& asked) const {
    auto open = daemon_.get(path() + "/permissions");
    if (!open)
      return true;
    for (size_t i = 0; i < (*open)["permissions"].size(); ++i)
      if ((*open)["permissions"].at(i)["request_id"].text() == asked.request)
        return true;
    return false;
  }

  /// A line of the terminal. `unknown_permission` when nobody waits for it any more, `cancelled` at the end
  /// of the input.
  static result<std::string> read_line(const std::function<bool()>& wanted) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (::isatty(STDIN_FILENO) && ::poll(&input, 1, look_again_ms) == 0)
      if (!wanted()) {
        put("\n");
        return fail(errc::unknown_permission);
      }
    std::string line;
    if (std::getline(std::cin, line))
      return line;
    return fail(errc::cancelled,
      "the agent waits for an approval and nobody answers here; it stays open: go on with --session");
  }

  static constexpr int look_again_ms = 1'000;
  static constexpr std::chrono::milliseconds shortest_pause{200}, longest_pause{5'000};

  std::string path() const { return "/v1/sessions/" + session_; }

  // Without an answer nobody knows whether the prompt was taken: the key makes it safe to send it again. //
  // BR-024
  result<json> send(const std::string& body) {
    constexpr int tries = 12;
    auto key = random_id("ctl_");
    auto pause = shortest_pause;
    for (int i = 1;; ++i) {
      auto answer = daemon_.post(path() + "/prompt", body, key);
      if (answer || answer.error().code != errc::overloaded || i == tries)
        return answer;
      if (i == 1)
        put(view_.note("no answer; trying again"));
      keys_.wait(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }

  // Doubled at each failure in a row, and what the server wishes at least.
  std::chrono::milliseconds next_pause(bool came, std::chrono::milliseconds last) const {
    auto wish = came ? std::chrono::milliseconds{reader_.retry().value_or(0)} : 2 * last;
    return std::clamp(wish, shortest_pause, longest_pause);
  }

  const api& daemon_;
  std::string session_;
  chat_view view_;
  sse_reader reader_;
  interrupts keys_{[this] {
    if (auto done = daemon_.post(path() + "/cancel", "{}"); !done)
      give_up(done.error());
  }};
};

result<std::string> session_of(const api& daemon, const chat_options& options) {
  if (options.session.empty()) {
    auto body = json_object{}.add_if("profile", options.profile).add_if("mode", options.mode).str();
    auto made = daemon.post("/v1/sessions", body, random_id("ctl_"));
    return made.map([](const json& session) { return session["id"].text_or(""); });
  }
  auto found = of_session(daemon.get("/v1/sessions/" + options.session), options.session);
  return found.map([&](const json&) { return options.session; });
}

} // namespace

int chat(const api& daemon, const chat_options& options) {
  auto session = session_of(daemon, options);
  if (!session)
    return give_up(session.error());
  conversation talk{daemon, *session};
  put("session " + *session + " (Ctrl-C cancels a turn, Ctrl-D leaves)\n");
  if (auto shown = talk.catch_up(); !shown)
    return give_up(shown.error());
  bool typed = ::isatty(STDIN_FILENO);
  for (std::string text;;) {
    if (typed)
      put("> ");
    if (!std::getline(std::cin, text))
      break;
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    if (auto done = talk.prompt(text); !done) {
      give_up(done.error());
      if (is_final(done.error()) || !typed)
        return 1;
    }
  }
  if (typed)
    put("\n");
  return 0;
}

} // namespace agentpool::ctl

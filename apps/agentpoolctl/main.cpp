// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/api.hpp"
#include "apps/agentpoolctl/chat.hpp"
#include "apps/agentpoolctl/tables.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace {

using namespace agentpool;
using namespace agentpool::ctl;

int print(const result<std::string>& text) {
  if (!text) {
    std::fprintf(stderr, "agentpoolctl: %s\n", text.error().text().c_str());
    return 1;
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}

using table = std::string (*)(const json& body, const std::string& nothing);

int show(const api& daemon, const std::string& path, const std::string& nothing, bool raw, table as) {
  auto body = daemon.ops_get(path);
  return print(body.map([&](const json& list) { return raw ? list.dump() + "\n" : as(list, nothing); }));
}

int create_device(const api& daemon, const std::string& label) {
  auto made = daemon.ops_post("/ops/v1/devices", json_object{}.add("label", label).str());
  return print(made.map([](const json& device) {
    return "device " + device["id"].text_or("") + "\ntoken " + device["token"].text_or("") +
           "\nThe token is shown this once; the daemon keeps only its hash.\n";
  }));
}

std::string is_id(const std::string& text) {
  auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
  return !text.empty() && std::ranges::all_of(text, fits) ? "" : "'" + text + "' is no session's id";
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Talks to agentpoold: conversations, and a look at what it does"};
  app.set_version_flag("--version", AGENTPOOL_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  std::string data = default_data_dir();
  app.add_option("--data", data, "The daemon's data directory")->capture_default_str();

  chat_options options;
  auto* talk = app.add_subcommand("chat", "Hold a conversation in the terminal");
  talk->add_option("--session", options.session, "Go on with this session")
    ->check(CLI::Validator{is_id, "ID"});
  talk->add_option("--profile", options.profile, "Agent profile of a new session");

  bool raw = false;
  auto* sessions =
    app.add_subcommand("sessions", "Sessions in memory: state, what they wait for, what comes next");
  auto* workers = app.add_subcommand("workers", "Brain processes: pid, session, last lines of stderr");
  auto* hands = app.add_subcommand("hands", "Sandboxes of sessions, and what waits for its deletion");
  auto* status = app.add_subcommand("status", "All actors of the node");
  for (auto* command : {sessions, workers, hands, status})
    command->add_flag("--json", raw, "Print the daemon's answer as it is");

  std::string label;
  auto* devices = app.add_subcommand("devices", "Devices that may use the App API");
  devices->require_subcommand(1);
  auto* create = devices->add_subcommand("create", "Make a device and print its token");
  create->add_option("LABEL", label, "What it is, for people")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  api daemon{data};
  if (*talk)
    return chat(daemon, options);
  if (*sessions)
    return show(daemon, "/ops/v1/sessions", "no session is in memory", raw, actors_table);
  if (*workers)
    return show(daemon, "/ops/v1/workers", "there is no worker", raw, workers_table);
  if (*hands)
    return show(daemon, "/ops/v1/hands", "no session has a sandbox", raw, actors_table);
  if (*status)
    return show(daemon, "/ops/v1/status", "no actor answers", raw, actors_table);
  return create_device(daemon, label);
}

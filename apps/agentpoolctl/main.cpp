// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/api.hpp"
#include "apps/agentpoolctl/chat.hpp"
#include "apps/agentpoolctl/doctor/doctor_command.hpp"
#include "apps/agentpoolctl/provider.hpp"
#include "apps/agentpoolctl/sessions.hpp"
#include "apps/agentpoolctl/tables.hpp"
#include "apps/agentpoolctl/templates.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>

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

int show_provider(const api& daemon) {
  auto status = daemon.ops_get("/ops/v1/status");
  if (!status)
    return print(tl::unexpected{status.error()});
  auto word = provider_of(*status);
  print(word.text + "\n");
  return word.code;
}

/// What the command line says.
struct command_line {
  std::string data = default_data_dir();
  chat_options chat;
  std::string session;
  std::string turn;
  std::string label;
  bool raw = false;
  std::string templates = default_templates();
  std::string recipe = "base";
  std::string tag;
  doctor::doctor_options doctor;
  std::function<int(const api&)> run;
};

void add_conversations(CLI::App& app, command_line& line) {
  auto* talk = app.add_subcommand("chat", "Hold a conversation in the terminal");
  auto* known = talk->add_option("--session", line.chat.session, "Go on with this session")
                  ->check(CLI::Validator{is_id, "ID"});
  talk->add_option("--profile", line.chat.profile, "Agent profile of a new session");
  talk
    ->add_option("--mode", line.chat.mode,
      "Approvals of a new session: ask a person before a tool changes something, allow or deny all")
    ->check(CLI::IsMember({"ask", "allow", "deny"}))
    ->excludes(known);
  talk->callback([&line] { line.run = [&line](const api& daemon) { return chat(daemon, line.chat); }; });

  auto* list = app.add_subcommand("list", "All sessions of the daemon's own device, newest first");
  list->add_flag("--json", line.raw, "Print the daemon's answer as it is");
  list->callback([&line] {
    line.run = [&line](const api& daemon) {
      return print(all_sessions(daemon).map([&](const json& all) {
        return line.raw ? all.dump() + "\n" : sessions_table(all, "this device has no session");
      }));
    };
  });

  auto* erase = app.add_subcommand("delete", "Delete a session with its sandbox, files and events");
  erase->add_option("SESSION", line.session, "Its id")->required()->check(CLI::Validator{is_id, "ID"});
  erase->callback([&line] {
    line.run = [&line](const api& daemon) {
      return print(delete_session(daemon, line.session).map([&] {
        return "session " + line.session + " is deleted\n";
      }));
    };
  });
}

void add_tables(CLI::App& app, command_line& line) {
  struct shown {
    const char *name, *about, *nothing;
    table as;
  };
  for (auto one : {
         shown{"sessions", "Sessions in memory: state, what they wait for, what comes next",
           "no session is in memory", actors_table},
         shown{"workers", "Brain processes: pid, session, last lines of stderr", "there is no worker",
           workers_table},
         shown{"hands", "Sandboxes of sessions, and what waits for its deletion", "no session has a sandbox",
           hands_table},
         shown{"status", "All actors of the node", "no actor answers", actors_table},
       }) {
    auto* command = app.add_subcommand(one.name, one.about);
    command->add_flag("--json", line.raw, "Print the daemon's answer as it is");
    command->callback([&line, one] {
      line.run = [&line, one](const api& daemon) {
        return show(daemon, std::string{"/ops/v1/"} + one.name, one.nothing, line.raw, one.as);
      };
    });
  }
  app.add_subcommand("provider", "Whether the sandbox provider answers; exit code 1 when it fails")
    ->callback([&line] { line.run = show_provider; });
}

void add_trace(CLI::App& app, command_line& line) {
  auto* trace =
    app.add_subcommand("trace", "What tool calls of a session cost, and each call of its sandbox");
  trace->add_option("SESSION", line.session, "Its id")->required()->check(CLI::Validator{is_id, "ID"});
  trace->add_option("TURN", line.turn, "Of this turn only")->check(CLI::Validator{is_id, "ID"});
  trace->add_flag("--json", line.raw, "Print the daemon's answer as it is");
  trace->callback([&line] {
    line.run = [&line](const api& daemon) {
      auto path = "/ops/v1/sessions/" + line.session + "/trace";
      if (!line.turn.empty())
        path += "?turn=" + line.turn;
      return show(daemon, path, "no tool call is remembered", line.raw, trace_table);
    };
  });
}

void add_devices(CLI::App& app, command_line& line) {
  auto* devices = app.add_subcommand("devices", "Devices that may use the App API");
  devices->require_subcommand(1);
  auto* create = devices->add_subcommand("create", "Make a device and print its token");
  create->add_option("LABEL", line.label, "What it is, for people")->required();
  create->callback(
    [&line] { line.run = [&line](const api& daemon) { return create_device(daemon, line.label); }; });
}

void add_templates(CLI::App& app, command_line& line) {
  auto* templates = app.add_subcommand("template", "What sandboxes are made from; docs/templates.md");
  templates->require_subcommand(1);
  templates->fallthrough();
  templates->add_option("--prefix", line.templates, "The folder of the templates")->capture_default_str();
  auto* build = templates->add_subcommand("build", "Make a version from a recipe; it becomes current");
  build->add_option("RECIPE", line.recipe, "A name in conf/templates, or a folder")->capture_default_str();
  build->add_option("--tag", line.tag, "Another name of the version: NAME:TAG");
  build->callback([&line] {
    line.run = [&line](const api&) {
      return print(tl::unexpected{build_template(line.templates, line.recipe, line.tag)});
    };
  });
  templates->add_subcommand("list", "All versions: size, which is current, which is used")->callback([&line] {
    line.run = [&line](const api&) { return print(templates_table(line.templates)); };
  });
  auto* remove = templates->add_subcommand("remove", "Remove a version, or a template that no sandbox uses");
  remove->add_option("NAME[@VERSION]", line.recipe, "The whole template, or one version")->required();
  remove->callback([&line] {
    line.run = [&line](const api&) { return print(remove_templates(line.templates, line.recipe)); };
  });
}

void add_doctor(CLI::App& app, command_line& line) {
  auto* top = app.add_subcommand("doctor", "Examine what the daemon depends on");
  top->require_subcommand(1);
  auto* provider = top->add_subcommand(
    "provider", "Examine a sandbox provider step by step: makes a sandbox, uses it, pauses it, deletes it");
  auto& to = line.doctor;
  auto* config = provider->add_option("--config", to.config, "The daemon's configuration: its [hands]");
  auto add = [&](const char* name, auto& value, const char* about) {
    return provider->add_option(name, value, about)->excludes(config);
  };
  add("--api-url", to.api_url, "Root of the provider's control plane");
  add("--api-key-file", to.api_key_file, "File whose first line is the key");
  add("--profile", to.profile, "e2b, cube, ags or sandboxd")
    ->check(CLI::IsMember({"e2b", "cube", "ags", "sandboxd"}))
    ->capture_default_str();
  add("--sandbox-url", to.sandbox_url, "Where calls into sandboxes go, when not by domain");
  add("--domain", to.domain, "Of the sandboxes' host names");
  add("--ca-file", to.ca_file, "PEM of a private authority");
  add("--template", to.template_id, "What the sandbox is made from")->capture_default_str();
  provider->add_option("--patience", to.patience_s, "Seconds until a call counts as unanswered")
    ->check(CLI::Range(1, 3600))
    ->capture_default_str();
  provider->add_flag("--json", to.as_json, "Print JSON");
  provider->callback([&line] { line.run = [&line](const api&) { return doctor::run_doctor(line.doctor); }; });
}

// A word where a command must stand: the parser itself tells only that a command is missing.
std::string unknown_command(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty())
    at = at->get_subcommands().front();
  auto rest = app.remaining(true);
  auto word = std::ranges::find_if(rest, [](const auto& one) { return !one.starts_with('-'); });
  std::string known;
  for (const auto* one : at->get_subcommands([](const CLI::App*) { return true; }))
    known += (known.empty() ? "" : ", ") + one->get_name();
  if (word == rest.end() || known.empty())
    return {};
  auto whole = at == &app ? *word : at->get_name() + ' ' + *word;
  return "there is no command '" + whole + "'; the known ones are: " + known;
}

int refuse(const CLI::App& app, const CLI::ParseError& error) {
  if (auto text = unknown_command(app); error.get_exit_code() != 0 && !text.empty())
    print(fail(errc::bad_request, text));
  else if (app.exit(error) == 0)
    return 0;
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Talks to agentpoold: conversations, and a look at what it does"};
  app.set_version_flag("--version", AGENTPOOL_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  command_line line;
  app.add_option("--data", line.data, "The daemon's data directory")->capture_default_str();
  add_conversations(app, line);
  add_tables(app, line);
  add_trace(app, line);
  add_devices(app, line);
  add_templates(app, line);
  add_doctor(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  }
  return line.run(api{line.data});
}

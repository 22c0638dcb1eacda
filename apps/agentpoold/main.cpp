// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/daemon.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  agentpool::daemon_options options;
  CLI::App app{
    "agentpoold: lends warm AI agents and sandboxes to conversations, behind one HTTP/SSE gateway"};
  app.add_option("--data", options.data, "directory of sessions, tokens and workers")->required();
  app.add_option("--config", options.config, "configuration; conf/agentpool.toml documents every key");
  app.add_option("--port", options.port, "port of the gateway, 0 = any free one")
    ->check(CLI::Range(0, 65535));
  app.add_option("--dsh-prefix", options.dsh_prefix, "where scripts/install-dsh put dsh and Node");
  app.add_option("--world-plugin", options.world_plugin, "the plugin package dsh-world");
  app.add_option("--dsh-profile", options.dsh_profile, "dsh's locked profile, conf/dsh/profile");
  app.add_option("--demo-model-url", options.demo_model_url, "only noted in endpoints.json");
  app.add_option("--demo-model-pid", options.demo_model_pid, "only noted in endpoints.json");
  app.add_option("--hands-url", options.hands_url, "sandbox provider, in place of hands.url");
  app.add_option(
    "--hands-api-key-file", options.hands_api_key_file, "its key, in place of hands.api_key_file");
  app.add_option("--sandboxd-pid", options.sandboxd_pid, "only noted in endpoints.json");
  app.add_flag("--check", options.check_only, "only says whether the configuration can be used");
  app.set_version_flag("--version", AGENTPOOL_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return agentpool::run_daemon(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "agentpoold: %s\n", error.what());
    return 1;
  }
}

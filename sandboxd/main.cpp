// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/address.hpp"
#include "sandboxd/guard.hpp"
#include "sandboxd/limits.hpp"
#include "sandboxd/preflight.hpp"
#include "sandboxd/service.hpp"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace {

using namespace agentpool::sandboxd;

std::string size_text(uint64_t bytes) {
  bool whole = bytes % (1ull << 30) == 0;
  return std::to_string(bytes >> (whole ? 30 : 20)) + (whole ? "GiB" : "MiB");
}

void declare(CLI::App& app, options& out) {
  static const std::map<std::string, network_mode> modes{
    {"nat", network_mode::nat}, {"none", network_mode::none}};
  auto size = [&](const char* name, uint64_t& bytes, const char* says) {
    app.add_option(name, bytes, says)->transform(CLI::AsSizeValue(false))->default_str(size_text(bytes));
  };
  app.option_defaults()->always_capture_default();
  app.add_option("--data", out.data, "directory of the sandboxes")->required();
  app.add_option("--address", out.address, "address to serve on");
  app.add_option("--port", out.port, "port to serve on, 0 = any free one")->check(CLI::Range(0, 65535));
  app.add_option("--domain", out.domain, "domain of the host names of sandboxes, <port>-<id>.DOMAIN")
    ->check(CLI::Validator{
      [](const std::string& text) { return good_domain(text) ? std::string{} : "no domain name: " + text; },
      "NAME"});
  app
    .add_option("--api-key-file", out.api_key_file,
      "file with the API key, or with teams and their limits; made when it is missing")
    ->default_str("DATA/api-key");
  app.add_option(
    "--templates", out.templates, "directory of the templates that scripts/build-template makes");
  app.add_option("--envd", out.envd, "the static envd program");
  app.add_option("--conf", out.conf, "directory with runtime.json and seccomp.json");
  app.add_option("--runtime", out.runtime, "OCI runtime that isolates: runc, crun, runsc or a path");
  app.add_option("--runc", out.runtime, "the same, by its old name");
  app.add_option("--network", out.network, "network of the sandboxes: nat or none")
    ->transform(CLI::CheckedTransformer(modes))
    ->default_str("nat");
  auto mirror = [&](const char* name, const char* variable, std::string& url, const char* says) {
    app.add_option(name, url, says)->envname(variable);
  };
  mirror("--pip-mirror", "AGENTPOOL_PIP_MIRROR", out.sources.pip, "index that pip of new sandboxes uses");
  mirror("--npm-mirror", "AGENTPOOL_NPM_MIRROR", out.sources.npm, "registry that npm of new sandboxes uses");
  mirror("--apt-mirror", "AGENTPOOL_APT_MIRROR", out.sources.apt, "Debian archive of new sandboxes");
  mirror("--apt-security-mirror", "AGENTPOOL_APT_SECURITY_MIRROR", out.sources.apt_security,
    "Debian security archive of new sandboxes");
  size("--memory", out.limits.memory_bytes, "memory of one sandbox");
  size("--disk", out.limits.disk_bytes, "disk of one sandbox");
  size("--disk-reserve", out.disk_reserve, "free space of DATA's disk below which no sandbox is made");
  app.add_option("--processes", out.limits.processes, "processes of one sandbox")
    ->check(CLI::Range(limits::least_processes, int64_t{100'000}));
  app.add_option("--cpus", out.limits.cpus, "CPUs of one sandbox")->check(CLI::Range(1, 1024));
  app.add_option("--sandboxes", out.sandboxes, "sandboxes running at once");
  app.add_flag("--check", out.check_only, "only says whether sandboxes can be isolated on this machine");
  app.set_version_flag("--version", AGENTPOOL_VERSION);
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "sandboxd: %s\n", why.c_str());
  return 3;
}

int guarded_main(const options& wanted, int will) {
  if (auto good = check_isolation(wanted); !good)
    return refuse(good.error().text());
  return wanted.check_only ? 0 : run_service(wanted, will);
}

} // namespace

/// Exit status: 0 orderly end, 1 cannot serve, 2 wrong command line, 3 sandboxes cannot be isolated here.
int main(int argc, char** argv) {
  options wanted;
  CLI::App app{"sandboxd: local sandboxes behind the public E2B API"};
  declare(app, wanted);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    wanted.data = std::filesystem::absolute(wanted.data).lexically_normal().string();
    if (wanted.api_key_file.empty())
      wanted.api_key_file = wanted.data + "/api-key";
    if (auto root = check_root(); !root)
      return refuse(root.error().text());
    std::filesystem::create_directories(wanted.data);
    auto status = run_guarded([&](int will) { return guarded_main(wanted, will); }, release_groups);
    if (status < 0)
      return refuse(std::string{"no namespaces of its own: "} + std::strerror(errno));
    ::_exit(
      status); // the namespace of its children has ended: a sanitizer could not start its check any more
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}

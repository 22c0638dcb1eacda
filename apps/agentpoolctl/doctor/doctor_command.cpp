// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/doctor_command.hpp"

#include "apps/agentpoolctl/doctor/provider_doctor.hpp"
#include "apps/agentpoold/config.hpp"

#include <csignal>
#include <cstdio>
#include <fstream>

namespace agentpool::ctl::doctor {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free); // it is set by a signal's handler

void on_signal(int) {
  stop = true;
}

result<doctor_options> with_config(doctor_options options) {
  if (options.config.empty())
    return options;
  auto config = load_config(options.config);
  if (!config)
    return fail(errc::bad_request, config.error().front());
  const auto& hands = config->hands;
  if (!hands.enabled())
    return fail(errc::bad_request, options.config + " names no provider: hands.provider is \"none\"");
  options.profile = hands.provider;
  options.api_url = hands.url;
  options.api_key_file = hands.api_key_file;
  options.domain = hands.domain;
  options.template_id = hands.template_id;
  options.sandbox_url = config->provider.sandbox_url;
  options.ca_file = config->provider.ca_file;
  return options;
}

} // namespace

result<settings> settings_of(const doctor_options& given) {
  auto options = with_config(given);
  if (!options)
    return tl::unexpected{options.error()};
  if (!options->api_url.starts_with("http://") && !options->api_url.starts_with("https://"))
    return fail(errc::bad_request,
      "name the provider by --config FILE, or by --api-url http://… and --api-key-file FILE");
  settings out;
  std::ifstream file{options->api_key_file};
  if (!std::getline(file, out.provider.api_key) || out.provider.api_key.empty())
    return fail(errc::bad_request, "no key in the first line of '" + options->api_key_file + "'");
  out.provider.kind = net::find_profile(options->profile);
  if (out.provider.kind == nullptr)
    return fail(errc::bad_request, "there is no profile '" + options->profile + "'");
  out.provider.api_url = options->api_url;
  out.provider.sandbox_url = options->sandbox_url;
  out.provider.domain = options->domain;
  out.provider.http.ca_file = options->ca_file;
  out.template_id = options->template_id;
  out.patience = std::chrono::seconds{options->patience_s};
  return out;
}

int run_doctor(const doctor_options& options) {
  auto what = settings_of(options);
  if (!what) {
    std::fprintf(stderr, "agentpoolctl: %s\n", what.error().text().c_str());
    return 2;
  }
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  auto found = examine(std::move(*what), stop);
  auto text = options.as_json ? as_json(found) : as_text(found);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_code(found);
}

} // namespace agentpool::ctl::doctor

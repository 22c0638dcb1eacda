// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/logging.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace agentpool {

result<void> open_log(const log_config& config) try {
  spdlog::sink_ptr sink;
  if (config.file.empty())
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  else
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(config.file);
  auto level = spdlog::level::from_str(config.level);
  for (auto area : {"net", "session", "worker", "store", "cluster", "ops"}) {
    auto logger = std::make_shared<spdlog::logger>(area, sink);
    spdlog::register_logger(logger);
  }
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("daemon", sink));
  spdlog::set_level(level);
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l [%n] %v");
  spdlog::flush_on(spdlog::level::warn);
  spdlog::flush_every(std::chrono::seconds{1});
  return {};
} catch (const spdlog::spdlog_ex& error) {
  return fail(errc::internal, std::string{"cannot write the log: "} + error.what() + "; change log.file");
}

} // namespace agentpool

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/usage.hpp"

#include "sandboxd/files.hpp"

#include <algorithm>
#include <charconv>
#include <sys/statvfs.h>

namespace agentpool::sandboxd {

namespace {

std::optional<uint64_t> number(std::string_view text) {
  uint64_t out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} ? std::optional{out} : std::nullopt;
}

// The number behind `key ` at the begin of a line.
std::optional<uint64_t> line_of(std::string_view text, std::string_view key) {
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    auto line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return number(line.substr(key.size() + 1));
    if (text.find('\n', at) == std::string_view::npos)
      break;
  }
  return std::nullopt;
}

std::string file(const std::string& folder, const char* name) {
  return read_whole(folder + "/" + name).value_or("");
}

std::optional<std::chrono::nanoseconds> cpu_of(const std::string& place, const std::string& root) {
  if (auto ns = number(file(root + "/cpuacct" + place, "cpuacct.usage")))
    return std::chrono::nanoseconds{*ns};
  if (auto us = line_of(file(root + place, "cpu.stat"), "usage_usec"))
    return std::chrono::microseconds{*us};
  return std::nullopt;
}

bool read_memory(const std::string& place, const std::string& root, usage& out) {
  auto all = number(file(root + "/memory" + place, "memory.usage_in_bytes"));
  auto cache = line_of(file(root + "/memory" + place, "memory.stat"), "total_cache");
  if (!all) {
    all = number(file(root + place, "memory.current"));
    cache = line_of(file(root + place, "memory.stat"), "file");
  }
  out.cache = std::min(cache.value_or(0), all.value_or(0));
  out.memory = all.value_or(0) - out.cache;
  return all.has_value();
}

} // namespace

std::optional<usage> read_usage(const std::string& place, const std::string& disk, const std::string& root) {
  usage out;
  auto cpu = cpu_of(place, root);
  struct statvfs space {};
  if (!cpu || !read_memory(place, root, out) || ::statvfs(disk.c_str(), &space) != 0)
    return std::nullopt;
  out.cpu = *cpu;
  out.disk_total = space.f_blocks * space.f_frsize;
  out.disk_used = (space.f_blocks - space.f_bfree) * space.f_frsize;
  return out;
}

} // namespace agentpool::sandboxd

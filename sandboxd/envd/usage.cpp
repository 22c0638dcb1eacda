// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/usage.hpp"

#include "protocol/wire/json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/statvfs.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

constexpr std::string_view group = "/sys/fs/cgroup/";

std::ifstream open(const std::string& root, std::string_view name) {
  return std::ifstream{root + std::string{name}};
}

std::optional<uint64_t> number_in(const std::string& root, std::string_view name) {
  uint64_t out = 0;
  auto file = open(root, std::string{group} + std::string{name});
  return file >> out ? std::optional{out} : std::nullopt; // `max` is no number
}

// The number behind a name, as in cpu.stat and /proc/meminfo.
std::optional<uint64_t> named_number(const std::string& root, std::string_view file, std::string_view name) {
  auto text = open(root, file);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words{line};
    std::string key;
    uint64_t out = 0;
    if (words >> key && key == name && words >> out)
      return out;
  }
  return std::nullopt;
}

double cpu_seconds(const std::string& root) {
  if (auto used = named_number(root, "/sys/fs/cgroup/cpu.stat", "usage_usec"))
    return static_cast<double>(*used) / 1e6;
  auto text = open(root, "/proc/stat");
  std::string name;
  uint64_t user = 0, nice = 0, system = 0;
  text >> name >> user >> nice >> system;
  return static_cast<double>(user + nice + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

uint64_t cpus(const std::string& root) {
  auto all = static_cast<uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  uint64_t quota = 0, period = 0;
  auto text = open(root, "/sys/fs/cgroup/cpu.max");
  if (!(text >> quota >> period) || period == 0)
    return all;
  return std::clamp<uint64_t>((quota + period - 1) / period, 1, all);
}

void read_memory(const std::string& root, usage& out) {
  auto machine = [&](std::string_view name) {
    return named_number(root, "/proc/meminfo", name).value_or(0) * 1024;
  };
  auto used = number_in(root, "memory.current");
  out.memory = machine("MemTotal:");
  if (!used) {
    out.cache = machine("Cached:");
    out.memory_used = out.memory - std::min(out.memory, machine("MemAvailable:"));
    return;
  }
  out.memory = std::min(out.memory, number_in(root, "memory.max").value_or(out.memory));
  out.cache = named_number(root, "/sys/fs/cgroup/memory.stat", "file").value_or(0);
  out.memory_used = *used - std::min(*used, out.cache);
}

std::string rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

} // namespace

usage_reader::usage_reader(std::string root)
    : root_(std::move(root)), cpu_seconds_(cpu_seconds(root_)), since_(clock::now()) {}

usage usage_reader::read() {
  usage out;
  out.time = std::time(nullptr);
  out.cpus = cpus(root_);
  auto now = clock::now();
  auto seconds = cpu_seconds(root_);
  auto elapsed = std::chrono::duration<double>(now - since_).count() * static_cast<double>(out.cpus);
  if (elapsed > 0)
    out.cpu_percent = std::clamp((seconds - cpu_seconds_) / elapsed * 100, 0.0, 100.0);
  cpu_seconds_ = seconds;
  since_ = now;
  read_memory(root_, out);
  struct statvfs disk {};
  if (::statvfs("/", &disk) == 0) {
    out.disk = disk.f_blocks * disk.f_frsize;
    out.disk_used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize;
  }
  return out;
}

std::string to_json(const usage& x) {
  json_object out;
  out.add("ts", x.time).add("cpu_count", x.cpus).add_raw("cpu_used_pct", rounded(x.cpu_percent));
  out.add("mem_total", x.memory).add("mem_used", x.memory_used).add("mem_cache", x.cache);
  out.add("mem_total_mib", x.memory >> 20).add("mem_used_mib", x.memory_used >> 20);
  out.add("disk_used", x.disk_used).add("disk_total", x.disk);
  return out.str();
}

} // namespace agentpool::envd

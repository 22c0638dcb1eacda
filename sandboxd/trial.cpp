// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/trial.hpp"

#include "protocol/wire/ids.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/control_groups.hpp"
#include "sandboxd/isolation/disk.hpp"
#include "sandboxd/templates/store.hpp"

#include <filesystem>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t trial_disk = 32ull << 20;
constexpr uint32_t trial_first_id = 0x20000000;

result<boot> trial_boot(const options& wanted, const std::string& folder, const oci_runtime& runtime) {
  auto base = template_store{wanted.templates}.find({"base", {}});
  if (!base)
    return tl::unexpected{base.error()};
  boot what;
  what.id = "trial" + random_token("").substr(0, 12);
  what.folder = folder;
  what.template_root = base->root();
  what.first_id = runtime.first_id(trial_first_id);
  what.limits = wanted.limits;
  what.network = network_mode::none;
  what.init = "{}";
  return what;
}

result<void> boot_once(const options& wanted, const std::string& folder) {
  auto paths = read_runtime(wanted);
  auto groups = own_groups::make("/agentpool");
  if (!paths || !groups)
    return tl::unexpected{(paths ? groups.error() : paths.error())};
  paths->state = folder + "/state";
  paths->envd = folder + "/envd";
  paths->cgroup_parent = groups->place();
  fs::create_directories(paths->state);
  fs::copy_file(wanted.envd, paths->envd);
  ::chmod(paths->envd.c_str(), 0755);
  auto what = trial_boot(wanted, folder, paths->runtime);
  auto run = what.and_then([&](const boot& one) {
    return make_disk(folder + "/disk.img", trial_disk, one.first_id).and_then([&] {
      return start_sandbox(*paths, one);
    });
  });
  if (!run)
    return fail(errc::unsupported, paths->runtime.name + " cannot run a sandbox on this machine: " +
                                     run.error().text() + "; repair that, or choose runc with --runtime");
  stop_sandbox(*paths, what->id, folder, std::move(*run));
  return {};
}

} // namespace

result<runtime_paths> read_runtime(const options& wanted) {
  auto runtime = inspect_runtime(wanted.runtime);
  if (!runtime)
    return tl::unexpected{runtime.error()};
  auto config = read_whole(wanted.conf + (runtime->gvisor ? "/gvisor.json" : "/runtime.json"));
  auto seccomp = read_whole(wanted.conf + "/seccomp.json");
  if (!config || !seccomp)
    return tl::unexpected{(config ? seccomp : config).error()};
  runtime_paths out;
  out.runtime = std::move(*runtime);
  out.runtime_json = std::move(*config);
  out.seccomp_json = std::move(*seccomp);
  return out;
}

result<void> try_runtime(const options& wanted) {
  auto folder = wanted.data + "/trial-" + random_token("").substr(0, 12);
  std::error_code error;
  fs::create_directories(folder, error);
  ::chmod(wanted.data.c_str(), 0711); // the sandbox's ids pass through
  ::chmod(folder.c_str(), 0711);
  auto done = boot_once(wanted, folder);
  fs::remove_all(folder, error);
  return done;
}

} // namespace agentpool::sandboxd

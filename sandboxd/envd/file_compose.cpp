// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_compose.hpp"

#include "sandboxd/envd/directories.hpp"
#include "sandboxd/envd/entry.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/paths.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

constexpr size_t copy_step = 16 << 20;

tl::unexpected<plain_error> fail(int status, std::string message) {
  return tl::unexpected<plain_error>{plain_error{status, std::move(message)}};
}

struct composition {
  std::vector<std::string> sources;
  std::string destination;
};

plain<std::string> expanded(const file_caller& caller, const std::string& given) {
  auto path = expand_path(given, caller.who, caller.workdir);
  if (path)
    return *path;
  return fail(400, "error expanding and resolving path '" + given + "': " + path.error().message);
}

plain<composition> read_paths(const file_caller& caller, const compose_request& what) {
  if (what.sources.empty())
    return fail(400, "source_paths must not be empty");
  if (what.sources.size() > limits::compose_sources)
    return fail(400, "more than " + std::to_string(limits::compose_sources) + " source_paths");
  if (what.destination.empty())
    return fail(400, "destination is required");
  auto destination = expanded(caller, what.destination);
  if (!destination)
    return tl::unexpected<plain_error>{destination.error()};
  composition out{{}, *destination};
  for (const auto& one : what.sources) {
    auto path = expanded(caller, one);
    if (!path)
      return tl::unexpected<plain_error>{path.error()};
    if (clean_path(*path) == clean_path(out.destination))
      return fail(400, "destination '" + out.destination + "' must not be one of the source paths");
    out.sources.push_back(std::move(*path));
  }
  return out;
}

// Looks at all before a byte is copied.
plain<void> check_sources(const std::vector<std::string>& sources) {
  for (const auto& path : sources) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0)
      return fail(errno == ENOENT ? 404 : 500,
        errno == ENOENT ? "source path '" + path + "' does not exist"
                        : "error opening source path '" + path + "': " + system_words(errno));
    if (!S_ISREG(found.st_mode))
      return fail(400, "source path '" + path + "' is not a regular file");
  }
  return {};
}

plain<void> append(int to, const std::string& path) {
  auto source = download::open(path);
  if (!source)
    return tl::unexpected<plain_error>{source.error()};
  for (;;) {
    auto copied = ::sendfile(to, source->file.get(), nullptr, copy_step);
    if (copied == 0)
      return {};
    if (copied < 0 && errno != EINTR)
      return write_fault("error writing '" + path + "' to the destination", errno);
  }
}

// A file beside the destination until `keep`.
struct draft {
  std::string path;
  net::unique_fd file;

  ~draft() {
    if (!path.empty())
      ::unlink(path.c_str());
  }
  plain<void> fill(const composition& what, const user& owner) {
    for (const auto& one : what.sources)
      if (auto outcome = append(file.get(), one); !outcome)
        return outcome;
    if (::fchmod(file.get(), 0644) != 0 ||
        (::geteuid() == 0 && ::fchown(file.get(), owner.uid, owner.gid) != 0))
      return write_fault("error changing owner of '" + what.destination + "'", errno);
    return {};
  }
  plain<void> keep(const std::string& destination) {
    if (::rename(path.c_str(), destination.c_str()) != 0)
      return write_fault("error renaming to '" + destination + "'", errno);
    path.clear();
    return {};
  }
};

plain<void> write(const composition& what, const user& owner) {
  struct stat found {};
  if (::stat(what.destination.c_str(), &found) == 0 && S_ISDIR(found.st_mode))
    return fail(400, "path is a directory: " + what.destination);
  if (auto error = make_directories(parent_path(what.destination), owner); error != 0)
    return write_fault("error ensuring directories of '" + what.destination + "'", error);
  draft next{clean_path(what.destination) + ".XXXXXX", {}};
  next.file.reset(::mkostemp(next.path.data(), O_CLOEXEC));
  if (!next.file) {
    next.path.clear();
    return write_fault("error opening file '" + what.destination + "'", errno);
  }
  if (auto outcome = next.fill(what, owner); !outcome)
    return outcome;
  return next.keep(what.destination);
}

} // namespace

plain<written_file> compose_files(const file_caller& caller, const compose_request& what) {
  auto paths = read_paths(caller, what);
  if (!paths)
    return tl::unexpected<plain_error>{paths.error()};
  auto outcome = check_sources(paths->sources);
  if (outcome)
    outcome = write(*paths, caller.who);
  if (!outcome)
    return tl::unexpected<plain_error>{outcome.error()};
  for (const auto& one : paths->sources)
    ::unlink(one.c_str());
  return written_file{paths->destination, base_name(paths->destination), {}};
}

} // namespace agentpool::envd

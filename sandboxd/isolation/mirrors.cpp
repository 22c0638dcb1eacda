// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/mirrors.hpp"

#include "sandboxd/isolation/tool.hpp"
#include "sandboxd/isolation/user_files.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace {

bool is_url(const std::string& text) {
  return (text.starts_with("http://") || text.starts_with("https://")) &&
         std::all_of(
           text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7f && c != '"'; });
}

// All folders of `path`, made where they are missing.
result<unique_fd> open_folder(int root, const std::string& path, uint32_t owner) {
  unique_fd at;
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    auto part = path.substr(0, end);
    auto next = open_inside(root, part, O_RDONLY | O_DIRECTORY);
    if (!next && errno == ENOENT) {
      auto above = at ? at.get() : root;
      auto name = part.substr(part.rfind('/') + 1);
      if (::mkdirat(above, name.c_str(), 0755) == 0 && ::fchownat(above, name.c_str(), owner, owner, 0) == 0)
        next = open_inside(root, part, O_RDONLY | O_DIRECTORY);
    }
    if (!next)
      return system_failure("cannot make /" + part + " of the sandbox");
    at = std::move(next);
  }
  return at;
}

result<void> put(int root, const std::string& path, const std::string& text, uint32_t owner) {
  auto slash = path.rfind('/');
  auto folder = open_folder(root, path.substr(0, slash), owner);
  if (!folder)
    return tl::unexpected{folder.error()};
  auto name = path.substr(slash + 1);
  ::unlinkat(folder->get(), name.c_str(), 0); // the template's own, which may be a link
  unique_fd file{::openat(folder->get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  if (!file || ::fchown(file.get(), owner, owner) != 0 ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return system_failure("cannot write /" + path + " of the sandbox");
  return {};
}

} // namespace

std::map<std::string, std::string> mirror_files(const mirrors& given) {
  std::map<std::string, std::string> out;
  if (!given.pip.empty()) // pip reads /etc/pip.conf, which the template may have, beside it
    out["etc/xdg/pip/pip.conf"] = "[global]\nindex-url = " + given.pip + "\n";
  if (!given.npm.empty())
    out["etc/npmrc"] = "registry=" + given.npm + "\n";
  if (given.apt.empty())
    return out;
  auto& list = out["etc/apt/sources.list"];
  for (const std::string suite : {"bookworm", "bookworm-updates"})
    list += "deb " + given.apt + " " + suite + " main\n";
  if (!given.apt_security.empty())
    list += "deb " + given.apt_security + " bookworm-security main\n";
  return out;
}

result<void> check_mirrors(const mirrors& given) {
  for (const auto* url : {&given.pip, &given.npm, &given.apt, &given.apt_security})
    if (!url->empty() && !is_url(*url))
      return fail(errc::bad_request, "a mirror is an http or https URL, not '" + *url + "'");
  if (given.apt.empty() && !given.apt_security.empty())
    return fail(errc::bad_request, "--apt-security-mirror needs --apt-mirror too");
  return {};
}

result<void> write_mirrors(const std::string& root, const mirrors& given, uint32_t owner) {
  unique_fd top{::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!top)
    return system_failure("cannot open " + root);
  for (const auto& [path, text] : mirror_files(given))
    if (auto done = put(top.get(), path, text, owner); !done)
      return done;
  return {};
}

} // namespace agentpool::sandboxd

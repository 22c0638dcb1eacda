// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/signed_url.hpp"

#include "net/equal_secrets.hpp"
#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/e2b_signature.hpp"
#include "sandboxd/limits.hpp"

namespace agentpool::sandboxd {

namespace {

std::string decoded(std::string_view text) {
  return e2b::url_decode(text, true).value_or(std::string{text});
}

// As envd reads them: of each name the first one counts.
void read_parameter(std::string_view name, std::string_view value, std::map<std::string, std::string>& out) {
  out.emplace(decoded(name), decoded(value));
}

std::map<std::string, std::string> parameters_of(std::string_view query) {
  std::map<std::string, std::string> out;
  while (!query.empty()) {
    auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    auto mark = part.find('=');
    read_parameter(
      part.substr(0, mark), mark == std::string_view::npos ? std::string_view{} : part.substr(mark + 1), out);
  }
  return out;
}

} // namespace

std::optional<signed_url> parse_signed_url(std::string_view target) {
  constexpr std::string_view path = "/files?";
  if (!target.starts_with(path))
    return std::nullopt;
  auto all = parameters_of(target.substr(path.size()));
  if (!all.contains("signature"))
    return std::nullopt;
  signed_url out{all["path"], all["username"], all["signature"], {}};
  if (auto end = all.find("signature_expiration"); end != all.end())
    out.expiration = end->second;
  return out;
}

std::shared_ptr<sandbox_entry> sandbox_of(
  const signed_url& url, std::string_view method, const sandboxes& all) {
  auto operation = method == "POST" ? "write" : "read";
  size_t tries = 0;
  for (const auto& entry : all.known()) {
    const auto& token = entry->record.access_token;
    if (token.empty())
      continue;
    if (++tries > limits::signature_tries)
      break;
    auto expected = e2b::file_signature(url.path, operation, url.user, token, url.expiration);
    if (net::equal_secrets(url.signature, expected))
      return entry;
  }
  return nullptr;
}

} // namespace agentpool::sandboxd

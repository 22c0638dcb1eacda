// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b.hpp"
#include "protocol/wire/e2b_body.hpp"
#include "protocol/wire/environment.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool::e2b {

namespace {

constexpr int64_t longest_refresh = 3600;

// The readers leave `out` as it is when the member is absent or null.
result<void> read(const json& body, std::string_view name, std::string& out) {
  auto value = body[name];
  if (absent(value))
    return {};
  if (!value.text())
    return invalid(name, "a string");
  out = *value.text();
  return {};
}

result<void> read(const json& body, std::string_view name, bool& out) {
  auto value = body[name];
  if (absent(value))
    return {};
  if (!value.boolean())
    return invalid(name, "a boolean");
  out = *value.boolean();
  return {};
}

result<void> read(const json& body, std::string_view name, std::optional<bool>& out) {
  bool flag = false;
  auto good = read(body, name, flag);
  if (good && !absent(body[name]))
    out = flag;
  return good;
}

result<void> read(const json& body, std::string_view name, std::optional<int64_t>& out) {
  auto value = body[name];
  if (absent(value))
    return {};
  if (!value.integer())
    return invalid(name, "an integer");
  out = value.integer();
  return {};
}

result<void> read(const json& body, std::string_view name, string_map& out) {
  auto value = body[name];
  if (absent(value))
    return {};
  if (!value.is_object())
    return invalid(name, "an object of strings");
  for (const auto& key : value.keys()) {
    auto text = value[key].text();
    if (!text)
      return invalid(std::string{name} + "." + key, "a string");
    out[key] = *text;
  }
  return {};
}

result<void> read_env_vars(const json& body, string_map& out) {
  if (auto good = read(body, "envVars", out); !good)
    return good;
  for (const auto& [name, value] : out)
    if (auto fault = environment_fault(name, value); !fault.empty())
      return fail(errc::bad_request,
        "validation error: envVars: the variable '" + printable(name, 100) + "' " + std::string{fault});
  return {};
}

result<void> read_auto_resume(const json& body, bool& out) {
  auto value = body["autoResume"];
  if (absent(value))
    return {};
  if (!value.is_object() || !value["enabled"].boolean())
    return invalid("autoResume", "an object with the boolean enabled");
  out = *value["enabled"].boolean();
  return {};
}

// Members that ask for nothing (null, {}, []) are no request.
std::vector<std::string> find_unsupported(const json& body) {
  std::vector<std::string> found;
  for (std::string_view name : {"volumeMounts", "iam"})
    if (auto value = body[name];
        !absent(value) && !((value.is_object() || value.is_array()) && !value.size()))
      found.emplace_back(name);
  return found;
}

result<void> read_network_member(const json& body, new_sandbox& out) {
  auto network = read_network(body["network"], out.allow_internet_access);
  if (!network)
    return tl::unexpected{network.error()};
  out.network = std::move(*network);
  return {};
}

result<void> check_lifecycle(const new_sandbox& request) {
  if (!request.auto_pause_memory && !request.auto_pause)
    return fail(errc::bad_request, "autoPauseMemory can only be false when autoPause is true");
  if (!request.auto_pause_memory && request.auto_resume)
    return fail(errc::bad_request, "autoResume needs autoPauseMemory");
  return {};
}

} // namespace

result<new_sandbox> parse_new_sandbox(std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  const auto& members = *parsed;
  new_sandbox out;
  auto good = read(members, "templateID", out.template_id)
                .and_then([&] { return read(members, "timeout", out.timeout); })
                .and_then([&] { return read(members, "secure", out.secure); })
                .and_then([&] { return read(members, "autoPause", out.auto_pause); })
                .and_then([&] { return read(members, "autoPauseMemory", out.auto_pause_memory); })
                .and_then([&] { return read_auto_resume(members, out.auto_resume); })
                .and_then([&] { return read(members, "allow_internet_access", out.allow_internet_access); })
                .and_then([&] { return read_network_member(members, out); })
                .and_then([&] { return read(members, "metadata", out.metadata); })
                .and_then([&] { return read_env_vars(members, out.env_vars); });
  if (!good)
    return tl::unexpected{good.error()};
  if (out.template_id.empty())
    return invalid("templateID", "a string that is not empty");
  if (out.timeout && *out.timeout <= 0)
    return fail(errc::bad_request, "Timeout must be greater than 0");
  if (good = check_lifecycle(out); !good)
    return tl::unexpected{good.error()};
  out.unsupported = find_unsupported(members);
  if (out.network)
    for (const auto& name : out.network->unsupported)
      out.unsupported.push_back("network." + name);
  return out;
}

result<connect_request> parse_connect(std::string_view body, api version) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  connect_request out;
  auto good =
    read(*parsed, "timeout", out.timeout).and_then([&] { return read(*parsed, "memory", out.memory); });
  if (!good)
    return tl::unexpected{good.error()};
  if (version == api::v1 && !out.timeout)
    return invalid("timeout", "given");
  if (out.timeout && *out.timeout < 0)
    return fail(errc::bad_request, "Timeout must be greater than 0");
  return out;
}

result<int64_t> parse_timeout(std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  auto seconds = (*parsed)["timeout"].integer();
  if (!seconds)
    return invalid("timeout", "an integer");
  return std::max<int64_t>(*seconds, 0);
}

result<int64_t> parse_refresh(std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  std::optional<int64_t> duration;
  if (auto good = read(*parsed, "duration", duration); !good)
    return tl::unexpected{good.error()};
  auto seconds = duration.value_or(0);
  if (seconds < 0 || seconds > longest_refresh)
    return invalid("duration", "between 0 and 3600");
  return seconds;
}

result<bool> parse_pause(std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  bool memory = true;
  if (auto good = read(*parsed, "memory", memory); !good)
    return tl::unexpected{good.error()};
  return memory;
}

} // namespace agentpool::e2b

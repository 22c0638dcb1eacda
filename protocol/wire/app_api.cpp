// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/app_api.hpp"

#include "protocol/wire/json_text.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <array>

namespace agentpool {

namespace {

constexpr size_t title_characters = 200;
constexpr size_t metadata_bytes = 16 * 1024;
constexpr size_t shown_bytes = 100; // of a member's name that is told back

// Of a member that is there twice another reader may take the other one. // RFC 8259, section 4
result<json> parse_object(std::string_view body) {
  auto parsed = json::parse(body.empty() ? "{}" : body);
  if (!parsed)
    return parsed;
  if (!parsed->is_object())
    return fail(errc::bad_json);
  if (auto name = parsed->repeated_name())
    return fail(
      errc::bad_request, "The member '" + printable(*name, shown_bytes) + "' is given twice; give it once.");
  return parsed;
}

result<void> check_members(const json& body, std::initializer_list<std::string_view> known) {
  for (const auto& name : body.keys()) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string names;
    for (auto one : known)
      names.append(names.empty() ? "" : ", ").append(one);
    return fail(
      errc::bad_request, "The member '" + printable(name, shown_bytes) + "' is unknown; " +
                           (names.empty() ? "this body has none." : "the known ones are: " + names + "."));
  }
  return {};
}

tl::unexpected<failure> wrong(std::string_view member, std::string_view rule) {
  return fail(
    errc::bad_request, "The member '" + std::string{member} + "' must be " + std::string{rule} + ".");
}

// Leaves `out` as it is when the member does not exist.
result<void> read_text(const json& body, std::string_view member, std::string& out) {
  auto value = body[member];
  if (value.missing())
    return {};
  if (!value.text())
    return wrong(member, "a string");
  out = *value.text();
  return {};
}

result<void> check(const create_request& request) {
  static constexpr std::array<std::string_view, 4> modes{"", "allow", "ask", "deny"};
  if (utf8_characters(request.title) > title_characters)
    return wrong("title", "at most 200 characters long");
  if (std::find(modes.begin(), modes.end(), request.mode) == modes.end())
    return wrong("mode", "'allow', 'ask' or 'deny'");
  if (request.metadata.size() > metadata_bytes)
    return wrong("metadata", "at most 16 KiB of JSON");
  return {};
}

std::string text_block(std::string_view text) {
  return json_object{}.add("type", "text").add("text", text).str();
}

result<void> check_block(const json& block, const std::string& name) {
  auto type = block["type"].text();
  if (!block.is_object() || !type)
    return wrong(name, "a content block, an object with a type");
  if (*type == "text")
    return block["text"].text_or("").empty() ? wrong(name + ".text", "a string that is not empty")
                                             : result<void>{};
  if (*type != "resource_link")
    return fail(errc::unsupported,
      "A content block of type " + json_quote(*type) + " is not served yet; send text or resource_link.");
  for (std::string_view member : {"uri", "name"})
    if (block[member].text_or("").empty())
      return wrong(name + "." + std::string{member}, "a string that is not empty");
  return {};
}

result<prompt_request> parse_blocks(const json& blocks) {
  if (!blocks.is_array() || blocks.size() == 0)
    return wrong("prompt", "an array of content blocks that is not empty");
  for (size_t i = 0; i < blocks.size(); ++i)
    if (auto good = check_block(blocks.at(i), "prompt[" + std::to_string(i) + "]"); !good)
      return tl::unexpected{good.error()};
  return prompt_request{blocks.dump()};
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  append_json_string(out, value);
}

} // namespace

result<json> parse_body(std::string_view body, std::initializer_list<std::string_view> known) {
  return parse_object(body).and_then([&](const json& parsed) -> result<json> {
    auto good = check_members(parsed, known);
    return good ? result<json>{parsed} : tl::unexpected{good.error()};
  });
}

result<create_request> parse_create(std::string_view body) {
  auto parsed = parse_object(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  for (std::string_view member : {"mcpServers", "mcp_servers"}) // BR-056: never accepted and dropped
    if (!(*parsed)[member].missing())
      return fail(
        errc::unsupported, "The member '" + std::string{member} +
                             "' is not served: the agents of this server get their tools by its world.");
  create_request request;
  auto good = check_members(*parsed, {"profile", "title", "mode", "metadata"})
                .and_then([&] { return read_text(*parsed, "profile", request.profile); })
                .and_then([&] { return read_text(*parsed, "title", request.title); })
                .and_then([&] { return read_text(*parsed, "mode", request.mode); });
  if (!good)
    return tl::unexpected{good.error()};
  if (auto metadata = (*parsed)["metadata"]; !metadata.missing()) {
    if (!metadata.is_object())
      return wrong("metadata", "an object");
    request.metadata = metadata.dump();
  }
  if (good = check(request); !good)
    return tl::unexpected{good.error()};
  return request;
}

result<prompt_request> parse_prompt(std::string_view body) {
  auto parsed = parse_body(body, {"text", "prompt"});
  if (!parsed)
    return tl::unexpected{parsed.error()};
  auto text = (*parsed)["text"];
  auto blocks = (*parsed)["prompt"];
  if (text.missing() == blocks.missing())
    return fail(errc::bad_request, "The body must have either 'text' or 'prompt'.");
  if (!blocks.missing())
    return parse_blocks(blocks);
  if (text.text_or("").empty())
    return wrong("text", "a string that is not empty");
  return prompt_request{json_array{}.add_raw(text_block(*text.text())).str()};
}

std::string session_json(const session_row& row, std::string_view state, const turn_id& running_turn) {
  std::string out;
  out.reserve(256 + row.title.size() + row.metadata.size());
  append_member(out, "{\"id\":", row.id.value);
  append_member(out, ",\"title\":", row.title);
  append_member(out, ",\"profile\":", row.profile);
  append_member(out, ",\"mode\":", row.mode);
  append_member(out, ",\"state\":", state);
  append_member(out, ",\"created\":", iso_time(row.created));
  append_member(out, ",\"updated\":", iso_time(row.updated));
  out += ",\"last_seq\":";
  append_json_number(out, row.last_seq);
  if (!running_turn.empty())
    append_member(out, ",\"turn_id\":", running_turn.value);
  out += ",\"metadata\":";
  out += row.metadata.empty() ? "{}" : row.metadata;
  return out += '}';
}

std::string session_list_json(const std::vector<std::string>& sessions, std::string_view next) {
  std::string out = "{\"sessions\":[";
  for (const auto& session : sessions) {
    if (&session != &sessions.front())
      out += ',';
    out += session;
  }
  if (next.empty())
    out += "],\"next\":null";
  else
    append_member(out, "],\"next\":", next);
  return out += '}';
}

std::string problem_json(const failure& why) {
  const auto& row = describe(why.code);
  // What was asked for must not show: a foreign id and an unknown one get the same bytes.
  auto detail = why.code == errc::not_found ? std::string{row.text} : why.text();
  return json_object{}
    .add("type", "about:blank")
    .add("title", row.title)
    .add("status", row.http_status)
    .add("detail", detail)
    .add("code", row.name)
    .str();
}

} // namespace agentpool

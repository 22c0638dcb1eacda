// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"

#include <algorithm>

/// docs/world-protocol.md, section 7.
namespace agentpool::world {

namespace {

constexpr size_t body_bytes = 256 * 1024;
constexpr size_t frames_per_body = 256;
constexpr size_t attempt_bytes = 64;
constexpr size_t text_bytes = 16 * 1024;

tl::unexpected<failure> wrong(std::string_view member, std::string_view rule) {
  return fail(
    errc::bad_request, "The frame's member '" + std::string{member} + "' must be " + std::string{rule} + ".");
}

bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

result<live_frame> parse_text(const json& frame, live_frame out) {
  out.kind = frame["kind"].text_or("");
  if (out.kind != "message" && out.kind != "thought")
    return wrong("kind", "'message' or 'thought'");
  for (std::string_view member : {"turn", "step", "index", "offset"})
    if (frame[member].integer().value_or(-1) < 0)
      return wrong(member, "an integer of at least 0");
  out.text = frame["text"].text_or("");
  if (out.text.empty() || out.text.size() > text_bytes)
    return wrong("text", "a string of 1 to 16384 bytes");
  out.subject = out.attempt + '.' + std::to_string(*frame["index"].integer());
  out.offset = static_cast<uint64_t>(*frame["offset"].integer());
  return out;
}

// Appends nothing for the end of a committed attempt: its blocks come as ACP updates.
result<void> append_frame(std::vector<live_frame>& out, const json& frame) {
  live_frame parsed;
  parsed.attempt = frame["attempt"].text_or("");
  if (parsed.attempt.empty() || parsed.attempt.size() > attempt_bytes || !is_visible(parsed.attempt))
    return wrong("attempt", "a string of 1 to 64 visible ASCII characters");
  if (auto end = frame["end"]; !end.missing()) {
    if (end.text() != "committed" && end.text() != "abandoned")
      return wrong("end", "'committed' or 'abandoned'");
    parsed.taken_back = end.text() == "abandoned";
    if (parsed.taken_back)
      out.push_back(std::move(parsed));
    return {};
  }
  return parse_text(frame, std::move(parsed)).map([&](live_frame&& text) { out.push_back(std::move(text)); });
}

} // namespace

result<std::vector<live_frame>> parse_live(std::string_view body) {
  if (body.size() > body_bytes)
    return fail(errc::payload_too_large, "A body of live frames has at most 256 KiB.");
  auto parsed = json::parse(body);
  if (!parsed || !parsed->is_object())
    return fail(errc::bad_request, parsed ? "The body must be a JSON object." : parsed.error().detail);
  std::vector<live_frame> out;
  auto frames = (*parsed)["frames"];
  if (frames.missing()) {
    if (auto good = append_frame(out, *parsed); !good)
      return tl::unexpected{good.error()};
    return out;
  }
  if (!frames.is_array() || frames.size() == 0 || frames.size() > frames_per_body)
    return fail(errc::bad_request, "The member 'frames' must be an array of 1 to 256 frames.");
  for (size_t i = 0; i < frames.size(); ++i)
    if (auto good = append_frame(out, frames.at(i)); !good)
      return tl::unexpected{good.error()};
  return out;
}

} // namespace agentpool::world

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_range.hpp"

#include "net/http/ascii.hpp"
#include "protocol/wire/envd_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace agentpool::envd {

namespace {

bool number(std::string_view text, uint64_t& out) {
  auto end = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

} // namespace

range_kind read_range(std::string_view header, uint64_t size, byte_range& out) {
  constexpr std::string_view unit = "bytes=";
  out = {0, size};
  if (size == 0)
    return range_kind::whole; // some clients send a range with every request
  if (!net::iequals(header.substr(0, unit.size()), unit) || header.find(',') != std::string_view::npos)
    return range_kind::whole;
  header.remove_prefix(unit.size());
  auto dash = header.find('-');
  if (dash == std::string_view::npos)
    return range_kind::whole;
  uint64_t first = 0, last = 0;
  bool has_first = number(header.substr(0, dash), first), has_last = number(header.substr(dash + 1), last);
  if ((!has_first && dash > 0) || (!has_last && dash + 1 < header.size()) || (!has_first && !has_last))
    return range_kind::whole;
  if (!has_first) { // the last bytes
    auto count = std::min(last, size);
    out = {size - count, count};
    return count == 0 ? range_kind::unsatisfiable : range_kind::part;
  }
  if (has_last && last < first)
    return range_kind::whole;
  if (first >= size)
    return range_kind::unsatisfiable;
  auto end = has_last ? std::min(last, size - 1) + 1 : size;
  out = {first, end - first};
  return range_kind::part;
}

std::string_view content_type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> types{
    {{"txt", "text/plain; charset=utf-8"}, {"md", "text/markdown; charset=utf-8"},
      {"html", "text/html; charset=utf-8"}, {"css", "text/css; charset=utf-8"},
      {"js", "text/javascript; charset=utf-8"}, {"json", "application/json"},
      {"xml", "text/xml; charset=utf-8"}, {"csv", "text/csv; charset=utf-8"}, {"png", "image/png"},
      {"jpg", "image/jpeg"}, {"jpeg", "image/jpeg"}, {"gif", "image/gif"}, {"svg", "image/svg+xml"},
      {"pdf", "application/pdf"}, {"wasm", "application/wasm"}}};
  auto dot = name.rfind('.');
  if (dot != std::string_view::npos)
    for (const auto& [extension, type] : types)
      if (net::iequals(name.substr(dot + 1), extension))
        return type;
  return {};
}

// As the WHATWG's MIME sniffing does it: bytes that no text has tell binary data.
std::string_view sniffed_type(std::string_view first) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> marks{
    {{"\x89PNG\r\n\x1a\n", "image/png"}, {"GIF8", "image/gif"}, {"\xff\xd8\xff", "image/jpeg"},
      {"%PDF-", "application/pdf"}, {"\x1f\x8b\x08", "application/x-gzip"},
      {"PK\x03\x04", "application/zip"}}};
  for (const auto& [mark, type] : marks)
    if (first.starts_with(mark))
      return type;
  auto binary = [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte <= 8 || byte == 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
  };
  return std::ranges::any_of(first.substr(0, sniffed_bytes), binary) ? "application/octet-stream"
                                                                     : "text/plain; charset=utf-8";
}

std::string inline_disposition(std::string_view name) {
  auto plain = [](char c) {
    return c > ' ' && c < 0x7f &&
           std::string_view{"\"\\()<>@,;:/[]?={}%*'"}.find(c) == std::string_view::npos;
  };
  auto ascii = [](char c) { return c >= ' ' && c < 0x7f; };
  if (std::ranges::all_of(name, plain))
    return "inline; filename=" + std::string{name};
  if (!std::ranges::all_of(name, ascii))
    return "inline; filename*=utf-8''" + query_escape(name);
  std::string out = "inline; filename=\"";
  for (char c : name)
    out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
  return out + '"';
}

} // namespace agentpool::envd

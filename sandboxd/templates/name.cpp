// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/templates/name.hpp"

#include <algorithm>

namespace agentpool::sandboxd {

namespace {

constexpr size_t longest = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_small(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}

bool is_any(char c) {
  return is_small(c) || (c >= 'A' && c <= 'Z');
}

bool is_template_name(std::string_view text) {
  return !text.empty() && text.size() <= longest && is_small(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_small(c) || c == '-' || c == '_'; });
}

} // namespace

bool is_template_version(std::string_view text) {
  return !text.empty() && text.size() <= longest && is_any(text.front()) &&
         std::all_of(
           text.begin(), text.end(), [](char c) { return is_any(c) || c == '-' || c == '_' || c == '.'; });
}

result<template_ref> parse_template_ref(std::string_view text) {
  auto end = text.find_first_of(":@");
  template_ref out;
  out.name = text.substr(0, end);
  auto good = is_template_name(out.name);
  if (end != std::string_view::npos) {
    out.version = text.substr(end + 1);
    good = good && is_template_version(out.version);
    if (text[end] == ':' && (out.version == "latest" || out.version == "default"))
      out.version.clear();
  }
  if (!good)
    return fail(errc::bad_request, "'" + std::string{text.substr(0, 2 * longest)} +
                                     "' names no template; write NAME, NAME:TAG or NAME@VERSION");
  return out;
}

} // namespace agentpool::sandboxd

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/multipart.hpp"

#include "net/http/ascii.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/query.hpp"

namespace agentpool::envd {

namespace {

// One value from the front, quoted or up to the next semicolon.
std::string take_value(std::string_view& text) {
  if (!text.starts_with('"')) {
    auto value = text.substr(0, text.find(';'));
    text.remove_prefix(value.size());
    return std::string{net::trim_blanks(value)};
  }
  std::string out;
  size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    bool escape = text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    out += text[escape ? ++i : i];
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return out;
}

// `UTF-8''a%20b` of RFC 5987.
std::string extended_value(const std::string& value) {
  auto mark = value.find('\'', value.find('\'') + 1);
  return mark == std::string::npos ? value : percent_decode(std::string_view{value}.substr(mark + 1), false);
}

} // namespace

std::optional<std::string> header_parameter(std::string_view header, std::string_view name) {
  std::optional<std::string> plain;
  auto extended_name = std::string{name} + "*";
  for (auto at = header.find(';'); at != std::string_view::npos; at = header.find(';')) {
    header.remove_prefix(at + 1);
    auto mark = header.find_first_of("=;");
    if (mark == std::string_view::npos || header[mark] == ';')
      continue;
    auto key = net::trim_blanks(header.substr(0, mark));
    header.remove_prefix(mark + 1);
    header = header.substr(std::min(header.find_first_not_of(" \t"), header.size()));
    auto value = take_value(header);
    if (net::iequals(key, extended_name))
      return extended_value(value);
    if (net::iequals(key, name) && !plain)
      plain = std::move(value);
  }
  return plain;
}

multipart_reader::multipart_reader(std::string_view boundary)
    : delimiter_("\r\n--" + std::string{boundary}), waiting_("\r\n") {}

std::vector<multipart_reader::event> multipart_reader::feed(std::string_view bytes) {
  std::vector<event> out;
  waiting_ += bytes;
  for (bool more = true; more;) {
    switch (state_) {
    case state::preamble: more = skip_preamble(); break;
    case state::delimiter: more = take_delimiter(); break;
    case state::header: more = take_header(out); break;
    case state::data: more = take_data(out); break;
    default: waiting_.clear(); more = false;
    }
  }
  return out;
}

bool multipart_reader::skip_preamble() {
  auto at = waiting_.find(delimiter_);
  if (at == std::string::npos) {
    if (waiting_.size() >= delimiter_.size())
      waiting_.erase(0, waiting_.size() - delimiter_.size() + 1);
    return false;
  }
  waiting_.erase(0, at + delimiter_.size());
  state_ = state::delimiter;
  return true;
}

// Behind a delimiter: `--` ends the body, white space and a line break begin a part.
bool multipart_reader::take_delimiter() {
  if (waiting_.starts_with("--")) {
    state_ = state::epilogue;
    return true;
  }
  auto at = waiting_.find("\r\n");
  if (at == std::string::npos) {
    bool hopeless = waiting_.size() > limits::part_header_bytes;
    state_ = hopeless ? state::broken : state_;
    return hopeless;
  }
  if (net::trim_blanks(std::string_view{waiting_}.substr(0, at)).size() > 0) {
    state_ = state::broken;
    return true;
  }
  waiting_.erase(0, at); // the line break stays: a header may be empty
  state_ = state::header;
  return true;
}

bool multipart_reader::take_header(std::vector<event>& out) {
  auto end = waiting_.find("\r\n\r\n");
  if (end == std::string::npos) {
    bool hopeless = waiting_.size() > limits::part_header_bytes;
    state_ = hopeless ? state::broken : state_;
    return hopeless;
  }
  event begin{event::kind::begin, {}, {}};
  auto header = std::string_view{waiting_}.substr(0, end);
  while (!header.empty()) {
    header.remove_prefix(2);
    auto line = header.substr(0, header.find("\r\n"));
    header.remove_prefix(line.size());
    auto colon = line.find(':');
    if (colon != std::string_view::npos && net::iequals(line.substr(0, colon), "Content-Disposition"))
      begin.disposition = net::trim_blanks(line.substr(colon + 1));
  }
  waiting_.erase(0, end + 4);
  out.push_back(std::move(begin));
  state_ = state::data;
  return true;
}

bool multipart_reader::take_data(std::vector<event>& out) {
  auto at = waiting_.find(delimiter_);
  bool found = at != std::string::npos;
  auto size = found ? at : waiting_.size() - std::min(waiting_.size(), delimiter_.size() - 1);
  if (size > 0)
    out.push_back({event::kind::data, {}, waiting_.substr(0, size)});
  waiting_.erase(0, size + (found ? delimiter_.size() : 0));
  if (found) {
    out.push_back({event::kind::end, {}, {}});
    state_ = state::delimiter;
  }
  return found;
}

} // namespace agentpool::envd

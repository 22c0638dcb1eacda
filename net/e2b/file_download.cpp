// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/file_download.hpp"

#include "net/http/ascii.hpp"
#include "protocol/wire/defaults.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace agentpool::net {

namespace {

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

struct content_range {
  std::optional<uint64_t> first, last, total;
};

// "bytes 5-9/100", "bytes 5-9/*", "bytes */100"
content_range read_range(std::string_view text) {
  content_range range;
  if (!text.starts_with("bytes "))
    return range;
  text.remove_prefix(6);
  auto slash = text.find('/');
  auto dash = text.find('-');
  if (slash == std::string_view::npos)
    return range;
  range.total = number(text.substr(slash + 1));
  if (dash < slash) {
    range.first = number(text.substr(0, dash));
    range.last = number(text.substr(dash + 1, slash - dash - 1));
  }
  return range;
}

} // namespace

file_download::file_download(std::weak_ptr<ports::http_client> client,
  std::shared_ptr<const link_state> state, std::shared_ptr<ports::byte_sink> sink, ports::byte_range range)
    : client_{std::move(client)}, state_{std::move(state)}, sink_{std::move(sink)}, range_{range},
      wanted_{range.length} {}

void file_download::on_head(ports::http_head head) {
  answer_.head = std::move(head);
  auto encoding = answer_.head.header("Content-Encoding");
  if (!encoding.empty() && !iequals(encoding, "identity"))
    return refuse("the file came encoded");
  switch (answer_.head.status) {
  case 200: return begin_whole();
  case 206: return begin_part();
  case 416: return begin_behind_the_end();
  default: break;
  }
}

void file_download::begin_whole() {
  mode_ = mode::content;
  skip_ = range_.offset;
  ports::byte_head head{
    {}, number(answer_.head.header("Content-Length")), std::string{answer_.head.header("Content-Type")}};
  if (head.total) {
    auto behind = *head.total - std::min(*head.total, range_.offset);
    head.length = std::min(behind, range_.length.value_or(behind));
  }
  sink_->on_head(std::move(head));
  if (wanted_ == 0u)
    stop();
}

void file_download::begin_part() {
  auto range = read_range(answer_.head.header("Content-Range"));
  if (!range.first || !range.last || *range.first != range_.offset || *range.last < *range.first)
    return refuse("the answer is another part of the file");
  mode_ = mode::content;
  auto there = *range.last - *range.first + 1;
  sink_->on_head({std::min(there, range_.length.value_or(there)), range.total,
    std::string{answer_.head.header("Content-Type")}});
  if (wanted_ == 0u)
    stop();
}

void file_download::begin_behind_the_end() {
  mode_ = mode::empty;
  sink_->on_head({0, read_range(answer_.head.header("Content-Range")).total, {}});
  stop();
}

void file_download::on_bytes(std::string bytes) {
  auto client = client_.lock();
  auto came = bytes.size();
  if (mode_ != mode::content) {
    auto room = defaults::refusal_bytes - std::min(defaults::refusal_bytes, answer_.body.size());
    answer_.body += bytes.substr(0, mode_ == mode::refusal ? room : 0);
    bytes.clear();
  }
  auto skipped = std::min<uint64_t>(skip_, bytes.size());
  skip_ -= skipped;
  bytes.erase(0, skipped);
  if (wanted_) {
    bytes.resize(std::min<uint64_t>(*wanted_, bytes.size()));
    *wanted_ -= bytes.size();
  }
  if (client && came > bytes.size())
    client->consumed(answer_.head.exchange, came - bytes.size());
  if (!bytes.empty() && sink_)
    sink_->on_bytes(std::move(bytes));
  if (wanted_ == 0u && mode_ == mode::content && answer_.head.status == 200)
    stop(); // a server that does not know ranges would send the rest of the file
}

void file_download::on_end(ports::http_end end) {
  answer_.end = std::move(end);
  if (answer_.end.ok() && mode_ != mode::refusal)
    return finish({});
  auto why = answer_.success() ? nonsense("the answer is no file") : files_failure(answer_, effect::reads);
  finish(tl::unexpected{state_->explain(std::move(why))});
}

void file_download::refuse(std::string_view what) {
  finish(tl::unexpected{nonsense(what)});
  stop();
}

void file_download::finish(result<void> how) {
  if (auto sink = std::exchange(sink_, nullptr))
    sink->on_end(std::move(how));
}

// All that was wanted came.
void file_download::stop() {
  finish({});
  if (auto client = client_.lock())
    client->cancel(answer_.head.exchange);
}

} // namespace agentpool::net

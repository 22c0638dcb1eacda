// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/chat_view.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <utility>

namespace agentpool::ctl {

namespace {

constexpr size_t line_bytes = 16 * 1024;
constexpr size_t output_bytes = 16 * 1024;

// Line by line, because the cleaner takes line ends for control characters.
std::string clean(std::string_view text) {
  std::string out;
  for (;;) {
    auto end = text.find('\n');
    out += printable(text.substr(0, end), line_bytes);
    if (end == std::string_view::npos)
      return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

/// The kind under which a tool call's output is shown.
std::string output_of(const json& data) {
  return "output " + data["tool_call_id"].text_or("");
}

std::string head_of(const std::string& output) {
  auto head = utf8_prefix(output, output_bytes);
  return head.size() == output.size() ? output : std::string{head} + "\n[…]";
}

} // namespace

std::string chat_view::show(const sse_frame& frame) {
  if (frame.event == "caught_up") {
    caught_up_ = true;
    return {};
  }
  auto data = json::parse(frame.data);
  if (!data)
    return {};
  if (frame.event == "live")
    return live(*data);
  return event(frame.event, *data);
}

std::string chat_view::event(const std::string& type, const json& data) {
  if (type == "agent_message_chunk")
    return committed("message", data["content"]["text"].text_or(""));
  if (type == "agent_thought_chunk")
    return committed("thought", data["content"]["text"].text_or(""));
  if (type == "turn_started") {
    running_ = data["turn_id"].text_or("");
    return {};
  }
  if (type == "turn_end")
    return turn_end(data);
  if (type == "user_message")
    return user_message(data);
  if (type == "tool_call")
    return tool_call(data);
  if (type == "tool_call_update")
    return tool_update(data);
  if (type == "permission_requested")
    return permission_requested(data);
  if (type == "permission_resolved")
    return permission_resolved(data);
  if (type == "notice")
    return line("! " + one_line(data["text"].text_or(data["message"].text_or(""))));
  if (type == "gap")
    return line("! the events up to " + std::to_string(data["last_seq"].integer().value_or(0)) +
                " cannot be shown: they are not in this log");
  if (type == "refused")
    return line("! " + one_line(data["message"].text_or("")));
  return {};
}

std::string chat_view::live(const json& data) {
  auto kind = data["kind"].text_or("");
  if (data["taken_back"].boolean().value_or(false))
    return take_back();
  if (kind == "tool_output")
    kind = output_of(data);
  else if (kind != "message" && kind != "thought")
    return {};
  auto& shown = previews_[kind];
  auto block = data["message_id"].text_or("") + "\n" + data["attempt"].text_or("");
  if (block != shown.block) {
    shown.block = block;
    shown.block_size = 0;
    // What comes now is behind a hole, until the committed text has closed it.
    shown.incomplete = shown.incomplete && !shown.text.empty();
  }
  auto text = data["text"].text().value_or("");
  auto offset = static_cast<size_t>(data["offset"].integer().value_or(0));
  shown.incomplete = shown.incomplete || offset > shown.block_size;
  if (shown.incomplete || offset + text.size() <= shown.block_size)
    return {};
  auto fresh = text.substr(shown.block_size - offset);
  shown.block_size += fresh.size();
  shown.text += fresh;
  return print(kind, fresh);
}

std::string chat_view::committed(const std::string& kind, std::string_view text) {
  auto& shown = previews_[kind];
  shown.incomplete = false;
  if (std::string_view{shown.text}.starts_with(text)) {
    shown.text.erase(0, text.size());
    return {};
  }
  auto before = std::exchange(shown.text, {});
  if (text.starts_with(before))
    return print(kind, text.substr(before.size()));
  auto out = end_line(); // the preview was not what the agent kept
  return out + print(kind, text);
}

std::string chat_view::take_back() {
  bool visible = false;
  for (auto kind : {"message", "thought"})
    if (auto preview = previews_.extract(std::string{kind}))
      visible = visible || !preview.mapped().text.empty();
  return visible ? line("! the model starts this answer again") : std::string{};
}

std::string chat_view::tool_call(const json& data) {
  auto title = data["title"].text_or("tool");
  tools_[data["tool_call_id"].text_or("")] = one_line(title);
  previews_.erase(output_of(data));
  auto subject = subject_of(data);
  return line("* " + one_line(subject.empty() ? title : title + ": " + subject));
}

/// What the tool printed, unless it was seen live; it is the model's copy and may differ at the end.
std::string chat_view::tool_update(const json& data) {
  auto status = data["status"].text_or("");
  if (status != "completed" && status != "failed")
    return {};
  std::string out, output;
  for (size_t i = 0; i < data["content"].size(); ++i)
    output += data["content"].at(i)["content"]["text"].text_or("");
  auto kind = output_of(data);
  if (auto seen = previews_.extract(kind); !seen || seen.mapped().text.empty())
    out = end_line(), out += print(kind, head_of(output));
  out += end_line();
  auto found = tools_.find(data["tool_call_id"].text_or(""));
  if (status == "failed")
    out += line("* " + (found == tools_.end() ? "tool" : found->second) + " failed");
  return out;
}

std::string chat_view::permission_requested(const json& data) {
  questions_.push_back(question_of(data));
  return line("? may the agent do this: " + questions_.back().text);
}

std::string chat_view::permission_resolved(const json& data) {
  auto request = data["request_id"].text_or("");
  answered(request);
  auto option = data["option_id"].text_or("");
  auto found = decided_.extract(std::string{request});
  auto allowed = !found.empty() && !option.empty() && option == found.mapped();
  auto how = data["outcome"].text_or("") == "cancelled" ? "not decided" : allowed ? "allowed" : "not allowed";
  return line(std::string{"? "} + how + " (" + one_line(data["by"].text_or("")) + ")");
}

void chat_view::answered(const std::string& request) {
  auto found = std::ranges::find(questions_, request, &question::request);
  if (found == questions_.end())
    return;
  decided_.emplace(request, found->allow); // its event says later which option it was
  questions_.erase(found);
}

std::string chat_view::user_message(const json& data) {
  if (own_.contains(data["turn_id"].text_or("")))
    return {};
  auto blocks = data["content"].is_array() ? data["content"] : data["prompt"];
  std::string text;
  for (size_t i = 0; i < blocks.size(); ++i)
    text += blocks.at(i)["text"].text_or("");
  return end_line() + "> " + clean(text) + "\n";
}

std::string chat_view::turn_end(const json& data) {
  ended_.insert(data["turn_id"].text_or(""));
  running_.clear();
  previews_.clear();
  tools_.clear();
  std::erase_if(questions_, [&](const question& one) { return one.turn == data["turn_id"].text_or(""); });
  auto out = end_line();
  auto reason = data["stop_reason"].text_or("");
  if (auto error = data["error"]; error.is_object())
    out += line("! the turn ended: " + one_line(error["message"].text_or("")) + " (" +
                one_line(error["code"].text_or("")) + ")");
  else if (reason != "end_turn")
    out += line("! the turn ended: " + one_line(reason));
  return out;
}

std::string chat_view::print(const std::string& kind, std::string_view text) {
  if (text.empty())
    return {};
  std::string out;
  if (printed_kind_ != kind && !at_line_start_)
    out += '\n';
  printed_kind_ = kind;
  auto cleaned = clean(text);
  at_line_start_ = cleaned.ends_with('\n');
  return out + (kind != "message" ? dimmed(cleaned) : cleaned);
}

std::string chat_view::line(std::string_view text) {
  return end_line() + dimmed(std::string{text}) + "\n";
}

std::string chat_view::end_line() {
  printed_kind_.clear();
  return std::exchange(at_line_start_, true) ? "" : "\n";
}

std::string chat_view::dimmed(const std::string& text) const {
  return colors_ ? "\x1b[2m" + text + "\x1b[0m" : text;
}

} // namespace agentpool::ctl

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"

#include "protocol/wire/utf8.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>

namespace agentpool {

namespace {

constexpr size_t max_depth = 128;
// RapidJSON's own check of the encoding is off: at a text that ends inside a sequence it reads and writes up
// to three bytes behind the end. `parse` refuses such a text before.
constexpr unsigned parse_flags =
  rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;

// The text that the strings point into, and the tree.
struct document {
  explicit document(std::string_view source)
      : text{source}, allocator{std::clamp<size_t>(source.size() * 2, 256, 64 * 1024)}, tree{&allocator} {}

  std::string text;
  rapidjson::MemoryPoolAllocator<> allocator;
  rapidjson::Document tree;
};

// Builds the tree and ends the parse at the first level too deep.
struct bounded_builder {
  rapidjson::Document& tree;
  size_t depth = 0;

  bool Null() { return tree.Null(); }
  bool Bool(bool value) { return tree.Bool(value); }
  bool Int(int value) { return tree.Int(value); }
  bool Uint(unsigned value) { return tree.Uint(value); }
  bool Int64(int64_t value) { return tree.Int64(value); }
  bool Uint64(uint64_t value) { return tree.Uint64(value); }
  bool Double(double value) { return tree.Double(value); }
  bool RawNumber(const char* text, unsigned size, bool copy) { return tree.RawNumber(text, size, copy); }
  bool String(const char* text, unsigned size, bool copy) { return tree.String(text, size, copy); }
  bool Key(const char* text, unsigned size, bool copy) { return tree.Key(text, size, copy); }
  bool StartObject() { return ++depth <= max_depth && tree.StartObject(); }
  bool EndObject(unsigned members) { return --depth, tree.EndObject(members); }
  bool StartArray() { return ++depth <= max_depth && tree.StartArray(); }
  bool EndArray(unsigned elements) { return --depth, tree.EndArray(elements); }
};

struct generator {
  char* text;
  rapidjson::ParseResult outcome;

  bool operator()(rapidjson::Document& tree) {
    rapidjson::InsituStringStream stream{text};
    bounded_builder builder{tree};
    rapidjson::Reader reader;
    outcome = reader.Parse<parse_flags>(stream, builder);
    return !outcome.IsError();
  }
};

// The UTF-16 code unit of an escape `\uXXXX` at `at`; 0 when there is none.
unsigned escaped_unit(std::string_view text, size_t at) {
  unsigned unit = 0;
  auto digits = text.substr(std::min(at + 2, text.size()), 4);
  if (!text.substr(at).starts_with("\\u") || digits.size() < 4)
    return 0;
  auto end = std::from_chars(digits.data(), digits.data() + 4, unit, 16).ptr;
  return end == digits.data() + 4 ? unit : 0;
}

// RFC 8259, section 8.2, allows an escaped surrogate without its partner, and programs that cut UTF-16 text
// send them; UTF-8 has no form for it: it becomes U+FFFD, which is as long as an escape.
void replace_lone_surrogates(std::string& text) {
  for (auto at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    auto unit = escaped_unit(text, at);
    auto high = unit >= 0xD800 && unit <= 0xDBFF;
    auto next = high ? escaped_unit(text, at + 6) : 0;
    if (high && next >= 0xDC00 && next <= 0xDFFF) {
      at += 12;
      continue;
    }
    if (unit >= 0xD800 && unit <= 0xDFFF)
      text.replace(at, 6, "\\ufffd");
    at = std::min(at + (unit != 0 ? 6 : 2), text.size());
  }
}

tl::unexpected<failure> bad_json(size_t offset, std::string_view reason) {
  return fail(
    errc::bad_json, "Malformed JSON at byte " + std::to_string(offset) + ": " + std::string{reason});
}

const rapidjson::Value* value_of(const void* node) {
  return static_cast<const rapidjson::Value*>(node);
}

std::string_view view(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

// As deep as `parse` lets a text be. Sorted, because a body may have a hundred thousand names.
std::optional<std::string_view> find_repeated(const rapidjson::Value& value) {
  std::optional<std::string_view> found;
  if (value.IsArray())
    for (auto i = value.Begin(); i != value.End() && !found; ++i)
      found = find_repeated(*i);
  if (!value.IsObject())
    return found;
  std::vector<std::string_view> names;
  names.reserve(value.MemberCount());
  for (auto i = value.MemberBegin(); i != value.MemberEnd() && !found; ++i) {
    names.push_back(view(i->name));
    found = find_repeated(i->value);
  }
  std::ranges::sort(names);
  auto twice = std::ranges::adjacent_find(names);
  return found || twice == names.end() ? found : std::optional{*twice};
}

} // namespace

result<json> json::parse(std::string_view text) {
  // In place, the parser takes NUL for the end of the text.
  if (auto nul = text.find('\0'); nul != std::string_view::npos)
    return bad_json(nul, "a NUL byte.");
  if (auto fault = find_invalid_utf8(text); fault != std::string_view::npos)
    return bad_json(fault, "not UTF-8.");
  auto parsed = std::make_shared<document>(text);
  replace_lone_surrogates(parsed->text);
  generator source{parsed->text.data(), {}};
  parsed->tree.Populate(source);
  if (source.outcome.Code() == rapidjson::kParseErrorTermination)
    return bad_json(source.outcome.Offset(), "nested deeper than " + std::to_string(max_depth) + " levels.");
  if (source.outcome.IsError())
    return bad_json(source.outcome.Offset(), rapidjson::GetParseError_En(source.outcome.Code()));
  const void* root = static_cast<const rapidjson::Value*>(&parsed->tree);
  return json{std::move(parsed), root};
}

bool json::is_object() const noexcept {
  return node_ && value_of(node_)->IsObject();
}

bool json::is_array() const noexcept {
  return node_ && value_of(node_)->IsArray();
}

bool json::is_null() const noexcept {
  return node_ && value_of(node_)->IsNull();
}

json json::operator[](std::string_view key) const {
  if (!is_object())
    return {};
  for (auto i = value_of(node_)->MemberEnd(); i != value_of(node_)->MemberBegin();)
    if (view((--i)->name) == key)
      return {document_, &i->value};
  return {};
}

json json::at(size_t index) const {
  if (!is_array() || index >= value_of(node_)->Size())
    return {};
  return {document_, value_of(node_)->Begin() + index};
}

size_t json::size() const noexcept {
  return is_object() ? value_of(node_)->MemberCount() : is_array() ? value_of(node_)->Size() : 0;
}

std::vector<std::string> json::keys() const {
  std::vector<std::string> names;
  if (is_object())
    for (const auto& member : value_of(node_)->GetObject())
      names.emplace_back(view(member.name));
  return names;
}

std::optional<std::string> json::repeated_name() const {
  auto found = node_ ? find_repeated(*value_of(node_)) : std::nullopt;
  return found ? std::optional{std::string{*found}} : std::nullopt;
}

std::optional<std::string_view> json::text() const noexcept {
  if (!node_ || !value_of(node_)->IsString())
    return std::nullopt;
  return view(*value_of(node_));
}

std::optional<int64_t> json::integer() const noexcept {
  if (!node_ || !value_of(node_)->IsInt64())
    return std::nullopt;
  return value_of(node_)->GetInt64();
}

std::optional<double> json::number() const noexcept {
  if (!node_ || !value_of(node_)->IsNumber())
    return std::nullopt;
  return value_of(node_)->GetDouble();
}

std::optional<bool> json::boolean() const noexcept {
  if (!node_ || !value_of(node_)->IsBool())
    return std::nullopt;
  return value_of(node_)->GetBool();
}

std::string json::text_or(std::string_view fallback) const {
  return std::string{text().value_or(fallback)};
}

std::string json::dump() const {
  if (!node_)
    return "null";
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  value_of(node_)->Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

} // namespace agentpool

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool {

/// A parsed JSON value, immutable and cheap to copy (a view that shares the document). A member that does not
/// exist is a value that is `missing()`, so that look-ups chain without checks.
class json {
public:
  json() = default;

  /// Parses one JSON text (RFC 8259) in valid UTF-8; nesting up to 128 levels, checked without recursion.
  /// An escaped surrogate without its partner becomes U+FFFD.
  /// `bad_json` with the byte offset and the reason in the detail.
  static result<json> parse(std::string_view text);

  bool missing() const noexcept { return node_ == nullptr; }
  bool is_object() const noexcept;
  bool is_array() const noexcept;
  bool is_null() const noexcept;

  json operator[](std::string_view key) const; ///< member of an object (the last one of its name)
  json at(size_t index) const;                 ///< element of an array
  size_t size() const noexcept;                ///< elements of an array or members of an object
  std::vector<std::string> keys() const;       ///< names of an object's members, in order
  /// A name that an object has twice: this value, or one in it at any depth.
  std::optional<std::string> repeated_name() const;

  std::optional<std::string_view> text() const noexcept; ///< lives as long as any copy of the document
  std::optional<int64_t> integer() const noexcept;
  std::optional<double> number() const noexcept;
  std::optional<bool> boolean() const noexcept;

  std::string text_or(std::string_view fallback) const;

  std::string dump() const; ///< compact JSON text of this value; "null" when missing

private:
  json(std::shared_ptr<const void> document, const void* node)
      : document_{std::move(document)}, node_{node} {}

  std::shared_ptr<const void> document_;
  const void* node_ = nullptr;
};

/// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_quote(std::string_view text);

/// Builds the text of one JSON object, member by member in the order of the calls.
class json_object {
public:
  json_object& add(std::string_view key, std::string_view value);
  json_object& add(std::string_view key, const char* value) { return add(key, std::string_view{value}); }
  json_object& add(std::string_view key, const std::string& value) {
    return add(key, std::string_view{value});
  }
  json_object& add(std::string_view key, bool value);
  json_object& add(std::string_view key, int64_t value);
  json_object& add(std::string_view key, uint64_t value);
  json_object& add(std::string_view key, int value) { return add(key, static_cast<int64_t>(value)); }
  json_object& add(std::string_view key, unsigned value) { return add(key, static_cast<uint64_t>(value)); }
  json_object& add_raw(std::string_view key, std::string_view json_text); ///< `json_text` is valid JSON
  json_object& add_if(std::string_view key, std::string_view value);      ///< only when not empty
  std::string str() const { return text_ + '}'; }

private:
  void key(std::string_view name);
  std::string text_ = "{";
};

/// Builds the text of one JSON array.
class json_array {
public:
  json_array& add(std::string_view value);
  json_array& add_raw(std::string_view json_text);
  bool empty() const noexcept { return text_.size() == 1; }
  std::string str() const { return text_ + ']'; }

private:
  std::string text_ = "[";
};

} // namespace agentpool

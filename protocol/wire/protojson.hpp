// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"
#include "protocol/wire/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Reading the JSON form of protocol buffers (protojson): null counts as absent, numbers come as numbers or
/// texts, enumerations as names or numbers, bytes as base64.
namespace agentpool::protojson {

/// Reads the members of one message. The first wrong one is kept as its error; later reads go on and mean
/// nothing.
class reader {
public:
  explicit reader(std::string_view text);

  const json& root() const { return root_; }

  /// The member `camel` or, when there is none, `snake`; missing when both are absent or null.
  static json member(const json& object, std::string_view camel, std::string_view snake = {});

  std::optional<std::string> text(const json& value, std::string_view name);
  std::optional<bool> boolean(const json& value, std::string_view name);
  std::optional<int64_t> integer(const json& value, std::string_view name, int64_t least, int64_t most);
  std::optional<std::string> bytes(const json& value, std::string_view name);
  std::vector<std::string> texts(const json& value, std::string_view name);
  std::vector<std::pair<std::string, std::string>> map(const json& value, std::string_view name);
  /// A value that is an object or absent.
  bool message(const json& value, std::string_view name);
  bool list(const json& value, std::string_view name);

  void wrong(std::string_view name, std::string_view expected);
  const std::optional<connect::error>& fault() const { return fault_; }

  /// `value`, or the first error.
  template <class T>
  connect::outcome<T> finish(T value) const {
    if (fault_)
      return tl::unexpected<connect::error>{*fault_};
    return value;
  }

private:
  json root_;
  std::optional<connect::error> fault_;
};

} // namespace agentpool::protojson

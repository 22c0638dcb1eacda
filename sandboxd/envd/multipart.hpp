// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::envd {

/// The parameter of a header such as `form-data; name="file"; filename="a.txt"`; quoted or not. `name*` in
/// the form of RFC 5987 is taken first.
std::optional<std::string> header_parameter(std::string_view header, std::string_view name);

/// Reads a multipart body (RFC 2046) from bytes cut anywhere. Holds a header, or less than a delimiter.
class multipart_reader {
public:
  explicit multipart_reader(std::string_view boundary);

  struct event {
    enum class kind : uint8_t { begin, data, end };
    kind what = kind::data;
    std::string disposition; ///< of `begin`: Content-Disposition, empty when it has none
    std::string bytes;       ///< of `data`
  };
  std::vector<event> feed(std::string_view bytes);

  /// The last delimiter came.
  bool complete() const { return state_ == state::epilogue; }
  /// Between a delimiter and the data of its part.
  bool in_header() const { return state_ == state::header; }
  /// A header is malformed or too large: nothing is read any more.
  bool broken() const { return state_ == state::broken; }

private:
  enum class state : uint8_t { preamble, delimiter, header, data, epilogue, broken };

  bool skip_preamble();
  bool take_delimiter();
  bool take_header(std::vector<event>& out);
  bool take_data(std::vector<event>& out);

  std::string delimiter_; // with the line break before it
  std::string waiting_;
  state state_ = state::preamble;
};

} // namespace agentpool::envd

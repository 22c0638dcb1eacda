// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Reading the queries of requests; failures are `bad_request` with the sentence of the reply.
namespace agentpool::e2b {

/// Bounds of times in queries: no sum with one overflows.
inline constexpr int64_t most_seconds = int64_t{1} << 40;
inline constexpr int64_t most_milliseconds = most_seconds * 1000;

using take_pair = std::function<result<void>(const std::string& name, const std::string& value)>;

/// Calls `take` for each pair of a form, decoded once; stops at the first failure.
result<void> read_form(std::string_view form, const take_pair& take);

/// "the parameter X must be …".
tl::unexpected<failure> invalid_parameter(std::string_view parameter, std::string_view rule);

/// A decimal number of `least`…`most`.
result<int64_t> read_integer(std::string_view parameter, std::string_view text, int64_t least, int64_t most);

} // namespace agentpool::e2b

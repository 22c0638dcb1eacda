// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::tests {

/// Texts that no codec may accept: broken JSON, deep nesting, NUL, bad UTF-8, numbers out of range.
const std::vector<std::string>& hostile_texts();

/// Values of every JSON type, one of each.
const std::vector<std::string>& values_of_all_types();

/// `object` with the member at `path` ("a.b.c") replaced by the JSON text `value`, or removed when it is
/// empty.
std::string with_member(std::string_view object, std::string_view path, std::string_view value);

/// Calls `decode` with every strict prefix of `valid`.
void for_each_prefix(std::string_view valid, const std::function<void(std::string_view)>& decode);

/// Calls `decode` with `valid` after every change of one byte to one that means something in JSON or UTF-8.
void for_each_byte_change(std::string_view valid, const std::function<void(std::string_view)>& decode);

} // namespace agentpool::tests

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <string>
#include <string_view>

namespace agentpool::sandboxd {

/// What `templateID` names: a template, and which of its versions.
struct template_ref {
  std::string name;
  std::string version; ///< a version or a tag; empty = the current one
  bool operator==(const template_ref&) const = default;
};

/// `name`, `name:tag`, `name:version` or `name@version`. A name is small letters, digits, `-` and `_`, at
/// most 64, and begins with a letter or digit; a version or tag may have capitals and dots too. The tags
/// `latest` and `default` mean the current version. `bad_request` otherwise.
result<template_ref> parse_template_ref(std::string_view text);

/// Whether the text is a version or a tag as above.
bool is_template_version(std::string_view text);

} // namespace agentpool::sandboxd

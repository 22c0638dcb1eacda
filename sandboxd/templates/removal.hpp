// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/templates/store.hpp"

namespace agentpool::sandboxd {

/// A version as `agentpoolctl template list` shows it.
struct template_row {
  template_version which;
  template_settings settings;
  bool current = false;
  std::vector<std::string> tags;
  std::vector<std::string> users; ///< folders of sandboxes that are made from it
  bool held = false;              ///< a running sandboxd has it open
};

/// All versions of all templates of the folder. Blocks for the disk.
std::vector<template_row> list_templates(const std::string& folder);

/// Removes one version (`name@version`), which must not be the current one, or a whole template (`name`).
/// Nothing is removed when a sandbox of any data folder, running or not, uses one of them; a template that is
/// being built is refused too. Answers what was removed as `name@version`. Once this began, the versions
/// cannot be found any more, also after a crash. Blocks.
result<std::vector<std::string>> remove_template(const std::string& folder, const template_ref& wanted);

} // namespace agentpool::sandboxd

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/doctor/examined.hpp"

namespace agentpool::ctl::doctor {

/// What the command line says.
struct doctor_options {
  std::string config; ///< file of the daemon; empty: by what follows
  std::string api_url;
  std::string api_key_file;
  std::string profile = "e2b";
  std::string sandbox_url;
  std::string domain;
  std::string ca_file;
  std::string template_id = "base";
  unsigned patience_s = 60;
  bool as_json = false;
};

/// Fails with a sentence for the user.
result<settings> settings_of(const doctor_options& options);

/// Prints what was found; 0: nothing failed, 1: something did, 2: it could not begin.
int run_doctor(const doctor_options& options);

} // namespace agentpool::ctl::doctor

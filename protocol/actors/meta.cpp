// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/actors/type_ids.hpp"

#include <caf/init_global_meta_objects.hpp>

namespace agentpool {

failure to_failure(const caf::error& error) {
  if (!error)
    return {errc::none, {}};
  if (error.category() == caf::type_id_v<errc>) {
    failure why{static_cast<errc>(error.code()), {}};
    if (auto context = error.context(); context.match_elements<std::string>())
      why.detail = context.get_as<std::string>(0);
    return why;
  }
  if (error == caf::sec::request_timeout)
    return {errc::deadline, "an actor of this node did not answer in time"};
  if (error == caf::sec::request_receiver_down || error == caf::sec::broken_promise)
    return {errc::overloaded, "the part of this node that works on this was just restarted; try again"};
  return {errc::internal, to_string(error)};
}

void register_types() {
  caf::init_global_meta_objects<caf::id_block::agentpool_atoms>();
  caf::init_global_meta_objects<caf::id_block::agentpool>();
  caf::core::init_global_meta_objects();
}

} // namespace agentpool

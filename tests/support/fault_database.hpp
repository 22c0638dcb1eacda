// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/database.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace agentpool::test {

/// What a fault database does and what it saw.
struct database_script {
  std::function<result<ports::store_answer>(const ports::store_op&)> answer; ///< unset: every write succeeds
  bool disk_full = false;                                                    ///< the commit fails
  bool broken = false;                                                       ///< `apply` throws
  bool forgetful = false;                                                    ///< the last answer is missing
  std::vector<std::vector<ports::store_op>> batches;
  bool closed = false;
};

/// Keeps nothing; made to inject the faults that a real database has too seldom. The real one's own tests
/// are with the real one.
class fault_database : public ports::database {
public:
  explicit fault_database(std::shared_ptr<database_script> script) : script_{std::move(script)} {}
  ~fault_database() override { script_->closed = true; }

  std::vector<result<ports::store_answer>> apply(std::span<const ports::store_op> ops) override {
    script_->batches.emplace_back(ops.begin(), ops.end());
    if (script_->broken)
      throw std::runtime_error{"the file is no database"};
    std::vector<result<ports::store_answer>> answers;
    for (const auto& op : ops)
      answers.push_back(answer(op));
    if (script_->forgetful)
      answers.pop_back();
    return answers;
  }

private:
  result<ports::store_answer> answer(const ports::store_op& op) const {
    if (script_->disk_full)
      return fail(errc::store_unavailable, "database or disk is full");
    if (script_->answer)
      return script_->answer(op);
    if (const auto* claim = std::get_if<ports::claim_session>(&op)) {
      session_claim found;
      found.row.id = claim->session;
      found.row.epoch = 1;
      return found;
    }
    return ports::store_answer{};
  }

  std::shared_ptr<database_script> script_;
};

} // namespace agentpool::test

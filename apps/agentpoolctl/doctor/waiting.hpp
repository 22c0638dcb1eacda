// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/operation.hpp"

#include <future>
#include <memory>

namespace agentpool::ctl::doctor {

/// A call of a port as one that blocks. The port ends every call by its own deadlines.
template <class T>
class waiting {
public:
  ports::completion<T> completion() {
    return [told = told_](result<T> value) { told->set_value(std::move(value)); };
  }
  result<T> get() { return told_->get_future().get(); }

private:
  std::shared_ptr<std::promise<result<T>>> told_ = std::make_shared<std::promise<result<T>>>();
};

} // namespace agentpool::ctl::doctor

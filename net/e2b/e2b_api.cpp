// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/e2b_api.hpp"

#include "net/e2b/api_core.hpp"
#include "net/e2b/e2b_link.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <utility>

namespace agentpool::net {

namespace {

using ports::call_limits;
using ports::completion;
using ports::operation_id;

/// Moves every call to the thread of `io`.
class e2b_api : public e2b_provider {
public:
  e2b_api(boost::asio::io_context& io, e2b_options options)
      : io_{io}, options_{options}, core_{std::make_shared<api_core>(io, std::move(options))} {}

  ~e2b_api() override {
    boost::asio::post(io_, [core = core_] { core->close(); });
  }

  operation_id create(
    ports::sandbox_spec spec, call_limits limits, completion<ports::sandbox_access> done) override {
    return post(&api_core::create, std::move(spec), limits, std::move(done));
  }
  operation_id connect(std::string id, std::chrono::seconds timeout, call_limits limits,
    completion<ports::sandbox_connected> done) override {
    return post(&api_core::connect, std::move(id), timeout, limits, std::move(done));
  }
  operation_id info(
    std::string id, call_limits limits, completion<std::optional<ports::sandbox_info>> done) override {
    return post(&api_core::info, std::move(id), limits, std::move(done));
  }
  operation_id list(
    ports::sandbox_query query, call_limits limits, completion<ports::sandbox_page> done) override {
    return post(&api_core::list, std::move(query), limits, std::move(done));
  }
  operation_id kill(std::string id, call_limits limits, completion<bool> done) override {
    return post(&api_core::kill, std::move(id), limits, std::move(done));
  }
  operation_id set_timeout(
    std::string id, std::chrono::seconds timeout, call_limits limits, completion<void> done) override {
    return post(&api_core::set_timeout, std::move(id), timeout, limits, std::move(done));
  }
  operation_id refresh(
    std::string id, std::chrono::seconds timeout, call_limits limits, completion<void> done) override {
    return post(&api_core::refresh, std::move(id), timeout, limits, std::move(done));
  }
  operation_id pause(std::string id, bool keep_memory, call_limits limits, completion<bool> done) override {
    return post(&api_core::pause, std::move(id), keep_memory, limits, std::move(done));
  }
  void cancel(operation_id id) override {
    boost::asio::post(io_, [core = core_, id] { core->cancel(id); });
  }
  std::shared_ptr<ports::sandbox_link> link(const ports::sandbox_access& access) override {
    return make_e2b_link(io_, options_, access);
  }

private:
  template <class Method, class... Ts>
  operation_id post(Method method, Ts... xs) {
    auto id = ++last_;
    boost::asio::post(io_, [core = core_, id, method, ... xs = std::move(xs)]() mutable {
      ((*core).*method)(id, std::move(xs)...);
    });
    return id;
  }

  boost::asio::io_context& io_;
  e2b_options options_;
  std::shared_ptr<api_core> core_;
  std::atomic<operation_id> last_{0};
};

} // namespace

std::shared_ptr<e2b_provider> make_e2b_api(boost::asio::io_context& io, e2b_options options) {
  return std::make_shared<e2b_api>(io, std::move(options));
}

} // namespace agentpool::net

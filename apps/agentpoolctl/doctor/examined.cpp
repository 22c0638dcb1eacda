// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/examined.hpp"

#include "apps/agentpoolctl/doctor/waiting.hpp"
#include "net/http/client/collector.hpp"
#include "net/http/client/http_client.hpp"
#include "net/io_closing.hpp"
#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/ids.hpp"

namespace agentpool::ctl::doctor {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t most_output = 1u << 20;

/// Collects a command's output until its end. The window is larger than what is kept, so nothing waits.
class gathered : public ports::process_sink {
public:
  void on_started(uint32_t pid) override {
    started_.set_value(pid);
    told_ = true;
  }
  void on_output(ports::output_stream, std::string bytes) override {
    if (out_.size() < most_output)
      out_ += bytes;
  }
  void on_end(result<ports::process_end> how) override {
    if (!told_)
      started_.set_value(0);
    ended_.set_value(std::move(how));
  }

  uint32_t started() { return started_.get_future().get(); }
  result<ran> end() {
    auto how = ended_.get_future().get();
    if (!how)
      return tl::unexpected{how.error()};
    return ran{how->exited ? how->exit_code : -1, out_};
  }

private:
  std::promise<uint32_t> started_;
  std::promise<result<ports::process_end>> ended_;
  bool told_ = false;
  std::string out_;
};

class file_bytes : public ports::byte_sink {
public:
  void on_head(ports::byte_head) override {}
  void on_bytes(std::string bytes) override { all_ += bytes; }
  void on_end(result<void> how) override {
    if (how)
      told_.set_value(std::move(all_));
    else
      told_.set_value(tl::unexpected{how.error()});
  }
  result<std::string> get() { return told_.get_future().get(); }

private:
  std::string all_;
  std::promise<result<std::string>> told_;
};

ports::command_spec shell(const std::string& command, const std::string& user) {
  ports::command_spec spec;
  spec.argv = {"/bin/bash", "-c", command};
  spec.user = user;
  return spec;
}

} // namespace

examined::examined(settings what)
    : given{std::move(what)}, nonce{random_token("")}, api_{net::make_e2b_api(io_.io, given.provider)} {}

examined::~examined() {
  link_.reset();
  api_.reset();
  net::io_closing{io_.io};
}

void examined::step(const std::string& name, const std::function<finding()>& body) {
  if (broken || interrupted) {
    auto why = interrupted ? "it was interrupted" : "an earlier step failed";
    found.push_back({name, verdict::skipped, std::string{"not examined: "} + why, {}, {}});
    return;
  }
  auto start = steady_clock::now();
  auto one = body();
  one.step = name;
  if (!one.took)
    one.took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
  found.push_back(std::move(one));
}

void examined::fresh_link() {
  link_ = api_->link(access);
}

ports::call_limits examined::limits() const {
  return {
    .connect = given.patience, .first_byte = given.patience, .idle = given.patience, .total = given.patience};
}

result<ran> examined::run(const std::string& command, const std::string& user, const std::string& input) {
  auto spec = shell(command, user);
  spec.stdin_open = !input.empty();
  spec.kill_after = given.patience;
  auto sink = std::make_shared<gathered>();
  ports::stream_options options;
  options.limits = limits();
  options.window = 2 * most_output;
  link_->start(spec, options, sink);
  if (auto pid = sink->started(); pid != 0 && !input.empty()) {
    waiting<void> sent, closed;
    link_->send_input({pid, {}}, input, false, limits(), sent.completion());
    link_->close_stdin({pid, {}}, limits(), closed.completion());
    auto how = sent.get();
    if (auto end = closed.get(); how && !end)
      how = end;
    if (!how) {
      waiting<void> killed;
      link_->signal({pid, {}}, ports::process_signal::kill, limits(), killed.completion());
      static_cast<void>(killed.get());
      static_cast<void>(sink->end());
      return tl::unexpected{how.error()};
    }
  }
  return sink->end();
}

result<uint32_t> examined::start(const std::string& command) {
  auto sink = std::make_shared<gathered>();
  ports::stream_options options;
  options.limits = limits();
  auto call = link_->start(shell(command, "user"), options, sink);
  auto pid = sink->started();
  link_->cancel(call); // it goes on
  auto how = sink->end();
  if (pid == 0)
    return tl::unexpected{how ? failure{errc::internal, "no process started"} : how.error()};
  return pid;
}

result<std::string> examined::read(const std::string& path) {
  auto sink = std::make_shared<file_bytes>();
  ports::stream_options options;
  options.limits = limits();
  options.window = 64u << 20;
  link_->read_file(path, "user", {}, options, sink);
  return sink->get();
}

result<plain_answer> examined::plain(
  const std::string& url, std::vector<std::string> headers, const std::string& connect_to) {
  auto client = net::make_http_client(io_.io, given.provider.http);
  ports::http_call call;
  call.url = url;
  call.headers = std::move(headers);
  call.connect_to = connect_to;
  call.limits = limits();
  call.most_body = most_output;
  std::promise<net::http_answer> told;
  client->send(std::move(call), std::make_shared<net::collector>(
                                  [&told](net::http_answer answer) { told.set_value(std::move(answer)); }));
  auto answer = told.get_future().get();
  if (!answer.end.ok())
    return fail(errc::hand_unreachable, answer.end.text);
  return plain_answer{answer.head.status, answer.body, std::string{answer.head.header("Date")},
    std::string{answer.head.header("X-Next-Token")}};
}

result<std::vector<ports::sandbox_info>> examined::listed() {
  std::vector<ports::sandbox_info> all;
  ports::sandbox_query query;
  query.metadata = {{"agentpool-doctor", nonce}};
  do {
    waiting<ports::sandbox_page> page;
    api_->list(query, limits(), page.completion());
    auto got = page.get();
    if (!got)
      return tl::unexpected{got.error()};
    all.insert(all.end(), got->sandboxes.begin(), got->sandboxes.end());
    query.cursor = got->next;
  } while (!query.cursor.empty());
  return all;
}

std::string examined::key_line() const {
  return std::string{e2b::api_key_header} + ": " + given.provider.api_key;
}

finding good(std::string text) {
  return {{}, verdict::ok, std::move(text), {}, {}};
}

finding odd(std::string text, std::string fix) {
  return {{}, verdict::warn, std::move(text), std::move(fix), {}};
}

finding bad(std::string text, std::string fix) {
  return {{}, verdict::fail, std::move(text), std::move(fix), {}};
}

finding bad(const failure& why, const std::string& what) {
  auto fix = [&why]() -> std::string {
    switch (why.code) {
    case errc::provider_unauthorized:
      return "write the provider's key into the file that hands.api_key_file names";
    case errc::provider_busy:
      return "the provider has no room or limits the rate: ask its operator, or try later";
    case errc::hand_unreachable:
      return "look at the address, the network, and the certificate (hands.ca_file)";
    case errc::outcome_unknown:
      return "a proxy or the network lost the answer: look at its time limits and its log";
    case errc::provider_nonsense: return "look at hands.url and its path: what answers there is not this API";
    case errc::envd_unauthorized:
      return "the sandbox was made with another token: make sure that no proxy caches creates";
    case errc::hand_damaged:
      return "the template lacks something: make it by the recipe in docs/providers.md";
    default: return "ask the provider's operator with this sentence";
    }
  };
  return bad(what + ": " + why.text(), fix());
}

} // namespace agentpool::ctl::doctor

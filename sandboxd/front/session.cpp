// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/session.hpp"

#include "protocol/wire/e2b_list.hpp"
#include "sandboxd/front/address.hpp"
#include "sandboxd/front/error_page.hpp"
#include "sandboxd/front/session_detail.hpp"
#include "sandboxd/front/signed_url.hpp"
#include "sandboxd/limits.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include <fcntl.h>
#include <netinet/tcp.h>

namespace agentpool::sandboxd {

namespace {

constexpr size_t head_bytes = 64 * 1024;
constexpr size_t body_bytes = 1024 * 1024; // of requests of the control plane
constexpr auto body_deadline = std::chrono::seconds{60};

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

std::string_view text_of(const boost::beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

// A client that vanished without a word is noticed in some minutes.
void ask_whether_alive(session::tcp::socket& socket) {
  using seconds_option = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using pause_option = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  boost::system::error_code ignored;
  socket.set_option(boost::asio::socket_base::keep_alive{true}, ignored);
  socket.set_option(seconds_option{60}, ignored);
  socket.set_option(pause_option{30}, ignored);
}

} // namespace

bool is_malformed(const boost::system::error_code& error) {
  return error.category() == http::make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message &&
         error != http::error::need_buffer;
}

session::session(tcp::socket socket, std::shared_ptr<front_context> shared)
    : shared_(std::move(shared)), client_(std::move(socket)), upstream_(client_.get_executor()),
      deadline_(client_.get_executor()), never_(client_.get_executor()) {
  ++shared_->open;
  boost::system::error_code ignored;
  client_.set_option(tcp::no_delay{true}, ignored);
  ask_whether_alive(client_);
}

session::~session() {
  --shared_->open;
  leave_entry();
}

void session::leave_entry() {
  if (auto entry = entry_.lock())
    entry->streams.erase(this);
  entry_.reset();
}

void session::drop_upstream() {
  boost::system::error_code ignored;
  upstream_.close(ignored);
  upstream_buffer_.clear();
  leave_entry();
}

void session::reset() {
  if (!forwarding_)
    return drop_upstream();
  boost::system::error_code ignored;
  was_reset_ = true;
  client_.set_option(boost::asio::socket_base::linger{true, 0}, ignored);
  client_.close(ignored);
  upstream_.close(ignored);
  never_.cancel();
  deadline_.cancel();
}

session::task<void> session::run() {
  auto self = shared_from_this();
  for (;;) {
    request_parser parser;
    parser.header_limit(head_bytes);
    parser.body_limit(boost::none);
    if (!co_await read_head(parser) || !co_await serve(parser))
      break;
  }
  drop_upstream();
  if (client_.is_open())
    co_await linger();
}

// Until the whole head is in the buffer; nothing: it will not be. Its size.
session::task<std::optional<size_t>> session::await_head(const request_parser& parser) {
  constexpr std::string_view head_end = "\r\n\r\n", line_end = "\r\n";
  if (client_buffer_.size() > 0)
    deadline_.expires_after(limits::request_head);
  else
    deadline_.expires_after(limits::idle_client);
  for (;;) {
    while (text_of(client_buffer_).starts_with(line_end)) // some clients write one too many behind a body
      client_buffer_.consume(line_end.size());
    auto text = text_of(client_buffer_);
    auto end = text.find(head_end);
    auto head = text.substr(0, end == std::string_view::npos ? end : end + head_end.size());
    if (auto fault = head == line_end.substr(0, 1) ? std::nullopt : raw_head_fault(head)) {
      co_await refuse(400, *fault, parser, false);
      co_return std::nullopt;
    }
    if (head.size() > head_bytes) {
      co_await refuse(431, "the header is too large", parser, false);
      co_return std::nullopt;
    }
    if (end != std::string_view::npos)
      co_return head.size();
    auto first = text.empty();
    auto room = client_buffer_.prepare(std::min<size_t>(16 * 1024, client_buffer_.max_size() - text.size()));
    auto done = co_await (client_.async_read_some(room, quietly) || deadline_.async_wait(quietly));
    if (done.index() == 1 || std::get<0>(std::get<0>(done)))
      co_return std::nullopt;
    client_buffer_.commit(std::get<1>(std::get<0>(done)));
    if (first)
      deadline_.expires_after(limits::request_head);
  }
}

session::task<bool> session::read_head(request_parser& parser) {
  auto size = co_await await_head(parser);
  if (!size)
    co_return false;
  boost::system::error_code error;
  auto used = parser.put(boost::asio::const_buffer{client_buffer_.data().data(), *size}, error);
  if (error == http::error::need_buffer)
    error = {};
  const char* fault = error || !parser.is_header_done() ? "malformed request" : nullptr;
  if (!fault)
    fault = head_fault(parser.get()).value_or(nullptr);
  client_buffer_.consume(fault ? *size : used);
  if (fault)
    co_return co_await refuse(400, fault, parser, false);
  co_return true;
}

session::task<bool> session::serve(request_parser& parser) {
  const auto& head = parser.get();
  auto target = address_of(head, shared_->domain);
  if (!target)
    co_return co_await refuse(400, target.error().detail.c_str(), parser, false);
  if (*target)
    co_return co_await serve_inside(parser, **target);
  auto url = parse_signed_url({head.target().data(), head.target().size()});
  if (!url)
    co_return co_await serve_own(parser);
  std::string method{head.method_string()};
  if (head.method() == http::verb::options) // the question of a browser before it
    method = head["Access-Control-Request-Method"];
  auto signer = sandbox_of(*url, method, shared_->all);
  if (!signer)
    co_return co_await refuse(401, "invalid signature", parser, true);
  e2b::target envd{signer->record.id, e2b::envd_port};
  co_return co_await serve_inside(parser, std::move(envd));
}

session::task<bool> session::say(
  const control_response& response, const request_parser& parser, bool keep_alive) {
  auto keep = keep_alive && parser.keep_alive() && parser.is_done();
  auto text = own_response(response, keep, parser.get().method() == http::verb::head);
  auto [error, count] = co_await boost::asio::async_write(client_, boost::asio::buffer(text), quietly);
  co_return keep && !error;
}

// No temporaries inside the operand of a co_await: GCC 12 destroys some of them twice.
session::task<bool> session::refuse(
  int status, const char* why, const request_parser& parser, bool keep_alive) {
  auto response = error_response({status, why, {}});
  co_return co_await say(response, parser, keep_alive);
}

session::task<bool> session::read_own_body(request_parser& parser, std::string& body) {
  while (!parser.is_done() && body.size() <= body_bytes) {
    parser.get().body() = {up_.data(), up_.size(), true};
    auto [error, count] = co_await http::async_read_some(client_, client_buffer_, parser, quietly);
    if (is_malformed(error))
      co_return co_await refuse(400, "malformed body", parser, false);
    if (error && error != http::error::need_buffer)
      co_return false;
    body.append(up_.data(), up_.size() - parser.get().body().size);
  }
  co_return true;
}

session::task<bool> session::serve_own(request_parser& parser) {
  const auto& head = parser.get();
  if (expects_continue(head) && !co_await say_continue(client_))
    co_return false;
  std::string body;
  deadline_.expires_after(body_deadline);
  auto read = co_await (read_own_body(parser, body) || deadline_.async_wait(quietly));
  if (read.index() == 1)
    co_return co_await refuse(408, "the request did not arrive in time", parser, false);
  if (!std::get<0>(read))
    co_return false;
  if (body.size() > body_bytes)
    co_return co_await refuse(413, "the body is larger than 1 MiB", parser, false);
  std::string_view target{head.target().data(), head.target().size()};
  auto path = path_of(target);
  control_request request{std::string{head.method_string()}, std::string{path},
    std::string{target.substr(std::min(target.size(), path.size() + 1))},
    std::string{field(head, e2b::api_key_header).value_or("")}, std::move(body)};
  auto response = co_await serve_control(shared_->all, shared_->teams, std::move(request));
  co_return co_await say(response, parser, true);
}

session::task<bool> session::serve_inside(request_parser& parser, e2b::target target) {
  const auto& head = parser.get();
  auto to_envd = target.port == e2b::envd_port;
  if (to_envd && reserved_path(path_of({head.target().data(), head.target().size()})))
    co_return co_await refuse(404, "this path is reserved for the E2B control plane", parser, true);
  auto token = field(head, traffic_token_header).value_or("");
  auto known = shared_->all.known(target.sandbox_id);
  if (known && !known->record.network.admits(target.port, token)) {
    auto response = token_wanted(head, target);
    co_return co_await say(response, parser, true);
  }
  auto woken = co_await shared_->all.wake(target.sandbox_id);
  if (!woken) {
    auto response = woken.error().code == 404 ? not_found(head, target) : error_response(woken.error());
    co_return co_await say(response, parser, true);
  }
  auto entry = *woken;
  auto origin = field(head, "Origin");
  if (to_envd && origin && entry->record.access_token.empty() &&
      foreign_origin(*origin, field(head, "Host").value_or("")))
    co_return co_await refuse(
      403, "a page of another host may not use a sandbox without an access token", parser, true);
  if (!co_await reach(entry, target.port)) {
    auto gone = !shared_->all.running(target.sandbox_id);
    auto response = gone ? not_found(head, target) : port_closed(head, target);
    co_return co_await say(response, parser, true);
  }
  exchange on{parser, to_envd, target};
  on.host = entry->record.network.host_for(target.port);
  co_return co_await forward(on);
}

// The connection of the request before is taken again when it leads to envd and lives. Programs of the user
// may close theirs at any time, also while the next request is on its way.
session::task<bool> session::reach(const std::shared_ptr<sandbox_entry>& entry, uint16_t port) {
  auto same = port == e2b::envd_port && entry_.lock() == entry && boots_ == entry->boots && port_ == port;
  if (same && upstream_.is_open() && upstream_buffer_.size() == 0 && is_quiet(upstream_))
    co_return true;
  drop_upstream();
  entry_ = entry;
  boots_ = entry->boots;
  port_ = port;
  entry->streams.insert(this);
  // A number of our own: the sandbox may end meanwhile, and its number be given to another one's network.
  net::unique_fd network{::fcntl(entry->run->net.get(), F_DUPFD_CLOEXEC, 0)};
  upstream_ = co_await connect_inside(shared_->sockets, network.get(), port);
  if (upstream_.is_open() && serves(*entry) && entry->boots == boots_)
    co_return true;
  drop_upstream();
  co_return false;
}

} // namespace agentpool::sandboxd

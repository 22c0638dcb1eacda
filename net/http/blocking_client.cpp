// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/blocking_client.hpp"

#include <curl/curl.h>

#include <memory>

namespace agentpool::net {

namespace {

constexpr size_t most_body = 64u << 20;
constexpr size_t most_refusal = 64 * 1024;

// curl's global state must be made by one thread before others use it.
void initialize_curl() {
  static const auto done = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(done);
}

class call {
public:
  call(const std::string& url, const std::string& token, const std::atomic<bool>& stopped)
      : url_(url), stopped_(stopped) {
    initialize_curl();
    easy_.reset(::curl_easy_init());
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROXY, "");
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_WRITEFUNCTION, &call::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &call::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    if (!token.empty())
      add_header("Authorization: Bearer " + token);
  }

  template <class Value>
  void set(CURLoption option, Value value) {
    ::curl_easy_setopt(easy_.get(), option, value);
  }
  void add_header(const std::string& line) {
    auto longer = ::curl_slist_append(headers_.get(), line.c_str());
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }
  void limit(std::chrono::milliseconds deadline) {
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(deadline.count()));
  }
  void stream_to(const std::function<bool(std::string_view)>& sink) { sink_ = &sink; }

  result<client_response> run() {
    set(CURLOPT_HTTPHEADER, headers_.get());
    auto code = ::curl_easy_perform(easy_.get());
    if (code != CURLE_OK && !ended_by_sink_)
      return why(code);
    response_.status = status();
    char* type = nullptr;
    ::curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &type);
    response_.content_type = type == nullptr ? "" : type;
    return std::move(response_);
  }

private:
  int status() {
    long status = 0;
    ::curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }

  tl::unexpected<failure> why(CURLcode code) {
    std::string text = error_[0] != '\0' ? error_ : ::curl_easy_strerror(code);
    if (stopped_)
      return fail(errc::cancelled, "stopped");
    if (code == CURLE_OPERATION_TIMEDOUT)
      return fail(errc::deadline, url_ + ": " + text);
    if (code == CURLE_COULDNT_CONNECT)
      return fail(errc::internal, "nothing answers at " + url_ + "; is agentpoold running? (" + text + ")");
    return fail(errc::internal, url_ + ": " + text);
  }

  bool take(std::string_view bytes) {
    if (sink_ != nullptr && status() == 200) {
      ended_by_sink_ = !(*sink_)(bytes);
      return !ended_by_sink_;
    }
    response_.body += bytes;
    return response_.body.size() <= (sink_ != nullptr ? most_refusal : most_body);
  }

  static size_t on_body(char* data, size_t, size_t size, void* self) {
    return static_cast<call*>(self)->take({data, size}) ? size : size + 1; // another number ends the transfer
  }
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<call*>(self)->stopped_ ? 1 : 0;
  }

  const std::string& url_;
  const std::atomic<bool>& stopped_;
  std::unique_ptr<CURL, void (*)(CURL*)> easy_{nullptr, ::curl_easy_cleanup};
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers_{nullptr, ::curl_slist_free_all};
  const std::function<bool(std::string_view)>* sink_ = nullptr;
  bool ended_by_sink_ = false;
  client_response response_;
  char error_[CURL_ERROR_SIZE] = {};
};

} // namespace

blocking_client::blocking_client(std::string token, std::chrono::milliseconds deadline)
    : token_(std::move(token)), deadline_(deadline) {}

result<client_response> blocking_client::get(const std::string& url) {
  call one{url, token_, stopped_};
  one.limit(deadline_);
  return one.run();
}

result<client_response> blocking_client::post(
  const std::string& url, const std::string& json, const std::vector<std::string>& headers) {
  call one{url, token_, stopped_};
  one.limit(deadline_);
  one.add_header("Content-Type: application/json");
  one.add_header("Expect:"); // no extra round trip for larger bodies
  for (const auto& line : headers)
    one.add_header(line);
  one.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(json.size()));
  one.set(CURLOPT_POSTFIELDS, json.c_str());
  return one.run();
}

result<client_response> blocking_client::remove(const std::string& url) {
  call one{url, token_, stopped_};
  one.limit(deadline_);
  one.set(CURLOPT_CUSTOMREQUEST, "DELETE");
  return one.run();
}

result<client_response> blocking_client::stream(const std::string& url,
  const std::vector<std::string>& headers, const std::function<bool(std::string_view)>& on_bytes,
  std::chrono::seconds idle) {
  call one{url, token_, stopped_};
  for (const auto& line : headers)
    one.add_header(line);
  one.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(deadline_.count()));
  one.set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  one.set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(idle.count()));
  one.stream_to(on_bytes);
  return one.run();
}

} // namespace agentpool::net

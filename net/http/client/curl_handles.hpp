// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

namespace agentpool::net {

struct curl_deleter {
  void operator()(CURL* easy) const noexcept { ::curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const noexcept { ::curl_slist_free_all(list); }
};

using easy_handle = std::unique_ptr<CURL, curl_deleter>;
using slist_handle = std::unique_ptr<curl_slist, curl_deleter>;

inline void append(slist_handle& list, const std::string& line) {
  auto longer = ::curl_slist_append(list.get(), line.c_str());
  static_cast<void>(list.release());
  list.reset(longer);
}

/// curl's global state is made once, before its first use; its threadsafe build allows that from any thread.
inline void initialize_curl() {
  static const auto done = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(done);
}

} // namespace agentpool::net

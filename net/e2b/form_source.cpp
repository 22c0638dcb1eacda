// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/form_source.hpp"

#include "protocol/wire/ids.hpp"

namespace agentpool::net {

namespace {

std::string take(std::string& from, size_t most) {
  auto piece = from.substr(0, most);
  from.erase(0, piece.size());
  return piece;
}

} // namespace

form_frame make_form_frame() {
  auto boundary = random_id("form-");
  return {"--" + boundary +
            "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
            "Content-Type: application/octet-stream\r\n\r\n",
    "\r\n--" + boundary + "--\r\n", "multipart/form-data; boundary=" + boundary};
}

std::optional<uint64_t> form_source::length() const {
  auto content = content_->length();
  if (!content)
    return std::nullopt;
  return *content + frame_.before.size() + frame_.after.size();
}

// One request at a time: what one leaves behind the next one finds, on whatever thread.
void form_source::pull(size_t most, std::function<void(result<std::string>)> answer) {
  if (!progress_->before.empty())
    return answer(take(progress_->before, most));
  if (progress_->content_ended)
    return answer(take(progress_->after, most));
  content_->pull(most, [most, progress = progress_, answer](result<std::string> piece) {
    if (!piece || !piece->empty())
      return answer(std::move(piece));
    progress->content_ended = true;
    answer(take(progress->after, most));
  });
}

} // namespace agentpool::net

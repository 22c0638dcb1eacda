// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/byte_stream.hpp"

#include <memory>
#include <string>

namespace agentpool::net {

/// What stands round the content of the only file of a form (RFC 7578), and the form's content type.
struct form_frame {
  std::string before, after, content_type;
};

/// With a boundary that no content contains by accident. The name of the file says nothing: the path is in
/// the URL.
form_frame make_form_frame();

/// A source with text before and after another one.
class form_source : public ports::byte_source {
public:
  form_source(form_frame frame, std::shared_ptr<ports::byte_source> content)
      : frame_(std::move(frame)), content_(std::move(content)) {}

  std::optional<uint64_t> length() const override;
  void pull(size_t most, std::function<void(result<std::string>)> answer) override;

private:
  struct progress {
    std::string before, after;
    bool content_ended = false;
  };

  form_frame frame_;
  std::shared_ptr<ports::byte_source> content_;
  std::shared_ptr<progress> progress_ = std::make_shared<progress>(progress{frame_.before, frame_.after});
};

} // namespace agentpool::net

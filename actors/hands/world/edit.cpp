// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/edit_text.hpp"
#include "actors/hands/world/operation.hpp"
#include "actors/hands/world/publish.hpp"
#include "actors/hands/world/target_guard.hpp"
#include "actors/hands/world/upload_source.hpp"
#include "protocol/wire/text.hpp"
#include "protocol/wire/world_request.hpp"

namespace agentpool::world {

namespace {

constexpr size_t text_bytes = 10 << 20;

reply edit_refusal(edit_problem why, std::string_view display) {
  auto name = '"' + printable(display, path_bytes) + '"';
  switch (why) {
  case edit_problem::not_found:
    return coded_error("FS_EDIT_NOT_FOUND", "The text to replace is not in " + name + ".");
  case edit_problem::ambiguous:
    return coded_error("FS_AMBIGUOUS_EDIT", "The text to replace is in " + name + " more than once.");
  default: return coded_error("FS_NOT_TEXT", name + " is not UTF-8 text.");
  }
}

/// One `fs/edit`: lstat and content, unless they are known, replace, publication guarded by the facts of the
/// lstat. What is refused is refused by facts of now.
class edit_run : public std::enable_shared_from_this<edit_run> {
public:
  edit_run(operation op, edit_request asked, target_queue::turn turn)
      : op_{std::move(op)}, asked_{std::move(asked)}, turn_{std::move(turn)} {}

  void start() {
    const auto* known = known_entry(*op_.hand, asked_.path);
    if (known && !refuse_edit(*op_.hand, asked_, *known))
      return guarded(*known);
    op_.hand->lstat_now(asked_.path, [self = shared_from_this()](const result<seen>& found) {
      if (!found)
        return self->end(trouble(found.error()));
      self->guarded(*found);
    });
  }

private:
  void guarded(const seen& found) {
    if (auto refused = refuse_edit(*op_.hand, asked_, found))
      return end(std::move(*refused));
    if (found->size > text_bytes)
      return end(too_large());
    what_.known = facts_of(*found);
    if (auto content = kept_text(*op_.hand, asked_.path, *found))
      return change(*content);
    op_.hand->read_all(
      asked_.path, text_bytes, [self = shared_from_this()](const result<std::string>& content) {
        if (content)
          return self->change(*content);
        self->end(
          content.error().code == errc::payload_too_large ? self->too_large() : trouble(content.error()));
      });
  }

  reply too_large() const {
    return coded_error(
      "FS_TOO_LARGE", '"' + printable(asked_.display, path_bytes) + "\" is larger than 10 MiB.");
  }

  void change(const std::string& content) {
    auto made = edit_text(content, asked_.old_text, asked_.new_text, asked_.all);
    if (!made.done)
      return refuse(edit_refusal(made.problem, asked_.display));
    edited_ = std::move(*made.done);
    if (op_.is_cancelled())
      return end(aborted(asked_.display));
    what_.target = asked_.path;
    what_.expects = publication::guard::unchanged;
    if (edited_.content.size() <= inline_bytes) {
      what_.content = std::move(edited_.content);
      return publish_now();
    }
    stage();
  }

  // That the file was changed goes before what its text says.
  void refuse(reply why) {
    if (op_.hand->is_quiet())
      return end(std::move(why));
    op_.hand->lstat_now(
      asked_.path, [self = shared_from_this(), why = std::move(why)](const result<seen>& found) {
        auto changed = found ? refuse_edit(*self->op_.hand, self->asked_, *found) : std::nullopt;
        self->end(changed ? std::move(*changed) : why);
      });
  }

  void stage() {
    what_.staged = staging_name(asked_.path);
    auto call = op_.hand->begin("write", what_.staged, call_kind::stream);
    if (call)
      call->add_bytes(edited_.content.size());
    auto source = std::make_shared<upload_source>(std::move(edited_.content), nullptr);
    op_.hand->link().write_file(what_.staged, hand_user, source, {},
      op_.hand->bring<std::string>(call, [self = shared_from_this()](const result<std::string>& written) {
        if (written && !self->op_.is_cancelled())
          return self->publish_now();
        self->op_.hand->remove(self->what_.staged);
        self->end(written ? aborted(self->asked_.display) : trouble(written.error()));
      }));
  }

  void publish_now() {
    publish(op_.hand, what_, [self = shared_from_this()](const result<published>& done) {
      if (!done)
        return self->end(trouble(done.error(), effect::change));
      if (done->how != published::outcome::done)
        return self->end(publish_error(*done, self->asked_.display));
      auto version =
        version_of(self->asked_.path, ports::entry_type::file, done->now, self->op_.hand->continuity());
      self->end({200, json_object{}
                        .add("version", version)
                        .add("before", self->edited_.before)
                        .add("after", self->edited_.after)
                        .str()});
    });
  }

  void end(reply how) {
    turn_.reset();
    op_.done(std::move(how));
  }

  operation op_;
  edit_request asked_;
  target_queue::turn turn_;
  publication what_;
  edited edited_;
};

} // namespace

void edit(const operation& op) {
  auto asked = read_edit(op.body);
  if (!asked)
    return op.fail(asked.error());
  op.targets->enter(asked->path, [op, asked = *asked](target_queue::turn turn) {
    if (op.is_cancelled())
      return op.done(aborted(asked.display));
    std::make_shared<edit_run>(op, asked, std::move(turn))->start();
  });
}

} // namespace agentpool::world

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/edit_text.hpp"
#include "actors/hands/world/operation.hpp"
#include "actors/hands/world/publish.hpp"
#include "actors/hands/world/target_guard.hpp"
#include "actors/hands/world/upload_source.hpp"
#include "protocol/wire/world_request.hpp"

namespace agentpool::world {

namespace {

constexpr uint64_t before_bytes = 1 << 20;

/// One `fs/write`: content beside the target when it is large, then publication, whose program checks the
/// guard. The target is looked at before only when that program could not tell: it compares facts, and a
/// version gives none unless they are known; and large content is not sent for nothing.
class write_run : public std::enable_shared_from_this<write_run> {
public:
  write_run(operation op, write_request asked, target_queue::turn turn)
      : op_{std::move(op)}, asked_{std::move(asked)}, turn_{std::move(turn)} {}

  void start() {
    const auto* known = known_entry(*op_.hand, asked_.path);
    if (known && !refuse_target(*op_.hand, asked_, *known))
      return prepare(*known);
    if (asked_.expected.what != expectation::kind::version && is_small())
      return prepare({});
    op_.hand->lstat_now(asked_.path, [self = shared_from_this()](const result<seen>& found) {
      if (!found)
        return self->end(trouble(found.error()));
      self->guarded(*found);
    });
  }

private:
  bool is_small() const { return !(op_.stream && op_.stream->body()) && op_.content.size() <= inline_bytes; }

  void guarded(const seen& found) {
    if (auto refused = refuse_target(*op_.hand, asked_, found))
      return end(std::move(*refused));
    prepare(found);
  }

  void prepare(const seen& found) {
    if (op_.is_cancelled())
      return end(aborted(asked_.display));
    what_.target = asked_.path;
    what_.keep_before = before_bytes;
    what_.expects = guard_of(asked_.expected);
    if (found)
      what_.known = facts_of(*found);
    if (is_small()) {
      what_.content = std::move(op_.content);
      return publish_now();
    }
    stage();
  }

  void stage() {
    what_.staged = staging_name(asked_.path);
    auto rest = op_.stream ? op_.stream->body() : nullptr;
    auto call = op_.hand->begin("write", what_.staged, call_kind::stream);
    auto source = std::make_shared<upload_source>(std::move(op_.content), std::move(rest));
    op_.hand->link().write_file(what_.staged, hand_user, source, {},
      op_.hand->bring<std::string>(call, [self = shared_from_this()](const result<std::string>& written) {
        if (written && !self->op_.is_cancelled())
          return self->publish_now();
        self->op_.hand->remove(self->what_.staged);
        self->end(written ? aborted(self->asked_.display) : staging_failed(written.error()));
      }));
  }

  // Nothing was published: what a failed upload says about outcomes is about the file beside the target.
  static reply staging_failed(const failure& why) { return trouble(why, effect::none); }

  void publish_now() {
    publish(op_.hand, what_, [self = shared_from_this()](const result<published>& done) {
      if (!done)
        return self->end(trouble(done.error(), effect::change));
      if (done->how != published::outcome::done)
        return self->end(publish_error(*done, self->asked_.display));
      self->end(self->success(*done));
    });
  }

  reply success(const published& done) const {
    json_object out;
    out.add("operation", done.created ? "create" : "update");
    out.add("version", version_of(asked_.path, ports::entry_type::file, done.now, op_.hand->continuity()));
    auto before = done.before ? text_of(*done.before) : std::nullopt;
    out.add_raw("before", before ? json_quote(*before) : "null");
    return {200, out.str()};
  }

  void end(reply how) {
    turn_.reset();
    op_.done(std::move(how));
  }

  operation op_;
  write_request asked_;
  target_queue::turn turn_;
  publication what_;
};

} // namespace

void write(const operation& op) {
  auto asked = read_write(op.body);
  if (!asked)
    return op.fail(asked.error());
  op.targets->enter(asked->path, [op, asked = *asked](target_queue::turn turn) {
    if (op.is_cancelled())
      return op.done(aborted(asked.display));
    std::make_shared<write_run>(op, asked, std::move(turn))->start();
  });
}

} // namespace agentpool::world

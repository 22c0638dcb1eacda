// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/database.hpp"

#include "net/store/migrations.hpp"
#include "net/store/writes.hpp"
#include "protocol/wire/crash_point.hpp"

namespace agentpool::net {

namespace {

class sqlite_database : public ports::database {
public:
  using answers = std::vector<result<ports::store_answer>>;

  explicit sqlite_database(std::unique_ptr<sqlite_connection> db) : db_(std::move(db)) {}

  answers apply(std::span<const ports::store_op> ops) override {
    answers out;
    out.reserve(ops.size());
    db_->execute("BEGIN IMMEDIATE");
    for (const auto& op : ops)
      out.push_back(apply_one(op));
    crash_point("store.commit.before");
    db_->prepare("COMMIT").run();
    if (auto error = db_->take_error()) {
      db_->roll_back();
      return answers(ops.size(), tl::unexpected{*error});
    }
    crash_point("store.commit.after");
    return out;
  }

private:
  result<ports::store_answer> apply_one(const ports::store_op& op) {
    db_->prepare("SAVEPOINT op").run();
    auto answer = std::visit([this](const auto& one) { return apply_op(*db_, one); }, op);
    if (!answer)
      db_->prepare("ROLLBACK TO op").run();
    db_->prepare("RELEASE op").run();
    return answer;
  }

  std::unique_ptr<sqlite_connection> db_;
};

} // namespace

result<std::unique_ptr<ports::database>> open_database(const std::string& dir) {
  auto db = sqlite_connection::open(dir + "/" + database_file, sqlite_connection::mode::write);
  if (!db)
    return tl::unexpected{db.error()};
  if (auto ok = migrate(**db); !ok)
    return tl::unexpected{ok.error()};
  return std::make_unique<sqlite_database>(std::move(*db));
}

} // namespace agentpool::net

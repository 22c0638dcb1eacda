// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fault_link.hpp"

#include "actors/hands/world/facts.hpp"
#include "actors/hands/world/path.hpp"
#include "protocol/wire/base64.hpp"

#include <algorithm>

namespace agentpool::test {

using ports::entry_type;

void fault_link::process::end(int32_t code) {
  std::exchange(sink, nullptr)
    ->on_end(ports::process_end{true, code, "exit status " + std::to_string(code), {}});
}

void fault_link::process::killed() {
  std::exchange(sink, nullptr)->on_end(ports::process_end{false, -1, "signal: killed", "signal: killed"});
}

void fault_link::process::fail(failure why) {
  std::exchange(sink, nullptr)->on_end(tl::unexpected{std::move(why)});
}

fault_link::fault_link() {
  nodes_["/"] = {.type = entry_type::directory};
  directory("/workspace");
  directory("/tmp");
}

void fault_link::put(const std::string& path, node what) {
  auto parent = std::string{world::parent_of(path)};
  if (!nodes_.contains(parent))
    directory(parent);
  what.modified_ns = what.modified_ns == 0 ? now_ns_++ : what.modified_ns;
  nodes_[path] = std::move(what);
}

void fault_link::directory(const std::string& path) {
  if (!nodes_.contains(path))
    put(path, {.type = entry_type::directory, .mode = 0755});
}

void fault_link::symlink(const std::string& path, std::string target) {
  put(path, {.type = entry_type::other, .target = std::move(target)});
}

const fault_link::node* fault_link::find(const std::string& path) const {
  auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::string fault_link::content(const std::string& path) const {
  const auto* found = find(path);
  return found ? found->content : "(missing)";
}

std::vector<std::string> fault_link::names(const std::string& path) const {
  std::vector<std::string> out;
  for (const auto& [name, what] : nodes_)
    if (name != "/" && world::parent_of(name) == path)
      out.emplace_back(world::name_of(name));
  return out;
}

// -- paths, as the kernel walks them

fault_link::walked fault_link::walk(const std::string& path, bool follow_last) const {
  std::string at = "/", rest = path;
  int links = 0;
  while (true) {
    rest.erase(
      0, rest.find_first_not_of('/') == std::string::npos ? rest.size() : rest.find_first_not_of('/'));
    if (rest.empty())
      return {at, {}};
    auto end = std::min(rest.find('/'), rest.size());
    auto part = rest.substr(0, end);
    rest.erase(0, end);
    bool last = rest.find_first_not_of('/') == std::string::npos;
    auto next = world::join(at, part);
    const auto* found = find(next);
    if (found && !found->target.empty() && (!last || follow_last)) {
      if (++links > 40)
        return {next, failure{errc::envd_failed, "lstat: too many levels of symbolic links"}};
      rest = found->target + rest;
      at = found->target.starts_with('/') ? "/" : at;
      continue;
    }
    if (last)
      return {next, {}};
    if (!found)
      return {next, failure{errc::envd_not_found, "no such file or directory"}};
    if (found->type != entry_type::directory)
      return {next, failure{errc::envd_failed, "lstat: not a directory"}};
    at = next;
  }
}

ports::entry_info fault_link::entry(const std::string& path, const std::string& real) const {
  const auto& what = *find(real);
  ports::entry_info out{std::string{world::name_of(path)}, path, what.type, !what.target.empty(),
    what.content.size(), what.mode, "-rw-r--r--", what.owner, "user", what.modified_ns, {}};
  if (!out.symlink)
    return out;
  auto target = walk(real, true);
  const auto* end = target.error ? nullptr : find(target.path);
  out.size = what.target.size();
  out.permissions = "Lrwxrwxrwx";
  out.link_target = end ? target.path : path;
  out.type = end ? end->type : entry_type::other;
  out.mode = end ? end->mode : 0777;
  return out;
}

std::optional<failure> fault_link::begin(const std::string& call, const std::string& path) {
  ++last_id_;
  calls.push_back(call + ' ' + path);
  return fault ? fault(call, path) : std::nullopt;
}

// -- files

ports::operation_id fault_link::stat(std::string path, std::string, ports::call_limits,
  ports::completion<std::optional<ports::entry_info>> done) {
  if (auto why = begin("stat", path))
    return done(tl::unexpected{*why}), last_id_;
  auto where = walk(path, false);
  if (where.error && where.error->code != errc::envd_not_found)
    done(tl::unexpected{*where.error});
  else if (where.error || !find(where.path))
    done(std::nullopt);
  else
    done(entry(path, where.path));
  return last_id_;
}

ports::operation_id fault_link::list_dir(std::string path, uint32_t, std::string, ports::call_limits,
  ports::completion<std::vector<ports::entry_info>> done) {
  if (auto why = begin("list", path))
    return done(tl::unexpected{*why}), last_id_;
  auto where = walk(path, true);
  const auto* found = where.error ? nullptr : find(where.path);
  if (!found)
    return done(fail(errc::envd_not_found)), last_id_;
  if (found->type != entry_type::directory)
    return done(fail(errc::envd_invalid, "path is not a directory")), last_id_;
  std::vector<ports::entry_info> out;
  for (const auto& name : names(where.path))
    out.push_back(entry(world::join(path, name), world::join(where.path, name)));
  std::ranges::reverse(out); // no order is promised
  return done(std::move(out)), last_id_;
}

ports::operation_id fault_link::make_dir(
  std::string path, std::string, ports::call_limits, ports::completion<bool> done) {
  if (auto why = begin("mkdir", path))
    return done(tl::unexpected{*why}), last_id_;
  bool fresh = !find(path);
  directory(path);
  return done(fresh), last_id_;
}

ports::operation_id fault_link::move(std::string source, std::string destination, std::string,
  ports::call_limits, ports::completion<ports::entry_info> done) {
  if (auto why = begin("move", source + ' ' + destination))
    return done(tl::unexpected{*why}), last_id_;
  auto found = nodes_.extract(source);
  if (found.empty())
    return done(fail(errc::envd_not_found)), last_id_;
  put(destination, std::move(found.mapped()));
  return done(entry(destination, destination)), last_id_;
}

ports::operation_id fault_link::remove(
  std::string path, std::string, ports::call_limits, ports::completion<void> done) {
  if (auto why = begin("remove", path))
    return done(tl::unexpected{*why}), last_id_;
  std::erase_if(nodes_, [&](const auto& one) { return world::within(path, one.first); });
  return done({}), last_id_;
}

ports::operation_id fault_link::read_file(std::string path, std::string, ports::byte_range range,
  ports::stream_options, std::shared_ptr<ports::byte_sink> sink) {
  if (auto why = begin("read", path))
    return sink->on_end(tl::unexpected{*why}), last_id_;
  auto where = walk(path, true);
  const auto* found = where.error ? nullptr : find(where.path);
  if (!found)
    return sink->on_end(fail(errc::envd_not_found)), last_id_;
  auto bytes = found->content.substr(
    std::min<size_t>(range.offset, found->content.size()), range.length ? *range.length : std::string::npos);
  sink->on_head({bytes.size(), found->content.size(), "application/octet-stream"});
  for (size_t at = 0; at < bytes.size(); at += piece_bytes)
    sink->on_bytes(bytes.substr(at, piece_bytes));
  if (auto why = fault ? fault("read-end", path) : std::nullopt)
    return sink->on_end(tl::unexpected{*why}), last_id_;
  return sink->on_end({}), last_id_;
}

namespace {

struct upload : std::enable_shared_from_this<upload> {
  std::shared_ptr<ports::byte_source> source;
  std::string bytes;
  std::function<void(result<std::string>)> done;

  void pull() {
    source->pull(4093, [self = shared_from_this()](result<std::string> piece) {
      if (!piece)
        return self->done(tl::unexpected{piece.error()});
      if (piece->empty())
        return self->done(std::move(self->bytes));
      self->bytes += *piece;
      self->pull();
    });
  }
};

} // namespace

ports::operation_id fault_link::write_file(std::string path, std::string,
  std::shared_ptr<ports::byte_source> source, ports::stream_options, ports::completion<std::string> done) {
  if (auto why = begin("write", path))
    return done(tl::unexpected{*why}), last_id_;
  auto one = std::make_shared<upload>();
  one->source = std::move(source);
  one->done = [this, path, done = std::move(done)](result<std::string> bytes) {
    file(path, bytes.value_or("part"));
    bytes ? done(path) : done(tl::unexpected{bytes.error()});
  };
  one->pull();
  return last_id_;
}

ports::operation_id fault_link::write_file(
  std::string path, std::string, std::string bytes, ports::call_limits, ports::completion<std::string> done) {
  if (auto why = begin("write", path))
    return done(tl::unexpected{*why}), last_id_;
  file(path, std::move(bytes));
  return done(path), last_id_;
}

// -- processes

ports::operation_id fault_link::start(
  ports::command_spec command, ports::stream_options, std::shared_ptr<ports::process_sink> sink) {
  const auto& argv = command.argv;
  bool publishing = argv.size() > 11 && argv[4].starts_with("pub_");
  bool removing = argv.size() == 5 && argv[2] == "rmdir";
  auto why = publishing ? begin("publish", argv[5])
             : removing ? begin("rmdir", argv[4])
                        : begin("start", argv[0]);
  if (why)
    return sink->on_end(tl::unexpected{*why}), last_id_;
  if (publishing)
    return publish(command, *sink), last_id_;
  if (removing)
    return remove_empty(argv[4], *sink), last_id_;
  started.push_back(std::make_shared<process>(process{last_id_, std::move(command), std::move(sink)}));
  return last_id_;
}

void fault_link::publish(const ports::command_spec& command, ports::process_sink& sink) {
  sink.on_started(4711);
  sink.on_output(ports::output_stream::out, publish(command));
  sink.on_end(ports::process_end{true, 0, "exit status 0", {}});
}

void fault_link::remove_empty(const std::string& path, ports::process_sink& sink) {
  const auto* there = find(path);
  std::string no = !there                                 ? "No such file or directory"
                   : there->type != entry_type::directory ? "Not a directory"
                   : !names(path).empty()                 ? "Directory not empty"
                                                          : "";
  sink.on_started(4711);
  if (no.empty())
    nodes_.erase(path);
  else
    sink.on_output(ports::output_stream::err, "rmdir: failed to remove '" + path + "': " + no + "\n");
  sink.on_end(ports::process_end{true, no.empty() ? 0 : 1, "", {}});
}

// What the publishing program does, in its order.
std::string fault_link::publish(const ports::command_spec& command) {
  const auto& argv = command.argv;
  auto target = argv[5], guard = argv[7];
  auto line = [&](const std::string& words) { return '\n' + argv[4] + ' ' + words + '\n'; };
  auto refuse = [&](const std::string& word) {
    nodes_.erase(argv[6]);
    return line(word);
  };
  const auto* there = find(target);
  if (there && (there->type != entry_type::file || !there->target.empty()))
    return refuse("irregular");
  if (guard == "absent" && there)
    return refuse("exists");
  if (guard == "unchanged" && (!there || world::to_line(world::facts_of(entry(target, target))) != argv[8]))
    return refuse("stale");
  std::string before;
  bool kept = there && std::stoull(argv[9]) >= there->content.size() && argv[9] != "0";
  if (kept)
    before = there->content;
  auto had = there != nullptr;
  auto now = store(command, had);
  return before + line((had ? "updated " : "created ") + std::string{kept ? "kept " : "none "} + now) +
         above(target);
}

std::string fault_link::store(const ports::command_spec& command, bool had) {
  const auto& argv = command.argv;
  const auto& target = argv[5];
  node fresh;
  fresh.mode = had ? find(target)->mode : static_cast<uint32_t>(std::stoul(argv[10], nullptr, 8));
  if (argv[11] == "staged")
    fresh.content = std::move(nodes_.extract(argv[6]).mapped().content);
  std::string text;
  for (size_t i = 12; i < argv.size(); ++i)
    text += argv[i];
  if (argv[11] == "inline")
    fresh.content = *base64_decode(text);
  put(target, std::move(fresh));
  touch_parent(target);
  return world::to_line(world::facts_of(entry(target, target)));
}

// As the kernel does it; the directories' own times are not told by what was put for a test.
void fault_link::touch_parent(const std::string& path) {
  nodes_[std::string{world::parent_of(path)}].modified_ns = now_ns_++;
}

// What the publishing program says of the directories above.
std::string fault_link::above(const std::string& path) const {
  std::string out;
  for (auto at = path; at != "/";) {
    at = std::string{world::parent_of(at)};
    auto words = world::to_line(world::facts_of(entry(at, at)));
    auto mode = words.find(' ', words.find(' ') + 1) + 1;
    auto owner = words.find(' ', mode);
    char raw[16];
    std::snprintf(raw, sizeof raw, "%x", 0040000 | find(at)->mode);
    out += words.substr(0, mode) + raw + words.substr(owner) + " 1000 1000\n";
  }
  return out;
}

ports::operation_id fault_link::attach(
  ports::process_ref, ports::stream_options, std::shared_ptr<ports::process_sink> sink) {
  begin("attach", "");
  return sink->on_end(fail(errc::envd_not_found)), last_id_;
}

ports::operation_id fault_link::send_input(
  ports::process_ref process, std::string bytes, bool, ports::call_limits, ports::completion<void> done) {
  if (auto why = begin("input", std::to_string(process.pid)))
    return done(tl::unexpected{*why}), last_id_;
  inputs.push_back({process.pid, std::move(bytes), false, std::move(done)});
  return last_id_;
}

ports::operation_id fault_link::close_stdin(
  ports::process_ref process, ports::call_limits, ports::completion<void> done) {
  if (auto why = begin("close_stdin", std::to_string(process.pid)))
    return done(tl::unexpected{*why}), last_id_;
  inputs.push_back({process.pid, {}, true, std::move(done)});
  return last_id_;
}

ports::operation_id fault_link::signal(
  ports::process_ref, ports::process_signal, ports::call_limits, ports::completion<void> done) {
  begin("signal", "");
  return done(fail(errc::envd_not_found)), last_id_;
}

ports::operation_id fault_link::resize(
  ports::process_ref process, ports::pty_size, ports::call_limits, ports::completion<void> done) {
  if (auto why = begin("resize", std::to_string(process.pid)))
    return done(tl::unexpected{*why}), last_id_;
  return done({}), last_id_;
}

ports::operation_id fault_link::processes(
  ports::call_limits, ports::completion<std::vector<ports::running_process>> done) {
  begin("processes", "");
  return done(running), last_id_;
}

ports::operation_id fault_link::health(ports::call_limits, ports::completion<void> done) {
  begin("health", "");
  return done({}), last_id_;
}

ports::operation_id fault_link::init(ports::envd_init, ports::call_limits, ports::completion<void> done) {
  begin("init", "");
  return done({}), last_id_;
}

void fault_link::consumed(ports::operation_id id, size_t bytes) {
  consumed_bytes[id] += bytes;
}

void fault_link::cancel(ports::operation_id id) {
  cancelled.push_back(id);
  for (auto& one : started)
    if (one->id == id && one->sink)
      one->fail({errc::cancelled, {}});
}

void fault_link::close(failure why) {
  for (auto& one : started)
    if (one->sink)
      one->fail(why);
  inputs.clear(); // their answers hold what made them
}

} // namespace agentpool::test

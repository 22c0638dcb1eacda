// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/workers/process_link.hpp"

#include "protocol/wire/text.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <cstring>

namespace agentpool {

namespace {

constexpr size_t line_bytes = 500;
constexpr size_t reason_lines = 5;

class message_listener : public ports::process_listener {
public:
  explicit message_listener(const worker_actor& worker) : worker_{worker.address()} {}

  void on_started(int pid) override { tell(process_started_atom_v, int32_t{pid}); }
  void on_line(std::string line) override { tell(process_line_atom_v, std::move(line)); }
  void on_stderr_line(std::string line) override { tell(process_stderr_atom_v, std::move(line)); }
  void on_stdout_end(ports::stdout_end why) override {
    tell(process_stdout_end_atom_v, static_cast<uint8_t>(why));
  }
  void on_exit(ports::exit_status how) override {
    tell(process_exit_atom_v, int32_t{how.code}, int32_t{how.signal});
  }
  void on_failed(failure why) override { tell(process_failed_atom_v, std::move(why)); }

private:
  template <class... Ts>
  void tell(Ts&&... xs) {
    if (auto worker = caf::actor_cast<worker_actor>(worker_))
      caf::anon_send(worker, std::forward<Ts>(xs)...);
  }

  caf::actor_addr worker_;
};

std::string signal_name(int signal) {
  auto name = ::sigdescr_np(signal);
  return name ? " (" + std::string{name} + ")" : std::string{};
}

void replace_all(std::string& text, std::string_view mark, const std::string& value) {
  for (auto pos = text.find(mark); pos != std::string::npos; pos = text.find(mark, pos + value.size()))
    text.replace(pos, mark.size(), value);
}

std::string with_home(std::string text, const home_paths& paths) {
  replace_all(text, "{home}", paths.home);
  replace_all(text, "{root}", paths.root);
  return text;
}

} // namespace

std::shared_ptr<ports::process_listener> make_process_listener(const worker_actor& worker) {
  return std::make_shared<message_listener>(worker);
}

ports::process_spec make_process_spec(
  const worker_config& config, const home_paths& home, const std::string& token) {
  ports::process_spec spec;
  for (const auto& word : config.profile.command)
    spec.argv.push_back(with_home(word, home));
  for (const auto& entry : config.profile.env)
    spec.env.push_back(with_home(entry, home));
  if (config.profile.world) {
    spec.env.push_back("AGENTPOOL_WORLD_SOCKET=" + home.socket);
    spec.env.push_back("AGENTPOOL_WORLD_TOKEN=" + token);
  }
  spec.cwd = home.home;
  spec.uid = config.uid;
  return spec;
}

void stderr_tail::add(std::string_view line) {
  lines_.push_back(printable(line, line_bytes));
  if (lines_.size() > defaults::stderr_lines)
    lines_.pop_front();
}

std::string stderr_tail::text(size_t count) const {
  std::string out;
  for (auto i = lines_.size() - std::min(count, lines_.size()); i < lines_.size(); ++i)
    out += (out.empty() ? "" : " | ") + lines_[i];
  return out;
}

bool stderr_tail::heap_death() const {
  return std::any_of(lines_.begin(), lines_.end(), [](const std::string& line) {
    return line.find("Reached heap limit") != std::string::npos ||
           line.find("JavaScript heap out of memory") != std::string::npos;
  });
}

bool is_boot_fault(std::string_view stderr_line) {
  return stderr_line.find("did not activate") != std::string_view::npos ||
         stderr_line.find("disabling profile plugin") != std::string_view::npos;
}

std::string exit_text(ports::exit_status how, const stderr_tail& tail) {
  std::string out = "The brain process ";
  if (tail.heap_death())
    out += "ran out of heap memory";
  else if (how.signal != 0)
    out += "was ended by signal " + std::to_string(how.signal) + signal_name(how.signal);
  else
    out += "ended with code " + std::to_string(how.code);
  auto last = tail.text(reason_lines);
  return out + (last.empty() ? "; it wrote nothing to stderr." : "; its stderr ends: " + last);
}

} // namespace agentpool

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/publish.hpp"

#include "actors/hands/world/trouble.hpp"
#include "protocol/wire/base64.hpp"
#include "protocol/wire/text.hpp"
#include "protocol/wire/world_paths.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool::world {

namespace {

// $1 id of the answer's line, $2 target, $3 file beside it, $4 guard, $5 facts that are expected, $6 bytes of
// the old content to print, $7 mode of a new file, $8 inline or staged, then the content in base64.
constexpr std::string_view script = R"sh(
set -fu
LC_ALL=C; export LC_ALL
umask 022
up= id=$1 t=$2 w=$3 guard=$4 want=$5 keep=$6 mode=$7 from=$8
shift 8
say() { printf '\n%s %s\n%s' "$id" "$1" "$up"; exit 0; }
no() { rm -f -- "$w"; say "$1"; }
facts() {
  set -- $(stat -c '%s %.9Y %a %U %G %u %g' -- "$1")
  [ $# = 7 ] || return 1
  size=$1 full=$3 user=$4 group=$5
  [ "$user" != UNKNOWN ] || user=$6
  [ "$group" != UNKNOWN ] || group=$7
  facts="$1 $2 $((0$3 & 0777)) $user $group"
}
above() {
  d=${t%/*}
  set --
  while [ -n "$d" ]; do set -- "$@" "$d"; d=${d%/*}; done
  set -- "$@" /
  up="$(stat -c '%s %.9Y %f %U %G %u %g' -- "$@")
" || up=
}
kind() {
  have=none
  if [ -L "$t" ]; then have=irregular
  elif [ -f "$t" ]; then have=file
  elif [ -e "$t" ]; then have=irregular
  fi
}
check() {
  kind
  [ "$have" != irregular ] || no irregular
  case $guard in
    absent) [ "$have" = none ] || no exists ;;
    unchanged) [ "$have" = file ] && facts "$t" && [ "$facts" = "$want" ] || no stale ;;
  esac
}
check
if [ "$have" = file ]; then
  facts "$t" || no stale
  mode=$full
else
  d=${t%/*}
  mkdir -p -- "${d:-/}" || no failed
fi
if [ "$from" = inline ]; then
  (set -C; printf %s "$@" | base64 -d >"$w") || no failed
fi
chmod -- "$mode" "$w" || no failed
kept=none
if [ "$have" = file ] && [ "$keep" -gt 0 ] && [ "$size" -le "$keep" ]; then
  cat -- "$t" && kept=kept
fi
facts "$w" || no failed
new=$facts
case $guard in
  absent)
    if ! ln -T -- "$w" "$t"; then
      kind
      case $have in file) no exists ;; irregular) no irregular ;; esac
      mv -nT -- "$w" "$t" || no failed
      [ ! -e "$w" ] || no exists
    fi
    rm -f -- "$w"
    above
    say "created $kept $new" ;;
  *)
    was=$have
    check
    mv -fT -- "$w" "$t" || no failed
    above
    [ "$was" = file ] && say "updated $kept $new"
    say "created $kept $new" ;;
esac
)sh";

// One argument of a program has less than 128 KiB; whole groups of three bytes need no padding.
constexpr size_t piece_bytes = 72 * 1024;
constexpr size_t sentence_bytes = 300;
constexpr size_t directory_bytes = 256; // of the line about one

std::string_view guard_name(publication::guard guard) {
  switch (guard) {
  case publication::guard::absent: return "absent";
  case publication::guard::unchanged: return "unchanged";
  default: return "none";
  }
}

std::string_view take_word(std::string_view& line) {
  auto end = std::min(line.find(' '), line.size());
  auto word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

// `<size> <time> <mode with type, hex> <owner> <group> <uid> <gid>`; nothing unless it is a directory.
std::optional<facts> directory_from(std::string_view line) {
  constexpr uint32_t type_bits = 0170000, directory = 0040000;
  auto size = take_word(line), time = take_word(line), raw = take_word(line);
  auto owner = take_word(line), group = take_word(line), uid = take_word(line), gid = take_word(line);
  uint32_t mode = 0;
  auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), mode, 16);
  if (error != std::errc{} || end != raw.data() + raw.size() || (mode & type_bits) != directory ||
      gid.empty())
    return std::nullopt;
  std::string words{size};
  words.append(" ").append(time).append(" ").append(std::to_string(mode & 0777)).append(" ");
  words.append(owner == "UNKNOWN" ? uid : owner).append(" ").append(group == "UNKNOWN" ? gid : group);
  return facts_from(words);
}

// All of them or none: a line that is missing would make the others somebody else's.
std::vector<facts> directories_from(std::string_view lines) {
  std::vector<facts> out;
  while (!lines.empty()) {
    auto end = std::min(lines.find('\n'), lines.size());
    auto one = directory_from(lines.substr(0, end));
    if (!one)
      return {};
    out.push_back(std::move(*one));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

std::optional<published::outcome> refusal(std::string_view word) {
  using outcome = published::outcome;
  if (word == "exists")
    return outcome::exists;
  if (word == "irregular")
    return outcome::irregular;
  if (word == "stale")
    return outcome::stale;
  return word == "failed" ? std::optional{outcome::failed} : std::nullopt;
}

} // namespace

std::string staging_name(std::string_view target) {
  return join(parent_of(target), random_id(".agentpool-"));
}

std::vector<std::string> publish_argv(
  const publication& what, const std::string& id, const std::string& beside) {
  std::vector<std::string> out{"/bin/sh", "-c", std::string{script}, "sh", id, what.target, beside,
    std::string{guard_name(what.expects)}, to_line(what.known), std::to_string(what.keep_before), what.mode,
    what.staged.empty() ? "inline" : "staged"};
  for (std::string_view rest{what.content}; !rest.empty();
       rest.remove_prefix(std::min(piece_bytes, rest.size())))
    out.push_back(base64_encode(rest.substr(0, piece_bytes)));
  return out;
}

std::optional<published> read_published(std::string_view out, std::string_view err, std::string_view id) {
  auto head = '\n' + std::string{id} + ' ';
  auto at = out.rfind(head);
  if (at == std::string_view::npos || !out.ends_with('\n'))
    return std::nullopt;
  auto line = out.substr(at + head.size());
  auto rest = line.substr(line.find('\n') + 1);
  line.remove_suffix(rest.size() + 1);
  auto word = take_word(line);
  published done;
  if (auto how = refusal(word)) {
    done.how = *how;
    done.error = err;
    return done;
  }
  auto kept = take_word(line);
  auto now = facts_from(line);
  if ((word != "created" && word != "updated") || !now)
    return std::nullopt;
  done.how = published::outcome::done;
  done.created = word == "created";
  done.now = std::move(*now);
  done.above = directories_from(rest);
  if (kept == "kept")
    done.before = out.substr(0, at);
  return done;
}

namespace {

ports::entry_info entry_of(const std::string& path, ports::entry_type type, const facts& known) {
  ports::entry_info out{.name = std::string{name_of(path)}, .path = path, .type = type};
  out.size = known.size;
  out.mode = known.mode;
  out.owner = known.owner;
  out.group = known.group;
  out.modified_ns = known.modified_ns;
  return out;
}

// The answer of the program is as good as a stat, but of directories only when nobody else changed them
// meanwhile.
void remember(hand_io& hand, const publication& what, const published& done, known_files::moment asked) {
  auto* known = hand.known();
  if (!known)
    return;
  bool alone = asked == known->now();
  known->touch(what.target);
  auto now = known->now();
  if (asked.generation != now.generation)
    return;
  known->put(what.target, entry_of(what.target, ports::entry_type::file, done.now), now);
  auto version = version_of(what.target, ports::entry_type::file, done.now, hand.continuity());
  if (what.staged.empty())
    known->content().put(what.target, version, what.content);
  auto path = what.target;
  for (const auto& one : done.above) {
    path = std::string{parent_of(path)};
    if (alone)
      known->put(path, entry_of(path, ports::entry_type::directory, one), now);
  }
}

} // namespace

void publish(const std::shared_ptr<hand_io>& hand, const publication& what, hand_io::then<published> next) {
  auto asked = hand->known() ? hand->known()->now() : known_files::moment{};
  auto id = random_id("pub_");
  auto above = static_cast<size_t>(std::ranges::count(what.target, '/'));
  auto most = what.keep_before + 4096 + above * directory_bytes;
  auto beside = what.staged.empty() ? staging_name(what.target) : what.staged;
  hand->run({publish_argv(what, id, beside), hand_user, most, "publish " + what.target, call_kind::stream,
              {.limits = {.total = defaults::hand_first_byte}}},
    [id, hand, what, asked, beside, next = std::move(next)](const result<script_output>& ran) {
      auto done = ran ? read_published(ran->out, ran->err, id) : std::nullopt;
      if (done && done->how == published::outcome::done)
        remember(*hand, what, *done, asked);
      else
        hand->touch(what.target);
      if (!done)
        hand->doubt(); // it may run on
      if (!done || done->how != published::outcome::done)
        hand->remove(beside);
      if (!ran)
        return next(tl::unexpected{ran.error()});
      if (!done)
        return next(fail(errc::outcome_unknown, "The program that writes files ended without an answer."));
      next(std::move(*done));
    });
}

reply publish_error(const published& what, std::string_view display) {
  std::string name{'"'};
  name.append(printable(display, path_bytes)).append("\"");
  switch (what.how) {
  case published::outcome::exists: return coded_error("FS_NOT_OBSERVED", name + " exists already.");
  case published::outcome::irregular:
    return coded_error("FS_NOT_REGULAR_FILE", name + " is not a regular file.");
  case published::outcome::stale:
    return coded_error("FS_STALE_VERSION", name + " was changed or removed since it was read.");
  default: break;
  }
  if (what.error.find("Not a directory") != std::string::npos ||
      what.error.find("File exists") != std::string::npos)
    return coded_error("FS_NOT_DIRECTORY", "A part of the path of " + name + " is not a directory.");
  if (what.error.find("File name too long") != std::string::npos)
    return coded_error("FS_IO_ERROR", "The name of " + name + " is too long.");
  return trouble({errc::envd_failed,
    what.error.empty() ? "The file could not be written." : printable(what.error, sentence_bytes)});
}

} // namespace agentpool::world

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/trouble.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <string>

namespace agentpool::world {

namespace {

constexpr size_t detail_bytes = 400;

bool mentions(const failure& why, std::string_view words) {
  auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  return std::ranges::search(why.detail, words, same).begin() != why.detail.end();
}

reply io_error(const failure& why) {
  if (mentions(why, "permission denied") || mentions(why, "operation not permitted") ||
      mentions(why, "read-only file system"))
    return coded_error("FS_PERMISSION_DENIED", "The sandbox's permissions do not allow this.");
  if (mentions(why, "no space left"))
    return coded_error("FS_IO_ERROR", "The sandbox's disk is full; delete files in it.");
  return coded_error("FS_IO_ERROR", printable(why.text(), detail_bytes));
}

// What envd says begins small and ends without a full stop.
std::string sentence_of(const failure& why) {
  auto text = printable(why.text(), detail_bytes);
  if (text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 32);
  return text.back() == '.' ? text : text + '.';
}

reply no_answer(effect what) {
  if (what == effect::change)
    return coded_error("WORLD_TIMEOUT", "The sandbox did not answer in time: whether the change was made is "
                                        "unknown; look before you try again.");
  return coded_error("WORLD_TIMEOUT", "The sandbox did not answer in time; try again in a moment.");
}

reply lost(const failure& why) {
  if (!why.detail.empty() && why.code == errc::hand_lost)
    return coded_error("WORLD_LOST", why.detail);
  return coded_error("WORLD_LOST",
    "The sandbox was lost during the call: processes and terminals in it are gone; look at the files before "
    "you go on.");
}

} // namespace

reply trouble(const failure& why, effect what) {
  switch (why.code) {
  case errc::envd_not_found: return coded_error("FS_NOT_FOUND", "There is no such file or directory.");
  case errc::envd_denied:
    return coded_error("FS_PERMISSION_DENIED", "The sandbox's permissions do not allow this.");
  case errc::envd_no_space:
    return coded_error("FS_IO_ERROR", "The sandbox's disk is full; delete files in it.");
  case errc::envd_exhausted: return coded_error("FS_IO_ERROR", sentence_of(why));
  case errc::envd_failed:
  case errc::envd_invalid:
  case errc::envd_exists:
  case errc::envd_refused:
  case errc::envd_unsupported: return io_error(why);
  case errc::hand_unreachable:
  case errc::outcome_unknown:
  case errc::deadline: return no_answer(what);
  case errc::hand_lost:
  case errc::hand_stopped:
  case errc::hand_deleted:
  case errc::cancelled: return lost(why);
  case errc::world_no_hand: return coded_error("WORLD_NO_HAND", why.text());
  case errc::overloaded: return coded_error("too_many", why.text());
  case errc::bad_request: return coded_error("bad_request", why.text());
  case errc::shutting_down: return coded_error("WORLD_NO_HAND", why.text());
  case errc::hand_damaged: return coded_error("WORLD_LOST", std::string{describe(why.code).text});
  case errc::envd_unauthorized:
  case errc::provider_busy:
  case errc::provider_failed:
  case errc::provider_nonsense:
  case errc::provider_refused:
  case errc::provider_unauthorized: return coded_error("WORLD_NO_HAND", std::string{describe(why.code).text});
  default: return error_reply(why);
  }
}

reply not_started(std::string_view what, const failure& why) {
  switch (why.code) {
  case errc::envd_exhausted: return coded_error("PROCESS_FAILED", sentence_of(why));
  case errc::envd_invalid:
  case errc::bad_request:
    return coded_error("PROCESS_FAILED", "The " + std::string{what} + " could not be started: " + why.text());
  default: return trouble(why);
  }
}

hand_outcome outcome_of(const failure& why) {
  switch (why.code) {
  case errc::hand_unreachable:
  case errc::outcome_unknown:
  case errc::envd_unauthorized:
  case errc::hand_damaged:
  case errc::provider_nonsense:
  case errc::deadline: return hand_outcome::broken;
  case errc::hand_stopped:
  case errc::hand_deleted: return hand_outcome::gone;
  default: return hand_outcome::done;
  }
}

bool says_not_a_directory(const failure& why) {
  return why.code == errc::envd_failed && mentions(why, "not a directory");
}

bool says_loop(const failure& why) {
  return why.code == errc::envd_failed && mentions(why, "too many levels of symbolic links");
}

} // namespace agentpool::world

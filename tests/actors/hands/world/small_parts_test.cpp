// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/exit_status.hpp"
#include "actors/hands/world/files.hpp"
#include "actors/hands/world/search_args.hpp"
#include "actors/hands/world/target_queue.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {

using strings = std::vector<std::string>;

TEST(SearchArguments, WhatTheToolsAskForIsTaken) {
  strings grep{"rg", "--no-config", "--json", "--regexp=--pre", "--glob=*.c", "--", "-x/../y"};
  EXPECT_EQ(*search_argv(grep),
    (strings{"rg", "--no-config", "--json", "--regexp=--pre", "--glob=*.c", "--", "-x/../y"}));
  strings glob{"rg", "--files", "--glob=!**/.git", "--sort=modified", "--no-ignore", "--hidden"};
  EXPECT_TRUE(search_argv(glob));
}

TEST(SearchArguments, WhatStartsProgramsIsRefused) {
  for (const char* option : {"--pre=sh", "--pre", "--hostname-bin=x", "--search-zip", "-z",
         "--hyperlink-format=x", "--debug", "-f/etc/passwd", "--file=/x", "--regexp"}) {
    auto out = search_argv(strings{"rg", option, "x"});
    ASSERT_FALSE(out) << option;
    EXPECT_EQ(out.error().code, errc::bad_request);
  }
}

TEST(TargetQueue, OneAtATimePerFileInOrder) {
  auto queue = std::make_shared<target_queue>();
  std::string order;
  target_queue::turn first, second;
  queue->enter("/a", [&](auto turn) { order += '1', first = std::move(turn); });
  queue->enter("/a", [&](auto turn) { order += '2', second = std::move(turn); });
  queue->enter("/a", [&](auto) { order += '3'; });
  queue->enter("/b", [&](auto) { order += 'b'; });
  EXPECT_EQ(order, "1b");
  first.reset();
  EXPECT_EQ(order, "1b2");
  second.reset();
  EXPECT_EQ(order, "1b23");
  EXPECT_EQ(queue->size(), 0u);
}

TEST(ExitStatus, SignalOnlyWhenItWasAskedFor) {
  EXPECT_EQ(status_from(marker{true, 143, true}, false), (exit_status{143, {}}));
  EXPECT_EQ(status_from(marker{true, 143, true}, true), (exit_status{std::nullopt, "SIGTERM"}));
  EXPECT_EQ(status_from(marker{true, 9, true}, true), (exit_status{9, {}}));
  EXPECT_EQ(
    status_from(ports::process_end{false, -1, "signal: killed", {}}), (exit_status{std::nullopt, "SIGKILL"}));
  EXPECT_EQ(status_from(ports::process_end{false, -1, "signal: segmentation fault (core dumped)", {}}),
    (exit_status{std::nullopt, "SIGSEGV"}));
  EXPECT_EQ(status_from(ports::process_end{true, 127, "exit status 127", {}}), (exit_status{127, {}}));
}

TEST(Range, OneRangeOfBytesIsRead) {
  using kind = asked_range::kind;
  auto read = [](std::string_view header) { return read_range(header, 10); };
  auto expect = [&](std::string_view header, uint64_t offset, uint64_t length) {
    auto out = read(header);
    EXPECT_EQ(out.what, kind::part) << header;
    EXPECT_EQ(out.offset, offset) << header;
    EXPECT_EQ(out.length, length) << header;
  };
  expect("bytes=0-0", 0, 1);
  expect("bytes=3-", 3, 7);
  expect("bytes=3-99", 3, 7);
  expect("bytes=-4", 6, 4);
  expect("bytes=-40", 0, 10);
  expect("bytes=0-18446744073709551615", 0, 10);
  for (auto header : {"", "bytes=", "bytes=a-b", "bytes=4-3", "items=0-1", "bytes=0-1,3-4", "bytes=-", "0-1"})
    EXPECT_EQ(read(header).what, kind::whole) << header;
  for (auto header : {"bytes=10-", "bytes=99-100", "bytes=-0"})
    EXPECT_EQ(read(header).what, kind::unsatisfiable) << header;
}

} // namespace agentpool::world

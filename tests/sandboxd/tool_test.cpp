// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/tool.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace agentpool::sandboxd {
namespace {

TEST(RunTool, GivesWhatTheProgramSaid) {
  EXPECT_EQ(run_tool({.argv = {"cat"}, .input = "hello"}).value(), "hello");
  EXPECT_EQ(run_tool({.argv = {"sh", "-c", "echo $HOME; echo err >&2"}, .input = {}}).value(), "\nerr\n");
}

TEST(RunTool, TellsTheLastWordsOfAFailure) {
  auto failed = run_tool({.argv = {"sh", "-c", "echo first; echo last; exit 3"}, .input = {}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().detail, "sh ended with status 3: last");
  EXPECT_FALSE(run_tool({.argv = {"/no/such/program"}, .input = {}}));
}

TEST(RunTool, KeepsOnlyTheStartOfLongOutput) {
  auto said = run_tool({.argv = {"head", "-c", "1000000", "/dev/zero"}, .input = {}});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->size(), 8u * 1024);
}

TEST(RunTool, DoesNotWaitForWhatTheProgramLeavesBehind) {
  auto held = make_pipe();
  ASSERT_TRUE(held);
  auto said =
    run_tool({.argv = {"sh", "-c", "cat <&5 & echo left"}, .input = {}, .fds = {{held->read.get(), 5}}});
  ASSERT_TRUE(said) << said.error().text();
  EXPECT_EQ(*said, "left\n");
}

TEST(RunTool, KillsAtTheDeadline) {
  auto late = run_tool({.argv = {"sleep", "1000"}, .input = {}, .deadline = std::chrono::milliseconds{50}});
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().detail.find("did not end in time"), std::string::npos);
}

TEST(RunTool, GivesDescriptorsUnderTheirNumbers) {
  auto out = make_pipe();
  ASSERT_TRUE(out);
  ASSERT_TRUE(
    run_tool({.argv = {"sh", "-c", "echo there >&5"}, .input = {}, .fds = {{out->write.get(), 5}}}));
  out->write.reset();
  char buffer[16] = "";
  EXPECT_EQ(::read(out->read.get(), buffer, sizeof buffer), 6);
  EXPECT_STREQ(buffer, "there\n");
}

} // namespace
} // namespace agentpool::sandboxd

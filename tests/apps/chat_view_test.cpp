// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/chat_view.hpp"
#include "protocol/wire/events.hpp"

#include <gtest/gtest.h>

namespace agentpool::ctl {

namespace {

/// A terminal: everything that was printed.
class ChatView : public ::testing::Test {
protected:
  void event(std::string_view type, const std::string& fields, const std::string& turn = "turn_1") {
    auto row = make_event(++seq, type, {turn}, 0, fields);
    screen += view.show({std::to_string(seq), row.type, row.data, true});
  }

  void message(std::string_view text) { chunk("agent_message_chunk", text); }
  void thought(std::string_view text) { chunk("agent_thought_chunk", text); }

  void live(
    const std::string& kind, uint64_t offset, const std::string& text, const std::string& attempt = "1") {
    frame("live", live_data({{"turn_1"}, kind, "m1", attempt, offset, text, false}));
  }

  void taken_back() { frame("live", live_data({{"turn_1"}, "", "", "1", 0, "", true})); }

  void frame(const std::string& type, const std::string& data) {
    screen += view.show({std::to_string(seq), type, data, false});
  }

  chat_view view{false};
  std::string screen;

private:
  void chunk(std::string_view type, std::string_view text) {
    auto content = json_object{}.add("type", "text").add("text", text).str();
    event(type, json_object{}.add_raw("content", content).str());
  }

  uint64_t seq = 0;
};

} // namespace

TEST_F(ChatView, ShowsCommittedText) {
  message("Hello ");
  message("world");
  event("turn_end", R"({"stop_reason":"end_turn"})");
  EXPECT_EQ(screen, "Hello world\n");
}

TEST_F(ChatView, LiveTextIsNotShownAgainWhenItIsCommitted) {
  live("message", 0, "Hel");
  live("message", 3, "lo");
  EXPECT_EQ(screen, "Hello");
  message("Hello");
  EXPECT_EQ(screen, "Hello");
  message(" world");
  EXPECT_EQ(screen, "Hello world");
}

TEST_F(ChatView, CommittedInPiecesOrBeyondTheLiveText) {
  live("message", 0, "one two");
  message("one ");
  message("two three");
  EXPECT_EQ(screen, "one two three");
}

TEST_F(ChatView, RepeatedAndLostLiveFramesDoNoHarm) {
  live("message", 0, "abc");
  live("message", 0, "abc");
  live("message", 1, "bcd");
  EXPECT_EQ(screen, "abcd");
  live("message", 6, "gh"); // "ef" was dropped for this viewer
  EXPECT_EQ(screen, "abcd");
  message("abcdefgh");
  EXPECT_EQ(screen, "abcdefgh");
}

TEST_F(ChatView, AbandonedAttemptIsTakenBack) {
  live("message", 0, "wrong");
  taken_back();
  live("message", 0, "right", "2");
  message("right");
  EXPECT_EQ(screen, "wrong\n! the model starts this answer again\nright");
}

TEST_F(ChatView, CommittedTextWinsOverAPreviewThatDiffers) {
  live("message", 0, "maybe");
  message("certainly");
  EXPECT_EQ(screen, "maybe\ncertainly");
}

TEST_F(ChatView, ThoughtsAreDimmedAndApart) {
  chat_view colored{true};
  auto data =
    make_event(1, "agent_thought_chunk", {"t"}, 0, R"({"content":{"type":"text","text":"hm"}})").data;
  EXPECT_EQ(colored.show({"1", "agent_thought_chunk", data, true}), "\x1b[2mhm\x1b[0m");
  live("thought", 0, "hm");
  live("message", 0, "so");
  thought("hm");
  message("so");
  EXPECT_EQ(screen, "hm\nso");
}

TEST_F(ChatView, ToolCallsAreOneLineEach) {
  message("I look.");
  event("tool_call", R"({"tool_call_id":"c1","title":"bash: ls\n-l"})");
  event("tool_call_update", R"({"tool_call_id":"c1","status":"completed"})");
  event("tool_call", R"({"tool_call_id":"c2","title":"read"})");
  event("tool_call_update", R"({"tool_call_id":"c2","status":"failed"})");
  EXPECT_EQ(screen, "I look.\n* bash: ls -l\n* read\n* read failed\n");
}

TEST_F(ChatView, ToolCallSaysWhatItDoes) {
  event("tool_call", R"({"tool_call_id":"c1","title":"bash","raw_input":{"command":"ls\n-l"}})");
  event(
    "tool_call", R"({"tool_call_id":"c2","title":"write","raw_input":{"file_path":"a.txt","content":"x"}})");
  EXPECT_EQ(screen, "* bash: ls -l\n* write: a.txt\n");
}

TEST_F(ChatView, OutputOfAToolIsShownOnce) {
  const auto done = [this](const std::string& call, const std::string& text) {
    event("tool_call_update", R"({"tool_call_id":")" + call +
                                R"(","status":"completed","content":[{"type":"content",)" +
                                R"("content":{"type":"text","text":")" + text + R"("}}]})");
  };
  event("tool_call", R"({"tool_call_id":"c1","title":"bash"})");
  frame("live", live_data({{"turn_1"}, "tool_output", "c1", "", 0, "one\n", false}));
  frame("live", live_data({{"turn_1"}, "tool_output", "c1", "", 4, "two", false}));
  EXPECT_EQ(screen, "* bash\none\ntwo");
  done("c1", R"(one\ntwo)");
  EXPECT_EQ(screen, "* bash\none\ntwo\n");
  event("tool_call", R"({"tool_call_id":"c1","title":"bash"})"); // the same id again
  done("c1", "three");
  EXPECT_EQ(screen, "* bash\none\ntwo\n* bash\nthree\n");
}

TEST_F(ChatView, TakenBackTextTakesNoOutputBack) {
  frame("live", live_data({{"turn_1"}, "tool_output", "c1", "", 0, "one", false}));
  taken_back();
  EXPECT_EQ(screen, "one");
}

TEST_F(ChatView, AsksUntilItIsAnswered) {
  constexpr auto asking =
    R"({"request_id":"p1","tool_call_id":"c1","tool_call":{"title":"bash","kind":"execute",)"
    R"("raw_input":{"command":"rm \u001b[2J x"}},"options":[)"
    R"({"optionId":"A","name":"a","kind":"allow_always"},)"
    R"({"optionId":"a","name":"a","kind":"allow_once"},)"
    R"({"optionId":"r","name":"r","kind":"reject_once"}]})";
  event("permission_requested", asking);
  EXPECT_EQ(view.asked(), nullptr) << "the past is not asked about";
  frame("caught_up", "{}");
  ASSERT_NE(view.asked(), nullptr);
  EXPECT_EQ(view.asked()->request, "p1");
  EXPECT_EQ(view.asked()->allow, "a");
  EXPECT_EQ(view.asked()->reject, "r");
  EXPECT_EQ(view.asked()->text.find("execute bash: rm "), 0u) << view.asked()->text;
  EXPECT_EQ(screen.find('\x1b'), std::string::npos);
  event("permission_resolved", R"({"request_id":"p1","outcome":"selected","option_id":"r","by":"user"})");
  EXPECT_EQ(view.asked(), nullptr);
  EXPECT_NE(screen.find("? not allowed (user)\n"), std::string::npos) << screen;
}

TEST_F(ChatView, SaysWhatWasDecidedAlsoOfWhatWasAnsweredHere) {
  frame("caught_up", "{}");
  event("permission_requested",
    R"({"request_id":"p1","options":[{"optionId":"a","name":"a","kind":"allow_once"}]})");
  view.answered("p1");
  EXPECT_EQ(view.asked(), nullptr);
  event("permission_resolved", R"({"request_id":"p1","outcome":"selected","option_id":"a","by":"user"})");
  EXPECT_NE(screen.find("? allowed (user)\n"), std::string::npos) << screen;
}

TEST_F(ChatView, QuestionsEndWithTheirTurn) {
  frame("caught_up", "{}");
  event("permission_requested", R"({"request_id":"p1","options":[]})");
  event("permission_requested", R"({"request_id":"p2","options":[]})", "turn_2");
  view.answered("nothing");
  event("turn_end", R"({"stop_reason":"end_turn"})");
  ASSERT_NE(view.asked(), nullptr);
  EXPECT_EQ(view.asked()->request, "p2");
  view.answered("p2");
  EXPECT_EQ(view.asked(), nullptr);
}

TEST(Question, TakesYesAndNoOnly) {
  for (auto line : {"y", "Y", "yes", "y ", "y\r"})
    EXPECT_EQ(yes_or_no(line), true) << line;
  for (auto line : {"n", "N", "no"})
    EXPECT_EQ(yes_or_no(line), false) << line;
  for (auto line : {"", "yess", "ja", "1", " y"})
    EXPECT_EQ(yes_or_no(line), std::nullopt) << line;
}

TEST_F(ChatView, AgentDoesNotControlTheTerminal) {
  message("a\x1b]0;title\x07"
          "b\x1b[2Jc\r\nd");
  EXPECT_EQ(screen.find('\x1b'), std::string::npos);
  EXPECT_EQ(screen.find('\r'), std::string::npos);
  EXPECT_NE(screen.find("\nd"), std::string::npos);
}

TEST_F(ChatView, SaysWhyATurnEnded) {
  event("turn_started", R"({"origin":"user"})");
  EXPECT_TRUE(view.turn_running());
  message("half");
  event("turn_end", R"({"error":{"code":"brain_lost","message":"The brain ended."}})");
  EXPECT_EQ(screen, "half\n! the turn ended: The brain ended. (brain_lost)\n");
  EXPECT_FALSE(view.turn_running());
  EXPECT_TRUE(view.ended("turn_1"));
}

TEST_F(ChatView, HistoryShowsPromptsButNotOnesOwn) {
  auto prompt = R"({"content":[{"type":"text","text":"hi"}]})";
  event("user_message", prompt);
  EXPECT_EQ(screen, "> hi\n");
  view.sent("turn_2");
  event("user_message", prompt, "turn_2");
  EXPECT_EQ(screen, "> hi\n");
}

TEST_F(ChatView, TellsWhatCannotBeReplayed) {
  frame("gap", R"({"after":900,"last_seq":12})");
  EXPECT_EQ(screen, "! the events up to 12 cannot be shown: they are not in this log\n");
  EXPECT_FALSE(view.caught_up());
  frame("caught_up", "{}");
  EXPECT_TRUE(view.caught_up());
}

TEST_F(ChatView, UnknownFramesAreNoError) {
  frame("later", "{}");
  frame("live", "no json");
  frame("notice", "[]");
  EXPECT_EQ(screen, "! \n");
}

} // namespace agentpool::ctl

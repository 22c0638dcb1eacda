// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_entry_proto.hpp"
#include "protocol/wire/envd_proto.hpp"
#include "protocol/wire/protobuf.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace agentpool::envd {

namespace {

using namespace std::string_literals;
using connect::code;
using protobuf::writer;
using target = process_input::target;
using source = process_output::source;

const start_request full_start{
  {"/bin/sh", {"-c", "", "ä"}, {{"A", "1"}, {"B", ""}}, "/tmp"}, pty_size{80, 24}, "tag", false};

entry_info full_entry() {
  return {"a", file_type::file, "/x/a", 1LL << 40, 0644, "-rw-r--r--", "user", "crew",
    timestamp{1'700'000'000, 5}, "/x/b", {{"author", "me"}}};
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// What both forms of `x` say when they are read.
template <class Message, class Read>
void expect_same(const Message& x, Read read) {
  EXPECT_EQ(read(codec::proto, to_proto(x)), x);
  EXPECT_EQ(read(codec::json, to_json(x)), x);
}

#define READ(function) [](codec as, std::string_view bytes) { return function(as, bytes); }

} // namespace

TEST(EnvdProto, EveryMessageComesBack) {
  expect_same(full_start, READ(read_start));
  expect_same(start_request{{"true", {}, {}, ""}, std::nullopt, "", true}, READ(read_start));
  expect_same(start_request{}, READ(read_start));
  expect_same(select_request{{7, std::nullopt}}, READ(read_select));
  expect_same(select_request{{std::nullopt, "t"}}, READ(read_select));
  expect_same(select_request{}, READ(read_select));
  expect_same(input_request{{7, std::nullopt}, {target::standard_input, "\0\xff"s}}, READ(read_input));
  expect_same(input_request{{0, std::nullopt}, {target::terminal, ""}}, READ(read_input));
  expect_same(signal_request{{7, std::nullopt}, 9}, READ(read_signal));
  expect_same(signal_request{{7, std::nullopt}, 15}, READ(read_signal));
  expect_same(signal_request{{7, std::nullopt}, 0}, READ(read_signal));
  expect_same(update_request{{7, std::nullopt}, pty_size{1, 2}}, READ(read_update));
  expect_same(update_request{{7, std::nullopt}, std::nullopt}, READ(read_update));
  expect_same(stream_input{input_start{{7, std::nullopt}}}, READ(read_stream_input));
  expect_same(stream_input{process_input{target::terminal, "x"}}, READ(read_stream_input));
  expect_same(stream_input{keepalive{}}, READ(read_stream_input));
  expect_same(stream_input{}, READ(read_stream_input));
  for (auto from : {source::standard_output, source::standard_error, source::terminal})
    expect_same(process_event{process_output{from, "\0\xff"s}}, READ(read_event));
  expect_same(process_event{process_started{7}}, READ(read_event));
  expect_same(process_event{process_ended{-1, false, "signal: killed", "signal: killed"}}, READ(read_event));
  expect_same(process_event{process_ended{0, true, "exit status 0", std::nullopt}}, READ(read_event));
  expect_same(process_event{keepalive{}}, READ(read_event));
  expect_same(process_event{}, READ(read_event));
  expect_same(
    std::vector<process_info>{{full_start.process, 7, "t"}, {{}, 8, std::nullopt}}, READ(read_process_list));
  expect_same(std::vector<process_info>{}, READ(read_process_list));
  expect_same(path_request{"/x"}, READ(read_path));
  expect_same(list_request{"/x", 3}, READ(read_list));
  expect_same(move_request{"/x", "/y"}, READ(read_move));
  expect_same(full_entry(), READ(read_entry));
  expect_same(entry_info{}, READ(read_entry));
  expect_same(std::vector<entry_info>{full_entry(), {}}, READ(read_entries));
  expect_same(watch_request{"/x", true, false, true}, READ(read_watch));
  expect_same(watch_request{"", false, true, false}, READ(read_watch));
  expect_same(watcher_id{"w1"}, READ(read_watcher_id));
  expect_same(watch_message{watch_started{}}, READ(read_watch_message));
  expect_same(watch_message{keepalive{}}, READ(read_watch_message));
  expect_same(watch_message{file_event{"a", file_change::chmod, full_entry()}}, READ(read_watch_message));
  expect_same(watch_message{}, READ(read_watch_message));
  expect_same(
    std::vector<file_event>{{"a", file_change::create, std::nullopt}, {".", file_change::remove, {}}},
    READ(read_file_events));
  timestamp old{-5, 999'999'999};
  expect_same(
    entry_info{"", file_type::directory, "/", -1 & INT64_MAX, 0, "", "", "", old, "", {}}, READ(read_entry));
}

// What the generated code of the official Python SDK writes for the same messages.
TEST(EnvdProto, TheFieldsHaveTheirPublicNumbers) {
  EXPECT_EQ(hex(to_proto(start_request{
              {"/bin/sh", {"-c", "", "ä"}, {{"A", "1"}}, "/tmp"}, pty_size{80, 24}, "tag", false})),
    "0a210a072f62696e2f736812022d6312001202c3a41a060a014112013122042f746d7012060a04085010181a037461672000");
  EXPECT_EQ(hex(to_proto(process_event{process_ended{3, true, "s", "e"}})), "0a0c1a0a080610011a017322"
                                                                            "0165");
  EXPECT_EQ(hex(to_proto(process_event{process_ended{-1, false, "s", std::nullopt}})), "0a071a0508011a0173");
  EXPECT_EQ(hex(entry_to_proto(full_entry())), "0a016110011a042f782f612080808080802028a403320a2d72772d722d2d7"
                                               "22d2d3a04757365724204637265774a080880e2cfaa06100552"
                                               "042f782f625a0c0a06617574686f7212026d65");
}

TEST(EnvdProto, AnOutputIsAppendedAsItIsWritten) {
  for (auto from : {source::standard_output, source::standard_error, source::terminal})
    for (const auto& bytes : {""s, "x"s, std::string(200, 'y'), std::string(40'000, '\xff')}) {
      std::string text = "before", binary = "before";
      append_json(text, from, bytes);
      append_proto(binary, from, bytes);
      EXPECT_EQ(text, "before" + to_json(process_event{process_output{from, bytes}}));
      EXPECT_EQ(binary, "before" + to_proto(process_event{process_output{from, bytes}}));
    }
}

TEST(EnvdProto, WhatComesTwiceIsMergedAndOneOfHoldsTheLast) {
  auto first = writer{}.bytes(1, writer{}.bytes(1, "cmd").bytes(2, "a").entry(3, "A", "1").str()).str();
  auto second = writer{}.bytes(1, writer{}.bytes(2, "b").entry(3, "A", "2").str()).str();
  auto merged = read_start(codec::proto, first + second);
  EXPECT_EQ(merged->process, (process_config{"cmd", {"a", "b"}, {{"A", "2"}}, std::nullopt}));
  auto select = read_select(codec::proto, writer{}.bytes(1, writer{}.number(1, 7).bytes(2, "t").str()).str());
  EXPECT_EQ(select->process, (process_selector{std::nullopt, "t"}));
}

TEST(EnvdProto, UnknownFieldsAndWrongTypesAreSkipped) {
  auto bytes = writer{}.number(1, 5).bytes(99, "x").bytes(4, "true").str() + to_proto(path_request{"/x"});
  EXPECT_EQ(read_path(codec::proto, bytes)->path, "/x");
  EXPECT_EQ(read_start(codec::proto, writer{}.bytes(4, "true").str()), start_request{});
  EXPECT_EQ(read_event(codec::proto, writer{}.bytes(1, writer{}.bytes(9, "").str()).str()), process_event{});
  auto signal = writer{}.number(2, std::numeric_limits<uint64_t>::max()).str();
  EXPECT_EQ(read_signal(codec::proto, signal)->signal, 0);
}

TEST(EnvdProto, MalformedMessagesAreRefused) {
  auto start = to_proto(full_start);
  for (size_t size = 1; size < start.size(); ++size) { // no prefix breaks anything; most are refused
    auto read = read_start(codec::proto, start.substr(0, size));
    EXPECT_TRUE(read || read.error().what == code::invalid_argument);
  }
  EXPECT_EQ(read_start(codec::proto, start.substr(0, 20)).error().what, code::invalid_argument);
  EXPECT_FALSE(read_path(codec::proto, "\x0a\x01\xff"));
  EXPECT_FALSE(read_path(codec::proto, "{}"));
  EXPECT_FALSE(read_select(codec::proto, "\x0a\x05\x08"));
}

TEST(EnvdProto, NoiseNeverBreaksAReader) {
  std::mt19937 random{11};
  const std::vector<std::string> seeds{to_proto(full_start), to_proto(full_entry()),
    to_proto(std::vector<process_info>{{full_start.process, 7, "t"}}),
    to_proto(stream_input{process_input{target::terminal, "x"}}), ""};
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = seeds[random() % seeds.size()];
    for (auto changes = random() % 4; changes > 0; --changes) {
      auto at = bytes.empty() ? 0 : random() % bytes.size();
      if (random() % 2 == 0)
        bytes.insert(at, 1, static_cast<char>(random()));
      else if (!bytes.empty())
        bytes[at] = static_cast<char>(random());
    }
    for (const auto& read : std::initializer_list<std::function<bool(std::string_view)>>{
           [](auto b) { return read_start(codec::proto, b).has_value(); },
           [](auto b) { return read_entry(codec::proto, b).has_value(); },
           [](auto b) { return read_process_list(codec::proto, b).has_value(); },
           [](auto b) { return read_stream_input(codec::proto, b).has_value(); },
           [](auto b) { return read_event(codec::proto, b).has_value(); },
           [](auto b) { return read_update(codec::proto, b).has_value(); }})
      read(bytes);
  }
}

} // namespace agentpool::envd

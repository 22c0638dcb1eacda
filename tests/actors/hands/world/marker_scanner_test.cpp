// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/marker_scanner.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {

namespace {

const std::string nonce = "n0nce";

std::string marker_text(const std::string& words) {
  return '\x1e' + nonce + ' ' + words + '\x1e';
}

struct outcome {
  std::string text;
  std::optional<marker> begun, exited;
};

outcome scan(const std::vector<std::string_view>& chunks) {
  marker_scanner scanner{nonce};
  outcome out;
  for (auto chunk : chunks)
    scanner.feed(chunk, out.text);
  scanner.flush(out.text);
  out.begun = scanner.begun();
  out.exited = scanner.exited();
  return out;
}

// Every cut in two, and one byte at a time.
void expect_every_cut(const std::string& stream, const std::string& text, int32_t code) {
  auto check = [&](const outcome& out, const std::string& how) {
    EXPECT_EQ(out.text, text) << how;
    ASSERT_TRUE(out.exited) << how;
    EXPECT_EQ(out.exited->value, code) << how;
  };
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    std::string_view all{stream};
    check(scan({all.substr(0, cut), all.substr(cut)}), "cut at " + std::to_string(cut));
  }
  std::vector<std::string_view> bytes;
  for (size_t i = 0; i < stream.size(); ++i)
    bytes.push_back(std::string_view{stream}.substr(i, 1));
  check(scan(bytes), "byte by byte");
}

} // namespace

TEST(MarkerScanner, MarkersAreTakenOutAtEveryCut) {
  expect_every_cut(marker_text("p 77") + "warning: x\n" + marker_text("x 3 1"), "warning: x\n", 3);
  expect_every_cut("no line end" + marker_text("x 255 0") + "late\n", "no line endlate\n", 255);
  expect_every_cut(marker_text("x 0 1"), "", 0);
}

TEST(MarkerScanner, LookAlikesPassUnchangedAtEveryCut) {
  auto others = std::string{"\x1e"} + "n0nc0 x 9 1\x1e" + '\x1e' + nonce + "x 9 1\x1e" + '\x1e' + nonce +
                " x 256 1\x1e" + '\x1e' + nonce + " x 9 2\x1e" + '\x1e' + nonce + " q 9\x1e" + '\x1e' +
                nonce + " " + std::string(40, 'z') + "\x1e\x1e\x1e";
  expect_every_cut(others + marker_text("x 5 0"), others, 5);
}

TEST(MarkerScanner, GroupAndLonelinessAreRead) {
  auto out = scan({marker_text("p 4194304") + marker_text("x 7 0")});
  ASSERT_TRUE(out.begun);
  EXPECT_EQ(out.begun->value, 4194304);
  EXPECT_FALSE(out.exited->alone);
  EXPECT_TRUE(scan({marker_text("x 7 1")}).exited->alone);
}

TEST(MarkerScanner, BeginningOfAMarkerAtTheEndIsOutput) {
  auto whole = marker_text("x 1 1");
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    auto out = scan({"a", std::string_view{whole}.substr(0, cut)});
    EXPECT_EQ(out.text, 'a' + whole.substr(0, cut));
    EXPECT_FALSE(out.exited);
  }
}

} // namespace agentpool::world

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/runtime_config.hpp"

#include <gtest/gtest.h>

#include <set>

namespace agentpool::sandboxd {
namespace {

const std::string conf = AGENTPOOL_SOURCE_DIR "/conf/sandbox";

json filled() {
  runtime_values values{"/d/rootfs", "/bin/envd", "/agentpool/i", {"envd", "--a \"b\""}, {"A=1"}, 70'000,
    1000, {512ull << 20, 1ull << 30, 99, 2}, "/d/boot-id"};
  auto text = runtime_config(
    read_whole(conf + "/runtime.json").value(), read_whole(conf + "/seccomp.json").value(), values);
  EXPECT_TRUE(text) << text.error().text();
  return text ? json::parse(*text).value() : json{};
}

TEST(RuntimeConfig, FillsTheCheckedInFile) {
  auto config = filled();
  EXPECT_EQ(config["root"]["path"].text(), "/d/rootfs");
  EXPECT_EQ(config["process"]["args"].at(1).text(), "--a \"b\"");
  EXPECT_EQ(config["linux"]["uidMappings"].at(0)["hostID"].integer(), 70'000);
  EXPECT_EQ(config["linux"]["resources"]["memory"]["limit"].integer(), 512 << 20);
  EXPECT_EQ(config["linux"]["resources"]["memory"]["swap"].integer(), 512 << 20);
  EXPECT_EQ(config["linux"]["resources"]["pids"]["limit"].integer(), 99);
  EXPECT_EQ(config["linux"]["resources"]["cpu"]["quota"].integer(), 200'000);
  EXPECT_EQ(config["linux"]["seccomp"]["defaultAction"].text(), "SCMP_ACT_ALLOW");
}

TEST(RuntimeConfig, EachBootHasABootIdOfItsOwn) {
  auto hooks = filled()["hooks"]["createContainer"];
  ASSERT_EQ(hooks.size(), 1u);
  auto args = hooks.at(0)["args"];
  EXPECT_EQ(args.at(args.size() - 2).text(), "/d/boot-id");
  EXPECT_EQ(args.at(args.size() - 1).text(), "/d/rootfs/proc/sys/kernel/random/boot_id");
}

TEST(RuntimeConfig, OfGvisorHasNoUserNamespaceAndNoNewPrivileges) {
  runtime_values values{.rootfs = "/d/rootfs",
    .envd = "/bin/envd",
    .cgroup = "/agentpool/i",
    .args = {"envd"},
    .env = {"A=1"},
    .first_id = 0,
    .open_files = 1000,
    .limits = {}};
  auto text = runtime_config(read_whole(conf + "/gvisor.json").value(), "{}", values);
  ASSERT_TRUE(text) << text.error().text();
  auto config = json::parse(*text).value();
  auto namespaces = config["linux"]["namespaces"];
  EXPECT_EQ(namespaces.size(), 5u);
  for (size_t i = 0; i < namespaces.size(); ++i)
    EXPECT_NE(namespaces.at(i)["type"].text(), "user");
  EXPECT_EQ(config["process"]["noNewPrivileges"].boolean(), true);
  EXPECT_EQ(config["process"]["capabilities"].dump(), filled()["process"]["capabilities"].dump());
}

TEST(RuntimeConfig, HasEveryNamespaceAndNoCapabilityOfTheMachine) {
  auto config = filled();
  EXPECT_EQ(config["linux"]["namespaces"].size(), 7u);
  auto bounding = config["process"]["capabilities"]["bounding"];
  ASSERT_GT(bounding.size(), 5u);
  for (size_t i = 0; i < bounding.size(); ++i)
    for (auto forbidden : {"CAP_SYS_ADMIN", "CAP_NET_ADMIN", "CAP_SYS_PTRACE", "CAP_NET_RAW", "CAP_MKNOD"})
      EXPECT_NE(bounding.at(i).text(), forbidden);
  EXPECT_EQ(config["process"]["noNewPrivileges"].boolean(), false); // sudo
}

// What its owner did to the disk must not decide where a mount of the next boot goes, or what runs first.
TEST(RuntimeConfig, MountsNothingBelowAFolderOfTheDisk) {
  auto mounts = filled()["mounts"];
  std::set<std::string> made;
  for (size_t i = 0; i < mounts.size(); ++i) {
    auto at = mounts.at(i)["destination"].text_or("");
    auto first = at.substr(0, at.find('/', 1));
    EXPECT_TRUE(at == first || made.contains(first)) << at;
    made.insert(at);
  }
  EXPECT_TRUE(made.contains(envd_inside));
}

TEST(RuntimeConfig, RefusesPlaceholdersThatNobodyFills) {
  EXPECT_EQ(fill_placeholders(R"({"a":"@x@"})", {{"x", "1"}}).value(), R"({"a":1})");
  EXPECT_FALSE(fill_placeholders(R"({"a":"@y@"})", {{"x", "1"}}));
  EXPECT_FALSE(fill_placeholders(R"({"a":"@x})", {{"x", "1"}}));
  EXPECT_FALSE(runtime_config("{", "{}", {}));
}

} // namespace
} // namespace agentpool::sandboxd

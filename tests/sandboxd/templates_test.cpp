// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/files.hpp"
#include "sandboxd/templates/removal.hpp"
#include "sandboxd/templates/users.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace agentpool::sandboxd {
namespace {

namespace fs = std::filesystem;

TEST(TemplateName, NamesATemplateATagOrAVersion) {
  EXPECT_EQ(parse_template_ref("base").value(), (template_ref{"base", ""}));
  EXPECT_EQ(parse_template_ref("my_app-2:v1.2").value(), (template_ref{"my_app-2", "v1.2"}));
  EXPECT_EQ(parse_template_ref("base@20261130-101500-0a1b2c3d").value(),
    (template_ref{"base", "20261130-101500-0a1b2c3d"}));
  EXPECT_EQ(parse_template_ref("0a").value().name, "0a");
}

TEST(TemplateName, LatestAndDefaultAreTheCurrentVersion) {
  EXPECT_EQ(parse_template_ref("base:latest").value(), (template_ref{"base", ""}));
  EXPECT_EQ(parse_template_ref("base:default").value(), (template_ref{"base", ""}));
  EXPECT_EQ(parse_template_ref("base@latest").value().version, "latest");
}

TEST(TemplateName, RefusesWhatIsNoName) {
  for (auto text : {"", "Base", "-a", "_a", ".", "..", "a/b", "../a", "a.b", "a b", "a:", "a@", ":v", "@v",
         "a:b:c", "a@b@c", "a:b@c", "a:..", "a:.x", "a@x/y", "a:-x", "a\n", "team/snap:default"})
    EXPECT_FALSE(parse_template_ref(text)) << text;
  EXPECT_TRUE(parse_template_ref(std::string(64, 'a')));
  EXPECT_FALSE(parse_template_ref(std::string(65, 'a')));
  EXPECT_FALSE(parse_template_ref("a:" + std::string(65, 'a')));
}

// A folder with the template `t` in the versions 1 (tagged `old`) and 2 (current).
class TemplateStore : public ::testing::Test {
protected:
  void SetUp() override {
    for (const std::string version : {"1", "2"})
      fs::create_directories(root() + "/t/versions/" + version + "/rootfs");
    fs::create_directories(root() + "/t/tags");
    fs::create_directory_symlink("../versions/1", root() + "/t/tags/old");
    fs::create_directory_symlink("versions/2", root() + "/t/current");
    fs::create_directory_symlink("current/rootfs", root() + "/t/rootfs");
  }

  std::string root() const { return dir.path() + "/templates"; }
  std::string data() const { return dir.path() + "/data"; }
  std::string version_of(const std::string& text) const {
    template_store store{root()};
    auto found = parse_template_ref(text).and_then([&](const auto& ref) { return store.find(ref); });
    return found ? found->version : found.error().detail;
  }
  // A sandbox that no service runs.
  void put_record(const std::string& id, const std::string& members) const {
    fs::create_directories(data() + "/sandboxes/" + id);
    ASSERT_TRUE(write_whole(data() + "/sandboxes/" + id + "/record.json", "{" + members + "}", 0600));
  }
  std::string removal(const std::string& text) const {
    auto done = remove_template(root(), parse_template_ref(text).value());
    return done ? "removed" : done.error().detail;
  }
  bool has(const std::string& path) const { return fs::exists(root() + "/" + path); }

  net::test::temp_dir dir;
};

TEST_F(TemplateStore, FindsTheCurrentOneTagsAndVersions) {
  EXPECT_EQ(version_of("t"), "2");
  EXPECT_EQ(version_of("t:latest"), "2");
  EXPECT_EQ(version_of("t:old"), "1");
  EXPECT_EQ(version_of("t@1"), "1");
  EXPECT_EQ(version_of("t:1"), "1");
  EXPECT_EQ(version_of("t@3"), "template 't:3' not found");
  EXPECT_EQ(version_of("u"), "template 'u' not found");
}

TEST_F(TemplateStore, SeesWhatIsBuiltLater) {
  template_store store{root()};
  EXPECT_FALSE(store.find({"new", {}}));
  fs::create_directories(root() + "/new/versions/9/rootfs");
  EXPECT_FALSE(store.find({"new", {}})); // complete, but not yet switched to
  fs::create_directory_symlink("versions/9", root() + "/new/current");
  EXPECT_EQ(store.find({"new", {}})->version, "9");
}

TEST_F(TemplateStore, ServesATreeWithoutVersions) {
  fs::create_directories(root() + "/plain/rootfs");
  EXPECT_EQ(version_of("plain"), unversioned);
  template_store store{root()};
  EXPECT_EQ(store.find({"plain", unversioned})->root(), root() + "/plain/rootfs");
  EXPECT_FALSE(store.find({"t", unversioned})); // its rootfs is only a link to the current one
}

TEST_F(TemplateStore, ListsVersionsAndNothingUnfinished) {
  fs::create_directories(root() + "/t/versions/.new-x/rootfs");
  fs::create_directories(root() + "/t/versions/3");
  std::string seen;
  for (const auto& row : list_templates(root())) {
    seen += row.which.name + "@" + row.which.version + (row.current ? "*" : "");
    for (const auto& tag : row.tags)
      seen += "," + tag;
    seen += " ";
  }
  EXPECT_EQ(seen, "t@1,old t@2* ");
}

TEST_F(TemplateStore, ReadsSettings) {
  ASSERT_TRUE(write_whole(root() + "/t/versions/2/template.json",
    R"({"user":"root","workdir":"/srv","env":{"A":"b"},"bytes":7,"from":"base@1"})", 0644));
  template_store store{root(), data()};
  auto held = store.hold("t", "2").value();
  EXPECT_EQ(held->settings.user, "root");
  EXPECT_EQ(held->settings.workdir, "/srv");
  EXPECT_EQ(held->settings.env.at("A"), "b");
  EXPECT_EQ(held->settings.bytes, 7u);
  EXPECT_EQ(store.hold("t", "1").value()->settings.user, "user");
  ASSERT_TRUE(write_whole(root() + "/t/versions/1/template.json", "{", 0644));
  EXPECT_FALSE(template_store(root(), data()).hold("t", "1"));
}

TEST_F(TemplateStore, AHeldVersionIsNotRemoved) {
  template_store store{root(), data()};
  auto held = store.hold("t", "1").value();
  EXPECT_EQ(store.hold("t", "1").value(), held);
  EXPECT_NE(removal("t@1").find("is used by a running sandboxd"), std::string::npos);
  EXPECT_NE(removal("t").find("t@1 is used"), std::string::npos);
  EXPECT_EQ(version_of("t"), "2");
  EXPECT_TRUE(list_templates(root()).front().held);
  held.reset();
  EXPECT_EQ(removal("t@1"), "removed");
  EXPECT_FALSE(has("t/versions/1"));
  EXPECT_EQ(version_of("t:old"), "template 't:old' not found");
  EXPECT_EQ(version_of("t"), "2");
}

TEST_F(TemplateStore, AVersionThatIsBeingRemovedIsNotHeld) {
  template_store store{root(), data()};
  auto which = store.find({"t", "1"}).value();
  {
    auto removal = lock_template(which, LOCK_EX, {}).value();
    auto refused = lock_template(which, LOCK_SH, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::overloaded);
  }
  EXPECT_TRUE(lock_template(which, LOCK_SH, {}));
  fs::remove_all(which.folder);
  EXPECT_EQ(lock_template(which, LOCK_SH, {}).error().code, errc::not_found);
  EXPECT_EQ(store.hold("t", "1").error().code, errc::not_found);
}

TEST_F(TemplateStore, ASandboxOfAServiceThatDoesNotRunCounts) {
  (void)template_store(root(), data()).hold("t", "1").value();
  put_record("ia", R"("template":"t","template_version":"2")");
  put_record("ib", R"("template":"t","template_version":"1")");
  EXPECT_NE(removal("t@1").find("is used by 1 sandboxes, the first is " + data() + "/sandboxes/ib"),
    std::string::npos);
  EXPECT_EQ(list_templates(root()).front().users.size(), 1u);
  fs::remove_all(data() + "/sandboxes/ib");
  EXPECT_EQ(removal("t@1"), "removed");
}

TEST_F(TemplateStore, ARecordWithoutAVersionIsOfTheTreeWithoutVersions) {
  fs::create_directories(root() + "/plain/rootfs");
  (void)template_store(root(), data()).hold("plain", unversioned).value();
  put_record("ia", R"("template":"plain")");
  EXPECT_NE(removal("plain").find("is used by 1 sandboxes"), std::string::npos);
}

TEST_F(TemplateStore, TheCurrentVersionGoesOnlyWithItsTemplate) {
  EXPECT_NE(removal("t@2").find("is the current version"), std::string::npos);
  EXPECT_EQ(removal("t"), "removed");
  EXPECT_FALSE(has("t"));
  EXPECT_EQ(removal("t"), "there is no template t");
  EXPECT_FALSE(has("u.lock"));
  EXPECT_EQ(removal("u"), "there is no template u");
  EXPECT_FALSE(has("u.lock"));
}

} // namespace
} // namespace agentpool::sandboxd

// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/doctor_command.hpp"
#include "protocol/wire/json.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace agentpool::ctl::doctor {

namespace {

using std::chrono::milliseconds;

class DoctorTest : public ::testing::Test {
protected:
  DoctorTest() {
    char name[] = "/tmp/ap-doctor-XXXXXX";
    folder_ = ::mkdtemp(name);
    write("key", "e2b_00\nsecond line\n");
  }
  ~DoctorTest() override {
    for (const auto& path : written_)
      std::remove(path.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string write(const std::string& name, const std::string& text) {
    auto path = folder_ + "/" + name;
    std::ofstream{path} << text;
    written_.push_back(path);
    return path;
  }
  std::string key() const { return folder_ + "/key"; }

private:
  std::string folder_;
  std::vector<std::string> written_;
};

finding found(const char* step, verdict how, const char* fix = "") {
  return {step, how, "what is", fix, milliseconds{12}};
}

} // namespace

TEST_F(DoctorTest, OnlyAFailureIsAFailure) {
  EXPECT_EQ(exit_code({}), 0);
  EXPECT_EQ(exit_code({found("a", verdict::ok), found("b", verdict::warn), found("c", verdict::skipped)}), 0);
  EXPECT_EQ(exit_code({found("a", verdict::ok), found("b", verdict::fail)}), 1);
}

TEST_F(DoctorTest, TellsEachStepInALineAndItsFixBelow) {
  EXPECT_EQ(as_text({found("api", verdict::ok), found("key", verdict::fail, "do this")}),
    "OK   api           12 ms     what is\n"
    "FAIL key           12 ms     what is\n"
    "                             -> do this\n");
  auto told = json::parse(as_json({found("key", verdict::warn, "do this")}));
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)["ok"].boolean(), true);
  auto row = (*told)["findings"].at(0);
  EXPECT_EQ(row["step"].text(), "key");
  EXPECT_EQ(row["verdict"].text(), "WARN");
  EXPECT_EQ(row["fix"].text(), "do this");
  EXPECT_EQ(row["ms"].integer(), 12);
}

TEST_F(DoctorTest, TakesTheDaemonsConfiguration) {
  doctor_options options;
  options.config =
    write("agentpool.toml", "[hands]\nprovider = \"cube\"\nurl = \"http://h:3000\"\napi_key_file = \"" +
                              key() + "\"\ndomain = \"cube.test\"\ntemplate = \"mine\"\n");
  auto what = settings_of(options);
  ASSERT_TRUE(what) << what.error().text();
  EXPECT_EQ(what->provider.kind->name, "cube");
  EXPECT_EQ(what->provider.api_url, "http://h:3000");
  EXPECT_EQ(what->provider.api_key, "e2b_00");
  EXPECT_EQ(what->provider.domain, "cube.test");
  EXPECT_EQ(what->template_id, "mine");
}

TEST_F(DoctorTest, SaysWhyItCannotBegin) {
  doctor_options options;
  EXPECT_NE(settings_of(options).error().text().find("--api-url"), std::string::npos);
  options.api_url = "http://h";
  options.api_key_file = "/nowhere/key";
  EXPECT_NE(settings_of(options).error().text().find("/nowhere/key"), std::string::npos);
  options.config = write("none.toml", "[hands]\nprovider = \"none\"\n");
  EXPECT_NE(settings_of(options).error().text().find("\"none\""), std::string::npos);
  options.config = write("bad.toml", "[hands]\nprovider = 3\n");
  EXPECT_NE(settings_of(options).error().text().find("bad.toml:2"), std::string::npos);
}

} // namespace agentpool::ctl::doctor

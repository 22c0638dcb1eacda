// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/oci_runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace agentpool::sandboxd {
namespace {

TEST(OciRuntime, IsKnownByWhatItSays) {
  auto runc = runtime_of_version("/opt/x/r", "runc version 1.1.5\nspec: 1.0.2\n").value();
  EXPECT_EQ(runc.name, "runc");
  EXPECT_FALSE(runc.gvisor);
  auto runsc = runtime_of_version("any", "runsc version release-20260101\nspec: 1.1.0\n").value();
  EXPECT_TRUE(runsc.gvisor);
  EXPECT_EQ(runtime_of_version("crun", "crun version 1.8.1\n")->name, "crun");
}

TEST(OciRuntime, RefusesWhatIsNone) {
  for (auto said : {"", "bash, version 5\n", "cp (GNU coreutils) 9.1\n", " version 1", "GNU tar version 1"})
    EXPECT_FALSE(runtime_of_version("p", said)) << said;
  auto missing = inspect_runtime("/no/such/runtime");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().detail.find("--runtime"), std::string::npos);
  EXPECT_FALSE(inspect_runtime("true"));
}

TEST(OciRuntime, IsCalledWithItsStateFolder) {
  oci_runtime runc;
  EXPECT_EQ(
    runc.argv("/s", {"start", "i"}), (std::vector<std::string>{"runc", "--root", "/s", "start", "i"}));
  auto gvisor = runtime_of_version("runsc", "runsc version 1\n")->argv("/s", {"start", "i"});
  EXPECT_NE(std::find(gvisor.begin(), gvisor.end(), "--network=host"), gvisor.end());
  EXPECT_EQ(gvisor.back(), "i");
}

} // namespace
} // namespace agentpool::sandboxd

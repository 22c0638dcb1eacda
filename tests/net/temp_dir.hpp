// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace agentpool::net::test {

/// A directory of its own for one test, removed at its end.
class temp_dir {
public:
  temp_dir() {
    auto name = testing::TempDir() + "agentpool-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~temp_dir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temp_dir(const temp_dir&) = delete;
  temp_dir& operator=(const temp_dir&) = delete;

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace agentpool::net::test

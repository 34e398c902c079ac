// SPDX-License-Identifier: Apache-2.0
// Tests campaigns of small programs that print like libFuzzer, crash, hang, or die.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "corpus/paths.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/files.h"

namespace tileproof::campaign {

namespace fs = std::filesystem;

// Every program begins with the prelude. This merge keeps all inputs.
inline const std::string kPrelude =
    ". " + project_path("fuzz/campaign/testdata/fake_target.sh") + "\n";
inline const std::string kKeepsAll = "[ $mode = merge ] && keep kept/*\n";

inline constexpr absl::string_view kGood = "starts; sleep 0.1; ends\n";

// Makes a folder for a campaign and its programs, which are shell scripts.
class CampaignTest : public ::testing::Test {
 protected:
  CampaignTest() {
    root_ = fs::path(::testing::TempDir()) /
            absl::StrCat("campaign_", ::getpid(), "_",
                         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    options_.folder = root_ / "corpus";
    options_.programs = root_ / "bin";
    options_.corpus = root_ / "seeds";
    options_.time = Milliseconds(3000);
    options_.jobs = 2;
    options_.happened = [this](const std::string& what) { happened_.push_back(what); };
    fs::create_directories(options_.programs);
    fs::create_directories(options_.corpus);
  }
  ~CampaignTest() override { fs::remove_all(root_); }

  // Adds a target whose program is the prelude, the merge and the script.
  void add(const std::string& name, absl::string_view script,
           const std::string& merge = kKeepsAll) {
    options_.targets.push_back(
        {.name = name, .memory_mb = 100, .regressions = {.file = "layouts/regressions.txt"}});
    const fs::path program = options_.programs / (name + "_fuzzer");
    std::ofstream(program) << "#!/bin/sh\n" << kPrelude << merge << script;
    fs::permissions(program, fs::perms::owner_all);
  }

  Summary campaign() {
    absl::StatusOr<Summary> summary = run(options_);
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.ok() ? *std::move(summary) : Summary{};
  }

  // Starts a campaign in its own process and kills it with SIGKILL after the given time.
  void killed_campaign(int milliseconds) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      options_.time = Milliseconds(60'000);
      options_.happened = nullptr;
      const bool good = run(options_).ok();
      ::_exit(good ? 0 : 1);
    }
    ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "ended by itself";
  }

  std::string file(const fs::path& path) { return read_file(root_ / path).value_or("(no file)"); }

  fs::path root_;
  Options options_;
  std::vector<std::string> happened_;
};

inline std::set<std::string> causes(const Summary& summary) {
  std::set<std::string> causes;
  for (const Finding& finding : summary.state.findings) causes.insert(finding.cause);
  return causes;
}

}  // namespace tileproof::campaign

// SPDX-License-Identifier: Apache-2.0
// classify gives every instruction of every real module a kind: defined, conservative (with a
// reason), or without dataflow. It refuses no instruction of our own modules.
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"
#include "spec/hlo/classification.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

namespace fs = std::filesystem;
using Kind = Classification::Kind;

struct Tally {
  int64_t files = 0, modules = 0, instructions = 0;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, int64_t> conservative;  // by opcode
  std::vector<std::string> refused;             // "file: reason"

  std::string text() const {
    const auto count = [this](Kind kind) {
      const auto position = kinds.find(kind);
      return position == kinds.end() ? 0 : position->second;
    };
    return absl::StrCat(
        files, " files, ", modules, " modules, ", instructions,
        " instructions: ", count(Kind::kDefined), " defined, ", count(Kind::kConservative),
        " conservative (", absl::StrJoin(conservative, ", ", absl::PairFormatter(" ")), "), ",
        count(Kind::kNoDataflow), " without data flow, ", count(Kind::kRefused), " refused");
  }
};

void count(const HloModule& module, const std::string& file, Tally& tally) {
  const std::vector<std::vector<Classification>> all = classify(module);
  ASSERT_EQ(all.size(), module.computations.size());
  for (size_t c = 0; c < all.size(); ++c) {
    const std::vector<HloInstruction>& instructions = module.computations[c].instructions;
    ASSERT_EQ(all[c].size(), instructions.size());
    for (size_t i = 0; i < all[c].size(); ++i) {
      const Classification& one = all[c][i];
      ++tally.instructions;
      ++tally.kinds[one.kind];
      if (one.kind == Kind::kConservative) {
        EXPECT_FALSE(one.reason.empty()) << file << ": " << instructions[i].name;
        ++tally.conservative[instructions[i].opcode_text];
      }
      if (one.kind == Kind::kRefused) tally.refused.push_back(absl::StrCat(file, ": ", one.reason));
    }
  }
}

Tally tally_of(const fs::path& folder) {
  Tally tally;
  for (const fs::path& path : hlo_files(folder)) {
    const auto modules = parse_hlo_modules(content_of(path));
    if (!modules.ok()) continue;  // hlo_corpus_test.cc reports it
    ++tally.files;
    for (const HloModule& module : *modules) {
      ++tally.modules;
      count(module, path.filename().string(), tally);
    }
  }
  return tally;
}

TEST(AccessRelationCorpus, ClassifiesEveryInstructionOfOurModules) {
  const Tally tally = tally_of(hlo_corpus());
  std::cout << tally.text() << "\n";
  EXPECT_EQ(tally.files, 133);
  EXPECT_GT(tally.instructions, 20'000);
  for (const std::string& refused : tally.refused) ADD_FAILURE() << refused;
}

TEST(AccessRelationCorpus, ClassifiesEveryInstructionOfTheSharedModules) {
  const std::optional<fs::path> folder = unpacked_shared_hlo(TILEPROOF_CMAKE);
  if (!folder) GTEST_SKIP() << "no ../shared/data/hlo.tar.xz: the optional shared folder";
  const Tally tally = tally_of(*folder / "shared");
  std::cout << tally.text() << "\n";
  for (const std::string& refused : tally.refused) std::cout << refused << "\n";
  EXPECT_GT(tally.instructions, 278'000);
  fs::remove_all(*folder);
}

}  // namespace
}  // namespace tileproof::spec

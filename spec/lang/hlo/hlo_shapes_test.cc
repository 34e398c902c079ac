// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

namespace fs = std::filesystem;

// The shape of the root, or "none".
std::string shape_of(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return "";
  const HloComputation& entry = module->computations[module->entry];
  const SharedShape& shape = entry.instructions[entry.root].shape;
  const absl::StatusOr<HloModule> again = parse_hlo_module(to_text(*module));
  EXPECT_TRUE(again.ok() && *again == *module) << again.status() << "\n" << to_text(*module);
  return shape ? to_text(*shape) : "none";
}

TEST(HloShapes, HugeShapesAreNotInferred) {
  std::string text = "e { t0 = f32[] parameter(0)\n";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&text, "t", i + 1, " = tuple(t", i, ", t", i, ")\n");
  EXPECT_EQ(shape_of(text + "}"), "none");
  std::string deep = "e { t0 = f32[] parameter(0)\n";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&deep, "t", i + 1, " = tuple(t", i, ")\n");
  EXPECT_EQ(shape_of(deep + "}"), "none");
}

// ---- Inferred shapes are those that real modules write ----

struct Tally {
  int64_t stated = 0, inferred = 0, equal = 0, absent = 0;
  std::vector<std::string> examples;  // of inferred shapes that are not those written
};

void compare(const HloModule& module, const std::string& file, Tally& tally) {
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (!instruction.shape) {
        ++tally.absent;
        continue;
      }
      ++tally.stated;
      auto shape = inferred_shape(module, computation, instruction);
      if (!shape.ok()) continue;
      // A sum may have another type than its products.
      const bool sum =
          instruction.opcode == HloOpcode::kDot || instruction.opcode == HloOpcode::kConvolution;
      if (sum) shape->element_type = instruction.shape->element_type;
      ++tally.inferred;
      if (compatible(*shape, *instruction.shape)) {
        ++tally.equal;
      } else {
        tally.examples.push_back(absl::StrCat(file, ": ", instruction.name, ": inferred ",
                                              to_text(*shape), ", stated ",
                                              to_text(*instruction.shape)));
      }
    }
  }
}

Tally tally_of(const fs::path& folder) {
  Tally tally;
  for (const fs::path& path : hlo_files(folder)) {
    const auto modules = parse_hlo_modules(content_of(path));
    if (!modules.ok()) continue;  // hlo_corpus_test.cc says which and why
    for (const HloModule& module : *modules) {
      compare(module, path.filename().string(), tally);
    }
  }
  std::cout << tally.stated << " with a shape, " << tally.inferred << " inferred, " << tally.equal
            << " the same; " << tally.absent << " without\n";
  return tally;
}

TEST(HloShapes, InferredShapesOfOurModulesAreThoseWritten) {
  const Tally tally = tally_of(hlo_corpus());
  EXPECT_EQ(tally.stated, 27'291);
  EXPECT_EQ(tally.absent, 0);
  EXPECT_GT(tally.inferred, 8'000);
  for (const std::string& example : tally.examples) ADD_FAILURE() << example;
}

TEST(HloShapes, InferredShapesOfSharedModulesAreThoseWritten) {
  const std::optional<fs::path> folder = unpacked_shared_hlo(TILEPROOF_CMAKE);
  if (!folder) GTEST_SKIP() << "no ../shared/data/hlo.tar.xz: the optional shared folder";
  const Tally tally = tally_of(*folder);
  for (const std::string& example : tally.examples) std::cout << example << "\n";
  EXPECT_GT(tally.inferred, 120'000);
  EXPECT_EQ(tally.absent, 0);
  // Some modules have shapes and types that do not fit on purpose.
  EXPECT_LT(std::ssize(tally.examples), 60);
  fs::remove_all(*folder);
}

}  // namespace
}  // namespace tileproof

#include "spec/lang/hlo_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/shape_text.h"

namespace tileproof {
namespace {

namespace fs = std::filesystem;

// The shape of the root, "none" where there is none.
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

TEST(HloShapes, OperationsTellTheirShape) {
  EXPECT_EQ(shape_of("r = abs(c64[2,3] a)"), "f32[2,3]");
  EXPECT_EQ(shape_of("r = negate(c64[2,3] a)"), "c64[2,3]");
  EXPECT_EQ(shape_of("r = add(f32[<=4] a, f32[4] b)"), "f32[<=4]");
  EXPECT_EQ(shape_of("r = compare(f32[4] a, f32[4] b), direction=LT"), "pred[4]");
  EXPECT_EQ(shape_of("r = complex(f64[4] a, f64[4] b)"), "c128[4]");
  EXPECT_EQ(shape_of("r = select(pred[] p, f32[4] a, f32[4] b)"), "f32[4]");
  EXPECT_EQ(shape_of("r = transpose(f32[2,3,5]{0,1,2} a), dimensions={2,0,1}"), "f32[5,2,3]");
  EXPECT_EQ(shape_of("r = slice(f32[9,20] a), slice={[2:9:3], [4:4]}"), "f32[3,0]");
  EXPECT_EQ(shape_of("r = pad(f32[9,5] a, f32[] v), padding=1_2_3x-2_-1"), "f32[36,2]");
  EXPECT_EQ(shape_of("r = concatenate(f32[9,5] a, f32[9,0] b, f32[9,7] c), dimensions={1}"),
            "f32[9,12]");
  EXPECT_EQ(shape_of("r = dot(f32[7,2,3] a, f32[7,3,5] b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                     "lhs_contracting_dims={2}, rhs_contracting_dims={1}"),
            "f32[7,2,5]");
  EXPECT_EQ(shape_of("r = convolution(f32[2,9,9,4] a, f32[3,2,2,8] k), "
                     "window={size=3x2 stride=2x1 pad=1_1x0_0 rhs_dilate=1x3}, "
                     "dim_labels=b01f_01io->f01b, feature_group_count=2"),
            "f32[8,5,6,2]");
  EXPECT_EQ(shape_of("r = dynamic-slice(f32[9,9] a, s32[] i, s32[] j), dynamic_slice_sizes={2,3}"),
            "f32[2,3]");
  EXPECT_EQ(shape_of("r = gather(f32[9,8,7] a, s32[5,2,6] i), offset_dims={1,3}, "
                     "collapsed_slice_dims={1}, start_index_map={0,2}, index_vector_dim=1, "
                     "slice_sizes={4,1,3}"),
            "f32[5,4,6,3]");
  EXPECT_EQ(shape_of("r = get-tuple-element((f32[2], (s32[3]{0}, pred[])) t), index=1"),
            "(s32[3]{0}, pred[])");
  EXPECT_EQ(shape_of("r = tuple(f32[2]{0:T(128)} a, token[] b)"), "(f32[2]{0:T(128)}, token[])");
  EXPECT_EQ(shape_of("r = after-all()"), "token[]");
  EXPECT_EQ(shape_of("r = sort(s32[5] a, f32[5] b), dimensions={0}"), "(s32[5], f32[5])");
}

TEST(HloShapes, ComputationsTellTypesAndResults) {
  const std::string pair =
      "pair { a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n"
      "       d = s32[] parameter(3)\n ROOT t = tuple(a, b) }\n";
  EXPECT_EQ(shape_of(pair + "ENTRY e { x = f32[3,4] parameter(0)\n y = s32[3,4] parameter(1)\n"
                            "z = f32[] constant(0)\n w = s32[] constant(0)\n"
                            "ROOT r = reduce(x, y, z, w), dimensions={0}, to_apply=pair }"),
            "(f32[4], s32[4])");
  const std::string sum =
      "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = add(a, b) }\n";
  EXPECT_EQ(shape_of(sum + "ENTRY e { x = f32[8,9] parameter(0)\n z = f32[] constant(0)\n"
                           "ROOT r = reduce-window(x, z), window={size=1x3 stride=1x2 pad=0_0x1_1},"
                           " to_apply=sum }"),
            "f32[8,5]");
  EXPECT_EQ(
      shape_of(sum + "ENTRY e { x = f32[] parameter(0)\n ROOT r = call(x, x), to_apply=sum }"),
      "f32[]");
}

TEST(HloShapes, WhatIsNotToldOrDoesNotFitHasNone) {
  for (const char* text :
       {"r = reshape(f32[4] a)", "r = broadcast(f32[] a), dimensions={}",
        "r = custom-call(f32[] a), custom_call_target=\"x\"",
        "r = transpose(f32[4] a), "
        "dimensions={1}",
        "r = pad(f32[4,4] a, f32[] v), padding=0_0", "r = tuple-select(f32[] a)",
        "r = get-tuple-element((f32[]) t), index=1",
        "r = concatenate(f32[<=4] a, f32[4] b), dimensions={0}",
        "r = slice(f32[4] a), slice={[3:1]}", "r = concatenate(f32[4] a, f32[4] b), dimensions={1}",
        "r = conditional(pred[] c, f32[] a, f32[] b)", "r = fusion(f32[] a), kind=kLoop",
        // Of two dimensions, one is of the window: which, below the rank, is not said.
        "r = gather(f32[4,2] a, s32[3,1] i), offset_dims={2}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
        "r = pad(f32[9] a, f32[] v), padding=0_0_9223372036854775806"}) {
    EXPECT_EQ(shape_of(text), "none") << text;
  }
}

TEST(HloShapes, AnotherShapeWhereItIsUsedIsNotContradicted) {
  EXPECT_EQ(shape_of("e { p = f32[2,3] parameter(0)\n n = negate(p)\n"
                     "ROOT r = negate(f32[3,2] n) }"),
            "f32[3,2]");
}

TEST(HloShapes, ShapesThatGrowWithoutEndAreLeftOut) {
  std::string text = "e { t0 = f32[] parameter(0)\n";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&text, "t", i + 1, " = tuple(t", i, ", t", i, ")\n");
  EXPECT_EQ(shape_of(text + "}"), "none");
  std::string deep = "e { t0 = f32[] parameter(0)\n";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&deep, "t", i + 1, " = tuple(t", i, ")\n");
  EXPECT_EQ(shape_of(deep + "}"), "none");
}

// ---- What real modules write is what is inferred ----

struct Tally {
  int64_t stated = 0, inferred = 0, equal = 0, absent = 0;
  std::vector<std::string> examples;  // of others
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
      // Sums may be of a type that is not that of the products.
      const bool sum =
          instruction.opcode == HloOpcode::kDot || instruction.opcode == HloOpcode::kConvolution;
      if (sum) shape->element_type = instruction.shape->element_type;
      ++tally.inferred;
      if (fits(*shape, *instruction.shape)) {
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
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const auto modules = parse_hlo_modules(text.str());
    if (!modules.ok()) continue;  // hlo_corpus_test.cc says which and why
    for (const HloModule& module : *modules) {
      compare(module, entry.path().filename().string(), tally);
    }
  }
  std::cout << tally.stated << " with a shape, " << tally.inferred << " inferred, " << tally.equal
            << " the same; " << tally.absent << " without\n";
  return tally;
}

TEST(HloShapes, OfOurOwnModulesAreInferredAsTheyAreWritten) {
  const Tally tally = tally_of(TILEPROOF_HLO_CORPUS);
  EXPECT_EQ(tally.stated, 20'567);
  EXPECT_EQ(tally.absent, 0);
  EXPECT_GT(tally.inferred, 8'000);
  for (const std::string& example : tally.examples) ADD_FAILURE() << example;
}

TEST(HloShapes, OfTheSharedModulesAreInferredAsTheyAreWritten) {
  const fs::path archive = fs::absolute(fs::path(TILEPROOF_SHARED) / "data" / "hlo.tar.xz");
  if (!fs::exists(archive)) GTEST_SKIP() << "no " << archive << ": the optional shared folder";
  const fs::path folder =
      fs::path(::testing::TempDir()) / absl::StrCat("tileproof_hlo_shapes_", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command = absl::StrCat("cd '", folder.string(), "' && '", TILEPROOF_CMAKE,
                                           "' -E tar xf '", archive.string(), "'");
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const Tally tally = tally_of(folder);
  for (const std::string& example : tally.examples) std::cout << example << "\n";
  EXPECT_GT(tally.inferred, 120'000);
  EXPECT_EQ(tally.absent, 0);
  // Modules made to be refused, for shapes and types that do not fit.
  EXPECT_LT(std::ssize(tally.examples), 60);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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

TEST(HloShapes, OperationsDetermineTheirShape) {
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

TEST(HloShapes, EachOperandCounts) {
  EXPECT_EQ(shape_of("r = triangular-solve(f32[3,3] a, f32[3,5] b)"), "f32[3,5]");
  EXPECT_EQ(shape_of("r = scatter(f32[4] a, s32[1] i, f32[1] u)"), "f32[4]");
  EXPECT_EQ(shape_of("r = scatter(f32[4] a, s32[4] b, s32[1] i, f32[1] u, s32[1] v)"),
            "(f32[4], s32[4])");
  EXPECT_EQ(shape_of("r = concatenate(f32[9] a), dimensions={0}"), "f32[9]");
  EXPECT_EQ(shape_of("r = topk(f32[2,9] a), k=3"), "(f32[2,3], s32[2,3])");
  EXPECT_EQ(shape_of("r = complex(f32[4] a, f64[4] b)"), "c64[4]");
  EXPECT_EQ(shape_of("r = add(f32[4] a, f32[<=4] b)"), "f32[<=4]");
  EXPECT_EQ(shape_of("r = negate(f32[4] a, f32[4,1] b)"), "f32[4]");
  EXPECT_EQ(shape_of("r = copy(f32[2,3]{0,1} a)"), "f32[2,3]");
  EXPECT_EQ(shape_of("r = copy((f32[2], s32[]) t)"), "(f32[2], s32[])");
  EXPECT_EQ(shape_of("r = pad(f32[3] a, f32[] v), padding=-2_-2"), "f32[0]");
  EXPECT_EQ(shape_of("r = gather(f32[9,4] a, s32[5] i), offset_dims={1}, collapsed_slice_dims={0}, "
                     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}"),
            "f32[5,4]");
}

TEST(HloShapes, ComputationsDetermineTypesAndResults) {
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
  EXPECT_EQ(shape_of(sum + "ENTRY e { x = f32[<=8,9] parameter(0)\n z = f32[] constant(0)\n"
                           "ROOT r = reduce-window(x, z), window={size=1x3}, to_apply=sum }"),
            "f32[<=8,7]");
  EXPECT_EQ(shape_of(sum + "ENTRY e { x = f32[8,9] parameter(0)\n z = f32[] constant(0)\n"
                           "ROOT r = reduce(x, z), dimensions={1}, to_apply=sum }"),
            "f32[8]");
  EXPECT_EQ(
      shape_of(sum + "ENTRY e { x = f32[] parameter(0)\n ROOT r = call(x, x), to_apply=sum }"),
      "f32[]");
}

TEST(HloShapes, NoShapeIfThereMayBeSeveralOrAttributesDoNotFit) {
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
        "r = call(f32[] a), to_apply=elsewhere", "r = get-tuple-element(f32[4] a), index=0",
        // One of the two dimensions belongs to the window, but offset_dims names none of them.
        "r = gather(f32[4,2] a, s32[3,1] i), offset_dims={2}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
        "r = pad(f32[9] a, f32[] v), padding=0_0_9223372036854775806"}) {
    EXPECT_EQ(shape_of(text), "none") << text;
  }
}

TEST(HloShapes, NoShapeWithoutOperands) {
  const std::vector<std::string> operations = absl::StrSplit(
      "abs negate complex transpose slice pad concatenate dot reduce reduce-window "
      "convolution dynamic-slice gather scatter sort topk select opt-barrier "
      "get-tuple-element copy",
      ' ');
  for (const std::string& operation : operations) {
    const std::string attributes =
        ", dimensions={0}, slice={[0:1]}, padding=0_0, window={size=1}, dim_labels=bf0_io0->bf0, "
        "dynamic_slice_sizes={1}, offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
        "index_vector_dim=0, slice_sizes={}, lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
        "k=1, index=0, to_apply=m";
    const auto with = [&](const std::string& operands) {
      return shape_of(
          "m { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = add(p, q) }\n"
          "ENTRY e { a = f32[4] parameter(0)\n t = (f32[4], f32[4]) parameter(1)\n ROOT "
          "r = " +
          operation + "(" + operands + ")" + attributes + " }");
    };
    EXPECT_EQ(with(""), "none") << operation;
    if (operation == "opt-barrier" || operation == "get-tuple-element" || operation == "copy") {
      continue;
    }
    EXPECT_EQ(with("t, t, t"), "none") << operation;
  }
}

TEST(HloShapes, NoShapeIfOperandsDoNotFit) {
  for (const char* text : {
           "r = add(f32[4] a, f32[4,1] b)",
           "r = add(f32[4] a, (f32[4]) b)",
           "r = complex(s32[4] a, s32[4] b)",
           "r = concatenate(f32[4] a, f32[4,1] b), dimensions={0}",
           "r = concatenate(f32[4] a, (f32[4]) b), dimensions={0}",
           "r = concatenate(f32[4] a, f32[4] b), dimensions={0,0}",
           "r = concatenate(f32[4] a, f32[4] b)",
           "r = concatenate(pred[9223372036854775807] a, pred[1] b), dimensions={0}",
           "r = transpose(f32[2,3] a), dimensions={0}",
           "r = slice(f32[4] a)",
           "r = pad(f32[4] a, f32[] v)",
           "r = pad(f32[<=4] a, f32[] v), padding=0_0",
           "r = pad(f32[4] a, f32[] v), padding=0_0_9223372036854775807",
           "r = pad(f32[4] a, f32[] v), padding=9223372036854775807_0",
           "r = pad(f32[4] a, f32[] v), padding=0_9223372036854775807",
           "r = pad(pred[9223372036854775807] a, pred[] v), padding=0_0_1",
           "r = topk(f32[] a), k=1",
           "r = topk(f32[4] a)",
           "r = dynamic-slice(f32[4] a, s32[] i)",
           // Operations that sum.
           "r = dot(f32[2,3] a, f64[3,2] b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "r = dot(f32[2,3] a, f32[3,2] b), lhs_contracting_dims={7}, rhs_contracting_dims={0}",
           "r = dot(f32[2,3] a, f32[3,2] b), lhs_contracting_dims={1}, rhs_contracting_dims={7}",
           "r = dot(f32[2,3] a, f32[3,2] b), lhs_batch_dims={7}, rhs_batch_dims={0}, "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
           "r = dot(f32[2] a, (f32[2]) b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "r = reduce(f32[4] a, f32[] v)",
           "r = reduce(f32[4] a, f32[] v), dimensions={0}",
           "r = reduce(f32[4] a, f32[] v), dimensions={4}",
           "r = reduce-window(f32[4] a, f32[] v), window={size=1x1}",
           "r = reduce-window(f32[4] a, f32[] v), window={size=2}",
           "r = reduce-window(f32[<=4] a, f32[] v), window={size=2}",
           "r = reduce-window(f32[4] a, f32[] v), window={size=0}",
           "r = reduce-window(f32[4] a, f32[] v), window={size=2 pad=9223372036854775807_0}",
           "r = reduce-window(f32[4] a, f32[] v), window={size=3 rhs_dilate=9223372036854775807}",
           // Windows and indices.
           "r = gather(f32[4] a, (s32[1]) i), offset_dims={}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=0, slice_sizes={1}",
           "r = gather(f32[4] a, s32[1] i)",
           "r = gather(f32[4] a, s32[1] i), offset_dims={}, collapsed_slice_dims={4}, "
           "start_index_map={0}, index_vector_dim=0, slice_sizes={1}",
           "r = gather(f32[4] a, s32[1] i), offset_dims={0}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=0, slice_sizes={1}",
       }) {
    EXPECT_EQ(shape_of(text), "none") << text;
  }
}

TEST(HloShapes, NoShapeIfAConvolutionDoesNotFitItsLabels) {
  const auto with = [](absl::string_view operands, absl::string_view rest) {
    return shape_of(absl::StrCat("r = convolution(", operands, "), ", rest));
  };
  const std::string fine = "f32[2,4,9] a, f32[4,8,3] k";
  const std::string labels = "dim_labels=bf0_io0->bf0";
  EXPECT_EQ(with(fine, "window={size=3}, " + labels), "f32[2,8,7]");
  EXPECT_EQ(with("f32[2,4] a, f32[4,8] k", "dim_labels=bf_io->bf"), "f32[2,8]");
  EXPECT_EQ(with("f32[2,4,9] a, f32[4,8,1] k", labels), "f32[2,8,9]");
  for (const auto& [operands, rest] : std::vector<std::pair<std::string, std::string>>{
           {"f32[2,4,9] a, (f32[]) k", "window={size=3}, " + labels},
           {fine, "window={size=3}"},
           {fine, "window={size=3x3}, " + labels},
           {fine, "window={size=3}, batch_group_count=0, " + labels},
           {fine, "window={size=3}, batch_group_count=x, " + labels},
           {fine, "window={size=x}, " + labels},
           {fine, "window={size=3}, dim_labels=bf0_io0->bf"},
           {"f32[2,4,9] a, f32[4,8,1] k", "dim_labels=bf0_io0->b?f0"},
           {fine, "window={size=3}, dim_labels=bf_io0->bf0"},
           {fine, "window={size=3 pad=9223372036854775807_0}, " + labels},
           {"f32[2,4] a, f32[4,8,3] k", "window={size=3}, " + labels},
           {"f32[2,4,9] a, f32[4,8] k", "window={size=3}, " + labels},
           {"f32[2,4,9] a, f64[4,8,3] k", "window={size=3}, " + labels},
           {"f32[<=2,4,9] a, f32[4,8,3] k", "window={size=3}, " + labels},
           {"f32[2,4,<=9] a, f32[4,8,3] k", "window={size=3}, " + labels}}) {
    EXPECT_EQ(with(operands, rest), "none") << operands << " " << rest;
  }
}

TEST(HloShapes, PartsOfComplexNumbersAreReal) {
  EXPECT_EQ(shape_of("r = real(c128[4] a)"), "f64[4]");
  EXPECT_EQ(shape_of("r = imag(f32[4] a)"), "f32[4]");
  EXPECT_EQ(shape_of("r = complex(f32[4] a, f32[4] b)"), "c64[4]");
}

// The type of a map is that of the root of its computation.
TEST(HloShapes, AMapHasTheTypeOfItsComputation) {
  const auto map = [](absl::string_view body, absl::string_view to_apply) {
    return shape_of(absl::StrCat("m { p = f32[] parameter(0)\n", body,
                                 " }\nENTRY e { a = f32[4] parameter(0)\n ROOT r = map(a)",
                                 to_apply, " }"));
  };
  EXPECT_EQ(map("ROOT c = compare(p, p), direction=EQ", ", to_apply=m"), "pred[4]");
  EXPECT_EQ(map("ROOT c = tuple(p, p)", ", to_apply=m"), "none");
  EXPECT_EQ(map("ROOT c = custom-call(p), custom_call_target=\"x\"", ", to_apply=m"), "none");
  EXPECT_EQ(map("ROOT c = negate(p)", ""), "none");
}

TEST(HloShapes, AMissingWindowHasOneElement) {
  EXPECT_EQ(shape_of("s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = add(a, b) }\n"
                     "ENTRY e { x = f32[8,9] parameter(0)\n z = f32[] constant(0)\n"
                     "ROOT r = reduce-window(x, z), to_apply=s }"),
            "f32[8,9]");
  EXPECT_EQ(shape_of("s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = add(a, b) }\n"
                     "ENTRY e { x = f32[8,2] parameter(0)\n z = f32[] constant(0)\n"
                     "ROOT r = reduce-window(x, z), window={size=1x3}, to_apply=s }"),
            "f32[8,0]");
}

TEST(HloShapes, AShapeWrittenAtAUseWins) {
  EXPECT_EQ(shape_of("e { p = f32[2,3] parameter(0)\n n = negate(p)\n"
                     "ROOT r = negate(f32[3,2] n) }"),
            "f32[3,2]");
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

// SPDX-License-Identifier: Apache-2.0
// Programs of JAX in each form that it has them in: all are read, and those of one module are the same.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof {
namespace {

// What each instruction is, of all computations, in the order of these texts; or the error.
std::string instructions_in(const absl::StatusOr<std::vector<HloModule>>& modules) {
  if (!modules.ok()) return std::string(modules.status().message());
  std::vector<std::string> lines;
  for (const HloModule& module : *modules) {
    for (const HloComputation& computation : module.computations) {
      for (const HloInstruction& one : computation.instructions)
        lines.push_back(
            absl::StrCat(to_text(*one.shape), " ", one.opcode_text, " of ", one.operands.size()));
    }
  }
  std::ranges::sort(lines);
  return absl::StrJoin(lines, "\n");
}

// Programs of JAX: its StableHLO, HLO before and after optimization, both as text and as binary protos.
TEST(JaxForms, AreReadAndMeanTheSame) {
  const std::filesystem::path texts = hlo_corpus(), forms = texts.parent_path() / "forms";
  int64_t programs = 0;
  for (const auto& file : std::filesystem::directory_iterator(forms)) {
    if (file.path().extension() != ".mlir") continue;
    ++programs;
    const std::string name = file.path().stem();
    const auto stablehlo = stablehlo::parse_modules(content_of(file.path()), UnknownHlo::kRefuse);
    EXPECT_TRUE(stablehlo.ok()) << name << ": " << stablehlo.status();
    for (const char* when : {".before", ".after"}) {
      const auto text =
          parse_hlo_modules(content_of(texts / (name + when + ".hlo")), UnknownHlo::kRefuse);
      const auto proto =
          hlo_proto::parse_modules(content_of(forms / (name + when + ".pb")), UnknownHlo::kRefuse);
      EXPECT_EQ(instructions_in(text), instructions_in(proto)) << name << when;
    }
  }
  EXPECT_GE(programs, 40);
}

}  // namespace
}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// For every instruction of the corpus, the analysis and the reference give the same kind of answer.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "absl/strings/match.h"
#include "corpus/paths.h"
#include "impl/hlo/module_indexing.h"
#include "spec/hlo/classification.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::verify {
namespace {

using impl::DataflowClass;
using impl::DataflowKind;
using SpecKind = spec::Classification::Kind;

bool agree(const DataflowClass& ours, const spec::Classification& reference) {
  switch (reference.kind) {
    case SpecKind::kRefused:
      return ours.kind == DataflowKind::kRefused;
    case SpecKind::kBeyond:
      return false;  // not in the corpus
    case SpecKind::kConservative:
      // The analysis is exact if nothing opaque flows to the result.
      return ours.kind != DataflowKind::kRefused;
    case SpecKind::kDefined:
      // No dataflow: arrays without elements, and computations whose results are constants.
      // The analysis has a superset where it finds no closed form: of some loops and masks, and of
      // whatever contains them.
      return ours.kind == DataflowKind::kMapped || ours.kind == DataflowKind::kNoDataflow ||
             (ours.kind == DataflowKind::kConservative &&
              (absl::StartsWith(ours.reason, "while: ") ||
               absl::StartsWith(ours.reason, "a select with a predicate of too many cases")));
    default:
      return ours.kind == DataflowKind::kNoDataflow;
  }
}

TEST(IndexingCorpusTest, EveryInstructionIsCountedAndNoneRefused) {
  int64_t modules = 0;
  impl::DataflowCounts counts;
  for (const std::filesystem::path& path : hlo_files(hlo_corpus())) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(content_of(path));
    ASSERT_TRUE(module.ok()) << path << ": " << module.status();
    ++modules;
    const auto reference = spec::classify(*module);
    const impl::ModuleIndexing found = impl::index_module(
        *module, [&](int32_t computation, int32_t instruction, const DataflowClass& ours) {
          const spec::Classification& theirs = reference[computation][instruction];
          EXPECT_TRUE(agree(ours, theirs))
              << path << ": " << to_text(module->computations[computation], instruction)
              << "\n  analysis: " << static_cast<int>(ours.kind) << " " << ours.reason
              << "\n  reference: " << static_cast<int>(theirs.kind) << " " << theirs.reason;
        });
    EXPECT_EQ(found.instructions.total(), instruction_count(*module)) << path;
    EXPECT_EQ(found.computations.total(), std::ssize(module->computations)) << path;
    counts.mapped += found.instructions.mapped;
    counts.conservative += found.instructions.conservative;
    counts.no_dataflow += found.instructions.no_dataflow;
    counts.refused += found.instructions.refused;
  }
  std::cout << modules << " modules, " << counts.total() << " instructions: " << counts.mapped
            << " mapped, " << counts.conservative << " conservative, " << counts.no_dataflow
            << " without flow, " << counts.refused << " refused\n";
  EXPECT_GT(modules, 0);
  EXPECT_GT(counts.mapped, 0);
  EXPECT_EQ(counts.refused, 0);
}

}  // namespace
}  // namespace tileproof::verify

// Every instruction of the corpus: the analysis and the reference say the same of what kind of
// answer it has.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "impl/hlo/module_indexing.h"
#include "spec/hlo/access_relation.h"
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
      return false;  // the corpus has none
    case SpecKind::kConservative:
      // Where what is opaque does not flow to the result, the analysis says more.
      return ours.kind != DataflowKind::kRefused;
    case SpecKind::kDefined:
      // Arrays without elements, and computations whose results are constants.
      return ours.kind == DataflowKind::kMapped || ours.kind == DataflowKind::kNoDataflow;
    default:
      return ours.kind == DataflowKind::kNoDataflow;
  }
}

TEST(IndexingCorpusTest, EveryInstructionIsCountedAndNoneRefused) {
  int64_t modules = 0;
  impl::DataflowCounts counts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TILEPROOF_HLO_CORPUS)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const absl::StatusOr<HloModule> module = parse_hlo_module(text.str());
    ASSERT_TRUE(module.ok()) << entry.path() << ": " << module.status();
    ++modules;
    const auto reference = spec::classify(*module);
    const impl::ModuleIndexing found = impl::index_module(
        *module, [&](int32_t computation, int32_t instruction, const DataflowClass& ours) {
          const spec::Classification& theirs = reference[computation][instruction];
          EXPECT_TRUE(agree(ours, theirs))
              << entry.path() << ": " << to_text(module->computations[computation], instruction)
              << "\n  analysis: " << static_cast<int>(ours.kind) << " " << ours.reason
              << "\n  reference: " << static_cast<int>(theirs.kind) << " " << theirs.reason;
        });
    EXPECT_EQ(found.instructions.total(), instruction_count(*module)) << entry.path();
    EXPECT_EQ(found.computations.total(), std::ssize(module->computations)) << entry.path();
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

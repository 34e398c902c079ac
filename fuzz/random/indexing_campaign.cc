// SPDX-License-Identifier: Apache-2.0
// Compares the indexing analysis with the reference on many random operations and computations: in
// both directions, from and to all arrays, in both scopes. Prints how often each kind of result
// occurred, and the first differences. Exits with 1 if there are any.
//
//     indexing_campaign operations|computations|mutated COUNT [SEED]
//
// `mutated` changes a few things of an operation, so that it is mostly invalid. Analysis and
// reference must refuse the same modules.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::verify {
namespace {

using Kind = IndexingComparison::Kind;

struct Tally {
  int64_t cases = 0, comparisons = 0, inverse = 0, elements = 0, failures = 0;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, int64_t> unequal;  // by kind of operation
};

enum class Cases { kOperations, kComputations, kMutated };

GeneratedHlo generate(Cases cases, Choose& choose) {
  if (cases == Cases::kComputations) return generate_computation(choose);
  GeneratedHlo hlo = generate_operation(choose);
  if (cases == Cases::kOperations) return hlo;
  hlo.text = mutate_hlo(choose, std::move(hlo.text));
  hlo.leaves = 1;
  return hlo;
}

void take(const IndexingComparison& result, const std::string& kind, const std::string& what,
          const std::string& text, Tally& tally) {
  ++tally.comparisons;
  ++tally.kinds[result.kind];
  tally.elements += result.elements;
  if (result.kind == Kind::kSuperset) ++tally.unequal[kind];
  if (result.kind != Kind::kDifferent || ++tally.failures > 10) return;
  std::printf("%s: %s\n%s\n", what.c_str(), result.difference.c_str(), text.c_str());
}

void run_one(Cases cases, uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const GeneratedHlo hlo = generate(cases, choose);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  const spec::Limits limits =
      cases == Cases::kMutated ? spec::Limits{.elements = 4096, .work = 1 << 20} : spec::Limits{};
  ++tally.cases;
  if (!module.ok()) {
    ++tally.failures;
    std::printf("seed %lu: %s\n", static_cast<unsigned long>(seed),
                std::string(module.status().message()).c_str());
    return;
  }
  const int32_t root = module->computations[module->entry].root;
  const std::string kind = cases == Cases::kComputations ? "computation" : hlo.kind;
  for (const IndexingQuestion& question : questions_about(*module, module->entry, root)) {
    tally.inverse += question.direction == impl::Direction::kInputToOutput;
    take(compare_indexing(*module, question, {hlo.seed, hlo.near}, limits), kind,
         absl::StrCat("seed ", seed, ", ", to_text(question)), hlo.text, tally);
  }
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using tileproof::verify::IndexingComparison;
  if (argc < 3) {
    std::fprintf(stderr, "usage: indexing_campaign operations|computations|mutated COUNT [SEED]\n");
    return 2;
  }
  using tileproof::verify::Cases;
  const std::string name = argv[1];
  const Cases cases = name == "operations" ? Cases::kOperations
                      : name == "mutated"  ? Cases::kMutated
                                           : Cases::kComputations;
  const int64_t count = std::atoll(argv[2]);
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  tileproof::verify::Tally tally;
  for (int64_t i = 0; i < count; ++i) {
    tileproof::verify::run_one(cases, seed + i, tally);
    if (tally.cases % 10000 == 0)
      std::fprintf(stderr, "%ld cases: %ld failures\n", tally.cases, tally.failures);
  }
  std::printf(
      "%ld %s, %ld comparisons (%ld input to output), %ld elements: %ld equal, %ld supersets, %ld "
      "refused, "
      "%ld too large, %ld failures\n",
      tally.cases, argv[1], tally.comparisons, tally.inverse, tally.elements,
      tally.kinds[IndexingComparison::Kind::kEqual],
      tally.kinds[IndexingComparison::Kind::kSuperset],
      tally.kinds[IndexingComparison::Kind::kRefused],
      tally.kinds[IndexingComparison::Kind::kTooLarge], tally.failures);
  for (const auto& [kind, times] : tally.unequal)
    std::printf("  superset: %s %ld\n", kind.c_str(), times);
  return tally.failures == 0 && tally.cases > 0 ? 0 : 1;
}

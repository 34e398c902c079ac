// A long comparison of the indexing analysis with the reference, on random operations and
// computations. Prints how many of each kind of result there were, and the first differences; exits
// with 1 if there are any.
//
//     indexing_campaign operations|computations|mutated COUNT [SEED]
//
// `mutated` are operations of which a few things were changed, so that they hardly make sense: both
// refuse the same ones.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "fuzz/mutate_hlo.h"
#include "spec/lang/hlo_text.h"
#include "verify/indexing_compare.h"

namespace tileproof::verify {
namespace {

using Kind = IndexingComparison::Kind;

struct Tally {
  int64_t cases = 0, comparisons = 0, elements = 0, failures = 0;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, int64_t> unequal;  // by kind of operation
};

enum class Cases { kOperations, kComputations, kMutated };

GeneratedHlo generate(Cases cases, Choose& choose) {
  if (cases == Cases::kComputations) return generate_computation(choose);
  GeneratedHlo hlo = generate_operation(choose);
  if (cases == Cases::kOperations) return hlo;
  for (int64_t changes = choose.between(1, 3); changes > 0; --changes) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
    if (!module.ok()) break;
    std::string changed = mutate_hlo(choose, *module);
    if (parse_hlo_module(changed).ok()) hlo.text = std::move(changed);
  }
  hlo.leaves = 1;
  return hlo;
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
  for (int32_t leaf = 0; leaf < hlo.leaves; ++leaf) {
    for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
      const IndexingComparison result =
          compare_indexing(*module, module->entry, root, leaf, scope, {hlo.seed, hlo.near}, limits);
      ++tally.comparisons;
      ++tally.kinds[result.kind];
      tally.elements += result.elements;
      if (result.kind == Kind::kSuperset)
        ++tally.unequal[cases == Cases::kComputations ? "computation" : hlo.kind];
      if (result.kind != Kind::kDifferent) continue;
      if (++tally.failures > 10) continue;
      std::printf("seed %lu, leaf %d, scope %s: %s\n%s\n", static_cast<unsigned long>(seed), leaf,
                  scope == spec::Scope::kInstruction ? "instruction" : "computation",
                  result.difference.c_str(), hlo.text.c_str());
    }
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
  for (int64_t i = 0; i < count; ++i) tileproof::verify::run_one(cases, seed + i, tally);
  std::printf(
      "%ld %s, %ld comparisons, %ld elements: %ld equal, %ld supersets, %ld refused, "
      "%ld too large, %ld failures\n",
      tally.cases, argv[1], tally.comparisons, tally.elements,
      tally.kinds[IndexingComparison::Kind::kEqual],
      tally.kinds[IndexingComparison::Kind::kSuperset],
      tally.kinds[IndexingComparison::Kind::kRefused],
      tally.kinds[IndexingComparison::Kind::kTooLarge], tally.failures);
  for (const auto& [kind, times] : tally.unequal)
    std::printf("  superset: %s %ld\n", kind.c_str(), times);
  return tally.failures == 0 && tally.cases > 0 ? 0 : 1;
}

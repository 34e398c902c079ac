// Fuzz target: what is done with the maps of a module's root: tiles through them, the elements that
// are read, and the transactions of a kernel, by the reference, which looks at each element.
#include "fuzz/targets/hlo_inputs.h"
#include "verify/coalescing_compare.h"
#include "verify/tile_compare.h"
#include "verify/utilization_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kCombinations = 30;  // of values of offsets
constexpr spec::Limits kLimits{.elements = 1024, .work = 1 << 16, .depth = 50};
constexpr int64_t kPoints = 4096;

void check(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return;
  const int32_t entry = module->entry, root = module->computations[entry].root;
  const uint64_t seed = seed_of(text);
  Choose choose(Choose::Random{seed});
  const absl::string_view opcode = name_of(module->computations[entry].instructions[root].opcode);
  const auto judge = [&](absl::string_view what, absl::string_view difference) {
    if (!difference.empty()) fail(absl::StrCat(what, " of ", opcode, " at ", difference), text);
  };
  judge("tiles", verify::compare_tiles(*module, entry, root, choose, kLimits).difference);
  judge("coalescing", verify::compare_coalescing(*module, entry, root, choose, kPoints).difference);
  for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
    judge("utilization",
          verify::compare_utilization(*module, entry, root, scope, seed, kCombinations, kLimits)
              .difference);
  }
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 0, tileproof::mutated_hlo);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               tileproof::crossed_hlo);
}

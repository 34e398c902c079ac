// Fuzz target: the bytes choose a small module of valid HLO (fuzz/gen_hlo.h) and the values of its
// offsets; analysis and reference agree on the root, in both scopes.
#include "fuzz/targets/hlo_check.h"

namespace tileproof {
namespace {

// Small, as there are many runs.
constexpr HloLimits kLimits{.elements = 60, .operations = 6};

void check(absl::Span<const uint8_t> bytes) {
  Choose choose(Choose::Bytes{bytes});
  const GeneratedHlo hlo = choose.chance(3, 4) ? generate_computation(choose, kLimits)
                                               : generate_operation(choose, kLimits);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) {
    fail(absl::StrCat("generated and not read: ", module.status().message()), hlo.text);
  }
  check_counts(*module, hlo.text);
  check_root(*module, hlo.text, {hlo.seed, hlo.near});
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check({data, size});
  return 0;
}

// Choices that have run out are the simplest ones; so inputs grow by random choices, too, and parts
// of them are chosen anew.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  tileproof::Choose choose(tileproof::Choose::Random{seed});
  if (choose.chance(1, 2)) return LLVMFuzzerMutate(data, size, max_size);
  const auto room = static_cast<int64_t>(max_size);
  const int64_t from = choose(static_cast<int64_t>(size) + 1);
  const int64_t to = std::min(room, from + choose.between(1, 24));
  for (int64_t at = from; at < to; ++at) data[at] = static_cast<uint8_t>(choose(256));
  return static_cast<size_t>(std::max(to, choose.chance(1, 4) ? to : static_cast<int64_t>(size)));
}

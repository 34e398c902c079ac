// Fuzz target: what is done with a map beside simplifying and composing it, by the reference at its
// points: it is evaluated, the range of a result is told, variables go or become others, the
// elements that it and a changed copy reach are counted, and its simplification is told step by
// step.
#include <utility>

#include "fuzz/targets/map_inputs.h"
#include "impl/simplify.h"
#include "verify/image_compare.h"
#include "verify/map_uses_compare.h"
#include "verify/trace/trace_check.h"

namespace tileproof {
namespace {

constexpr int64_t kPoints = 256;
constexpr uint64_t kTracedShare = 4;  // one of so many

// A derivation that is not accepted proves nothing, and is no finding (corpus/maps/untold.txt).
std::string trace_difference(const IndexingMap& map, absl::string_view text) {
  if (seed_of(text) % kTracedShare != 0) return "";
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_traced(map);
  if (!simple.ok() || !traced.ok()) return absl::StrCat("refused at ", quoted(map));
  if (!(traced->map == *simple)) return absl::StrCat("another map with a trace at ", quoted(map));
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  if (!checked.ok() || (checked->before == map && checked->after == *simple)) return "";
  return absl::StrCat("a trace of other maps at ", quoted(map));
}

void check(absl::string_view text) {
  const std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty()) return;
  const IndexingMap& map = maps[0];
  Choose choose(Choose::Random{seed_of(text)});
  IndexingMap changed = map;
  change(choose, changed);
  changed = parse_map(to_text(changed)).value_or(map);  // without nodes that nothing needs any more
  for (const std::string& difference :
       {verify::evaluation_difference(map, choose), verify::range_difference(map, kPoints),
        verify::variables_difference(map, choose, kPoints), trace_difference(map, text),
        verify::compare_images({map, std::move(changed)}, choose, kPoints).difference}) {
    if (!difference.empty()) fail(difference);
  }
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty() || choose.chance(1, 32)) return to_text(random_map(choose));
  change(choose, maps[0]);
  return to_text(maps[0]);
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 0, tileproof::mutated);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               [](auto& choose, const auto& a, const auto& b) {
                                 return tileproof::crossed_lines(choose, a, b, 1);
                               });
}

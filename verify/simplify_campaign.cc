// Random simplifications judged by the reference, many of them:
//
//     simplify_campaign COUNT [SEED]
//
// Map number i of a seed is the same in every run, so a campaign continues where another stopped by
// another seed, and a failure is repeated by its line. Prints one line per failure and a summary;
// exits 1 if anything failed, 2 if nothing was checked.
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fuzz/gen_map.h"
#include "impl/simplify.h"
#include "spec/lang/map_text.h"
#include "verify/map_compare.h"

int main(int argc, char** argv) {
  using namespace tileproof;
  int64_t count = 0, seed = 1;
  if (argc < 2 || !absl::SimpleAtoi(argv[1], &count) ||
      (argc > 2 && !absl::SimpleAtoi(argv[2], &seed))) {
    std::fprintf(stderr, "usage: simplify_campaign COUNT [SEED]\n");
    return 2;
  }
  int64_t failures = 0, points = 0, inside = 0, skipped = 0, refused = 0;
  const MapLimits maps{.points = 256};
  const ChainLimits chains{.points = 256};
  for (int64_t i = 0; i < count; ++i) {
    const auto state = static_cast<uint64_t>(seed * 1'000'000'007 + i);
    Choose choose(Choose::Random{state});
    const IndexingMap map =
        i % 8 == 7 ? generate_chain(choose, chains).map : generate_map(choose, maps);
    const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
    if (!simplified.ok()) {
      ++refused;
      std::printf("refused: %s  %s\n", to_text(map).c_str(),
                  simplified.status().ToString().c_str());
      continue;
    }
    const verify::Compared compared = verify::judge_simplified(map, *simplified, 1 << 16);
    points += compared.points;
    inside += compared.inside;
    skipped += compared.skipped;
    if (compared.difference.empty()) continue;
    ++failures;
    std::printf("wrong: %s\n  -> %s\n  %s\n", to_text(map).c_str(), to_text(*simplified).c_str(),
                compared.difference.c_str());
  }
  std::printf(
      "%lld maps, %lld points (%lld inside, %lld without an answer), %lld refused, "
      "%lld failures\n",
      static_cast<long long>(count), static_cast<long long>(points), static_cast<long long>(inside),
      static_cast<long long>(skipped), static_cast<long long>(refused),
      static_cast<long long>(failures));
  if (failures + refused > 0) return 1;
  return points == 0 ? 2 : 0;
}

// SPDX-License-Identifier: Apache-2.0
// Fuzz target: simplification of a map. The simplified map is valid, has the same variables and is
// not longer. It has the same meaning by the reference: at every point of both boxes if there are
// few, otherwise at sampled points. For a share of the maps there are more points, for another one
// simplifying again changes nothing, and for a small one the solver checks the meaning, too. For
// one more share the form that keeps the digits of tiles has the same meaning.
#include "fuzz/targets/map_inputs.h"
#include "impl/map/simplify.h"
#include "impl/map/tile_digits/simplify_keeping.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/map_points.h"

namespace tileproof {
namespace {

constexpr int64_t kWork = 10'000, kThoroughWork = 200'000;
constexpr int64_t kPoints = 16, kThoroughPoints = 60;
constexpr int64_t kSolverMilliseconds = 300;
Share thorough("more points", 16), again("simplified again", 4), solver("solver", 256);
Share digits("digits of tiles", 64), digits_of_all("digits of all sizes", 2);

std::string meaning_difference(const IndexingMap& map, const IndexingMap& simple,
                               absl::string_view text) {
  const std::string both = absl::StrCat(quoted(map), " ", quoted(simple));
  Choose choose(Choose::Random{seed_of(text)});
  const bool more = thorough.has(text);
  const verify::SearchResult found = verify::search(map, simple, more ? kThoroughPoints : kPoints,
                                                    more ? kThoroughWork : kWork, choose);
  if (found.difference) {
    return absl::StrCat("simplified to another map: ", both, " at ",
                        spec::to_text(map, verify::point_of(map, *found.difference)));
  }
  if (found.complete || !solver.has(text)) return "";
  verify::EqualOptions options;
  options.milliseconds = kSolverMilliseconds;
  options.enumerated = 0;
  options.sampled_points = 0;
  options.normal_forms = false;
  const auto equality = verify::equal(map, simple, options);
  if (!equality.ok()) return absl::StrCat("not comparable: ", both);
  if (!equality->difference) return "";
  return absl::StrCat("simplified to another map: ", both, " at ",
                      verify::to_text(map, *equality->difference));
}

// All sizes are kept in half of the maps, and small ones in the others.
std::string digits_difference(const IndexingMap& map, absl::string_view text) {
  const impl::TileSizes sizes{digits_of_all.has(text), {2, 3, 4, 8}};
  const absl::StatusOr<IndexingMap> kept = impl::simplify_keeping(map, sizes);
  if (!kept.ok()) return absl::StrCat("refused: ", quoted(map), ": ", kept.status().message());
  if (!kept->known_empty && !validate(*kept).ok())
    return absl::StrCat("an invalid map with digits: ", quoted(map));
  return meaning_difference(map, *kept, text);
}

std::string check(absl::string_view text, verify::CaseCounts&) {
  const std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty()) return "";
  const IndexingMap& map = maps[0];
  std::string found = digits.has(text) ? digits_difference(map, text) : "";
  if (!found.empty()) return found;
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  if (!simple.ok()) return absl::StrCat("refused: ", quoted(map), ": ", simple.status().message());
  if (!simple->known_empty) found = verify::form_difference(map, *simple);
  if (!found.empty()) return absl::StrCat(found, " at ", quoted(map), " ", quoted(*simple));
  found = meaning_difference(map, *simple, text);
  if (!found.empty() || simple->known_empty || !again.has(text)) return found;
  found = verify::further_simplified(*simple);
  return found.empty() ? "" : absl::StrCat(found, " at ", quoted(map));
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty() || choose.chance(1, 32)) return to_text(random_map(choose));
  if (choose.chance(1, 8)) maps[0] = rewrite_by_identities(choose, maps[0]);
  change(choose, maps[0]);
  return text_of_changed(choose, maps[0]);
}

}  // namespace

const TextTarget kTarget = {check, mutated, /*bytes_of_16=*/0};

}  // namespace tileproof

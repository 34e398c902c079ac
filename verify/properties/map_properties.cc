// SPDX-License-Identifier: Apache-2.0
// Properties of maps: simplification and its trace, composition, evaluation, ranges, and the
// functions on variables.
#include <initializer_list>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "corpus/files.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/map_compare.h"
#include "verify/properties/property.h"
#include "verify/prove/map/map_points.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kPoints = 1 << 12;

std::string wrong(const IndexingMap& map, absl::string_view what) {
  return absl::StrCat(to_text(map), ": ", what);
}

std::vector<IndexingMap> maps_in(std::initializer_list<const char*> files) {
  std::vector<IndexingMap> maps;
  for (const char* name : files) {
    for (const std::string& line : project_lines(absl::StrCat("corpus/", name))) {
      absl::string_view text = line;
      if (!absl::ConsumePrefix(&text, "=> ")) absl::ConsumePrefix(&text, "simplify ");
      const absl::StatusOr<IndexingMap> map = parse_map(text);
      if (map.ok() && !map->known_empty && absl::StrContains(line, "->")) maps.push_back(*map);
    }
  }
  return maps;
}

std::vector<IndexingMap> maps_of_corpus() {
  return maps_in({"maps/regressions.txt", "maps/chains.txt", "maps/documents.txt",
                  "golden/maps.txt", "golden/families.txt", "golden/mutants.txt"});
}

// Compares at every point if there are few, else at a random sample.
std::string judge(const IndexingMap& map, const IndexingMap& simplified, Choose& choose,
                  CaseCounts& tally) {
  const std::optional<int64_t> points = spec::box_size(map);
  if (points && *points <= kPoints) {
    tally["empty maps"] += simplified.known_empty ? 1 : 0;
    return simplified_difference(map, simplified, kPoints, tally);
  }
  if (simplified.known_empty) return "";
  ++tally["maps at some points"];
  const SearchResult searched = search_some(map, simplified, 200, 200'000, choose);
  if (searched.difference) return "differs at a point";
  return further_simplified(simplified);
}

std::string check_simplify(const IndexingMap& map, Choose& choose, CaseCounts& tally) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  if (!simplified.ok()) return wrong(map, simplified.status().message());
  const std::string difference = judge(map, *simplified, choose, tally);
  return difference.empty() ? "" : wrong(map, absl::StrCat(to_text(*simplified), "  ", difference));
}

std::string check_compose(Choose& choose, CaseCounts& tally) {
  const MapLimits limits{.dimensions = 2,
                         .ranges = 1,
                         .runtime = 1,
                         .results = 2,
                         .constraints = 1,
                         .depth = 2,
                         .points = 64};
  const IndexingMap first = generate_map(choose, limits), second = generate_map(choose, limits);
  return composition_difference(first, second, 200, 1'000'000, choose, tally);
}

// Maps that are equal by construction get one text, but for a few.
std::string check_one_text(Choose& choose, CaseCounts&) {
  const IndexingMap map =
      choose.chance(1, 2) ? generate_chain(choose).map : generate_map(choose, {.constraints = 0});
  const IndexingMap other = rewrite_by_identities(choose, map);
  const absl::StatusOr<IndexingMap> a = impl::simplify(map), b = impl::simplify(other);
  const bool is_one = a.ok() && b.ok() && to_text(*a) == to_text(*b);
  return is_one ? "" : wrong(map, absl::StrCat("another text for ", to_text(other)));
}

// The maps of the corpus come first.
Property on_maps(std::string name, int64_t cases,
                 std::string (*check)(const IndexingMap&, Choose&, CaseCounts&), int64_t times = 1,
                 std::vector<Ratio> ratios = {}) {
  return {std::move(name),
          always(cases),
          true,
          [check](int64_t i, Choose& choose, CaseCounts& tally) {
            static const std::vector<IndexingMap> corpus = maps_of_corpus();
            const bool is_recorded = i < std::ssize(corpus);
            return check(is_recorded ? corpus[static_cast<size_t>(i)] : any_map(choose), choose,
                         tally);
          },
          true,
          times,
          std::move(ratios)};
}

}  // namespace

std::vector<Property> map_properties() {
  // A few proof logs are incomplete (corpus/maps/incomplete_logs.txt).
  Property trace = on_maps("trace", 6000, [](const IndexingMap& map, Choose&, CaseCounts&) {
    return traced_difference(map, /*may_reject=*/false);
  });
  trace.holds = false;
  Property one_text = of_choices("one-text", 2000, check_one_text);
  one_text.holds = false;
  return {
      on_maps("simplify", 12000, check_simplify, 4, {{"points", 30}, {"empty maps", 0.003}}),
      trace,
      one_text,
      of_choices("compose", 1000, check_compose, 20, {{"composed", 0.05}, {"points", 0.5}}),
      on_maps(
          "evaluate", 2000,
          [](const IndexingMap& map, Choose& choose, CaseCounts&) {
            return evaluation_difference(map, choose);
          },
          5),
      on_maps(
          "range", 2000,
          [](const IndexingMap& map, Choose&, CaseCounts&) { return range_difference(map); }, 5),
      on_maps(
          "variables", 3000,
          [](const IndexingMap& map, Choose& choose, CaseCounts&) {
            return variables_difference(map, choose);
          },
          5),
  };
}

}  // namespace tileproof::verify

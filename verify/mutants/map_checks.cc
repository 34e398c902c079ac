// SPDX-License-Identifier: Apache-2.0
// Checks of maps: simplification and its trace, composition, evaluation, ranges, and the functions
// on variables.
#include <fstream>
#include <initializer_list>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/map_compare.h"
#include "verify/compare/map_functions_compare.h"
#include "verify/mutants/checks.h"
#include "verify/mutants/random_map.h"
#include "verify/prove/map/map_points.h"
#include "verify/trace/trace_check.h"

namespace tileproof::mutants {
namespace {

constexpr int64_t kPoints = 1 << 12;

std::string wrong(const IndexingMap& map, absl::string_view what) {
  return absl::StrCat(to_text(map), ": ", what);
}

std::vector<IndexingMap> maps_in(std::initializer_list<const char*> files) {
  std::vector<IndexingMap> maps;
  for (const char* name : files) {
    std::ifstream file(project_path(absl::StrCat("corpus/", name)));
    for (std::string line; std::getline(file, line);) {
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
std::string judge(const IndexingMap& map, const IndexingMap& simplified, Choose& choose) {
  const std::optional<int64_t> points = spec::box_size(map);
  if (points && *points <= kPoints) {
    return verify::judge_simplified(map, simplified, kPoints).difference;
  }
  if (simplified.known_empty) return "";
  const verify::SearchResult searched = verify::search_some(map, simplified, 200, 200'000, choose);
  if (searched.difference) return "differs at a point";
  const absl::StatusOr<IndexingMap> again = impl::simplify(simplified);
  return again.ok() && *again == simplified ? "" : "changed by a second simplification";
}

std::string check_simplify(const IndexingMap& map, Choose& choose) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  if (!simplified.ok()) return wrong(map, simplified.status().message());
  const std::string difference = judge(map, *simplified, choose);
  return difference.empty() ? "" : wrong(map, absl::StrCat(to_text(*simplified), "  ", difference));
}

// The checker accepts the trace, and the trace is about these two maps.
std::string check_trace(const IndexingMap& map) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!simplified.ok() || !traced.ok()) return wrong(map, "refused");
  if (!(traced->map == *simplified)) return wrong(map, "tracing changes the map");
  if (traced->trace.empty()) return "";
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  if (!checked.ok()) return wrong(map, checked.status().message());
  if (to_text(checked->before) != to_text(map) || to_text(checked->after) != to_text(*simplified)) {
    return wrong(map, "the trace is about other maps");
  }
  return "";
}

std::string check_compose(Choose& choose) {
  const MapLimits limits{.dimensions = 2,
                         .ranges = 1,
                         .runtime = 1,
                         .results = 2,
                         .constraints = 1,
                         .depth = 2,
                         .points = 64};
  const IndexingMap first = generate_map(choose, limits), second = generate_map(choose, limits);
  const absl::StatusOr<IndexingMap> composed = impl::compose(first, second);
  const bool fits = first.results.size() == second.dimensions.size();
  if (composed.ok() != fits) return wrong(first, absl::StrCat("then ", to_text(second)));
  if (!fits || first.known_empty || second.known_empty) return "";
  const absl::StatusOr<IndexingMap> expected = spec::compose(first, second);
  if (!expected.ok()) return "";
  const std::string difference =
      verify::compare_by_enumeration(*expected, *composed, 1 << 14).difference;
  return difference.empty()
             ? ""
             : wrong(first, absl::StrCat("then ", to_text(second), ": ", difference));
}

// The maps of the corpus come first.
Check on_maps(absl::string_view name, int64_t cases,
              std::string (*check)(const IndexingMap&, Choose&)) {
  return {std::string(name), always(cases), true, [check](int64_t i) {
            static const std::vector<IndexingMap> corpus = maps_of_corpus();
            Choose choose(Choose::Random{static_cast<uint64_t>(i)});
            return check(i < std::ssize(corpus) ? corpus[static_cast<size_t>(i)] : any_map(choose),
                         choose);
          }};
}

}  // namespace

std::vector<Check> map_checks() {
  // A few proof logs are incomplete (corpus/maps/incomplete_logs.txt).
  Check trace =
      on_maps("trace", 6000, [](const IndexingMap& map, Choose&) { return check_trace(map); });
  trace.holds = false;
  return {
      on_maps("simplify", 12000, check_simplify),
      trace,
      {"compose", always(1000), true,
       [](int64_t i) {
         Choose choose(Choose::Random{static_cast<uint64_t>(i)});
         return check_compose(choose);
       }},
      on_maps("evaluate", 2000, verify::evaluation_difference),
      on_maps("range", 2000,
              [](const IndexingMap& map, Choose&) { return verify::range_difference(map); }),
      on_maps("variables", 3000,
              [](const IndexingMap& map, Choose& choose) {
                return verify::variables_difference(map, choose);
              }),
  };
}

}  // namespace tileproof::mutants

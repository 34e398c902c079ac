// Maps: simplification and its trace, composition, evaluation, ranges, and the functions on
// variables.
#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "fuzz/gen_map.h"
#include "impl/compose.h"
#include "impl/evaluate.h"
#include "impl/simplify.h"
#include "impl/variables.h"
#include "spec/compose.h"
#include "spec/lang/map_text.h"
#include "spec/map.h"
#include "verify/map_compare.h"
#include "verify/map_points.h"
#include "verify/mutants/any_map.h"
#include "verify/mutants/checks.h"
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
    std::ifstream file(absl::StrCat(TILEPROOF_CORPUS "/", name));
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
                  "recorded/maps.txt", "recorded/families.txt", "recorded/faults.txt"});
}

// Every point where there are few, some of them otherwise.
std::string judge(const IndexingMap& map, const IndexingMap& simplified, Choose& choose) {
  const std::optional<int64_t> points = spec::box_size(map);
  if (points && *points <= kPoints) {
    return verify::judge_simplified(map, simplified, kPoints).difference;
  }
  if (simplified.known_empty) return "";
  const verify::Searched searched = verify::search_some(map, simplified, 200, 200'000, choose);
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

// The trace is accepted, and is about these two maps.
std::string check_trace(const IndexingMap& map) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_traced(map);
  if (!simplified.ok() || !traced.ok()) return wrong(map, "refused");
  if (!(traced->map == *simplified)) return wrong(map, "another map with a trace than without");
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

std::string check_evaluate(const IndexingMap& map, Choose& choose) {
  if (map.known_empty) return "";
  IndexingMap every_node = map;
  every_node.results.clear();
  for (size_t id = 0; id < map.nodes.size(); ++id)
    every_node.results.push_back(static_cast<NodeId>(id));
  for (const verify::Values& values : verify::sample(map, map, 12, choose)) {
    spec::Point point = verify::point_of(map, values);
    const auto expected = spec::evaluate(map, point);
    const auto actual = impl::evaluate(map, {point.dims, point.ranges, point.runtime});
    // An error is right only where a value on the way leaves 64 bits.
    const auto nodes = spec::evaluate(every_node, point);
    const bool fits = nodes.ok() && nodes->has_value();
    if (actual.ok() ? !expected.ok() || *expected != *actual : fits) {
      return wrong(map, absl::StrCat("evaluated at ", spec::to_text(map, point)));
    }
    point.dims.push_back(0);
    if (impl::evaluate(map, {point.dims, point.ranges, point.runtime}).ok()) {
      return wrong(map, "evaluated at a point of another space");
    }
  }
  return "";
}

std::string check_range(const IndexingMap& map) {
  if (map.known_empty || map.results.empty()) return "";
  const absl::StatusOr<Interval> range = impl::range_of(map, map.results[0]);
  if (!range.ok()) return "";
  std::string found;
  const absl::Status status = spec::for_each_point(
      map, kPoints, [&](const spec::Point&, const std::vector<int64_t>& results) {
        if (range->low <= results[0] && results[0] <= range->high) return true;
        found = wrong(map, absl::StrCat("a value outside [", range->low, ", ", range->high, "]"));
        return false;
      });
  return found;
}

using Pairs = std::set<std::vector<int64_t>>;

// Kept variables and results, for every point of the domain.
std::optional<Pairs> pairs_of(const IndexingMap& map, const std::vector<bool>& gone,
                              bool ranges_exist) {
  Pairs pairs;
  const absl::Status status = spec::for_each_point(
      map, kPoints, [&](const spec::Point& point, const std::vector<int64_t>& results) {
        std::vector<int64_t> pair;
        for (size_t i = 0; i < point.dims.size(); ++i)
          if (gone.empty() || !gone[i]) pair.push_back(point.dims[i]);
        if (!ranges_exist) pair.insert(pair.end(), point.ranges.begin(), point.ranges.end());
        const size_t before = point.dims.size() + point.ranges.size();
        for (size_t i = 0; i < point.runtime.size(); ++i)
          if (gone.empty() || !gone[before + i]) pair.push_back(point.runtime[i]);
        pair.insert(pair.end(), results.begin(), results.end());
        pairs.insert(std::move(pair));
        return true;
      });
  if (!status.ok()) return std::nullopt;
  return pairs;
}

// Where both can be enumerated.
bool differ(const std::optional<Pairs>& a, const std::optional<Pairs>& b) {
  return a && b && *a != *b;
}

std::string check_variables(const IndexingMap& given, Choose& choose) {
  absl::StatusOr<IndexingMap> map = impl::simplify(given);
  if (!map.ok() || map->known_empty) return "";
  if (choose.chance(1, 4)) map = given;
  const impl::Removable removable{choose.chance(1, 2), choose.chance(3, 4), choose.chance(1, 2)};
  const absl::StatusOr<impl::Removed> removed = impl::remove_unused_variables(*map, removable);
  if (!removed.ok()) return wrong(*map, removed.status().message());
  const auto of = [](const IndexingMap& m) {
    return m.dimensions.size() + m.ranges.size() + m.runtime.size();
  };
  const auto left = std::count(removed->gone.begin(), removed->gone.end(), false);
  if (removed->gone.size() != of(*map) || static_cast<size_t>(left) != of(removed->map)) {
    return wrong(*map, "other variables are gone than it says");
  }
  if (differ(pairs_of(*map, removed->gone, true), pairs_of(removed->map, {}, true))) {
    return wrong(*map, absl::StrCat("without unused variables ", to_text(removed->map)));
  }
  const absl::StatusOr<IndexingMap> rescaled = impl::rescale_ranges(*map);
  if (!rescaled.ok() || differ(pairs_of(*map, {}, true), pairs_of(*rescaled, {}, true))) {
    return wrong(*map, "rescaled");
  }
  const absl::StatusOr<IndexingMap> moved = impl::ranges_to_dimensions(*map);
  if (!moved.ok() || !moved->ranges.empty()) return wrong(*map, "ranges stay");
  const std::optional<Pairs> before = pairs_of(*map, {}, false), after = pairs_of(*moved, {}, true);
  const bool as_many = !before || !after || before->size() == after->size();
  return as_many ? "" : wrong(*map, "with ranges as dimensions");
}

Check on_maps(absl::string_view name, int64_t cases,
              const std::shared_ptr<const std::vector<IndexingMap>>& corpus,
              std::string (*check)(const IndexingMap&, Choose&)) {
  return {std::string(name), cases, true, [corpus, check](int64_t i) {
            Choose choose(Choose::Random{static_cast<uint64_t>(i)});
            return check(
                i < std::ssize(*corpus) ? (*corpus)[static_cast<size_t>(i)] : any_map(choose),
                choose);
          }};
}

}  // namespace

std::vector<Check> map_checks() {
  const auto corpus = std::make_shared<const std::vector<IndexingMap>>(maps_of_corpus());
  // A few derivations are not complete (corpus/maps/untold.txt).
  Check trace = on_maps("trace", 6000, corpus,
                        [](const IndexingMap& map, Choose&) { return check_trace(map); });
  trace.holds = false;
  return {
      on_maps("simplify", 12000, corpus, check_simplify),
      trace,
      {"compose", 1000, true,
       [](int64_t i) {
         Choose choose(Choose::Random{static_cast<uint64_t>(i)});
         return check_compose(choose);
       }},
      on_maps("evaluate", 2000, corpus, check_evaluate),
      on_maps("range", 2000, corpus,
              [](const IndexingMap& map, Choose&) { return check_range(map); }),
      on_maps("variables", 3000, corpus, check_variables),
  };
}

}  // namespace tileproof::mutants

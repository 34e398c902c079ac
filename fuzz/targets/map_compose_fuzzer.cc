// SPDX-License-Identifier: Apache-2.0
// Fuzz target: composition of two maps, one per line. At points of the box (all, if there are few)
// the composed map has the value second(first(x)).
#include "fuzz/targets/map_inputs.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_points.h"

namespace tileproof {
namespace {

constexpr int64_t kWork = 5'000, kThoroughWork = 50'000;
constexpr int64_t kPoints = 16, kThoroughPoints = 100;
Share thorough("more points", 16);

using Results = absl::StatusOr<std::optional<std::vector<int64_t>>>;

// Returns second(first(x)) for a point x of the composed map.
Results by_definition(const IndexingMap& first, const IndexingMap& second,
                      const spec::Point& point) {
  const auto ranges = point.ranges.begin() + std::ssize(second.ranges);
  const auto runtime = point.runtime.begin() + std::ssize(second.runtime);
  const Results between = spec::evaluate(
      first, {point.dims, {ranges, point.ranges.end()}, {runtime, point.runtime.end()}});
  if (!between.ok() || !*between) return between;
  return spec::evaluate(
      second, {**between, {point.ranges.begin(), ranges}, {point.runtime.begin(), runtime}});
}

void check_at(const IndexingMap& first, const IndexingMap& second, const IndexingMap& composed,
              const spec::Point& point) {
  const Results expected = by_definition(first, second, point);
  const Results actual = spec::evaluate(composed, point);
  if (!expected.ok() || !actual.ok()) return;  // one side may exceed int64 on the way
  if (*expected != *actual) {
    fail(absl::StrCat("composed wrongly: ", quoted(first), " ", quoted(second), " at ",
                      spec::to_text(composed, point)));
  }
}

void check(absl::string_view text) {
  const std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty()) return;
  const IndexingMap& first = maps[0];
  const IndexingMap& second = maps[1];
  const absl::StatusOr<IndexingMap> composed = impl::compose(first, second);
  if (first.results.size() != second.dimensions.size()) {
    if (composed.ok())
      fail(absl::StrCat("composed maps of different ranks: ", quoted(first), " ", quoted(second)));
    return;
  }
  const auto both = [&] { return absl::StrCat(quoted(first), " ", quoted(second)); };
  if (!composed.ok()) fail(absl::StrCat("refused: ", both(), ": ", composed.status().message()));
  if (!composed->known_empty && !validate(*composed).ok())
    fail(absl::StrCat("composed to an invalid map: ", both()));
  // The box by definition; the composed map may have tighter bounds.
  IndexingMap box;
  box.dimensions = first.dimensions;
  for (Op kind : {Op::kRange, Op::kRuntime}) {
    for (const IndexingMap* map : {&second, &first}) {
      for (const Variable& variable : variables_of(*map, kind))
        variables_of(box, kind).push_back({variable.bounds, ""});
    }
  }
  const bool more = thorough.has(text);
  const int64_t budget = (more ? kThoroughWork : kWork) / (std::ssize(composed->nodes) + 8);
  const int64_t points = more ? kThoroughPoints : kPoints;
  const auto look = [&](const spec::Point& point) {
    check_at(first, second, *composed, point);
    return true;
  };
  if (!spec::for_each_box_point(box, budget, look).ok()) {
    Choose choose(Choose::Random{seed_of(text)});
    for (const verify::Values& values :
         verify::sample(*composed, box, std::min(points, budget), choose)) {
      look(verify::point_of(box, values));
    }
  }
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty() || choose.chance(1, 8)) {
    maps = {random_map(choose), random_map(choose)};
  } else {
    change(choose, maps[choose(2)]);
  }
  // Mostly make the number of dimensions equal the number of results.
  while (maps[1].dimensions.size() < maps[0].results.size() && !choose.chance(1, 64))
    maps[1].dimensions.push_back({{0, choose(40)}, ""});
  while (maps[0].results.size() < maps[1].dimensions.size() && !maps[0].nodes.empty())
    maps[0].results.push_back(static_cast<NodeId>(choose(std::ssize(maps[0].nodes))));
  return absl::StrCat(text_of_changed(choose, maps[0]), "\n", text_of_changed(choose, maps[1]));
}

}  // namespace

const TextTarget kTarget = {check, mutated, crossed_pair, /*bytes_of_16=*/0};

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// map.check, layout.banks and grid.check: facts that are looked for in too few places.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/fields.h"
#include "conform/oracle/grid_json.h"
#include "conform/zoo/variants.h"
#include "spec/access/grid.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// ---- map.check ----

Json it_holds() { return conform::json_object({{"holds", true}}); }

// The map of a request about a fact that does not hold.
std::optional<IndexingMap> refuted_map(const Json& request, const Json& result,
                                       absl::string_view fact) {
  if (!is(result, "holds", false) || find(request, fact) == nullptr) return std::nullopt;
  absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  return map.ok() ? std::optional(*std::move(map)) : std::nullopt;
}

// Whether a map gives a result outside of [low, high] at a point of its domain.
bool leaves(const IndexingMap& map, const spec::Point& point, const Json::Array& box) {
  const auto results = spec::evaluate(map, point);
  if (!results.ok() || !*results) return false;
  for (size_t i = 0; i < box.size(); ++i) {
    const std::vector<int64_t> ends = *conform::integers(box[i]);
    if ((**results)[i] < ends[0] || (**results)[i] > ends[1]) return true;
  }
  return false;
}

// Looks at the first and the last point alone.
void inside_at_ends(const Json& request, Json& result) {
  const auto map = refuted_map(request, result, "inside");
  if (!map) return;
  spec::Point first, last;
  for (const Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(*map, kind)) {
      spec::values_of(first, kind).push_back(variable.bounds.low);
      spec::values_of(last, kind).push_back(variable.bounds.high);
    }
  }
  const auto& box = *find(request, "inside")->as<Json::Array>();
  if (!leaves(*map, first, box) && !leaves(*map, last, box)) result = it_holds();
}

// Compares the number of points with the number of elements.
void onto_by_counting(const Json& request, Json& result) {
  const auto map = refuted_map(request, result, "onto");
  if (!map) return;
  double points = 1, elements = 1;
  for (const Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(*map, kind)) {
      points *=
          static_cast<double>(variable.bounds.high) - static_cast<double>(variable.bounds.low) + 1;
    }
  }
  const std::vector<int64_t> sizes = *conform::integers(*find(request, "onto"));
  for (const int64_t size : sizes) elements *= static_cast<double>(size);
  if (points >= elements) result = it_holds();
}

// Compares points with their neighbors alone.
void one_to_one_at_neighbors(const Json& request, Json& result) {
  if (!refuted_map(request, result, "one_to_one")) return;
  const auto& points = *find_as<Json::Array>(result, "at");
  const auto a = conform::point_in(points[0]), b = conform::point_in(points[1]);
  int differences = 0;
  for (const Op kind : kVariableKinds) {
    const auto &left = spec::values_of(*a, kind), &right = spec::values_of(*b, kind);
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i] != right[i]) ++differences;
      if (left[i] > right[i] + 1 || right[i] > left[i] + 1) differences = 2;
    }
  }
  if (differences > 1) result = it_holds();
}

// ---- layout.banks ----

// Looks at the first word that each lane reads.
bool first_words(Json& request) {
  const int64_t* bank_bytes = find_as<int64_t>(request, "bank_bytes");
  set(request, "vector", bank_bytes == nullptr ? 4 : *bank_bytes);
  return true;
}

bool always_32_banks(Json& request) {
  set(request, "banks", 32);
  return true;
}

// ---- grid.check ----

// The grid of a request in which a fact does not hold.
std::optional<spec::Grid> refuted_grid(const Json& request, const Json& result,
                                       absl::string_view fact) {
  if (find(result, fact) == nullptr || is(result, fact, true)) return std::nullopt;
  absl::StatusOr<spec::Grid> grid = conform::grid_in(request);
  return grid.ok() ? std::optional(*std::move(grid)) : std::nullopt;
}

// Looks at the first and the last step alone.
void inside_at_end_steps(const Json& request, Json& result) {
  const auto grid = refuted_grid(request, result, "inside");
  if (!grid) return;
  spec::GridStep first, last;
  for (const int64_t size : grid->sizes) {
    first.push_back(0);
    last.push_back(size - 1);
  }
  const auto at_first = spec::leaves_its_arrays(*grid, first, 1'000'000);
  const auto at_last = spec::leaves_its_arrays(*grid, last, 1'000'000);
  if (!at_first.value_or(true) && !at_last.value_or(true)) set(result, "inside", true);
}

// Counts whole blocks: what is left behind the last one is forgotten.
void covered_by_whole_blocks(const Json& request, Json& result) {
  const auto grid = refuted_grid(request, result, "covered");
  if (!grid) return;
  const std::string name = text_under(*find(result, "covered"), "operand");
  const auto element = find_integers(*find(result, "covered"), "element");
  for (const spec::GridOperand& operand : grid->operands) {
    if (operand.name != name) continue;
    for (size_t d = 0; d < element->size(); ++d) {
      const auto [size, block] = std::pair(operand.shape[d], operand.block[d].size);
      if ((*element)[d] >= size - size % block) set(result, "covered", true);
    }
  }
}

// Takes any revisit for an accumulation if some dimension is arbitrary.
void once_if_arbitrary(const Json& request, Json& result) {
  const auto grid = refuted_grid(request, result, "once");
  const bool has_arbitrary =
      grid && std::ranges::find(grid->is_parallel, false) != grid->is_parallel.end();
  if (has_arbitrary) set(result, "once", true);
}

// Looks for races along the first parallel dimension alone.
void races_of_first_dimension(const Json& request, Json& result) {
  auto grid = refuted_grid(request, result, "races");
  if (!grid) return;
  const auto first = std::ranges::find(grid->is_parallel, true);
  if (first == grid->is_parallel.end()) return;
  std::fill(first + 1, grid->is_parallel.end(), false);
  const auto facts = spec::grid_facts(*grid, 1'000'000);
  if (facts.ok() && !facts->races) set(result, "races", true);
}

const Variant kFactVariants[] = {
    {"FACT-INSIDE-ENDS", OtherResult(inside_at_ends)},
    {"FACT-ONTO-COUNT", OtherResult(onto_by_counting)},
    {"FACT-NEIGHBORS", OtherResult(one_to_one_at_neighbors)},
    {"BANKS-FIRST-WORD", OtherRequest(first_words)},
    {"BANKS-32", OtherRequest(always_32_banks)},
    {"GRID-INSIDE-ENDS", OtherResult(inside_at_end_steps)},
    {"GRID-WHOLE-BLOCKS", OtherResult(covered_by_whole_blocks)},
    {"GRID-ACCUMULATES", OtherResult(once_if_arbitrary)},
    {"GRID-FIRST-PARALLEL", OtherResult(races_of_first_dimension)},
};

}  // namespace

absl::Span<const Variant> fact_variants() { return kFactVariants; }

}  // namespace tileproof::zoo

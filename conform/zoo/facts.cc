// SPDX-License-Identifier: Apache-2.0
// map.check, layout.banks and grid.check: facts that are looked for in too few places.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/grid_json.h"
#include "conform/oracle/map_ops.h"
#include "conform/zoo/variants.h"
#include "spec/access/grid.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// ---- map.check ----

void say_it_holds(conform::Answer& answer) {
  answer.result = conform::json_object({{"holds", true}});
}

// The map of a request about a fact that does not hold.
std::optional<IndexingMap> refuted_map(const Json& request, const conform::Answer& answer,
                                       absl::string_view fact) {
  const Json* holds = find(answer.result, "holds");
  const bool is_refuted = is_result(answer) && holds != nullptr && *holds == Json(false);
  if (!is_refuted || find(request, fact) == nullptr) return std::nullopt;
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
void inside_at_ends(const Json& request, conform::Answer& answer) {
  const auto map = refuted_map(request, answer, "inside");
  if (!map) return;
  spec::Point first, last;
  for (const Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(*map, kind)) {
      spec::values_of(first, kind).push_back(variable.bounds.low);
      spec::values_of(last, kind).push_back(variable.bounds.high);
    }
  }
  const auto& box = *find(request, "inside")->as<Json::Array>();
  if (!leaves(*map, first, box) && !leaves(*map, last, box)) say_it_holds(answer);
}

// Compares the number of points with the number of elements.
void onto_by_counting(const Json& request, conform::Answer& answer) {
  const auto map = refuted_map(request, answer, "onto");
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
  if (points >= elements) say_it_holds(answer);
}

// Compares points with their neighbors alone.
void one_to_one_at_neighbors(const Json& request, conform::Answer& answer) {
  if (!refuted_map(request, answer, "one_to_one")) return;
  const auto& points = *find_as<Json::Array>(answer.result, "at");
  const auto a = conform::point_in(points[0]), b = conform::point_in(points[1]);
  int differences = 0;
  for (const Op kind : kVariableKinds) {
    const auto &left = spec::values_of(*a, kind), &right = spec::values_of(*b, kind);
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i] != right[i]) ++differences;
      if (left[i] > right[i] + 1 || right[i] > left[i] + 1) differences = 2;
    }
  }
  if (differences > 1) say_it_holds(answer);
}

// ---- layout.banks ----

// Looks at the first word that each lane reads.
void first_words(const Json& request, conform::Answer& answer) {
  const int64_t* bank_bytes = find_as<int64_t>(request, "bank_bytes");
  answer_as_if(request, answer, "vector", bank_bytes == nullptr ? 4 : *bank_bytes);
}

void always_32_banks(const Json& request, conform::Answer& answer) {
  answer_as_if(request, answer, "banks", 32);
}

// ---- grid.check ----

// The grid of a request in which a fact does not hold.
std::optional<spec::Grid> refuted_grid(const Json& request, const conform::Answer& answer,
                                       absl::string_view fact) {
  const Json* found = find(answer.result, fact);
  if (!is_result(answer) || found == nullptr || *found == Json(true)) return std::nullopt;
  absl::StatusOr<spec::Grid> grid = conform::grid_in(request);
  return grid.ok() ? std::optional(*std::move(grid)) : std::nullopt;
}

// Looks at the first and the last step alone.
void inside_at_end_steps(const Json& request, conform::Answer& answer) {
  const auto grid = refuted_grid(request, answer, "inside");
  if (!grid) return;
  spec::GridStep first, last;
  for (const int64_t size : grid->sizes) {
    first.push_back(0);
    last.push_back(size - 1);
  }
  const auto at_first = spec::leaves_its_arrays(*grid, first, 1'000'000);
  const auto at_last = spec::leaves_its_arrays(*grid, last, 1'000'000);
  if (!at_first.value_or(true) && !at_last.value_or(true)) set(answer.result, "inside", true);
}

// Counts whole blocks: what is left behind the last one is forgotten.
void covered_by_whole_blocks(const Json& request, conform::Answer& answer) {
  const auto grid = refuted_grid(request, answer, "covered");
  if (!grid) return;
  const std::string name = text_under(*find(answer.result, "covered"), "operand");
  const auto element = conform::integers(*find(*find(answer.result, "covered"), "element"));
  for (const spec::GridOperand& operand : grid->operands) {
    if (operand.name != name) continue;
    for (size_t d = 0; d < element->size(); ++d) {
      const auto [size, block] = std::pair(operand.shape[d], operand.block[d].size);
      if ((*element)[d] >= size - size % block) set(answer.result, "covered", true);
    }
  }
}

// Takes any revisit for an accumulation if some dimension is arbitrary.
void once_if_arbitrary(const Json& request, conform::Answer& answer) {
  const auto grid = refuted_grid(request, answer, "once");
  const bool has_arbitrary =
      grid && std::ranges::find(grid->is_parallel, false) != grid->is_parallel.end();
  if (has_arbitrary) set(answer.result, "once", true);
}

// Looks for races along the first parallel dimension alone.
void races_of_first_dimension(const Json& request, conform::Answer& answer) {
  auto grid = refuted_grid(request, answer, "races");
  if (!grid) return;
  const auto first = std::ranges::find(grid->is_parallel, true);
  if (first == grid->is_parallel.end()) return;
  std::fill(first + 1, grid->is_parallel.end(), false);
  const auto facts = spec::grid_facts(*grid, 1'000'000);
  if (facts.ok() && !facts->races) set(answer.result, "races", true);
}

const Variant kFactVariants[] = {
    {"FACT-INSIDE-ENDS", Any(inside_at_ends)},
    {"FACT-ONTO-COUNT", Any(onto_by_counting)},
    {"FACT-NEIGHBORS", Any(one_to_one_at_neighbors)},
    {"BANKS-FIRST-WORD", Any(first_words)},
    {"BANKS-32", Any(always_32_banks)},
    {"GRID-INSIDE-ENDS", Any(inside_at_end_steps)},
    {"GRID-WHOLE-BLOCKS", Any(covered_by_whole_blocks)},
    {"GRID-ACCUMULATES", Any(once_if_arbitrary)},
    {"GRID-FIRST-PARALLEL", Any(races_of_first_dimension)},
};

}  // namespace

absl::Span<const Variant> fact_variants() { return kFactVariants; }

}  // namespace tileproof::zoo

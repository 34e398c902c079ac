// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/grid_compare.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/grid_check.h"

namespace tileproof::verify {
namespace {

using spec::Grid;
using spec::GridFinding;
using spec::GridOperand;

constexpr int64_t kLooks = 10'000'000;

std::string text_of(const Grid& grid) {
  std::string text = absl::StrCat("grid ", absl::StrJoin(grid.sizes, ","), " parallel ",
                                  absl::StrJoin(grid.is_parallel, ","));
  for (const GridOperand& operand : grid.operands) {
    absl::StrAppend(&text, "; ", operand.name, " of ", absl::StrJoin(operand.shape, ","),
                    operand.alias.empty() ? "" : " in the memory of ", operand.alias, ", block");
    for (const spec::BlockDimension& block : operand.block) {
      absl::StrAppend(&text, " ", block.size,
                      block.is_element ? absl::StrCat(" elements after ", block.before) : "");
    }
    absl::StrAppend(&text, ", ", to_text(operand.index_map));
  }
  return text;
}

// Whether blocks may share elements, or an input has the memory of an output: then the prover tells
// them apart by their elements alone.
bool may_overlap(const Grid& grid) {
  return std::ranges::any_of(grid.operands, [](const GridOperand& operand) {
    return !operand.alias.empty() ||
           std::ranges::any_of(operand.block, &spec::BlockDimension::is_element);
  });
}

// Whether some step refutes a fact.
absl::StatusOr<bool> some_step(const Grid& grid, decltype(GridFact::refutes) refutes) {
  int64_t steps = 1;
  for (const int64_t size : grid.sizes) steps *= size;
  for (int64_t number = 0; number < steps; ++number) {
    if (TRY(refutes(grid, spec::step_at(grid, number), kLooks))) return true;
  }
  return false;
}

absl::StatusOr<bool> some_element_is_missing(const Grid& grid) {
  for (const GridOperand& operand : grid.operands) {
    if (!operand.is_output) continue;
    std::vector<int64_t> element(operand.shape.size(), 0);
    do {
      if (!TRY(spec::is_written(grid, operand.name, element, kLooks))) return true;
    } while (next_index(operand.shape, element));
  }
  return false;
}

// What is wrong with the reference's verdict of a fact; empty: nothing.
absl::StatusOr<std::string> check_reference(const Grid& grid, const GridFact& fact,
                                            const CheckedGridFact& right) {
  if (fact.name == "aliases") return std::string();
  const bool is_refuted =
      TRY(fact.refutes == nullptr ? some_element_is_missing(grid) : some_step(grid, fact.refutes));
  if (is_refuted != (right.verdict == Verdict::kRefuted)) return std::string("steps say otherwise");
  if (!is_refuted || fact.refutes == nullptr) return std::string();
  const bool at_finding = TRY(fact.refutes(grid, *right.finding->at, kLooks));
  return std::string(at_finding ? "" : "the step of the finding does not refute it");
}

}  // namespace

std::string grid_difference(const Grid& grid, CaseCounts& tally) {
  GridCheckOptions by_blocks, by_maps;
  by_blocks.elements = by_maps.elements = by_maps.steps = 0;
  const auto right = check_grid(grid), blocks = check_grid(grid, by_blocks);
  const auto maps = check_grid(grid, by_maps);
  if (!right.ok() || !blocks.ok() || !maps.ok()) {
    return absl::StrCat("a check fails: ", right.status().message(), "; ",
                        blocks.status().message(), "; ", maps.status().message());
  }
  for (const GridFact& fact : kGridFacts) {
    const CheckedGridFact& expected = (*right).*fact.checked;
    std::string why;
    if (const auto found = check_reference(grid, fact, expected); !found.ok()) {
      why = std::string(found.status().message());
    } else {
      why = *found;
    }
    const Verdict block = ((*blocks).*fact.checked).verdict, map = ((*maps).*fact.checked).verdict;
    const bool is_open = block == Verdict::kUndecided && may_overlap(grid);
    if (!is_open && block != expected.verdict) why = "blocks say otherwise";
    if (map != Verdict::kUndecided) {
      ++tally["facts that maps decide"];
      tally["facts that maps refute"] += map == Verdict::kRefuted ? 1 : 0;
      if (map != expected.verdict) why = "the index maps say otherwise";
    }
    if (!why.empty()) return absl::StrCat(fact.name, ": ", why, ": ", text_of(grid));
  }
  return "";
}

// ---- Random grids ----

namespace {

GridOperand random_operand(Choose& choose, const std::vector<std::string>& names,
                           absl::string_view domain) {
  GridOperand operand;
  std::vector<std::string> results;
  for (int64_t d = choose.between(1, 2); d > 0; --d) {
    operand.shape.push_back(choose.between(1, 8));
    spec::BlockDimension block{.size = choose.between(1, 3)};
    if (choose.chance(1, 6)) {
      block.is_element = true;
      block.before = choose(3);
    }
    operand.block.push_back(block);
    const std::string& name = choose.pick(names);
    results.push_back(choose.pick<std::string>(
        {name, name, absl::StrCat(name, " * 2"), absl::StrCat(name, " floordiv 2"),
         absl::StrCat(name, " + ", choose.pick(names)), absl::StrCat("2 - ", name),
         absl::StrCat("(", name, " * 3) mod 4"), "1"}));
  }
  operand.index_map = *parse_map(absl::StrCat("(", absl::StrJoin(names, ", "), ") -> (",
                                              absl::StrJoin(results, ", "), "), domain: ", domain));
  return operand;
}

}  // namespace

Grid random_grid(Choose& choose) {
  Grid grid;
  std::vector<std::string> names, bounds;
  for (int64_t d = choose.between(1, 3); d > 0; --d) {
    grid.sizes.push_back(choose.between(1, 4));
    grid.is_parallel.push_back(choose.chance(1, 3));
    names.push_back(absl::StrCat("d", names.size()));
    bounds.push_back(absl::StrCat(names.back(), " in [0, ", grid.sizes.back() - 1, "]"));
  }
  const std::string domain = absl::StrJoin(bounds, ", ");
  GridOperand out = random_operand(choose, names, domain);
  out.name = "out";
  out.is_output = true;
  if (choose.chance(1, 4)) {
    GridOperand in = random_operand(choose, names, domain);
    in.name = "in";
    if (in.shape.size() == out.shape.size() && choose.chance(2, 3)) {
      in.shape = out.shape;
      in.alias = "out";
    }
    grid.operands.push_back(std::move(in));
  }
  grid.operands.push_back(std::move(out));
  return grid;
}

}  // namespace tileproof::verify

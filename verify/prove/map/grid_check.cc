// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/grid_check.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

using spec::Grid;
using spec::GridFinding;
using spec::GridOperand;
using spec::GridStep;

using Block = std::vector<int64_t>;

CheckedGridFact proven() { return {.verdict = Verdict::kProven, .finding = {}, .open = ""}; }
CheckedGridFact refuted(GridFinding finding) {
  return {.verdict = Verdict::kRefuted, .finding = std::move(finding), .open = ""};
}
CheckedGridFact open(std::string why) {
  return {.verdict = Verdict::kUndecided, .finding = {}, .open = std::move(why)};
}

CheckedGridFact fact_of(const std::optional<GridFinding>& finding) {
  return finding ? refuted(*finding) : proven();
}

// One verdict for all operands: a refutation before an open question.
void add(CheckedGridFact& all, CheckedGridFact one) {
  if (all.verdict == Verdict::kRefuted || one.verdict == Verdict::kProven) return;
  if (one.verdict == Verdict::kRefuted || all.verdict == Verdict::kProven) all = std::move(one);
}

// Whether different numbers are blocks without a common element.
bool has_disjoint_blocks(const GridOperand& operand) {
  return std::ranges::none_of(operand.block, &spec::BlockDimension::is_element);
}

// The numbers along a dimension of the blocks that have an element of the array.
Interval numbers_inside(const spec::BlockDimension& block, int64_t size) {
  if (!block.is_element) return {0, (size - 1) / block.size};
  return {block.before - block.size + 1, block.before + size - 1};
}

std::vector<int64_t> block_counts(const GridOperand& operand) {
  std::vector<int64_t> counts;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    counts.push_back(numbers_inside(operand.block[d], operand.shape[d]).high + 1);
  }
  return counts;
}

std::vector<int64_t> first_element(const GridOperand& operand, const Block& number) {
  std::vector<int64_t> element;
  for (size_t d = 0; d < number.size(); ++d) {
    element.push_back(spec::elements_along(operand.block[d], operand.shape[d], number[d]).low);
  }
  return element;
}

bool is_inside(const GridOperand& operand, const Block& number) {
  for (size_t d = 0; d < number.size(); ++d) {
    const Interval inside = numbers_inside(operand.block[d], operand.shape[d]);
    if (number[d] < inside.low || number[d] > inside.high) return false;
  }
  return true;
}

// ---- Inside ----

absl::StatusOr<CheckedGridFact> inside_of(const GridOperand& operand, const CheckOptions& options) {
  std::vector<Interval> box;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    box.push_back(numbers_inside(operand.block[d], operand.shape[d]));
  }
  const CheckedFact checked = TRY(check_inside(operand.index_map, box, options));
  if (checked.verdict == Verdict::kProven) return proven();
  if (checked.verdict == Verdict::kUndecided) {
    return open(absl::StrCat(operand.name, ": ", checked.open));
  }
  const spec::MapFact& fact = *checked.fact;
  return refuted({operand.name, fact.at[0].dims, std::nullopt, fact.results, {}});
}

// ---- Outputs, block by block ----

struct OfOutput {
  CheckedGridFact covered, once, races;
};

// Looks at the block of each step.
absl::StatusOr<OfOutput> by_blocks(const Grid& grid, const GridOperand& operand, int64_t steps) {
  struct Writers {
    int64_t first, last;
  };
  OfOutput found{proven(), proven(), proven()};
  std::map<Block, Writers> written;
  for (int64_t now = 0; now < steps; ++now) {
    const GridStep step = spec::step_at(grid, now);
    const auto number = TRY(spec::evaluate(operand.index_map, {step, {}, {}}));
    if (!number) return absl::InvalidArgumentError("a step outside of the domain of an index map");
    if (!is_inside(operand, *number)) continue;
    const auto [at, is_new] = written.try_emplace(*number, Writers{now, now});
    auto& [first, last] = at->second;
    const auto collision = [&](int64_t before) {
      return refuted(
          {operand.name, step, spec::step_at(grid, before), {}, first_element(operand, *number)});
    };
    if (spec::run_at_once(grid, spec::step_at(grid, first), step))
      add(found.races, collision(first));
    if (!is_new && last < now - 1) add(found.once, collision(last));
    last = now;
  }
  Block number(operand.shape.size(), 0);
  const Dims counts = block_counts(operand);
  do {
    if (written.contains(number)) continue;
    found.covered = refuted({operand.name, {}, {}, {}, first_element(operand, number)});
    break;
  } while (next_index(counts, number));
  return found;
}

// ---- Outputs, by facts of the index map ----

// How many of the first dimensions of the grid the map depends on.
size_t dimensions_used(const IndexingMap& map) {
  std::vector<bool> is_needed(map.nodes.size());
  for (const NodeId result : map.results) is_needed[result] = true;
  for (const Constraint& constraint : map.constraints) is_needed[constraint.expr] = true;
  size_t used = 0;
  for (auto id = static_cast<NodeId>(map.nodes.size()) - 1; id >= 0;
       --id) {  // each before its operands
    const Node& node = map.nodes[id];
    if (!is_needed[id]) continue;
    if (node.op == Op::kDimension) used = std::max(used, static_cast<size_t>(node.value) + 1);
    if (!is_leaf(node.op)) is_needed[node.left] = is_needed[node.right] = true;
  }
  return used;
}

// What two steps of one block show.
absl::Status find_collision(const Grid& grid, const GridOperand& operand, const spec::MapFact& fact,
                            OfOutput& found) {
  GridStep before = fact.at[0].dims, at = fact.at[1].dims;
  if (at < before) std::swap(before, at);
  if (!is_inside(operand, fact.results)) return absl::OkStatus();
  const CheckedGridFact collision =
      refuted({operand.name, at, before, {}, first_element(operand, fact.results)});
  if (spec::run_at_once(grid, before, at)) found.races = collision;
  GridStep next = before;
  if (!next_index(grid.sizes, next) || next == at) return absl::OkStatus();
  const auto between = TRY(spec::evaluate(operand.index_map, {next, {}, {}}));
  if (between && *between != fact.results) found.once = collision;
  return absl::OkStatus();
}

absl::StatusOr<OfOutput> by_map(const Grid& grid, const GridOperand& operand,
                                const CheckOptions& options) {
  OfOutput found;
  const CheckedFact onto = TRY(check_onto(operand.index_map, block_counts(operand), options));
  if (onto.verdict == Verdict::kProven) found.covered = proven();
  if (onto.verdict == Verdict::kUndecided) found.covered = open(operand.name + ": " + onto.open);
  if (onto.verdict == Verdict::kRefuted) {
    found.covered = refuted({operand.name, {}, {}, {}, first_element(operand, onto.fact->results)});
  }
  size_t used = dimensions_used(operand.index_map);
  for (size_t d = used; d < grid.sizes.size(); ++d) {  // steps at once: they are to differ
    if (grid.is_parallel[d] && grid.sizes[d] > 1) used = d + 1;
  }
  IndexingMap of_first = operand.index_map;
  for (size_t d = used; d < grid.sizes.size(); ++d) of_first.dimensions[d].bounds = {0, 0};
  const CheckedFact apart = TRY(check_one_to_one(of_first, options));
  if (apart.verdict == Verdict::kProven) {
    found.once = found.races = proven();
    return found;
  }
  found.once = found.races = open(absl::StrCat(
      operand.name,
      ": its index map is not one-to-one, and there are too many steps to look at each"));
  if (apart.verdict == Verdict::kRefuted) TRY(find_collision(grid, operand, *apart.fact, found));
  return found;
}

std::optional<int64_t> count_steps(const Grid& grid, int64_t most) {
  int64_t steps = 1;
  for (const int64_t size : grid.sizes) {
    if (size == 0) return 0;
    if (steps > most / size) return std::nullopt;
    steps *= size;
  }
  return steps;
}

absl::StatusOr<OfOutput> facts_of(const Grid& grid, const GridOperand& operand,
                                  const GridCheckOptions& options) {
  const auto all_open = [&](absl::string_view why) {
    const CheckedGridFact fact = open(absl::StrCat(operand.name, ": ", why));
    return OfOutput{fact, fact, fact};
  };
  if (!operand.index_map.runtime.empty()) {
    return all_open("where it is written is known only at run time");
  }
  if (!has_disjoint_blocks(operand)) {
    return all_open("its blocks may overlap, and they are too many to look at each element");
  }
  const std::optional<int64_t> steps = count_steps(grid, options.steps);
  return steps ? by_blocks(grid, operand, *steps) : by_map(grid, operand, options.of_maps);
}

absl::StatusOr<CheckedGrid> check_large(const Grid& grid, const GridCheckOptions& options) {
  CheckedGrid checked{proven(), proven(), proven(), proven(), proven(), {}, {}};
  for (const GridOperand& operand : grid.operands) {
    add(checked.inside, TRY(inside_of(operand, options.of_maps)));
    if (!operand.alias.empty()) {
      const CheckedGridFact fact = open(absl::StrCat(
          operand.name, ": the blocks are too many to compare what is read and written"));
      add(checked.aliases, fact);
      add(checked.races, fact);
    }
    if (!operand.is_output) continue;
    OfOutput of_output = TRY(facts_of(grid, operand, options));
    add(checked.covered, std::move(of_output.covered));
    add(checked.once, std::move(of_output.once));
    add(checked.races, std::move(of_output.races));
  }
  return checked;
}

std::string tuple(const std::vector<int64_t>& values) {
  return absl::StrCat("(", absl::StrJoin(values, ", "), ")");
}

}  // namespace

absl::StatusOr<CheckedGrid> check_grid(const Grid& grid, const GridCheckOptions& options) {
  TRY(spec::validate(grid));
  const auto facts = spec::grid_facts(grid, options.elements);
  const bool is_open =
      absl::IsResourceExhausted(facts.status()) || absl::IsUnimplemented(facts.status());
  if (is_open) return check_large(grid, options);
  if (!facts.ok()) return facts.status();
  return CheckedGrid{fact_of(facts->inside), fact_of(facts->covered), fact_of(facts->once),
                     fact_of(facts->races),  fact_of(facts->aliases), facts->blocks,
                     facts->partly};
}

std::string text_of_outside(const GridFinding& finding) {
  return absl::StrCat("step ", tuple(*finding.at), ": block ", tuple(finding.block), " of ",
                      finding.operand, " has no element");
}

std::string text_of_uncovered(const GridFinding& finding) {
  return absl::StrCat(finding.operand, "[", absl::StrJoin(finding.element, ", "),
                      "] is never written");
}

std::string text_of_collision(const GridFinding& finding) {
  return absl::StrCat("step ", tuple(*finding.before), " and step ", tuple(*finding.at),
                      " both touch ", finding.operand, "[", absl::StrJoin(finding.element, ", "),
                      "]");
}

}  // namespace tileproof::verify

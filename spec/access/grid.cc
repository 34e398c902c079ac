// SPDX-License-Identifier: Apache-2.0
#include "spec/access/grid.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/base/exact_int.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {
namespace {

absl::Status refuse(const GridOperand& operand, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("operand ", operand.name, ": ", why));
}

constexpr int64_t kMostElements = int64_t{1} << 60;  // sums of some fit 64 bits

absl::Status expect_block(const GridOperand& operand) {
  if (operand.block.size() != operand.shape.size()) {
    return refuse(operand, absl::StrCat("expected a block of ", operand.shape.size(),
                                        " dimensions, found ", operand.block.size()));
  }
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    const BlockDimension& block = operand.block[d];
    if (operand.shape[d] < 1) return refuse(operand, "expected sizes of at least 1");
    if (block.size < 1) return refuse(operand, "expected blocks of at least 1 element");
    if (std::max({operand.shape[d], block.size, block.before, block.after}) > kMostElements) {
      return refuse(operand, "expected sizes and padding of at most 2^60");
    }
    if (block.before < 0 || block.after < 0)
      return refuse(operand, "expected padding of at least 0");
  }
  return absl::OkStatus();
}

absl::Status expect_index_map(const Grid& grid, const GridOperand& operand) {
  const IndexingMap& map = operand.index_map;
  if (map.dimensions.size() != grid.sizes.size() || !map.ranges.empty()) {
    return refuse(operand, absl::StrCat("expected an index map of the ", grid.sizes.size(),
                                        " dimensions of the grid, without range variables"));
  }
  if (map.results.size() != operand.shape.size()) {
    return refuse(operand, absl::StrCat("expected an index map of ", operand.shape.size(),
                                        " results, found ", map.results.size()));
  }
  return absl::OkStatus();
}

absl::Status expect_alias(const Grid& grid, const GridOperand& operand) {
  if (operand.alias.empty()) return absl::OkStatus();
  const auto output = std::ranges::find_if(grid.operands, [&](const GridOperand& other) {
    return other.is_output && other.name == operand.alias;
  });
  if (operand.is_output || output == grid.operands.end()) {
    return refuse(operand,
                  absl::StrCat("expected the alias to be an output, found ", operand.alias));
  }
  if (output->shape != operand.shape) {
    return refuse(operand,
                  absl::StrCat("expected the shape of its alias, ", dims_text(output->shape)));
  }
  return absl::OkStatus();
}

absl::Status too_large() {
  return absl::ResourceExhaustedError("the blocks of all steps are too large to enumerate");
}

absl::StatusOr<int64_t> count_steps(const Grid& grid, int64_t budget) {
  int64_t steps = 1;
  for (const int64_t size : grid.sizes) {
    if (size > 0 && steps > budget / size) return too_large();
    steps *= size;
  }
  return steps;
}

// Whether it writes an array, or reads one that an output overwrites.
bool touches_an_output(const GridOperand& operand) {
  return operand.is_output || !operand.alias.empty();
}

absl::Status expect_known_blocks(const Grid& grid) {
  for (const GridOperand& operand : grid.operands) {
    if (touches_an_output(operand) && !operand.index_map.runtime.empty()) {
      return absl::UnimplementedError(
          absl::StrCat("operand ", operand.name, ": where it writes is known only at run time"));
    }
  }
  return absl::OkStatus();
}

struct Block {
  std::vector<int64_t> number;  // what the index map gives
  std::vector<Interval> box;    // its elements; empty along a dimension: it has none
};

bool has_element(const Block& block) {
  return std::ranges::none_of(block.box, [](const Interval& d) { return d.low > d.high; });
}

// The blocks of a step: one for all values of the runtime variables, at most `budget`.
absl::StatusOr<std::vector<Block>> blocks_of(const GridOperand& operand, const GridStep& step,
                                             int64_t budget) {
  std::vector<Block> blocks;
  std::vector<int64_t> runtime;
  for (const Variable& variable : operand.index_map.runtime) {
    if (variable.bounds.low > variable.bounds.high) return blocks;
    runtime.push_back(variable.bounds.low);
  }
  do {
    if (std::ssize(blocks) == budget) return too_large();
    const auto number = TRY(evaluate(operand.index_map, {step, {}, runtime}));
    if (!number) return refuse(operand, "expected the domain of the index map to hold the grid");
    Block block{.number = *number, .box = {}};
    for (size_t d = 0; d < number->size(); ++d) {
      block.box.push_back(elements_along(operand.block[d], operand.shape[d], (*number)[d]));
    }
    blocks.push_back(std::move(block));
  } while (next_point(operand.index_map.runtime, runtime, &Variable::bounds));
  return blocks;
}

// The steps that have written each element of an array.
struct Writers {
  std::vector<int64_t> first, last;  // -1: none yet
};

class GridRun {
 public:
  GridRun(const Grid& grid, int64_t budget) : grid_(grid), budget_(budget) {}

  absl::StatusOr<GridFacts> all() {
    TRY(expect_known_blocks(grid_));
    const int64_t steps = TRY(count_steps(grid_, budget_));
    for (const GridOperand& operand : grid_.operands) {
      if (operand.is_output) TRY(run(operand, steps));
    }
    for (const GridOperand& operand : grid_.operands) {
      if (!operand.is_output) TRY(run(operand, steps));
    }
    return std::move(facts_);
  }

 private:
  absl::Status run(const GridOperand& operand, int64_t steps) {
    const int64_t elements = product_of(operand.shape);
    budget_ -= elements;
    if (budget_ < 0) return too_large();
    if (operand.is_output) {
      writers_[operand.name] = {std::vector<int64_t>(elements, -1),
                                std::vector<int64_t>(elements, -1)};
    }
    for (int64_t number = 0; number < steps; ++number) {
      const GridStep step = step_at(grid_, number);
      const std::vector<Block> blocks = TRY(blocks_of(operand, step, budget_));
      budget_ -= std::ssize(blocks);
      for (const Block& block : blocks) TRY(visit(operand, step, block));
    }
    if (operand.is_output) find_uncovered(operand);
    return absl::OkStatus();
  }

  static int64_t product_of(const Dims& dims) {
    int64_t product = 1;
    for (const int64_t size : dims) {
      if (__builtin_mul_overflow(product, size, &product)) return INT64_MAX;
    }
    return product;
  }

  absl::Status visit(const GridOperand& operand, const GridStep& step, const Block& block) {
    ++facts_.blocks;
    if (!has_element(block)) {
      if (!facts_.inside) facts_.inside = GridFinding{operand.name, step, {}, block.number, {}};
      return absl::OkStatus();
    }
    bool is_whole = true;
    std::vector<int64_t> element;
    for (size_t d = 0; d < block.box.size(); ++d) {
      const auto [low, high] = block.box[d];
      is_whole &= high - low + 1 == operand.block[d].size;
      element.push_back(low);
    }
    if (!is_whole) ++facts_.partly;
    if (!touches_an_output(operand)) return absl::OkStatus();
    do {
      if (--budget_ < 0) return too_large();
      operand.is_output ? write(operand, step, element) : read(operand, step, element);
    } while (next_point(block.box, element));
    return absl::OkStatus();
  }

  GridFinding collision(const GridOperand& operand, const GridStep& step, int64_t before,
                        const std::vector<int64_t>& element) const {
    return {operand.name, step, step_at(grid_, before), {}, element};
  }

  void write(const GridOperand& operand, const GridStep& step,
             const std::vector<int64_t>& element) {
    Writers& writers = writers_[operand.name];
    const int64_t e = element_number(operand.shape, element), now = step_number(grid_, step);
    int64_t &first = writers.first[e], &last = writers.last[e];
    if (first < 0) first = now;
    if (!facts_.races && run_at_once(grid_, step_at(grid_, first), step)) {
      facts_.races = collision(operand, step, first, element);
    }
    if (!facts_.once && last >= 0 && last < now - 1) {
      facts_.once = collision(operand, step, last, element);
    }
    last = now;
  }

  void read(const GridOperand& operand, const GridStep& step, const std::vector<int64_t>& element) {
    const Writers& writers = writers_[operand.alias];
    const int64_t e = element_number(operand.shape, element), now = step_number(grid_, step);
    const int64_t first = writers.first[e];
    if (first < 0 || first == now) return;
    if (!facts_.races && run_at_once(grid_, step_at(grid_, first), step)) {
      facts_.races = collision(operand, step, first, element);
    }
    if (!facts_.aliases && first < now) facts_.aliases = collision(operand, step, first, element);
  }

  void find_uncovered(const GridOperand& operand) {
    const std::vector<int64_t>& first = writers_[operand.name].first;
    const auto missing = std::ranges::find(first, -1) - first.begin();
    if (facts_.covered || missing == std::ssize(first)) return;
    facts_.covered = GridFinding{operand.name, {}, {}, {}, element_index(operand.shape, missing)};
  }

  const Grid& grid_;
  int64_t budget_;
  GridFacts facts_;
  std::map<std::string, Writers> writers_;
};

// ---- One step ----

// The block of an operand without runtime variables.
absl::StatusOr<Block> block_of(const GridOperand& operand, const GridStep& step) {
  return TRY(blocks_of(operand, step, 1))[0];
}

// The array that an operand writes or reads before it is overwritten: the name of an output.
const std::string& memory_of(const GridOperand& operand) {
  return operand.is_output ? operand.name : operand.alias;
}

// Whether a step writes an element that another one touches.
absl::StatusOr<bool> overwrites(const Grid& grid, const GridStep& writer, const GridStep& other) {
  for (const GridOperand& written : grid.operands) {
    if (!written.is_output) continue;
    for (const GridOperand& touched : grid.operands) {
      if (!touches_an_output(touched) || memory_of(touched) != written.name) continue;
      const Block ours = TRY(block_of(written, writer)), theirs = TRY(block_of(touched, other));
      bool meet = true;
      for (size_t d = 0; d < ours.box.size(); ++d) {
        meet &= std::max(ours.box[d].low, theirs.box[d].low) <=
                std::min(ours.box[d].high, theirs.box[d].high);
      }
      if (meet) return true;
    }
  }
  return false;
}

absl::StatusOr<bool> writes(const GridOperand& output, const GridStep& step,
                            const std::vector<int64_t>& element) {
  const Block block = TRY(block_of(output, step));
  for (size_t d = 0; d < element.size(); ++d) {
    if (element[d] < block.box[d].low || element[d] > block.box[d].high) return false;
  }
  return true;
}

// Whether the next step that writes an element, forwards (1) or backwards (-1), is not the neighbor.
absl::StatusOr<bool> has_gap(const Grid& grid, const GridOperand& output, int64_t number,
                             int64_t steps, int64_t direction,
                             const std::vector<int64_t>& element) {
  for (int64_t t = number + direction; t >= 0 && t < steps; t += direction) {
    if (!TRY(writes(output, step_at(grid, t), element))) continue;
    return t != number + direction;
  }
  return false;
}

// The number of steps of a grid that can be asked about one of them.
absl::StatusOr<int64_t> steps_around(const Grid& grid, const GridStep& step, int64_t budget) {
  TRY(validate(grid));
  TRY(expect_known_blocks(grid));
  if (!is_inside(grid.sizes, step))
    return absl::InvalidArgumentError("expected a step of the grid");
  return count_steps(grid, budget);
}

}  // namespace

absl::StatusOr<bool> leaves_its_arrays(const Grid& grid, const GridStep& step, int64_t budget) {
  TRY(steps_around(grid, step, budget));
  for (const GridOperand& operand : grid.operands) {
    if (!std::ranges::all_of(TRY(blocks_of(operand, step, budget)), has_element)) return true;
  }
  return false;
}

absl::StatusOr<bool> writes_with_a_gap(const Grid& grid, const GridStep& step, int64_t budget) {
  const int64_t steps = TRY(steps_around(grid, step, budget));
  const int64_t number = step_number(grid, step);
  for (const GridOperand& output : grid.operands) {
    if (!output.is_output) continue;
    const Block block = TRY(block_of(output, step));
    if (!has_element(block)) continue;
    std::vector<int64_t> element;
    for (const Interval& along : block.box) element.push_back(along.low);
    do {
      if ((budget -= steps) < 0) return too_large();
      if (TRY(has_gap(grid, output, number, steps, -1, element)) ||
          TRY(has_gap(grid, output, number, steps, 1, element)))
        return true;
    } while (next_point(block.box, element));
  }
  return false;
}

absl::StatusOr<bool> has_race(const Grid& grid, const GridStep& step, int64_t budget) {
  const int64_t steps = TRY(steps_around(grid, step, budget));
  for (int64_t number = 0; number < steps; ++number) {
    const GridStep other = step_at(grid, number);
    if (!run_at_once(grid, step, other)) continue;
    if (TRY(overwrites(grid, step, other)) || TRY(overwrites(grid, other, step))) return true;
  }
  return false;
}

absl::StatusOr<bool> is_written(const Grid& grid, const std::string& output,
                                const std::vector<int64_t>& element, int64_t budget) {
  TRY(validate(grid));
  TRY(expect_known_blocks(grid));
  const auto operand = std::ranges::find_if(grid.operands, [&](const GridOperand& each) {
    return each.is_output && each.name == output;
  });
  const bool is_element = operand != grid.operands.end() && is_inside(operand->shape, element);
  if (!is_element) return absl::InvalidArgumentError("expected an element of an output");
  const int64_t steps = TRY(count_steps(grid, budget));
  for (int64_t number = 0; number < steps; ++number) {
    if (TRY(writes(*operand, step_at(grid, number), element))) return true;
  }
  return false;
}

absl::Status validate(const Grid& grid) {
  if (grid.is_parallel.size() != grid.sizes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected semantics of ", grid.sizes.size(),
                                                   " dimensions, found ", grid.is_parallel.size()));
  }
  for (const int64_t size : grid.sizes) {
    if (size < 0) return absl::InvalidArgumentError("expected a grid of sizes of at least 0");
  }
  std::set<std::string> names;
  for (const GridOperand& operand : grid.operands) {
    if (!names.insert(operand.name).second) {
      return refuse(operand, "expected each name once");
    }
    TRY(expect_block(operand));
    TRY(expect_index_map(grid, operand));
    TRY(expect_alias(grid, operand));
  }
  return absl::OkStatus();
}

absl::StatusOr<GridFacts> grid_facts(const Grid& grid, int64_t budget) {
  TRY(validate(grid));
  return GridRun(grid, budget).all();
}

Interval elements_along(const BlockDimension& block, int64_t size, int64_t index) {
  Wide begin = block.is_element ? Wide{index} - block.before : Wide{index} * block.size;
  const Wide end = begin + block.size - 1;
  if (end < 0 || begin >= size) return {0, -1};
  begin = std::max<Wide>(begin, 0);
  return {static_cast<int64_t>(begin), static_cast<int64_t>(std::min<Wide>(end, size - 1))};
}

int64_t step_number(const Grid& grid, const GridStep& step) {
  return element_number(grid.sizes, step);
}

GridStep step_at(const Grid& grid, int64_t number) { return element_index(grid.sizes, number); }

bool run_at_once(const Grid& grid, const GridStep& a, const GridStep& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (grid.is_parallel[d] && a[d] != b[d]) return true;
  }
  return false;
}

}  // namespace tileproof::spec

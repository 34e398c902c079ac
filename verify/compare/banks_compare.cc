// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/banks_compare.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/layout/generate_blocked.h"
#include "impl/access/banks.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/base/reached_limit.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kPoints = 20'000;

// The same text for the phases of the reference and of the closed form.
std::string text_of_all(const absl::StatusOr<std::vector<BankPhase>>& phases) {
  if (!phases.ok()) return std::string(phases.status().message());
  std::vector<std::string> lines;
  for (const BankPhase& phase : *phases) {
    std::string line =
        absl::StrCat("[", absl::StrJoin(phase.access, ","), "] ", phase.value, " phase ",
                     phase.number, " lanes ", absl::StrJoin(phase.lanes, ","), ": ", phase.ways);
    if (phase.clash) {
      const auto& [bank, lanes, words] = *phase.clash;
      absl::StrAppend(&line, " (lanes ", lanes[0], " and ", lanes[1], ", words ", words[0], " and ",
                      words[1], " of bank ", bank, ")");
    }
    lines.push_back(line);
  }
  return absl::StrJoin(lines, "\n");
}

absl::StatusOr<std::vector<BankPhase>> phases_of(const BanksQuestion& question) {
  const spec::LayoutFunction layout = TRY(spec::layout_function(question.layout));
  return spec::serve(layout, question.access, question.element, question.memory, kPoints);
}

absl::StatusOr<std::vector<BankPhase>> closed_phases_of(const BanksQuestion& question) {
  const impl::RelayoutSide layout = TRY(impl::relayout_side(question.layout));
  return impl::bank_phases(layout, question.access, question.element, question.memory);
}

// ---- Random questions ----

NodeId by_number(ExprTable& nodes, Op op, NodeId a, int64_t b) {
  return add_operation(nodes, op, a, add_constant(nodes, b));
}

// A layout as kernels have them: rows of a power of two, padded or swizzled.
AnyLayout shared_memory_layout(Choose& choose) {
  const int64_t rows = choose.pick<int64_t>({8, 32, 16, 64, 12});
  const int64_t columns = choose.pick<int64_t>({64, 32, 128, 16, 24});
  const int64_t stride = columns + choose.pick<int64_t>({0, 8, 1, 4, 16});
  const bool by_column = choose.chance(1, 4);
  NestedLayout nested;
  nested.shape = make_tuple({make_integer(rows), make_integer(columns)});
  nested.stride =
      make_tuple({make_integer(by_column ? 1 : stride), make_integer(by_column ? rows : 1)});
  if (choose.chance(1, 3)) return nested;
  SwizzledLayout swizzled{random_swizzle(choose), 0, nested, {}};
  if (choose.chance(1, 2)) {
    swizzled.swizzle = {choose.between(0, 3), choose.between(0, 5), choose.between(0, 5)};
    swizzled.pointer_bits = choose.pick<int64_t>({16, 8, 32});
  }
  if (validate(swizzled).ok()) return swizzled;
  return nested;
}

AnyLayout random_banked_layout(Choose& choose) {
  const int64_t magnitude = int64_t{1} << choose.between(2, 12);
  switch (choose(6)) {
    case 0:
    case 1:
    case 2:
      return shared_memory_layout(choose);
    case 3:
      return random_swizzled_layout(choose, magnitude);
    case 4:
      return random_memref(choose, magnitude);
    default:
      return random_any_layout(choose, magnitude);
  }
}

// Spreads a number over the dimensions in some order, the first one fastest.
void spread_number(Choose& choose, NodeId number, const std::vector<int64_t>& dims,
                   IndexingMap& map) {
  std::vector<size_t> order(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) order[d] = d;
  if (choose.chance(1, 2)) std::ranges::reverse(order);
  map.results.assign(dims.size(), -1);
  for (const size_t d : order) {
    const int64_t size = std::max<int64_t>(dims[d], 1);
    map.results[d] = by_number(map.nodes, Op::kMod, number, size);
    number = by_number(map.nodes, Op::kFloorDiv, number, size);
  }
  if (!map.results.empty() && choose.chance(1, 64)) map.results[0] = number;  // may be outside
}

IndexingMap random_lanes(Choose& choose, const std::vector<int64_t>& dims, int64_t at_once) {
  IndexingMap map;
  ExprTable& nodes = map.nodes;
  map.dimensions.push_back({{0, choose.pick<int64_t>({32, 8, 64, 16, 5}) - 1}, ""});
  if (choose.chance(1, 16)) map.dimensions[0].bounds.low = choose.between(-1, 3);
  NodeId number = by_number(nodes, Op::kMul, add_variable(nodes, Op::kDimension, 0),
                            choose.pick<int64_t>({1, 8, 64, 2, 3, 32, 7}));
  const auto add = [&](Op kind, int64_t size, int64_t stride) {
    std::vector<Variable>& variables = variables_of(map, kind);
    variables.push_back({{0, size - 1}, ""});
    const NodeId variable = add_variable(nodes, kind, std::ssize(variables) - 1);
    number = add_operation(nodes, Op::kAdd, number, by_number(nodes, Op::kMul, variable, stride));
  };
  if (choose.chance(1, 3))
    add(Op::kDimension, choose.between(1, 4), choose.pick<int64_t>({8, 1, 64}));
  if (choose.chance(1, 4)) add(Op::kRange, choose.between(1, 2), choose.pick<int64_t>({8, 64}));
  if (choose.chance(1, 3)) add(Op::kRange, choose.chance(1, 8) ? 3 : at_once, 1);
  if (choose.chance(1, 8)) map.constraints.push_back({number, {1, 4000}});
  spread_number(choose, number, dims, map);
  return map;
}

}  // namespace

std::string banks_difference(const BanksQuestion& question, CaseCounts& tally) {
  const auto expected = phases_of(question);
  const auto found = closed_phases_of(question);
  const bool no_closed_form = absl::IsFailedPrecondition(found.status());
  if (reached_limit(expected.status()) || reached_limit(found.status()) || no_closed_form) {
    ++tally["not counted"];
    return "";
  }
  if (!expected.ok() && !found.ok()) {
    ++tally["refused"];
    return "";
  }
  const std::string right = text_of_all(expected), text = text_of_all(found);
  if (!expected.ok() || !found.ok() || right != text) {
    return absl::StrCat(
        "banks '", to_text(question.layout), "' --access '", to_text(question.access), "', ",
        question.element.bits, " bits, --vector ", question.element.vector, " --banks ",
        question.memory.banks, " --bank-bytes ", question.memory.bank_bytes,
        question.memory.amd_read ? " --amd-read" : "", ": expected\n", right, "\nfound\n", text);
  }
  const int64_t clashes =
      std::ranges::count_if(*expected, [](const auto& phase) { return phase.ways > 1; });
  ++tally["counted"];
  tally["with conflicts"] += clashes > 0 ? 1 : 0;
  tally["phases"] += std::ssize(*expected);
  tally["phases of several ways"] += clashes;
  return "";
}

BanksQuestion random_banks_question(Choose& choose) {
  BanksQuestion question{random_banked_layout(choose), {}, {}, {}};
  const auto function = spec::layout_function(question.layout);
  std::vector<int64_t> dims;
  int64_t bits = choose.pick<int64_t>({16, 32, 8, 64, 4, 12});
  if (function.ok()) {
    dims = function->dims;
    bits = function->element_bits.value_or(bits);
  }
  const int64_t least = std::max<int64_t>(1, (bits + 7) / 8);
  question.element = {bits, choose.chance(1, 2) ? least : choose.pick<int64_t>({16, 8, 4, 2, 12})};
  question.memory.banks = choose.pick<int64_t>({32, 32, 64, 4});
  question.memory.bank_bytes = choose.chance(1, 8) ? choose.pick<int64_t>({8, 2}) : 4;
  question.memory.amd_read = choose.chance(1, 4);
  const int64_t at_once = std::max<int64_t>(1, 8 * question.element.vector / bits);
  question.access = random_lanes(choose, dims, at_once);
  return question;
}

}  // namespace tileproof::verify

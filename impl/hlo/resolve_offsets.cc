// Values of offsets that are known inside of what is analysed.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "impl/hlo/backward_slice.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/simplify.h"

namespace tileproof::impl {
namespace {

using Index = std::vector<int64_t>;

// Constants of more elements are not looked into.
constexpr Wide kMaxLiteral = 4096;

// One integer or truth value. Beyond int64 the nearest one will do, as it is clamped anyway.
std::optional<int64_t> integer_in(absl::string_view token) {
  if (token == "true" || token == "false") return token == "true" ? 1 : 0;
  if (absl::StartsWith(token, "+")) return std::nullopt;
  int64_t value;
  if (absl::SimpleAtoi(token, &value)) return value;
  const bool negative = absl::ConsumePrefix(&token, "-");
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  if (token.empty() || !std::ranges::all_of(token, is_digit)) return std::nullopt;
  return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

// Each comment is a space; one that has no end is left.
std::string without_comments(std::string text) {
  for (size_t begin = text.find("/*"); begin != text.npos; begin = text.find("/*", begin)) {
    const size_t end = text.find("*/", begin + 2);
    if (end == text.npos) break;
    text.replace(begin, end + 2 - begin, " ");
  }
  return text;
}

// The integers of a literal, row-major: `7`, `{ /*i0=0*/ {1, 2}, {3, 4} }`. Nothing where one is
// left out.
std::optional<std::vector<int64_t>> integers_of(const std::string& literal) {
  const std::string text =
      absl::StrReplaceAll(without_comments(literal), {{"{", " "}, {"}", " "}, {",", " "}});
  std::vector<int64_t> values;
  for (absl::string_view token :
       absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
    const std::optional<int64_t> value = integer_in(token);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

// The element that a runtime variable reads, followed to where its value comes from. Its index is a
// function of the output index and of the range variables, which count as further dimensions here.
struct Read {
  AccessRelationPtr at;  // its conditions say where it is this element
  Dims variables;        // sizes of the dimensions
  HloPosition position;
};

// Nothing where the index of the element depends on runtime variables itself.
std::optional<Read> read_of(const AccessRelation& relation, size_t variable, const Dims& output,
                            const DependencesAt& dependences_at) {
  const ComputationDependences* dependences =
      dependences_at(relation.runtime[variable].position.calls);
  if (dependences == nullptr) return std::nullopt;
  const ComputationView& view = dependences->view();
  size_t first = relation.rank;
  for (size_t i = 0; i < variable; ++i) first += relation.runtime[i].rank;
  const RuntimeValue& value = relation.runtime[variable];
  const auto results = relation.map.results.begin() + static_cast<std::ptrdiff_t>(first);
  AccessRelation at;
  at.rank = value.rank;
  at.map.results.assign(results, results + value.rank);
  at.map.dimensions = relation.map.dimensions;
  at.map.nodes = relation.map.nodes;
  Dims variables = output;
  for (const Variable& range : relation.map.ranges) {
    at.map.dimensions.push_back(range);
    variables.push_back(range.bounds.high + 1);
  }
  std::vector<char> fixed;
  for (Node& node : at.map.nodes) {
    const bool leaf = is_leaf(node.op);
    fixed.push_back(leaf ? node.op != Op::kRuntime : fixed[node.left] && fixed[node.right]);
    if (node.op == Op::kRange)
      node = {.op = Op::kDimension, .value = node.value + std::ssize(output)};
    if (node.op == Op::kRuntime) node = {};
  }
  for (NodeId result : at.map.results) {
    if (!fixed[result]) return std::nullopt;
  }
  const int32_t number = view.first_leaf[value.position.instruction] + value.position.leaf;
  AccessRelationPtr done = finish(std::move(at), variables, view.sizes[number]);
  return Read{std::move(done), std::move(variables), value.position};
}

// A value where the map's conditions hold: a node of the map, which is that of a `Read`.
struct Case {
  IndexingMap map;
  NodeId value;
};

Case constant_case(IndexingMap map, int64_t value) {
  const NodeId constant = add_constant(map.nodes, value);
  return {std::move(map), constant};
}

// What there is among the feasible values, and above. Below there is nothing: an iota begins at 0,
// feasible values there or below.
bool add_iota(const HloInstruction& iota, const AccessRelation& at, Interval feasible,
              std::vector<Case>& cases) {
  const auto dimension = integer_of(iota, "iota_dimension");
  if (!dimension.ok() || *dimension < 0 || *dimension >= at.rank) return false;
  const NodeId expr = at.map.results[*dimension];
  const absl::StatusOr<Interval> range = range_of(at.map, expr);
  if (!range.ok()) return false;
  const auto within = [&](Interval part) {
    IndexingMap map = at.map;
    if (part != *range) map.constraints.push_back({expr, part});
    return map;
  };
  const Interval inside{range->low, std::min(range->high, feasible.high)};
  if (inside.low <= inside.high) cases.push_back({within(inside), expr});
  if (range->high > feasible.high) {
    const Interval above{std::max(range->low, feasible.high + 1), range->high};
    cases.push_back(constant_case(within(above), feasible.high));
  }
  return true;
}

// The index of the element with this row-major number.
Index index_of(int64_t number, const Dims& sizes) {
  Index index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d]) index[d] = number % sizes[d];
  return index;
}

// One case for each element that may be meant; one for all where these are alike.
bool add_constant_cases(const HloInstruction& constant, const AccessRelation& at, const Dims& sizes,
                        Interval feasible, size_t most, std::vector<Case>& cases) {
  Wide elements = 1;
  std::vector<Interval> box;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const absl::StatusOr<Interval> range = range_of(at.map, at.map.results[d]);
    if (!range.ok()) return false;
    box.push_back(*range);
    elements *= sizes[d];
    if (elements > kMaxLiteral) return false;
  }
  const auto values = integers_of(constant.literal);
  if (!values || std::ssize(*values) != elements) return false;
  const auto is_meant = [&box](const Index& index) {
    return std::ranges::equal(box, index, [](const Interval& range, int64_t i) {
      return range.low <= i && i <= range.high;
    });
  };
  std::vector<std::pair<Index, int64_t>> table;
  for (int64_t number = 0; number < std::ssize(*values); ++number) {
    Index index = index_of(number, sizes);
    if (!is_meant(index)) continue;
    table.emplace_back(std::move(index),
                       std::clamp((*values)[number], feasible.low, feasible.high));
  }
  const auto differ = [](const auto& a, const auto& b) { return a.second != b.second; };
  const bool alike = std::ranges::adjacent_find(table, differ) == table.end();
  if (table.size() > most && !alike) return false;
  for (const auto& [element, value] : table) {
    cases.push_back(constant_case(at.map, value));
    if (alike) break;
    std::vector<Constraint>& constraints = cases.back().map.constraints;
    for (size_t d = 0; d < sizes.size(); ++d) {
      constraints.push_back({at.map.results[d], {element[d], element[d]}});
    }
  }
  return true;
}

// Whether every element comes from somewhere: a bitcast may show what was padding.
bool is_total(const AccessRelation& moves, const Dims& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (moves.map.dimensions[d].bounds != Interval{0, sizes[d] - 1}) return false;
  }
  return moves.map.constraints.empty();
}

// One operation back, or to the caller; false where the element is not known to be moved from
// elsewhere.
bool step_back(const DependencesAt& dependences_at, ComputationDependences& dependences, Read read,
               std::vector<Read>& reads) {
  const ComputationView& view = dependences.view();
  const HloInstruction& instruction = view.computation().instructions[read.position.instruction];
  if (instruction.opcode == HloOpcode::kParameter) {
    if (read.position.calls.empty()) return false;
    const int32_t call = read.position.calls.back();
    read.position.calls.pop_back();
    const ComputationDependences* caller = dependences_at(read.position.calls);
    if (caller == nullptr) return false;
    const auto& operands = caller->view().computation().instructions[call].operands;
    read.position.instruction = operands[instruction.parameter_number].instruction;
    reads.push_back(std::move(read));
    return true;
  }
  if (!only_moves_elements(instruction.opcode)) return false;
  const absl::StatusOr<Dependences>& step =
      dependences.of(read.position.instruction, read.position.leaf);
  if (!step.ok()) return false;
  const Dims& between = view.sizes[view.first_leaf[read.position.instruction] + read.position.leaf];
  const bool may_lose = instruction.opcode == HloOpcode::kBitcast;
  for (const Dependence& dependence : step->dependences) {
    if (may_lose && !is_total(*dependence.relation, between)) return false;
    const int32_t operand = instruction.operands[dependence.operand].instruction;
    const Dims& sizes = view.sizes[view.first_leaf[operand] + dependence.leaf];
    AccessRelationPtr moved = compose(read.at, dependence.relation, read.variables, between, sizes);
    if (!moved) continue;
    if (moved->inexact) return false;
    reads.push_back(
        {std::move(moved), read.variables, {read.position.calls, operand, dependence.leaf}});
  }
  return true;
}

// All that the value may be, where that is known and at most so many cases.
std::optional<std::vector<Case>> cases_of(const DependencesAt& dependences_at, Read first,
                                          Interval feasible, size_t most) {
  std::vector<Read> reads = {std::move(first)};
  std::vector<Case> cases;
  while (!reads.empty()) {
    if (reads.size() + cases.size() > most) return std::nullopt;
    Read read = std::move(reads.back());
    reads.pop_back();
    ComputationDependences* dependences = dependences_at(read.position.calls);
    if (dependences == nullptr) return std::nullopt;
    const ComputationView& view = dependences->view();
    const HloInstruction& instruction = view.computation().instructions[read.position.instruction];
    const Dims& sizes = view.sizes[view.first_leaf[read.position.instruction] + read.position.leaf];
    const bool known = instruction.opcode == HloOpcode::kIota
                           ? add_iota(instruction, *read.at, feasible, cases)
                       : instruction.opcode == HloOpcode::kConstant
                           ? add_constant_cases(instruction, *read.at, sizes, feasible, most, cases)
                           : step_back(dependences_at, *dependences, std::move(read), reads);
    if (!known) return std::nullopt;
  }
  return cases.size() <= most ? std::optional(std::move(cases)) : std::nullopt;
}

// The relation where the conditions of the case hold, with its value.
AccessRelation filled(AccessRelation relation, size_t variable, const Case& known,
                      const Dims& variables) {
  const auto shift = static_cast<NodeId>(relation.map.nodes.size());
  const int64_t dimensions = std::ssize(relation.map.dimensions);
  const auto own = [dimensions](Node node) {
    if (node.op == Op::kDimension && node.value >= dimensions) {
      node = {.op = Op::kRange, .value = node.value - dimensions};
    }
    return node;
  };
  for (Node node : known.map.nodes) {
    if (!is_leaf(node.op)) {
      node.left += shift;
      node.right += shift;
    }
    relation.map.nodes.push_back(own(node));
  }
  for (const Constraint& constraint : known.map.constraints) {
    relation.map.constraints.push_back({constraint.expr + shift, constraint.interval});
  }
  for (size_t d = 0; d < variables.size(); ++d) {
    relation.map.nodes.push_back(own({.op = Op::kDimension, .value = static_cast<int64_t>(d)}));
    relation.map.constraints.push_back(
        {static_cast<NodeId>(relation.map.nodes.size() - 1), known.map.dimensions[d].bounds});
  }
  return with_value(std::move(relation), static_cast<int32_t>(variable), known.value + shift);
}

// The relation by the values of the first of its variables of which they are known; nothing where
// there is none.
std::optional<std::vector<AccessRelationPtr>> split(const DependencesAt& dependences_at,
                                                    const AccessRelation& relation,
                                                    const Dims& output, const Dims& operand,
                                                    size_t most) {
  for (size_t i = 0; i < relation.runtime.size(); ++i) {
    const std::optional<Read> read = read_of(relation, i, output, dependences_at);
    if (!read) continue;
    const auto cases = cases_of(dependences_at, *read, relation.runtime[i].feasible, most);
    if (!cases) continue;
    std::vector<AccessRelationPtr> parts;
    for (const Case& known : *cases) {
      AccessRelationPtr part =
          simplified(filled(relation, i, known, read->variables), output, operand);
      if (part) parts.push_back(std::move(part));
    }
    const auto is_worse = [&relation](const AccessRelationPtr& part) {
      return part->inexact != relation.inexact;
    };
    if (std::ranges::none_of(parts, is_worse)) return parts;
  }
  return std::nullopt;
}

}  // namespace

std::vector<AccessRelationPtr> with_resolved_offsets(const DependencesAt& dependences_at,
                                                     const AccessRelationPtr& relation,
                                                     const Dims& output, const Dims& operand,
                                                     size_t most) {
  std::vector<AccessRelationPtr> open = {relation}, done;
  while (!open.empty()) {
    AccessRelationPtr now = std::move(open.back());
    open.pop_back();
    const size_t others = open.size() + done.size();
    auto parts = split(dependences_at, *now, output, operand, most - others);
    if (parts) {
      open.insert(open.end(), parts->rbegin(), parts->rend());
    } else {
      done.push_back(std::move(now));
    }
  }
  return done;
}

}  // namespace tileproof::impl

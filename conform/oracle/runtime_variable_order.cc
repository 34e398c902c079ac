// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/runtime_variable_order.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "impl/hlo/computation_summaries.h"
#include "spec/hlo/access_relation.h"

namespace tileproof::conform {
namespace {

using From = spec::access::Projection::From;

absl::Status unclear(absl::string_view what) { return absl::InvalidArgumentError(what); }

int32_t computation_of(const HloQuestion& question, const std::vector<int32_t>& calls) {
  return computation_at(question.module, question.computation, calls);
}

// An operation in the scope of the question that reads offsets.
struct Reader {
  HloPosition position;
  spec::AccessRelation relation;
};

constexpr int64_t kMaxVisited = 20'000;  // instructions, counted once for each call

// Walks backwards from an instruction, and into calls. Visits each instruction once for each call.
struct Walk {
  const HloQuestion& question;
  const spec::Provenance& provenance;
  std::vector<Reader> readers = {};
  int64_t left = kMaxVisited;

  void into(const std::vector<int32_t>& calls, int32_t root, int32_t leaf, bool alone) {
    const int32_t computation = computation_of(question, calls);
    const auto& instructions = question.module.computations[computation].instructions;
    std::vector<char> needed(root + 1, 0);
    needed[root] = 1;
    for (int32_t i = root; i >= 0; --i) {
      if (!needed[i] || --left < 0) continue;
      visit({calls, i, i == root ? leaf : 0}, computation);
      if (alone) return;
      for (const HloOperand& operand : instructions[i].operands) needed[operand.instruction] = 1;
    }
  }

  void visit(HloPosition position, int32_t computation) {
    const HloInstruction& at =
        question.module.computations[computation].instructions[position.instruction];
    if (const int32_t callee = callee_of(at); callee >= 0) {
      std::vector<int32_t> calls = position.calls;
      calls.push_back(position.instruction);
      return into(calls, question.module.computations[callee].root, 0, false);
    }
    auto relation =
        spec::access_relation_of(question.module, computation, position.instruction, position.leaf);
    if (!relation.ok() || relation->runtime.empty()) return;
    const bool is_read = std::ranges::any_of(provenance.reads, [&](const spec::RuntimeRead& read) {
      return read.position.computation == computation &&
             read.position.instruction == at.operands[relation->runtime[0].operand].instruction;
    });
    if (is_read) readers.push_back({std::move(position), *std::move(relation)});
  }
};

// Finds up to two instructions of that name in this and all called computations. `left` limits the
// number of calls.
void find_everywhere(const HloQuestion& question, const std::vector<int32_t>& calls,
                     absl::string_view name, int32_t leaf, int64_t& left,
                     std::vector<HloPosition>& found) {
  if (--left < 0) return;
  const auto& instructions =
      question.module.computations[computation_of(question, calls)].instructions;
  for (int32_t i = 0; i < std::ssize(instructions) && found.size() < 2; ++i) {
    if (instructions[i].name == name) found.push_back({calls, i, leaf});
    if (callee_of(instructions[i]) < 0) continue;
    std::vector<int32_t> inner = calls;
    inner.push_back(i);
    find_everywhere(question, inner, name, leaf, left, found);
  }
}

bool has(const spec::access::Projection& element, From from) {
  return std::ranges::any_of(element.coordinates, [from](const auto& c) { return c.from == from; });
}

// True if the provenance found the scalar at this position to be a constant or an iota index.
bool is_known(const HloQuestion& question, const spec::Provenance& provenance,
              const HloPosition& position) {
  const int32_t computation = computation_of(question, position.calls);
  for (const spec::RuntimeRead& read : provenance.reads) {
    if (read.position.computation != computation ||
        read.position.instruction != position.instruction) {
      continue;
    }
    const bool outside = question.scope == spec::Scope::kInstruction &&
                         read.source.computation == question.computation;
    const HloOpcode opcode = question.module.computations[read.source.computation]
                                 .instructions[read.source.instruction]
                                 .opcode;
    return !outside && (opcode == HloOpcode::kConstant || opcode == HloOpcode::kIota);
  }
  return false;
}

}  // namespace

IndexingMap element_in(const OrderedVariable& variable, const IndexingMap& map,
                       impl::Direction direction) {
  IndexingMap element = map;
  element.constraints.clear();
  element.results.clear();
  for (const spec::access::Projection::Coordinate& coordinate : variable.element.coordinates) {
    element.results.push_back(coordinate.from != From::kOutput
                                  ? add_constant(element.nodes, coordinate.number)
                              : direction == impl::Direction::kInputToOutput
                                  ? map.results[coordinate.number]
                                  : add_variable(element.nodes, Op::kDimension, coordinate.number));
  }
  return element;
}

const HloInstruction& instruction_at(const HloQuestion& question, const HloPosition& position) {
  return question.module.computations[computation_of(question, position.calls)]
      .instructions[position.instruction];
}

absl::StatusOr<std::vector<OrderedVariable>> variables_by_order(
    const HloQuestion& question, const spec::Provenance& provenance) {
  Walk walk{question, provenance};
  const bool alone = question.scope == spec::Scope::kInstruction;
  walk.into({}, question.instruction, question.is_inverse() ? 0 : question.array, alone);
  if (walk.left < 0) return absl::UnimplementedError("too many calls to look for offsets in");
  if (walk.readers.empty()) return std::vector<OrderedVariable>();
  if (walk.readers.size() > 1) {
    return unclear(
        "expected the sources of the runtime variables, because several operations have offsets");
  }
  const Reader& reader = walk.readers[0];
  const bool direct = alone && reader.position.calls.empty();
  std::vector<OrderedVariable> variables;
  for (const spec::RuntimeVariable& variable : reader.relation.runtime) {
    if (has(variable.element, From::kRange)) {
      return unclear(
          "expected the sources of the runtime variables, because each update has its own values");
    }
    if (!direct && !variable.element.coordinates.empty()) {
      return absl::UnimplementedError(
          "the answer does not give the sources of its runtime variables");
    }
    const HloInstruction& at = instruction_at(question, reader.position);
    HloPosition position{reader.position.calls, at.operands[variable.operand].instruction, 0};
    const bool known = is_known(question, provenance, position);
    variables.push_back(
        {std::move(position), variable.element, {variable.low, variable.high}, known});
  }
  return variables;
}

std::vector<const OrderedVariable*> variables_meant(const std::vector<OrderedVariable>& all,
                                                    size_t count) {
  for (const bool single : {false, true}) {
    for (const bool known : {false, true}) {
      std::vector<const OrderedVariable*> meant;
      for (const OrderedVariable& variable : all) {
        const Interval& feasible = variable.feasible;
        const bool left_out =
            (single && feasible.low == feasible.high) || (known && variable.known);
        if (!left_out) meant.push_back(&variable);
      }
      if (meant.size() == count) return meant;
    }
  }
  return {};
}

absl::StatusOr<HloPosition> position_named(const HloQuestion& question, absl::string_view name) {
  const auto no_position = [&] {
    return unclear(
        absl::StrCat("expected the name of an instruction in the scope, found ", shown(name, 80)));
  };
  HloPosition position;
  const std::vector<absl::string_view> halves = absl::StrSplit(name, absl::MaxSplits('#', 1));
  if (halves.size() == 2 && (!absl::SimpleAtoi(halves[1], &position.leaf) || position.leaf < 0)) {
    return no_position();
  }
  const std::vector<absl::string_view> path = absl::StrSplit(halves[0], '/');
  int32_t computation = question.computation;
  for (size_t i = 0; i < path.size(); ++i) {
    if (computation < 0) return no_position();
    const absl::string_view word = absl::StripPrefix(path[i], "%");
    position.instruction = find_instruction(question.module.computations[computation], word);
    if (position.instruction < 0) break;
    if (i + 1 == path.size()) return position;
    position.calls.push_back(position.instruction);
    computation =
        callee_of(question.module.computations[computation].instructions[position.instruction]);
  }
  if (path.size() > 1) return no_position();
  std::vector<HloPosition> found;
  int64_t left = kMaxVisited;
  find_everywhere(question, {}, absl::StripPrefix(path[0], "%"), position.leaf, left, found);
  return found.size() == 1 ? absl::StatusOr<HloPosition>(found[0]) : no_position();
}

}  // namespace tileproof::conform

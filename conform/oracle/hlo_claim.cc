// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_claim.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conform/oracle/fields.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {
namespace {

std::string found(const Json& json) { return shown(to_text(json), 60); }

// A map of an item or of a source, with `from` dimensions and `to` results.
absl::StatusOr<IndexingMap> read_map(const Json* json, size_t from, size_t to) {
  const auto* text = json == nullptr ? nullptr : json->as<std::string>();
  if (text == nullptr) return invalid("expected a map, a string");
  IndexingMap like;
  like.dimensions.resize(from);
  absl::StatusOr<IndexingMap> map = parse_answer(*text, like);
  if (!map.ok()) return invalid("not a map: ", map.status().message());
  if (map->known_empty) return map;
  if (map->dimensions.size() != from || map->results.size() != to) {
    return invalid("expected a map of ", from, " dimensions and ", to, " results, found ",
                   shown(*text, 200));
  }
  return map;
}

// Which variables of a kind the map uses, by number.
std::vector<bool> used(const IndexingMap& map, Op kind) {
  std::vector<bool> result(variables_of(map, kind).size(), false);
  for (NodeId id : spec::nodes_under(map.nodes, roots_of(map))) {
    if (map.nodes[id].op == kind) result[map.nodes[id].value] = true;
  }
  return result;
}

size_t last_used(const IndexingMap& map, Op kind) {
  size_t last = 0;
  const std::vector<bool> uses = used(map, kind);
  for (size_t i = 0; i < uses.size(); ++i) last = uses[i] ? i + 1 : last;
  return last;
}

absl::StatusOr<size_t> rank_of(const HloQuestion& question, const HloPosition& position) {
  const SharedShape& shape = instruction_at(question, position).shape;
  if (!shape) return invalid("no shape");
  const Leaves leaves = TRY(leaves_of(*shape));
  if (position.leaf >= std::ssize(leaves)) return invalid("no such leaf");
  return leaves[position.leaf].dims.size();
}

class ClaimReader {
 public:
  ClaimReader(const HloQuestion& question, const spec::Provenance& provenance)
      : question_(question), provenance_(provenance) {}

  absl::StatusOr<impl::LeafMaps> list(const Json& json, size_t rank) {
    const auto* items = json.as<Json::Array>();
    if (items == nullptr) {
      return invalid("expected a list of maps, found ", found(json));
    }
    impl::LeafMaps maps;
    for (const Json& one : *items) {
      impl::IndexedMap map = TRY(item(one, rank));
      if (!map.map.known_empty) maps.maps.push_back(std::move(map));
    }
    return maps;
  }

 private:
  size_t dims() const { return provenance_.dims.size(); }

  absl::StatusOr<impl::IndexedMap> item(const Json& json, size_t rank) {
    const bool whole = json.as<Json::Object>() != nullptr;
    IndexingMap map = TRY(read_map(whole ? find(json, "map") : &json, dims(), rank));
    impl::IndexedMap one{std::move(map), {}};
    if (one.map.known_empty) return one;
    const size_t count = one.map.runtime.size();
    if (count_.value_or(count) != count) {
      return invalid("expected all maps to declare the same runtime variables, found ", *count_,
                     " and ", count);
    }
    count_ = count;
    TRY(whole && find(json, "runtime") != nullptr ? read_sources(*find(json, "runtime"), one)
                                                  : take_order(one));
    return one;
  }

  absl::Status read_sources(const Json& json, impl::IndexedMap& one) {
    const auto* sources = json.as<Json::Array>();
    if (sources == nullptr || sources->size() != one.map.runtime.size()) {
      return invalid("expected runtime to be an array with an entry for each of ",
                     one.map.runtime.size(), " runtime variables, found ", found(json));
    }
    for (const Json& source : *sources) {
      impl::RuntimeSource read = TRY(read_source(source));
      read.feasible = one.map.runtime[one.runtime.size()].bounds;
      one.runtime.push_back(std::move(read));
    }
    return check_sources(one);
  }

  absl::StatusOr<impl::RuntimeSource> read_source(const Json& json) {
    const auto* text = find_as<std::string>(json, "instruction");
    if (text == nullptr) {
      return invalid("expected the key \"instruction\", a string, in ", found(json));
    }
    HloPosition position = TRY(position_named(question_, *text));
    const absl::StatusOr<size_t> rank = rank_of(question_, position);
    if (!rank.ok()) return invalid("not an array: ", shown(*text, 60));
    IndexingMap map = TRY(read_map(find(json, "map"), dims(), *rank));
    if (map.known_empty) return invalid("expected a map with points for a runtime variable");
    return impl::RuntimeSource{std::move(position), std::move(map), {}};
  }

  // The source of a used variable may depend on the map's range variables and on earlier runtime
  // variables only. The sources of unused variables do not matter.
  absl::Status check_sources(impl::IndexedMap& one) const {
    std::vector<bool> needed = used(one.map, Op::kRuntime);
    for (size_t i = needed.size(); i-- > 0;) {
      IndexingMap& source = one.runtime[i].map;
      if (!needed[i]) {
        source = {};
        continue;
      }
      if (last_used(source, Op::kRange) > one.map.ranges.size() ||
          last_used(source, Op::kRuntime) > i) {
        return invalid("expected the source of runtime variable ", i,
                       " to use only earlier variables of its map, found ",
                       shown(to_text(source), 200));
      }
      const std::vector<bool> uses = used(source, Op::kRuntime);
      for (size_t before = 0; before < uses.size() && before < i; ++before) {
        if (uses[before]) needed[before] = true;
      }
    }
    return absl::OkStatus();
  }

  // Takes the offsets or index components, in order, as the runtime variables.
  absl::Status take_order(impl::IndexedMap& one) {
    const std::vector<bool> uses = used(one.map, Op::kRuntime);
    const bool none = std::find(uses.begin(), uses.end(), true) == uses.end();
    if (!ordered_) ordered_ = variables_by_order(question_, provenance_);
    if (!ordered_->ok() && !none) return ordered_->status();
    const std::vector<const OrderedVariable*> meant = ordered_->ok()
                                                          ? variables_meant(**ordered_, uses.size())
                                                          : std::vector<const OrderedVariable*>();
    if (meant.size() != uses.size() && !none) {
      return invalid("expected ", (*ordered_)->size(),
                     " runtime variables or their sources, found ", uses.size());
    }
    for (size_t i = 0; i < uses.size(); ++i) {
      // The value of an unused variable does not matter.
      one.runtime.push_back(
          uses[i] ? impl::RuntimeSource{meant[i]->position,
                                        element_in(*meant[i], one.map, question_.direction),
                                        meant[i]->feasible}
                  : impl::RuntimeSource{{{}, 0, 0}, {}, one.map.runtime[i].bounds});
      // Here bounds may leave out values that the clamped value can have.
      Interval& bounds = one.map.runtime[i].bounds;
      if (bounds == one.runtime[i].feasible) continue;
      const NodeId variable = add_variable(one.map.nodes, Op::kRuntime, static_cast<int64_t>(i));
      one.map.constraints.push_back({variable, bounds});
      bounds = one.runtime[i].feasible;
    }
    return check_sources(one);
  }

  const HloQuestion& question_;
  const spec::Provenance& provenance_;
  std::optional<size_t> count_;  // of runtime variables
  std::optional<absl::StatusOr<std::vector<OrderedVariable>>> ordered_;
};

// Relates all elements to all elements.
impl::LeafMaps everything(const spec::Dims& from, const spec::Dims& to) {
  impl::IndexedMap one;
  for (int64_t size : from) one.map.dimensions.push_back({{0, size - 1}, ""});
  for (int64_t size : to) {
    one.map.results.push_back(add_variable(one.map.nodes, Op::kRange, std::ssize(one.map.ranges)));
    one.map.ranges.push_back({{0, size - 1}, ""});
  }
  impl::LeafMaps maps;
  maps.maps.push_back(std::move(one));
  maps.inexact = true;
  return maps;
}

// Whether each list is inexact.
absl::StatusOr<std::vector<bool>> read_inexact(const Json& json, size_t lists) {
  std::vector<bool> inexact(lists, false);
  if (json.is_null()) return inexact;
  const auto* numbers = json.as<Json::Array>();
  const auto wrong = [&] {
    return invalid("expected inexact to have numbers of lists, found ", found(json));
  };
  if (numbers == nullptr) return wrong();
  for (const Json& number : *numbers) {
    const int64_t* at = number.as<int64_t>();
    if (at == nullptr || *at < 0 || *at >= static_cast<int64_t>(lists)) return wrong();
    inexact[static_cast<size_t>(*at)] = true;
  }
  return inexact;
}

using From = spec::access::Projection::From;

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
    const bool outside =
        question.scope == Scope::kInstruction && read.source.computation == question.computation;
    const HloOpcode opcode = question.module.computations[read.source.computation]
                                 .instructions[read.source.instruction]
                                 .opcode;
    return !outside && (opcode == HloOpcode::kConstant || opcode == HloOpcode::kIota);
  }
  return false;
}

}  // namespace

absl::StatusOr<HloClaim> read_hlo_claim(const HloQuestion& question,
                                        const spec::Provenance& provenance, const Answer& answer) {
  size_t expected = 0;
  for (const std::vector<spec::Dims>& operand : provenance.sources) expected += operand.size();
  const auto* lists = answer.result.as<Json::Array>();
  if (lists == nullptr || lists->size() != expected) {
    return invalid("expected an array of ", expected, " lists of maps, found ",
                   lists == nullptr ? found(answer.result) : absl::StrCat(lists->size()));
  }
  const std::vector<bool> inexact = TRY(read_inexact(answer.inexact, expected));
  HloClaim claim;
  ClaimReader reader(question, provenance);
  size_t number = 0;
  for (const std::vector<spec::Dims>& operand : provenance.sources) {
    claim.indexing.emplace_back();
    for (const spec::Dims& dims : operand) {
      const Json& given = (*lists)[number];
      if (given == Json("unknown")) {
        if (!claim.unknown) claim.unknown = static_cast<int64_t>(number);
        claim.indexing.back().push_back(everything(provenance.dims, dims));
      } else {
        impl::LeafMaps list =
            TRY(prefixed(absl::StrCat("list ", number), reader.list(given, dims.size())));
        list.inexact = inexact[number];
        claim.indexing.back().push_back(std::move(list));
      }
      ++number;
    }
  }
  return claim;
}

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
  const bool alone = question.scope == Scope::kInstruction;
  walk.into({}, question.instruction, question.is_inverse() ? 0 : question.array, alone);
  if (walk.left < 0) return absl::UnimplementedError("too many calls to look for offsets in");
  if (walk.readers.empty()) return std::vector<OrderedVariable>();
  if (walk.readers.size() > 1) {
    return invalid(
        "expected the sources of the runtime variables, because several operations have offsets");
  }
  const Reader& reader = walk.readers[0];
  const bool direct = alone && reader.position.calls.empty();
  std::vector<OrderedVariable> variables;
  for (const spec::RuntimeVariable& variable : reader.relation.runtime) {
    if (has(variable.element, From::kRange)) {
      return invalid(
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
    return invalid("expected the name of an instruction in the scope, found ", shown(name, 80));
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

#include "verify/ways.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "absl/strings/str_cat.h"
#include "verify/formula.h"

namespace tileproof::verify {
namespace {

using spec::Dims;
using LeafOf = std::pair<int32_t, int64_t>;  // instruction or operand, leaf

// A step that takes every index to itself.
bool is_identity(const spec::Flow& flow, const Dims& dims) {
  const auto* pick = std::get_if<spec::way::Pick>(&flow.way);
  if (pick == nullptr || !flow.ranges.empty() || pick->coordinates.size() != dims.size()) {
    return false;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const spec::way::Pick::Coordinate& c = pick->coordinates[d];
    if (c.from != spec::way::Pick::From::kOutput || c.number != static_cast<int64_t>(d)) {
      return false;
    }
  }
  return true;
}

// Steps whose result does not depend on the index before them.
bool forgets(const Way& way) {
  if (way.steps.empty()) return false;
  const Step& step = way.steps.front();
  const auto* pick = std::get_if<spec::way::Pick>(&step.relation->flows[step.flow].way);
  return pick != nullptr && std::ranges::all_of(pick->coordinates, [](const auto& c) {
           return c.from != spec::way::Pick::From::kOutput;
         });
}

// The way leads from every index to some index, whatever the values.
bool always_flows(const Way& way) {
  return std::ranges::all_of(way.steps, [](const Step& step) {
    return std::holds_alternative<spec::way::Pick>(step.relation->flows[step.flow].way);
  }) && std::ranges::all_of(way.ranges, [](int64_t size) { return size > 0; });
}

Way joined(const Way& first, const Way& second) {
  if (forgets(second) && always_flows(first)) return second;
  Way way = first;
  way.operand = second.operand;
  way.leaf = second.leaf;
  way.steps.insert(way.steps.end(), second.steps.begin(), second.steps.end());
  way.ranges.insert(way.ranges.end(), second.ranges.begin(), second.ranges.end());
  return way;
}

// ---- Ways that say the same are one ----

void append_text(const Quotients& atoms, const Sum& sum, std::string& text) {
  if (sum.too_large) absl::StrAppend(&text, "?");
  absl::StrAppend(&text, static_cast<int64_t>(sum.constant >> 64), ":",
                  static_cast<uint64_t>(sum.constant));
  std::vector<std::string> terms;
  for (const auto& [product, coefficient] : sum.terms) {
    std::string term = absl::StrCat("+", static_cast<int64_t>(coefficient >> 64), ":",
                                    static_cast<uint64_t>(coefficient));
    for (const int32_t number : product) {
      const Quotients::Atom& atom = atoms.atoms()[number];
      if (atom.divisor == 0) {
        absl::StrAppend(&term, "*", number);
      } else {
        absl::StrAppend(&term, "*(");
        append_text(atoms, atom.dividend, term);
        absl::StrAppend(&term, "/", static_cast<int64_t>(atom.divisor), ")");
      }
    }
    terms.push_back(std::move(term));
  }
  std::ranges::sort(terms);
  for (const std::string& term : terms) text += term;
  text += ';';
}

void append_text(const Quotients& atoms, const Formula& formula, std::string& text) {
  absl::StrAppend(&text, "F", static_cast<int>(formula.kind()), "(");
  if (formula.kind() == Formula::Kind::kLiteral) append_text(atoms, formula.literal(), text);
  for (const Formula& part : formula.parts()) append_text(atoms, part, text);
  text += ')';
}

// Equal texts: the same relation, variable for variable. Empty: nothing flows.
std::string text_of(const Way& way, const Dims& result) {
  std::string text = absl::StrCat(way.operand, "#", way.leaf, " ");
  std::vector<Interval> bounds;
  for (const Dims* sizes : {&result, &way.ranges}) {
    for (const int64_t size : *sizes) {
      if (size == 0) return "";
      bounds.push_back({0, size - 1});
      absl::StrAppend(&text, size, ",");
    }
  }
  for (const Interval& read : reads_of(way)) bounds.push_back(read);
  Quotients atoms(bounds);
  int32_t next = 0;
  std::vector<Symbol> o, s;
  for (size_t d = 0; d < result.size(); ++d) o.emplace_back(atoms.atom(next++));
  for (size_t k = 0; k < way.ranges.size(); ++k) s.emplace_back(atoms.atom(next++));
  const auto value = [&](const Read<Symbol>& read) {
    absl::StrAppend(&text, "R", read.place.instruction, "#", read.place.leaf, "[", read.low, ",",
                    read.high, "]");
    for (const int32_t call : read.place.calls) absl::StrAppend(&text, "/", call);
    for (const Symbol& symbol : read.index) append_text(atoms, symbol.sum, text);
    return Symbol(atoms.atom(next++));
  };
  const Walked<Symbol> walked = walk(way, std::move(o), s, value);
  for (const Symbol& symbol : walked.index) append_text(atoms, symbol.sum, text);
  append_text(atoms, walked.flows, text);
  return text;
}

absl::Status too_many(const HloInstruction& instruction) {
  return absl::ResourceExhaustedError(
      absl::StrCat(instruction.name, ": more than ", kMostWays, " ways to one array"));
}

// Ways of one array, each once.
class WaySet {
 public:
  void add(Way way, const Dims& result) {
    if (full_ || !known_.insert(text_of(way, result)).second) return;
    full_ = ++count_[{way.operand, way.leaf}] > kMostWays;
    ways_.push_back(std::move(way));
  }
  bool full() const { return full_; }
  std::vector<Way> take() { return std::move(ways_); }

 private:
  std::set<std::string> known_ = {""};
  std::map<LeafOf, int64_t> count_;
  bool full_ = false;
  std::vector<Way> ways_;
};

void add_reasons(Definition& definition, const std::vector<std::string>& reasons) {
  for (const std::string& reason : reasons) {
    if (std::ranges::find(definition.conservative, reason) == definition.conservative.end()) {
      definition.conservative.push_back(reason);
    }
  }
}

}  // namespace

bool uses_runtime(const spec::Flow& flow) {
  using namespace spec::way;  // NOLINT: many of its names
  return std::visit(
      [](const auto& way) {
        using W = std::decay_t<decltype(way)>;
        return std::is_same_v<W, DynamicSlice> || std::is_same_v<W, DynamicUpdate> ||
               std::is_same_v<W, DynamicUpdateOperand> || std::is_same_v<W, Gather> ||
               std::is_same_v<W, ScatterUpdate> || std::is_same_v<W, ScatterOtherOperand>;
      },
      flow.way);
}

std::vector<Interval> reads_of(const Way& way) {
  std::vector<Interval> reads;
  for (const Step& step : way.steps) {
    if (!uses_runtime(step.relation->flows[step.flow])) continue;
    for (const spec::RuntimeVariable& variable : step.relation->runtime) {
      reads.push_back({variable.low, variable.high});
    }
  }
  return reads;
}

absl::StatusOr<Definition> Definitions::of(int32_t computation, int32_t instruction, int64_t leaf) {
  const HloInstruction& at = module_.computations[computation].instructions[instruction];
  auto relation = spec::relation_of(module_, computation, instruction, leaf);
  if (!relation.ok()) return relation.status();
  const auto leaves = spec::leaves_of(*at.shape);
  if (!leaves.ok()) return leaves.status();
  const Dims& dims = (*leaves)[leaf].dims;
  Definition definition;
  WaySet ways;
  if (relation->enters) {
    const auto inside = of_root(relation->enters->computation, relation->enters->leaf);
    if (!inside.ok()) return inside.status();
    definition.conservative = inside->conservative;
    for (Way way : inside->ways) {
      for (Step& step : way.steps) step.calls.insert(step.calls.begin(), instruction);
      ways.add(std::move(way), dims);
    }
  } else {
    if (!relation->conservative.empty()) definition.conservative.push_back(relation->conservative);
    const auto shared = std::make_shared<const spec::Relation>(*std::move(relation));
    std::vector<int32_t> operands;
    for (const HloOperand& operand : at.operands) operands.push_back(operand.instruction);
    for (size_t f = 0; f < shared->flows.size(); ++f) {
      const spec::Flow& flow = shared->flows[f];
      Way way{static_cast<int32_t>(flow.operand), flow.leaf, {}, flow.ranges};
      if (!is_identity(flow, dims)) way.steps.push_back({shared, f, {}, operands});
      ways.add(std::move(way), dims);
    }
  }
  if (ways.full()) return too_many(at);
  definition.ways = ways.take();
  return definition;
}

absl::StatusOr<Definition> Definitions::of_root(int32_t computation, int64_t leaf) {
  const auto known = roots_.find({computation, leaf});
  if (known != roots_.end()) return known->second;
  if (depth_ >= kMostCalls) {
    return absl::ResourceExhaustedError(
        absl::StrCat(module_.computations[computation].name, ": calls nest deeper than ",
                     kMostCalls));
  }
  ++depth_;
  const absl::StatusOr<Definition> result = to_parameters(computation, leaf);
  --depth_;
  roots_.emplace(std::pair{computation, leaf}, result);
  return result;
}

// What is needed is found from the root back, ways are joined from the parameters on.
absl::StatusOr<Definition> Definitions::to_parameters(int32_t computation, int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  std::map<LeafOf, Definition> own, whole;
  std::set<LeafOf, std::greater<>> wanted = {{within.root, leaf}};
  for (auto at = wanted.begin(); at != wanted.end(); ++at) {
    absl::StatusOr<Definition> definition = of(computation, at->first, at->second);
    if (!definition.ok()) return definition.status();
    const auto& operands = within.instructions[at->first].operands;
    for (const Way& way : definition->ways) {
      wanted.insert({operands[way.operand].instruction, way.leaf});
    }
    own.emplace(*at, *std::move(definition));
  }
  for (const auto& [place, definition] : own) {
    const HloInstruction& instruction = within.instructions[place.first];
    Definition& result = whole[place];
    result.conservative = definition.conservative;
    if (instruction.opcode == HloOpcode::kParameter) {
      result.ways.push_back(
          {static_cast<int32_t>(instruction.parameter_number), place.second, {}, {}});
      continue;
    }
    const auto leaves = spec::leaves_of(*instruction.shape);
    if (!leaves.ok()) return leaves.status();
    WaySet ways;
    for (const Way& way : definition.ways) {
      const Definition& before = whole[{instruction.operands[way.operand].instruction, way.leaf}];
      add_reasons(result, before.conservative);
      for (const Way& further : before.ways) {
        ways.add(joined(way, further), (*leaves)[place.second].dims);
      }
    }
    if (ways.full()) return too_many(instruction);
    result.ways = ways.take();
  }
  return std::move(whole[{within.root, leaf}]);
}

}  // namespace tileproof::verify

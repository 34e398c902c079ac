// SPDX-License-Identifier: Apache-2.0
#include "verify/trace/inference.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::trace {
namespace {

using impl::Claim;
using impl::ClaimKind;

absl::Status wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

bool all_implied(const Facts& by, const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (!by.imply(fact)) return false;
  }
  return true;
}

Facts set_of(const std::vector<Fact>& facts) {
  Facts set;
  for (const Fact& fact : facts) set.add(fact);
  return set;
}

std::vector<Fact> facts_of(const impl::Facts<Value>& stated) {
  std::vector<Fact> facts;
  for (const impl::Fact<Value>& fact : stated) facts.push_back(make_fact(fact));
  return facts;
}

absl::StatusOr<std::optional<Wide>> parse_end(absl::string_view text, absl::string_view infinite) {
  if (text == infinite) return std::optional<Wide>();
  const Wide value = TRY(parse_integer(text));
  return std::optional<Wide>(value);
}

class SectionReader {
 public:
  explicit SectionReader(const Section& section) : section_(section) {}

  absl::StatusOr<Inferences> read() {
    add_variables("d", section_.before.dimensions.size());
    add_variables("s", section_.before.ranges.size());
    add_variables("rt", section_.before.runtime.size());
    for (const Let& let : section_.lets) {
      const absl::Status status = read_let(let);
      if (!status.ok()) return error_at(let.line, status.message());
    }
    for (const Step& step : section_.steps) {
      absl::StatusOr<Inference> inference = read_step(step);
      if (!inference.ok()) return error_at(step.line, inference.status().message());
      inference->line = step.line;
      result_.steps.push_back(*std::move(inference));
    }
    return std::move(result_);
  }

 private:
  void add_variables(absl::string_view prefix, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      names_[absl::StrCat(prefix, i)] = unknown(static_cast<int>(result_.table.unknowns.size()));
      result_.table.unknowns.push_back({});
    }
  }

  Value value(Polynomial polynomial, const Equations* equations) {
    return {std::move(polynomial), &result_.table, equations};
  }

  absl::Status read_let(const Let& let) {
    const Polynomial inside = TRY(parse_polynomial(let.inside, names_));
    const Wide divisor = TRY(parse_integer(let.divisor));
    const Value floor =
        floordiv(value(inside, nullptr), value(constant_polynomial(divisor), nullptr));
    if (!floor.polynomial.valid) return wrong("expected a floor of a polynomial by a constant");
    if (let.name.empty() || let.name[0] != 'f' ||
        !names_.emplace(let.name, floor.polynomial).second) {
      return wrong("expected a new name f1, f2, ..");
    }
    return absl::OkStatus();
  }

  // "P in [l, h]" or "P = Q".
  absl::Status read_fact(absl::string_view text, Inference& to) {
    if (const size_t at = text.find(" = "); at != absl::string_view::npos) {
      const Polynomial left = TRY(parse_polynomial(text.substr(0, at), names_));
      const Polynomial right = TRY(parse_polynomial(text.substr(at + 3), names_));
      to.as_written = {sum(left, product(right, constant_polynomial(-1))), 0, 0};
      to.says = make_fact(to.as_written.polynomial, 0, 0);
      if (left.terms.size() == 1 && left.terms.begin()->first.size() == 1 &&
          left.terms.begin()->second == 1) {
        to.equation = {left.terms.begin()->first[0], right};
      }
    } else {
      const size_t in = text.find(" in ["), comma = text.rfind(", ");
      if (in == absl::string_view::npos || comma == absl::string_view::npos || comma < in + 5 ||
          !absl::ConsumeSuffix(&text, "]")) {
        return wrong(absl::StrCat("expected 'P in [l, h]' or 'P = Q', found '", text, "'"));
      }
      const Polynomial form = TRY(parse_polynomial(text.substr(0, in), names_));
      const auto low = TRY(parse_end(text.substr(in + 5, comma - in - 5), "-inf"));
      const auto high = TRY(parse_end(text.substr(comma + 2), "inf"));
      to.as_written = {form, low, high};
      to.says = make_fact(form, low, high);
    }
    if (!to.says->polynomial.valid) return wrong("expected numbers within 127 bits");
    return absl::OkStatus();
  }

  absl::StatusOr<Inference> read_step(const Step& step) {
    Inference inference;
    Equations equations;
    for (int position : step.rules) {
      const Inference& rule = result_.steps[position];
      if (!rule.equation) return wrong("expected equations of unknowns after 'using'");
      if (!equations.insert(*rule.equation).second) {
        return wrong("expected one equation for each unknown after 'using'");
      }
      inference.needs.push_back(*rule.says);
    }
    for (const auto& [positions, to] :
         {std::pair{&step.from, &inference.from}, std::pair{&step.given, &inference.needs}}) {
      for (int position : *positions) {
        if (!result_.steps[position].says) return wrong("expected premises that are facts");
        to->push_back(*result_.steps[position].says);
      }
    }
    TRY(step.by.empty() ? read_map_step(step, equations, inference)
                        : read_reason(step, equations, inference));
    return inference;
  }

  // ---- Constraints and results ------------------------------------------------------------------

  absl::Status read_map_step(const Step& step, const Equations& equations, Inference& to) {
    absl::string_view says = step.says;
    const bool is_new = absl::ConsumePrefix(&says, "new ");
    const bool constraint = absl::ConsumePrefix(&says, "constraint ");
    if (!constraint && !absl::ConsumePrefix(&says, "result ")) return wrong("expected a reason");
    if (!step.from.empty() || (constraint && !step.given.empty())) {
      return wrong(
          absl::StrCat("expected only ", constraint ? "" : "'given' and ", "'using' here"));
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(says, absl::MaxSplits(" is ", 1));
    const IndexingMap& map = is_new ? section_.after : section_.before;
    if (!read_number(parts.first, constraint, map, to.number)) {
      return wrong("expected the number of a constraint or result");
    }
    absl::string_view other = parts.second;
    if (is_new && absl::ConsumePrefix(&other, constraint ? "constraint " : "result ")) {
      return read_same(other, constraint, to);
    }
    if (constraint) {
      to.kind = is_new ? InferenceKind::kNewConstraint : InferenceKind::kConstraint;
      return read_constraint(parts.second, map, equations, to);
    }
    to.kind = is_new ? InferenceKind::kNewResult : InferenceKind::kResult;
    to.value = TRY(parse_polynomial(parts.second, names_));
    // The result minus the polynomial in the text must be 0, by itself or by the given facts.
    const Polynomial minus = product(to.value, constant_polynomial(-1));
    const Polynomial rest = sum(evaluated(map, map.results[to.number], equations), minus);
    const bool shown = set_of(substituted(to.needs, equations)).imply(make_fact(rest, 0, 0));
    return shown ? absl::OkStatus() : wrong("expected the polynomial of the result");
  }

  static bool read_number(absl::string_view text, bool constraint, const IndexingMap& map,
                          size_t& number) {
    return absl::SimpleAtoi(text, &number) &&
           number < (constraint ? map.constraints.size() : map.results.size());
  }

  absl::Status read_same(absl::string_view number, bool constraint, Inference& to) const {
    const IndexingMap &before = section_.before, &after = section_.after;
    if (!read_number(number, constraint, before, to.other)) {
      return wrong("expected the number of a constraint or result");
    }
    to.kind = constraint ? InferenceKind::kSameConstraint : InferenceKind::kSameResult;
    const NodeId old_root =
        constraint ? before.constraints[to.other].expr : before.results[to.other];
    const NodeId new_root =
        constraint ? after.constraints[to.number].expr : after.results[to.number];
    const bool one =
        same_expression(before.nodes, old_root, after.nodes, new_root) &&
        (constraint ? before.constraints[to.other].interval == after.constraints[to.number].interval
                    : to.other == to.number);
    return one ? absl::OkStatus() : wrong("expected the same text before and after");
  }

  absl::Status read_constraint(absl::string_view text, const IndexingMap& map,
                               const Equations& equations, Inference& to) {
    TRY(read_fact(text, to));
    const Constraint& constraint = map.constraints[to.number];
    const Fact meant = make_fact(evaluated(map, constraint.expr, equations),
                                 constraint.interval.low, constraint.interval.high);
    to.backward = set_of({*to.says}).imply(meant);
    return set_of({meant}).imply(*to.says) ? absl::OkStatus()
                                           : wrong("expected what the constraint says");
  }

  // The value of the expression. Equations replace its variables and floors.
  Polynomial evaluated(const IndexingMap& map, NodeId root, const Equations& equations) {
    std::vector<Value> values(root + 1, value({}, &equations));
    std::vector<char> needed(root + 1, 0);
    needed[root] = 1;
    for (NodeId id = root; id >= 0; --id) {
      if (!needed[id] || is_leaf(map.nodes[id].op)) continue;
      needed[map.nodes[id].left] = needed[map.nodes[id].right] = 1;
    }
    for (NodeId id = 0; id <= root; ++id) {
      if (needed[id]) values[id] = step_value(map, id, values, equations);
    }
    return values[root].polynomial;
  }

  Value step_value(const IndexingMap& map, NodeId id, const std::vector<Value>& values,
                   const Equations& equations) {
    const Node& node = map.nodes[id];
    const auto variable = [&](size_t first) {
      const int number = static_cast<int>(first) + static_cast<int>(node.value);
      const auto equation = equations.find(number);
      return value(equation != equations.end() ? equation->second : unknown(number), &equations);
    };
    switch (node.op) {
      case Op::kConstant:
        return value(constant_polynomial(node.value), &equations);
      case Op::kDimension:
        return variable(0);
      case Op::kRange:
        return variable(map.dimensions.size());
      case Op::kRuntime:
        return variable(map.dimensions.size() + map.ranges.size());
      case Op::kAdd:
        return values[node.left] + values[node.right];
      case Op::kMul:
        return values[node.left] * values[node.right];
      case Op::kFloorDiv:
        return floordiv(values[node.left], values[node.right]);
      case Op::kCeilDiv:
        return ceildiv(values[node.left], values[node.right]);
      case Op::kMod:
        break;
    }
    return mod(values[node.left], values[node.right]);
  }

  // ---- Facts and their reasons ------------------------------------------------------------------

  absl::Status read_reason(const Step& step, const Equations& equations, Inference& to) {
    if (step.says == "never") {
      to.kind = InferenceKind::kNever;
    } else if (const absl::Status status = read_fact(step.says, to); !status.ok()) {
      return status;
    }
    if (step.by == "known") {
      if (!to.says) return wrong("expected a fact before 'by known'");
      to.kind = InferenceKind::kKnown;
      return absl::OkStatus();
    }
    const size_t open = step.by.find('(');
    const absl::string_view name = absl::string_view(step.by).substr(0, open);
    std::vector<absl::string_view> arguments;
    if (open != std::string::npos) {
      absl::string_view inside = absl::string_view(step.by).substr(open + 1);
      if (!absl::ConsumeSuffix(&inside, ")")) return wrong("expected ')' after the instance");
      arguments = absl::StrSplit(inside, ", ");
    }
    if (name == "rewriting") return check_rewriting(equations, to);
    if (name == "sum") return check_sum(arguments, step.given, equations, to);
    const lemmas::StatedLemma* lemma = lemmas::find_lemma(name);
    if (lemma == nullptr) return wrong(absl::StrCat("expected a lemma, found '", name, "'"));
    return check_lemma(*lemma, arguments, equations, to);
  }

  Fact substituted(const Fact& fact, const Equations& equations) {
    return rewritten(fact, result_.table, equations);
  }
  std::vector<Fact> substituted(const std::vector<Fact>& facts, const Equations& equations) {
    std::vector<Fact> result;
    for (const Fact& fact : facts) result.push_back(substituted(fact, equations));
    return result;
  }

  absl::Status check_rewriting(const Equations& equations, Inference& to) {
    if (!to.says || to.from.size() != 1) return wrong("expected one fact to rewrite");
    const Fact before = substituted(to.from[0], equations),
               after = substituted(*to.says, equations);
    to.backward = set_of({after}).imply(before);
    return set_of({before}).imply(after) ? absl::OkStatus()
                                         : wrong("the fact is not a rewriting of its premise");
  }

  // factor * fact + .., each fact with the sign and the constant of its text.
  absl::Status check_sum(const std::vector<absl::string_view>& factors,
                         const std::vector<int>& given, const Equations& equations, Inference& to) {
    if (!to.says || !to.from.empty() || factors.size() != given.size()) {
      return wrong("expected a factor for each fact");
    }
    Polynomial total;
    std::optional<Wide> low = 0, high = 0;
    for (size_t i = 0; i < factors.size(); ++i) {
      const Wide factor = TRY(parse_integer(factors[i]));
      const Fact& fact = result_.steps[given[i]].as_written;
      total = sum(total, product(fact.polynomial, constant_polynomial(factor)));
      const bool swap = factor < 0;
      for (const auto& [end, by] : {std::pair{&low, swap ? fact.high : fact.low},
                                    std::pair{&high, swap ? fact.low : fact.high}}) {
        Wide part;
        if (!*end || !by || !multiply(*by, factor, part) || !add(**end, part, **end)) end->reset();
      }
    }
    const Fact shown = substituted(make_fact(total, low, high), equations);
    return set_of({shown}).imply(substituted(*to.says, equations)) ? absl::OkStatus()
                                                                   : wrong("expected the sum");
  }

  absl::Status check_lemma(const lemmas::StatedLemma& lemma,
                           const std::vector<absl::string_view>& arguments,
                           const Equations& equations, Inference& to) {
    if (arguments.size() != lemma.variables.size()) {
      return wrong(absl::StrCat("expected ", lemma.variables.size(), " values of ", lemma.name));
    }
    std::map<std::string, Value> values;
    for (size_t i = 0; i < arguments.size(); ++i) {
      absl::string_view text = arguments[i];
      if (!absl::ConsumePrefix(&text, absl::StrCat(lemma.variables[i], " = "))) {
        return wrong(absl::StrCat("expected the value of ", lemma.variables[i]));
      }
      const Polynomial polynomial = TRY(parse_polynomial(text, names_));
      values[lemma.variables[i]] =
          value(rewritten(polynomial, result_.table, equations), &equations);
    }
    const Value like = value({}, &equations);
    const Claim<Value> claim = lemmas::interpret(lemma.claim, values, value({}, &equations));
    const std::vector<Fact> hypotheses = facts_of(claim.hypotheses);
    const std::vector<Fact> before = facts_of(claim.before), after = facts_of(claim.after);
    if (!all_implied(set_of(substituted(to.needs, equations)), hypotheses)) {
      return wrong("a hypothesis of the lemma does not follow from the given facts");
    }
    const std::vector<Fact> from = substituted(to.from, equations);
    if (!all_implied(set_of(from), before)) return wrong("the lemma does not apply to these facts");
    if (lemma.claim.kind == ClaimKind::kNever) {
      return to.says ? wrong("expected 'never', the conclusion of the lemma") : absl::OkStatus();
    }
    if (!to.says) return wrong("expected a fact, as the lemma does not conclude 'never'");
    const Fact says = substituted(*to.says, equations);
    if (!set_of(after).imply(says)) return wrong("the lemma has another conclusion");
    to.backward = lemma.claim.kind == ClaimKind::kEquivalent &&
                  all_implied(set_of({says}), after) && all_implied(set_of(before), from);
    return absl::OkStatus();
  }

  const Section& section_;
  Names names_;
  Inferences result_;
};

}  // namespace

absl::StatusOr<Inferences> read_inferences(const Section& section) {
  return SectionReader(section).read();
}

}  // namespace tileproof::trace

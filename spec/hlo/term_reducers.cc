// SPDX-License-Identifier: Apache-2.0
// Operations that apply a computation to elements: map, scatter, and reductions by a computation that
// is no single operation. A bag has no order; these go from first to last.
#include <algorithm>
#include <utility>

#include "spec/hlo/definition_window.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

// The results of a computation of scalars: of each leaf of its root.
absl::StatusOr<std::vector<TermId>> Interpreter::applied(const Reading& reading,
                                                         absl::Span<const TermId> operands,
                                                         absl::string_view attribute) {
  const TermStep& step = reading.step;
  const int32_t called = called_computations(*step.at, attribute).at(0);
  TRY(check_depth(reading.frame, step));
  Frame inner = reading.frame;
  inner.computation = called;
  inner.calls.push_back(step.instruction);
  inner.is_recorded = false;
  ++inner.depth;
  Arrays parameters;
  for (size_t k = 0; k < operands.size(); ++k) {
    ArrayPtr& array = parameters[{static_cast<int32_t>(k), 0}];
    array = std::make_shared<TermArray>(Dims());
    array->terms = {operands[k]};
  }
  const HloComputation& computation = module_.computations[called];
  const Leaves leaves = TRY(leaves_of(*computation.instructions[computation.root].shape));
  std::vector<LeafOf> roots;
  for (int64_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    roots.emplace_back(computation.root, leaf);
  }
  std::vector<TermId> results;
  for (const auto& array : TRY(interpret(inner, roots, {parameters}))) {
    results.push_back(array[0]->terms[0]);
  }
  return results;
}

// The term of a sort's computation. Its parameters are elements of arrays `compared`. If it is not
// followed, a symbol of its text.
TermId Interpreter::order_of(const Reading& reading) {
  const TermStep& step = reading.step;
  std::vector<TermId> compared;
  for (const HloOperand& operand : step.at->operands) {
    const SharedShape& shape =
        module_.computations[reading.frame.computation].instructions[operand.instruction].shape;
    for (int64_t side = 0; side < 2 && shape; ++side) {
      const auto number = static_cast<int32_t>(compared.size());
      const SymbolId array = terms_.symbol(
          {.text = absl::StrCat("compared ", number, " ", info(shape->element_type).name),
           .opcode = HloOpcode::kSort,
           .type = shape->element_type,
           .operand = number});
      compared.push_back(terms_.element(array, 0));
    }
  }
  if (step.at->opcode == HloOpcode::kTopk) {
    const ElementType type = terms_.symbol_of(compared[0]).type;
    const absl::string_view order = is_integer(type) ? "" : " TOTALORDER";
    const SymbolId before =
        terms_.symbol({.text = absl::StrCat("compare LT of ", info(type).name, order),
                       .opcode = HloOpcode::kCompare,
                       .type = ElementType::kPred,
                       .from = type,
                       .direction = "LT"});
    if (*find_attribute(step.at->attributes, "largest") == "true") std::ranges::reverse(compared);
    return terms_.apply(before, compared);
  }
  const bool is_call = step.at->opcode == HloOpcode::kCustomCall;
  const auto order = applied(reading, compared, is_call ? "called_computations" : "to_apply");
  if (order.ok() && order->size() == 1) return order->front();
  return terms_.opaque(terms_.symbol({.text = step.order, .type = ElementType::kPred}), 0, {});
}

// A reduction of several arrays at once, or by a computation that is no single operation. Where that
// is one operation for the array, padding of a window counts as the init. Otherwise nobody knows
// whether it counts: StableHLO applies the computation to it, too; XLA's CPU backend leaves it out.
absl::StatusOr<std::optional<TermId>> Interpreter::folded(Reading& reading,
                                                          IterationPoint<int64_t>& point) {
  const TermStep& step = reading.step;
  const auto& dependences = step.relation.dependences;  // an array and its init, again and again
  const size_t inputs = dependences.size() / 2;
  const int64_t window = *element_count(dependences[0].ranges);
  const auto own = reducer_of_leaf(module_, *step.at, step.leaf, step.type);
  const TermId counts =
      terms_.opaque(terms_.symbol({.text = "padding counts", .type = ElementType::kPred}), 0, {});
  std::vector<std::vector<TermId>> elements(inputs);
  std::vector<TermId> all;  // the result so far
  for (size_t k = 0; k < inputs; ++k) {
    TRY(add_read(reading, dependences[2 * k + 1], point, all));
    if (std::ssize(all) != static_cast<int64_t>(k) + 1) return std::nullopt;
    TRY(add_read(reading, dependences[2 * k], point, elements[k], nullptr, own ? all[k] : counts));
    if (std::ssize(elements[k]) != window) return std::nullopt;
  }
  if (own) {
    elements[step.leaf].push_back(all[step.leaf]);
    return terms_.bag(terms_.symbol(*own), std::move(elements[step.leaf]));
  }
  const std::vector<TermId> inits = all;
  for (int64_t e = 0; e < window; ++e) {
    const bool is_padding = elements[0][e] == counts;
    const std::vector<TermId> before = all;
    for (size_t k = 0; k < inputs; ++k) all.push_back(is_padding ? inits[k] : elements[k][e]);
    all = TRY(applied(reading, all));
    if (all.size() != inputs) return std::nullopt;
    for (size_t k = 0; k < inputs && is_padding; ++k) {
      all[k] = selected(terms_.symbol_of(inits[k]).type, counts, all[k], before[k]);
    }
  }
  return all[step.leaf];
}

namespace {

// Where the element o of the array is in the updates at s: the values that the offsets must have.
// Nothing if none are.
std::optional<std::vector<int64_t>> landing(const op::IndexedWindows& t,
                                            const std::vector<int64_t>& o,
                                            const std::vector<int64_t>& s) {
  const std::vector<int64_t> zeros(t.start_map.size(), 0);
  const std::vector<int64_t> base = array_element(t, s, zeros);
  std::vector<int64_t> needed;
  for (size_t d = 0; d < o.size(); ++d) {
    const bool is_start = std::ranges::count(t.start_map, static_cast<int64_t>(d)) > 0;
    if (!is_start && base[d] != o[d]) return std::nullopt;
  }
  for (const int64_t d : t.start_map) {
    needed.push_back(o[d] - base[d]);
    if (!inside(needed.back(), t.array[d] - t.window_sizes[d] + 1)) return std::nullopt;
  }
  return needed;
}

}  // namespace

TermId Interpreter::lands(Reading& reading, const IterationPoint<int64_t>& point,
                          const std::vector<int64_t>& needed) {
  const TermStep& step = reading.step;
  TermId all = terms_.constant(ElementType::kPred, int64_t{1});
  for (size_t k = 0; k < needed.size(); ++k) {
    const RuntimeVariable& variable = step.relation.runtime[k];
    const TermArray& indices = *reading.operands.at({static_cast<int32_t>(variable.operand), 0});
    const TermId index =
        indices.terms[element_number(variable.dims, reach(variable.element, point).index)];
    const int32_t operand = step.at->operands[variable.operand].instruction;
    const ElementType type =
        module_.computations[reading.frame.computation].instructions[operand].shape->element_type;
    if (wrapped(type, needed[k]) != needed[k])
      return terms_.constant(ElementType::kPred, int64_t{0});
    const absl::string_view name = info(type).name;
    const SymbolId equal = terms_.symbol({.text = absl::StrCat("compare EQ of ", name),
                                          .opcode = HloOpcode::kCompare,
                                          .type = ElementType::kPred,
                                          .from = type,
                                          .direction = "EQ"});
    const SymbolId both = terms_.symbol({.text = "and pred of pred of pred",
                                         .opcode = HloOpcode::kAnd,
                                         .type = ElementType::kPred,
                                         .from = ElementType::kPred});
    all = terms_.apply(both,
                       {{all, terms_.apply(equal, {{index, terms_.constant(type, needed[k])}})}});
  }
  return all;
}

TermId Interpreter::selected(ElementType type, TermId predicate, TermId yes, TermId no) {
  if (terms_.is_constant(predicate)) return *terms_.value(predicate) != 0 ? yes : no;
  const SymbolId select = terms_.symbol({.text = absl::StrCat("select ", info(type).name),
                                         .opcode = HloOpcode::kSelect,
                                         .type = type,
                                         .from = ElementType::kPred});
  return terms_.apply(select, {{predicate, yes, no}});
}

// An element of an array, and then each update that lands on it, in their order. An addition of
// floating-point numbers that may land adds zero if it does not.
absl::StatusOr<TermId> Interpreter::updated(const Reading& reading, TermId result,
                                            const Updates& updates, absl::string_view attribute) {
  const ElementType type = reading.step.type;
  const bool is_bag =
      terms_.symbol_at(reading.step.symbol).opcode == HloOpcode::kAdd && float_format(type);
  if (updates.empty()) return result;
  if (!is_bag) {
    for (const auto& [predicate, update] : updates) {
      const TermId combined = TRY(applied(reading, {{result, update}}, attribute)).at(0);
      result = selected(type, predicate, combined, result);
    }
    return result;
  }
  std::vector<TermId> added = {result};
  const TermId zero = terms_.constant(type, 0.0);
  for (const auto& [predicate, update] : updates) {
    added.push_back(selected(type, predicate, update, zero));
  }
  const absl::string_view name = info(type).name;
  return terms_.bag(terms_.symbol({.text = absl::StrCat("add ", name, " of ", name),
                                   .opcode = HloOpcode::kAdd,
                                   .type = type,
                                   .from = type}),
                    std::move(added));
}

absl::StatusOr<TermId> Interpreter::scattered(Reading& reading, IterationPoint<int64_t>& point) {
  const TermStep& step = reading.step;
  const op::IndexedWindows& t = std::get<op::Scatter>(step.relation.dependences[1].access).table;
  std::vector<TermId> array;
  TRY(add_read(reading, step.relation.dependences[0], point, array));
  if (*element_count(t.windows) == 0) return array.at(0);
  const TermArray& updates = *reading.operands.at({2, 0});
  Updates landing_here;
  point.s.assign(t.windows.size(), 0);
  do {
    if (--work_ < 0) return check_work(*step.at);
    const auto needed = landing(t, point.o, point.s);
    if (!needed) continue;
    const TermId predicate = lands(reading, point, *needed);
    if (terms_.value(predicate) == 0) continue;
    landing_here.emplace_back(predicate, updates.terms[element_number(t.windows, point.s)]);
  } while (next_index(t.windows, point.s));
  return updated(reading, array.at(0), landing_here, "to_apply");
}

// Whether the window of the source element that this tap (point.s, its first half) leads to selects
// the element: the first, as long as `select` holds of it and each later one.
absl::StatusOr<TermId> Interpreter::is_selected(const Reading& reading,
                                                IterationPoint<int64_t>& point) {
  const TermStep& step = reading.step;
  const auto& s = std::get<op::SelectAndScatter>(step.relation.dependences[0].access);
  const TermArray& operand = *reading.operands.at({0, 0});
  const size_t rank = s.window.size();
  const Dims taps = taps_of(s.window);
  const std::vector<int64_t> own(point.s.begin(), point.s.begin() + static_cast<int64_t>(rank));
  std::optional<TermId> best;
  TermId is_own = terms_.constant(ElementType::kPred, int64_t{0});
  std::vector<int64_t> tap(rank, 0);
  do {
    if (--work_ < 0) return check_work(*step.at);
    std::ranges::copy(tap, point.s.begin() + static_cast<int64_t>(rank));
    const AccessedElement<int64_t> element = reach(s, point, 0);
    if (!element.in_domain) continue;
    const TermId next = operand.terms[element_number(s.operand, element.index)];
    const TermId is_next = terms_.constant(ElementType::kPred, int64_t{tap == own ? 1 : 0});
    if (!best) {
      best = next;
      is_own = is_next;
      continue;
    }
    const TermId keeps = TRY(applied(reading, {{*best, next}}, "select")).at(0);
    is_own = selected(ElementType::kPred, keeps, is_own, is_next);
    best = selected(step.type, keeps, *best, next);
  } while (next_index(taps, tap));
  return is_own;
}

absl::StatusOr<TermId> Interpreter::scattered_to_selected(Reading& reading,
                                                          IterationPoint<int64_t>& point) {
  const TermStep& step = reading.step;
  const auto& s = std::get<op::SelectAndScatter>(step.relation.dependences[0].access);
  const auto source = reading.operands.find({1, 0});
  const TermId init = reading.operands.at({2, 0})->terms.at(0);
  if (source == reading.operands.end()) return init;  // it has no elements
  const Dims taps = taps_of(s.window);
  Updates updates;
  std::vector<int64_t> tap(taps.size(), 0);
  do {
    point.s = tap;
    point.s.resize(2 * taps.size(), 0);
    const AccessedElement<int64_t> element = reach(s, point, 1);
    if (!element.in_domain) continue;
    const TermId predicate = TRY(is_selected(reading, point));
    if (terms_.value(predicate) == 0) continue;
    updates.emplace_back(predicate, source->second->terms[element_number(s.source, element.index)]);
  } while (next_index(taps, tap));
  std::ranges::reverse(updates);  // in the order of the source
  return updated(reading, init, updates, "scatter");
}

}  // namespace tileproof::spec

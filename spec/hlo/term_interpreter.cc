// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/term_interpreter.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "spec/hlo/device_routes.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::spec {
namespace {

bool has_elements(const Dims& dims) { return std::count(dims.begin(), dims.end(), 0) == 0; }

// Returns whether every result element reads the same elements.
bool is_uniform(const Dependence& dependence) {
  const auto* pick = std::get_if<access::Projection>(&dependence.access);
  if (pick == nullptr) return false;
  for (const access::Projection::Coordinate& c : pick->coordinates) {
    if (c.from == access::Projection::From::kOutput) return false;
  }
  return true;
}

// Returns whether every result element reads every element of the operand.
bool is_everything(const Dependence& dependence, const Dims& dims) {
  const auto* pick = std::get_if<access::Projection>(&dependence.access);
  const Dependence all = universe({}, dims);
  return pick != nullptr && dependence.ranges == dims &&
         pick->coordinates == std::get<access::Projection>(all.access).coordinates;
}

}  // namespace

absl::Status Interpreter::too_large(const HloInstruction& instruction,
                                    absl::string_view what) const {
  return absl::ResourceExhaustedError(
      absl::StrCat(instruction.name, ": too large to enumerate: ", what));
}

absl::Status Interpreter::check_work(const HloInstruction& instruction) const {
  if (work_ >= 0) return absl::OkStatus();
  return too_large(instruction, absl::StrCat("more than ", limits_.work, " steps"));
}

absl::Status Interpreter::check_depth(const Frame& frame, const TermStep& step) const {
  if (frame.depth < limits_.depth) return absl::OkStatus();
  return too_large(*step.at, absl::StrCat("calls nest deeper than ", limits_.depth));
}

absl::Status Interpreter::check_size(const TermStep& step, int64_t count) {
  for (const Dependence& dependence : step.relation.dependences) {
    const std::optional<int64_t> points =
        is_uniform(dependence) ? 0 : element_count(dependence.ranges);
    const std::optional<int64_t> all = points ? checked_mul(*points, count) : std::nullopt;
    if (!all || *all > work_) {
      return too_large(*step.at, absl::StrCat("more than ", work_, " steps"));
    }
  }
  return absl::OkStatus();
}

// ---- Where values come from ----

uint32_t Interpreter::new_origin(const Frame& frame, int32_t instruction, int64_t leaf,
                                 const Dims& dims) {
  origins_.push_back({frame.computation, instruction, leaf, dims, frame.calls, frame.is_recorded});
  return static_cast<uint32_t>(origins_.size() - 1);
}

HloElement Interpreter::element_at(const TermArray::Origin& origin) const {
  const OriginArray& at = origins_[origin.array];
  return {at.computation, at.instruction, at.leaf, element_index(at.dims, origin.element),
          at.calls};
}

// Whether an offset has its value, and nobody is asked: constants and iotas as they are written, and
// the counters of a loop. Others are runtime variables.
bool Interpreter::takes_value(const Frame& frame, const TermArray::Origin& origin) const {
  if (values_ == nullptr) return true;
  const OriginArray& at = origins_[origin.array];
  const HloOpcode opcode = module_.computations[at.computation].instructions[at.instruction].opcode;
  if (opcode == HloOpcode::kConstant || opcode == HloOpcode::kIota) return true;
  return frame.is_iteration && element_count(at.dims) == 1;
}

// The clamped values of all runtime variables at one point.
std::vector<int64_t> Interpreter::runtime_values(Reading& reading,
                                                 const IterationPoint<int64_t>& point) {
  const TermStep& step = reading.step;
  std::vector<int64_t> values;
  for (size_t k = 0; k < step.relation.runtime.size(); ++k) {
    const RuntimeVariable& variable = step.relation.runtime[k];
    std::vector<int64_t> index = reach(variable.element, point).index;
    const int64_t element = element_number(variable.dims, index);
    const auto [known, is_new] = reading.cache.try_emplace({k, element});
    if (is_new) {
      const TermArray& offsets = *reading.operands.at({static_cast<int32_t>(variable.operand), 0});
      const TermArray::Origin origin = offsets.origin_of(element);
      const HloElement source = element_at(origin);
      const std::optional<int64_t> value =
          takes_value(reading.frame, origin) ? terms_.value(offsets.terms[element]) : std::nullopt;
      const int32_t operand = step.at->operands[variable.operand].instruction;
      const SharedShape& shape =
          module_.computations[reading.frame.computation].instructions[operand].shape;
      known->second = value ? as_offset(shape->element_type, *value) : (*values_)(source);
      reading.asked = reading.asked || !value;
      // A loop knows its counters; what it reads from outside is asked for there.
      const bool is_here = reading.frame.is_recorded;
      if (origins_[origin.array].is_recorded && (is_here || !value)) {
        HloElement position = source;
        if (is_here) {
          position = {reading.frame.computation, operand, 0, std::move(index), reading.frame.calls};
        }
        reads_.emplace(std::make_pair(std::move(position), source), known->second);
      }
    }
    values.push_back(std::clamp(known->second, variable.low, variable.high));
  }
  return values;
}

// Whether each runtime variable has a value at a point.
bool Interpreter::knows_offsets(Reading& reading, IterationPoint<int64_t>& point) {
  if (values_ != nullptr) return true;
  for (const RuntimeVariable& variable : reading.step.relation.runtime) {
    const bool varies = std::ranges::any_of(variable.element.coordinates, [](const auto& c) {
      return c.from == access::Projection::From::kRange;
    });
    const TermArray& offsets = *reading.operands.at({static_cast<int32_t>(variable.operand), 0});
    if (varies) {
      for (const TermId term : offsets.terms) {
        if (!terms_.value(term)) return false;
      }
      continue;
    }
    const int64_t element = element_number(variable.dims, reach(variable.element, point).index);
    if (!terms_.value(offsets.terms[element])) return false;
  }
  return true;
}

// ---- The terms of one step ----

// One term for all elements of an array.
TermId Interpreter::whole(TermArray& array) {
  if (!array.whole) {
    work_ -= std::ssize(array.terms);
    const SymbolId list = terms_.symbol({.text = absl::StrCat("array ", dims_text(array.dims))});
    array.whole = terms_.opaque(list, 0, array.terms);
  }
  return *array.whole;
}

namespace {

// The array that a dependence reads; none if it has no elements to read (Interpreter::step_of).
TermArray* array_read(const Arrays& operands, const Dependence& dependence) {
  const auto found = operands.find({static_cast<int32_t>(dependence.operand), dependence.leaf});
  return found == operands.end() ? nullptr : found->second.get();
}

}  // namespace

// Adds the terms of the elements that a result element reads by one dependence: the loop over the
// range variables.
absl::Status Interpreter::add_read(Reading& reading, const Dependence& dependence,
                                   IterationPoint<int64_t>& point, std::vector<TermId>& terms,
                                   TermArray::Origin* origin, std::optional<TermId> outside) {
  if (!has_elements(dependence.ranges)) return absl::OkStatus();
  const TermStep& step = reading.step;
  const TermArray* const array = array_read(reading.operands, dependence);
  if (array == nullptr) {
    if (outside) terms.resize(terms.size() + *element_count(dependence.ranges), *outside);
    return absl::OkStatus();
  }
  const TermArray& operand = *array;
  const bool needs_values = !step.relation.runtime.empty() &&
                            !std::holds_alternative<access::Projection>(dependence.access);
  point.s.assign(dependence.ranges.size(), 0);
  do {
    if (--work_ < 0) return check_work(*step.at);
    if (needs_values) {
      point.rt = reading.offsets != nullptr ? *reading.offsets : runtime_values(reading, point);
    }
    const AccessedElement<int64_t> reached = reach(dependence, point);
    if (!reached.in_domain) {
      if (outside) terms.push_back(*outside);
      continue;
    }
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      if (!inside(reached.index[d], operand.dims[d])) {
        return absl::InternalError(absl::StrCat(step.at->name, ": operand ", dependence.operand,
                                                " has no element ", dims_text(reached.index)));
      }
    }
    const int64_t number = element_number(operand.dims, reached.index);
    terms.push_back(operand.terms[number]);
    if (origin != nullptr) *origin = operand.origin_of(number);
  } while (next_index(dependence.ranges, point.s));
  return absl::OkStatus();
}

// A branch of a select, if the predicate can choose no other.
TermId Interpreter::chosen(TermId predicate, TermId branch) {
  if (terms_.is_constant(predicate)) return branch;
  return terms_.read(terms_.symbol({.text = "chosen"}), {{branch, predicate}});
}

TermId Interpreter::selected(SymbolId f, TermId predicate, TermId yes, TermId no) {
  const std::vector<int64_t>* possible = terms_.possible(predicate, work_);
  if (possible == nullptr || possible->size() != 1) return terms_.apply(f, {{predicate, yes, no}});
  return chosen(predicate, possible->front() != 0 ? yes : no);
}

// `arrays`: how many of the terms are no offsets.
TermId Interpreter::combined(const TermStep& step, int64_t number, std::vector<TermId>& terms,
                             size_t arrays) {
  switch (step.rule) {
    case Rule::kMove:
      if (terms.size() == 1) return terms[0];
      break;
    case Rule::kApply:
      if (step.swaps && terms.size() == 2) std::swap(terms[0], terms[1]);
      return terms_.apply(step.symbol, terms);
    case Rule::kSelect:
      if (terms.size() != 3) break;
      return selected(step.symbol, terms[0], terms[1], terms[2]);
    case Rule::kBag:
      return terms_.bag(step.symbol, std::move(terms));
    case Rule::kRead: {
      if (arrays != 1) break;
      const bool is_known = std::all_of(terms.begin() + 1, terms.end(),
                                        [&](TermId term) { return terms_.is_constant(term); });
      return is_known ? terms[0] : terms_.read(terms_.symbol({.text = "chosen"}), terms);
    }
    default:
      break;
  }
  return terms_.opaque(step.symbol, number, terms);
}

// What an element reads for each tuple of offsets of which some have no value. Nothing if it is not
// one element each time.
absl::StatusOr<std::optional<TermId>> Interpreter::choices(Reading& reading,
                                                           IterationPoint<int64_t>& point) {
  const TermStep& step = reading.step;
  const auto& instructions = module_.computations[reading.frame.computation].instructions;
  Symbol symbol{.text = "read", .opcode = HloOpcode::kDynamicSlice, .type = step.type};
  std::vector<TermId> terms;
  std::vector<int64_t> least, offsets;
  std::vector<size_t> open;
  Dims sizes;
  for (const RuntimeVariable& variable : step.relation.runtime) {
    const TermArray& array = *reading.operands.at({static_cast<int32_t>(variable.operand), 0});
    const TermId term =
        array.terms[element_number(variable.dims, reach(variable.element, point).index)];
    const ElementType type =
        instructions[step.at->operands[variable.operand].instruction].shape->element_type;
    const std::optional<int64_t> value = terms_.value(term);
    least.push_back(value ? std::clamp(as_offset(type, *value), variable.low, variable.high)
                          : variable.low);
    if (value) continue;
    open.push_back(least.size() - 1);
    sizes.push_back(variable.high - variable.low + 1);
    terms.push_back(term);
    symbol.bounds.push_back({variable.low, variable.high});
    absl::StrAppend(&symbol.text, " ", variable.low, "..", variable.high);
  }
  offsets = least;
  reading.offsets = &offsets;
  std::vector<int64_t> at(sizes.size(), 0);
  do {
    for (size_t k = 0; k < open.size(); ++k) offsets[open[k]] = least[open[k]] + at[k];
    const size_t before = terms.size();
    for (const Dependence& dependence : step.relation.dependences) {
      if (dependence.operand < step.arrays) TRY(add_read(reading, dependence, point, terms));
    }
    if (terms.size() != before + 1) return std::nullopt;
  } while (next_index(sizes, at));
  reading.offsets = nullptr;
  return terms_.read(terms_.symbol(std::move(symbol)), terms);
}

absl::StatusOr<TermId> Interpreter::element(Reading& reading, const std::vector<TermId>& everywhere,
                                            IterationPoint<int64_t>& point, int64_t number,
                                            TermArray& result) {
  const TermStep& step = reading.step;
  std::vector<TermId> terms;
  TermArray::Origin origin;
  const bool keeps = step.keeps_origin && is_integer(step.type);
  if (step.rule == Rule::kScatter) return scattered(reading, point);
  if (step.rule == Rule::kSelectAndScatter) return scattered_to_selected(reading, point);
  if (step.rule == Rule::kFold) {
    if (const auto all = TRY(folded(reading, point))) return *all;
  }
  if (step.rule == Rule::kSort && !point.o.empty()) {
    const auto dimensions = integers_of(*step.at, "dimensions");
    const bool is_last = step.at->opcode != HloOpcode::kSort;  // the k first of a line
    if (is_last) number = point.o.back();
    if (dimensions.ok() && !dimensions->empty()) number = point.o[dimensions->front()];
    if (!reading.order) reading.order = order_of(reading);
  }
  if (!knows_offsets(reading, point)) {
    if (step.rule == Rule::kRead) {
      const auto chosen = TRY(choices(reading, point));
      reading.offsets = nullptr;
      if (chosen) return *chosen;
    }
    for (const auto& [operand, array] : reading.operands) {
      if (operand.first < step.arrays || step.rule != Rule::kRead) {
        terms.push_back(whole(*array));
      }
    }
    for (const Dependence& one : step.relation.dependences) {
      if (step.rule != Rule::kRead || one.operand < step.arrays) continue;
      TRY(add_read(reading, one, point, terms));
    }
    return terms_.opaque(step.symbol, number, terms);
  }
  size_t arrays = 0;
  for (const Dependence& dependence : step.relation.dependences) {
    if (step.rule == Rule::kOpaque && is_uniform(dependence)) continue;
    TRY(add_read(reading, dependence, point, terms, keeps ? &origin : nullptr));
    if (dependence.operand < step.arrays) arrays = terms.size();
  }
  if (step.rule == Rule::kBag && step.relation.dependences.size() == 2 &&
      terms_.symbol_at(step.symbol).group == 2) {  // the factors of the products side by side
    std::vector<TermId> pairs;
    for (size_t k = 0; k < terms.size() / 2; ++k) {
      pairs.push_back(terms[k]);
      pairs.push_back(terms[terms.size() / 2 + k]);
    }
    terms = std::move(pairs);
  }
  if (step.rule == Rule::kBag && terms_.symbol_at(step.symbol).group == 1) {
    // Padding and holes of a window count as the init, which is the last.
    const int64_t all = *element_count(step.relation.dependences[0].ranges) + 1;
    work_ -= all;
    terms.resize(all, terms.back());
  }
  if (step.rule == Rule::kOpaque) terms.insert(terms.end(), everywhere.begin(), everywhere.end());
  if (step.rule == Rule::kSort && step.at->opcode != HloOpcode::kSort) {
    const auto length = std::ssize(terms);
    for (int64_t e = 0; e < length; ++e) terms.push_back(terms_.constant(ElementType::kS32, e));
  }
  if (reading.order) terms.push_back(*reading.order);
  if (step.rule == Rule::kSort && point.o.empty()) return terms.at(step.leaf);  // of scalars
  if (keeps) {
    if (terms.size() != 1) {  // the padding of a bitcast
      if (result.origin == 0)
        result.origin = new_origin(reading.frame, step.instruction, step.leaf, step.dims);
      origin = {result.origin, static_cast<uint32_t>(number)};
    }
    result.origins.push_back(origin);
  }
  if (step.rule == Rule::kEach) return TRY(applied(reading, terms)).at(0);
  // Where the caller chooses what is read, nothing is known of it.
  if (step.rule == Rule::kRead && reading.asked) return terms_.opaque(step.symbol, 0, terms);
  return combined(step, number, terms, arrays);
}

// The same for operations on elements at one index.
absl::Status Interpreter::elementwise(const TermStep& step, const Arrays& operands,
                                      TermArray& result) {
  std::vector<const TermArray*> arrays;
  std::vector<int64_t> steps;
  for (const Dependence& dependence : step.relation.dependences) {
    arrays.push_back(
        operands.at({static_cast<int32_t>(dependence.operand), dependence.leaf}).get());
    steps.push_back(is_uniform(dependence) ? 0 : 1);
  }
  std::vector<TermId> terms(arrays.size());
  const int64_t count = *element_count(step.dims);
  for (int64_t e = 0; e < count; ++e) {
    for (size_t k = 0; k < arrays.size(); ++k) terms[k] = arrays[k]->terms[e * steps[k]];
    work_ -= 1 + std::ssize(terms);
    if (work_ < 0) return check_work(*step.at);
    result.terms.push_back(combined(step, e, terms, 0));
  }
  return absl::OkStatus();
}

absl::Status Interpreter::fill_source(const TermStep& step, TermArray& result) {
  const HloInstruction& i = *step.at;
  const int64_t count = *element_count(step.dims);
  work_ -= count;
  TRY(check_work(i));
  if (step.number) {
    result.terms.push_back(terms_.constant(step.type, *step.number));
    return absl::OkStatus();
  }
  if (i.opcode == HloOpcode::kConstant && is_integer(step.type)) {
    if (const auto numbers = numbers_of_constant(i)) {  // an unsigned one is kept modulo 2^64
      for (const absl::int128 x : *numbers) {
        result.terms.push_back(terms_.constant(step.type, static_cast<int64_t>(x)));
      }
      return absl::OkStatus();
    }
  }
  if (i.opcode == HloOpcode::kConstant && i.shape && i.shape->kind == Shape::Kind::kArray) {
    const auto elements = floats_of_literal(step.type, i.literal);
    if (elements && std::ssize(*elements) == count) {
      for (const double x : *elements) result.terms.push_back(terms_.constant(step.type, x));
      return absl::OkStatus();
    }
  }
  const bool is_c64 = step.type == ElementType::kC64;
  if (i.opcode == HloOpcode::kConstant && (is_c64 || step.type == ElementType::kC128)) {
    const ElementType part = is_c64 ? ElementType::kF32 : ElementType::kF64;
    std::string numbers = i.literal;  // the parts of each, one after another
    std::erase_if(numbers, [](char c) { return c == '(' || c == ')'; });
    const auto elements = floats_of_literal(part, numbers);
    if (elements && std::ssize(*elements) == 2 * count) {
      const absl::string_view name = info(part).name;
      const SymbolId pair = terms_.symbol(
          {.text = absl::StrCat("complex ", info(step.type).name, " of ", name, " of ", name),
           .opcode = HloOpcode::kComplex,
           .type = step.type,
           .from = part});
      for (int64_t e = 0; e < count; ++e) {
        result.terms.push_back(
            terms_.apply(pair, {{terms_.constant(part, (*elements)[2 * e]),
                                 terms_.constant(part, (*elements)[2 * e + 1])}}));
      }
      return absl::OkStatus();
    }
  }
  const auto dimension = integer_of(i, "iota_dimension");
  if (i.opcode == HloOpcode::kIota && dimension.ok() && *dimension < std::ssize(step.dims)) {
    for (int64_t e = 0; e < count; ++e) {
      const int64_t x = element_index(step.dims, e)[*dimension];
      const bool is_known = is_integer(step.type) && step.type != ElementType::kPred;
      if (is_known) {
        result.terms.push_back(terms_.constant(step.type, wrapped(step.type, x)));
      } else if (float_format(step.type)) {
        const double number = rounded(step.type, static_cast<double>(x));
        result.terms.push_back(terms_.constant(step.type, number));
      } else {
        result.terms.push_back(terms_.opaque(step.symbol, x, {}));
      }
    }
    return absl::OkStatus();
  }
  for (int64_t e = 0; e < count; ++e) result.terms.push_back(terms_.opaque(step.symbol, e, {}));
  return absl::OkStatus();
}

// An instruction that needs no other device, and calls nothing.
absl::StatusOr<ArrayPtr> Interpreter::run_here(const Frame& frame, const TermStep& anywhere,
                                               const Arrays& operands) {
  std::optional<TermStep> here;  // each random number is new
  if (anywhere.unlike) {
    here = anywhere;
    here->symbol = terms_.new_symbol(terms_.symbol_at(here->symbol));
  }
  const TermStep& step = here ? *here : anywhere;
  if (!step.relation.conservative.empty()) {
    conservative_.insert(absl::StrCat(step.at->name, ": ", step.relation.conservative));
  }
  auto result = std::make_shared<TermArray>(step.dims);
  const std::optional<int64_t> count = element_count(step.dims);
  if (!count || *count > limits_.elements) {
    return too_large(*step.at, absl::StrCat("elements of ", dims_text(step.dims)));
  }
  const bool keeps = step.keeps_origin && is_integer(step.type);
  if (!keeps) result->origin = new_origin(frame, step.instruction, step.leaf, step.dims);
  if (*count == 0) return result;
  TRY(check_size(step, *count));
  if (step.rule == Rule::kSource) {
    TRY(fill_source(step, *result));
    return result;
  }
  const bool is_elementwise = step.rule == Rule::kApply || step.rule == Rule::kSelect;
  const bool is_plain =
      std::ranges::all_of(step.relation.dependences, [&](const Dependence& dependence) {
        return std::holds_alternative<access::Projection>(dependence.access);
      });
  if (is_elementwise && is_plain) {
    TRY(elementwise(step, operands, *result));
    return result;
  }
  Reading reading{frame, step, operands};
  std::vector<TermId> everywhere;
  IterationPoint<int64_t> point;
  for (const Dependence& dependence : step.relation.dependences) {
    if (step.rule != Rule::kOpaque || !is_uniform(dependence)) continue;
    TermArray* const array = array_read(operands, dependence);
    // Of a bitcast-convert, each part has a meaning.
    const bool has_parts = step.at->opcode == HloOpcode::kBitcastConvert;
    if (array != nullptr && !has_parts && is_everything(dependence, array->dims) &&
        std::ssize(array->terms) > 1) {
      everywhere.push_back(whole(*array));
    } else {
      TRY(add_read(reading, dependence, point, everywhere));
    }
  }
  point.o.assign(step.dims.size(), 0);
  do {
    --work_;
    result->terms.push_back(
        TRY(element(reading, everywhere, point, std::ssize(result->terms), *result)));
    TRY(check_work(*step.at));
  } while (next_index(step.dims, point.o));
  return result;
}

// The same array, whose values decide nothing if what flows is asked.
ArrayPtr Interpreter::shown(const ArrayPtr& array) {
  if (values_ == nullptr) return array;
  const auto decides = [&](TermId term) { return terms_.shown(term) != term; };
  if (std::ranges::none_of(array->terms, decides)) return array;
  work_ -= std::ssize(array->terms);
  auto result = std::make_shared<TermArray>(*array);
  for (TermId& term : result->terms) term = terms_.shown(term);
  result->whole.reset();
  return result;
}

OnDevices<Arrays> Interpreter::shown(const OnDevices<Arrays>& arrays) {
  OnDevices<Arrays> result = arrays;
  for (Arrays& here : result) {
    for (auto& [position, array] : here) array = shown(array);
  }
  return result;
}

// ---- Calls and branches ----

// By leaf, on each device. A callee and a loop run once for all of these leaves.
absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> Interpreter::run_steps(
    const Frame& frame, Steps leaves, const OnDevices<Arrays>& operands) {
  const TermStep& first = *leaves[0];
  if (!first.meets_devices && operands.size() > 1) return run_each(frame, leaves, operands);
  if (first.relation.callee) return enter(frame, leaves, operands);
  if (first.relation.loop) return iterate(frame, leaves, operands);
  std::vector<OnDevices<ArrayPtr>> results;
  for (const TermStepPtr& step : leaves) {
    results.push_back(TRY(run_step(frame, *step, operands)));
  }
  return results;
}

// Each device by itself, once for the same operands.
absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> Interpreter::run_each(
    const Frame& frame, Steps leaves, const OnDevices<Arrays>& operands) {
  std::vector<OnDevices<ArrayPtr>> results(leaves.size());
  work_ -= std::ssize(operands);
  TRY(check_work(*leaves[0]->at));
  std::map<Arrays, size_t> firsts;  // the first device with these operands
  for (size_t v = 0; v < operands.size(); ++v) {
    const auto [first, is_new] = firsts.emplace(operands[v], v);
    std::vector<OnDevices<ArrayPtr>> one;
    if (is_new) one = TRY(run_steps(alone(frame, v), leaves, {operands[v]}));
    for (size_t k = 0; k < leaves.size(); ++k) {
      results[k].push_back(is_new ? one[k][0] : results[k][first->second]);
    }
  }
  return results;
}

absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::run_step(const Frame& frame, const TermStep& step,
                                                          const OnDevices<Arrays>& operands) {
  if (step.meets_devices && is_exchange(*step.at)) return exchange(frame, step, operands);
  OnDevices<ArrayPtr> results;
  for (size_t v = 0; v < operands.size(); ++v) {
    results.push_back(TRY(run_here(alone(frame, v), step, operands[v])));
  }
  if (!step.relation.branches.empty()) {
    results = TRY(choose_branches(frame, step, operands, std::move(results)));
  }
  for (ArrayPtr& array : results) {
    if (step.shows) array = shown(array);
  }
  return results;
}

absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> Interpreter::enter(
    const Frame& frame, Steps leaves, const OnDevices<Arrays>& operands) {
  const TermStep& first = *leaves[0];
  TRY(check_depth(frame, first));
  const HloOpcode opcode = first.at->opcode;
  const bool is_call = opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion;
  Frame inner = frame;
  inner.computation = first.relation.callee->computation;
  inner.calls.push_back(first.instruction);
  ++inner.depth;
  std::vector<LeafOf> wanted;
  for (const TermStepPtr& step : leaves) {
    wanted.emplace_back(module_.computations[inner.computation].root, step->relation.callee->leaf);
  }
  auto results = TRY(interpret(inner, wanted, is_call ? operands : shown(operands)));
  for (size_t k = 0; k < leaves.size() && !is_call; ++k) {
    for (ArrayPtr& array : results[k]) array = as_result(frame, *leaves[k], *shown(array));
  }
  return results;
}

// The array as the result of an instruction that does not hand on where its elements come from.
ArrayPtr Interpreter::as_result(const Frame& frame, const TermStep& step, const TermArray& array) {
  auto result = std::make_shared<TermArray>(array);
  result->origin = new_origin(frame, step.instruction, step.leaf, step.dims);
  result->origins.clear();
  return result;
}

absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::branch(const Frame& frame, const TermStep& step,
                                                        const Branch& branch,
                                                        const OnDevices<Arrays>& operands) {
  OnDevices<Arrays> parameters;
  for (const Arrays& here : operands) {
    parameters.emplace_back();
    for (const auto& [position, one] : here) {
      if (position.first == branch.operand) parameters.back()[{0, position.second}] = shown(one);
    }
  }
  Frame inner = frame;
  inner.computation = branch.computation;
  inner.calls.push_back(step.instruction);
  inner.is_recorded = false;
  ++inner.depth;
  const HloComputation& computation = module_.computations[branch.computation];
  return TRY(interpret(inner, {{computation.root, branch.leaf}}, parameters))[0];
}

// The branch that a known predicate takes: true is the first, and a number that no branch has is the
// last.
std::optional<size_t> Interpreter::branch_taken(const TermStep& step, TermId which) const {
  if (values_ != nullptr || !terms_.is_constant(which)) return std::nullopt;
  const int64_t last = std::ssize(step.relation.branches) - 1;
  int64_t value = *terms_.value(which);
  if (terms_.symbol_at(step.symbol).from == ElementType::kPred) value = 1 - value;
  return value < 0 || value > last ? last : value;
}

// Adds what the branches of a conditional give. Its first operand says which of them runs. Devices of
// which it is the same take the same one, together.
absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::choose_branches(const Frame& frame,
                                                                 const TermStep& step,
                                                                 const OnDevices<Arrays>& operands,
                                                                 OnDevices<ArrayPtr> results) {
  const std::vector<Branch>& branches = step.relation.branches;
  TRY(check_depth(frame, step));
  std::map<std::pair<std::optional<size_t>, TermId>, std::vector<size_t>> together;
  for (size_t v = 0; v < operands.size(); ++v) {
    const TermId which = operands[v].at({0, 0})->terms[0];
    const std::optional<size_t> taken = branch_taken(step, which);
    together[{taken, taken ? 0 : which}].push_back(v);
  }
  for (const auto& [key, members] : together) {
    const auto [inner, given] = part_of(frame, operands, members);
    if (key.first) {
      const auto taken = TRY(branch(inner, step, branches[*key.first], given));
      for (size_t k = 0; k < members.size(); ++k) results[members[k]]->terms = taken[k]->terms;
      continue;
    }
    std::vector<OnDevices<ArrayPtr>> all;
    for (const Branch& one : branches) all.push_back(TRY(branch(inner, step, one, given)));
    for (size_t k = 0; k < members.size(); ++k) {
      one_of_branches(step, key.second, all, k, *results[members[k]]);
    }
  }
  TRY(check_work(*step.at));
  return results;
}

// What a conditional gives on a device if its predicate is not known: one of what its branches give.
void Interpreter::one_of_branches(const TermStep& step, TermId which,
                                  const std::vector<OnDevices<ArrayPtr>>& branches, size_t device,
                                  TermArray& result) {
  const ElementType from = terms_.symbol_at(step.symbol).from;
  const SymbolId f = terms_.symbol({.text = absl::StrCat("conditional of ", info(from).name),
                                    .opcode = HloOpcode::kConditional,
                                    .type = step.type,
                                    .from = from});
  for (size_t e = 0; e < result.terms.size(); ++e) {
    std::vector<TermId> all = {which};
    for (const OnDevices<ArrayPtr>& one : branches) all.push_back(one[device]->terms[e]);
    work_ -= std::ssize(all);
    result.terms[e] = terms_.apply(f, all);
  }
}

// ---- Loops ----

// What a loop gives, as a function of its condition, its body and what it starts from:
//
//     while i < n: i = i + 1, x = sin(x)        loop (c0 < n, sin(c1), x, c0 + 1, 0)
//
// Condition and body are terms of the elements that are carried. The leaf that is asked for is the
// first of them, others are in the order of what they start from, and what the body hands on is
// none: names, places in the tuple and dead leaves do not count.
absl::StatusOr<ArrayPtr> Interpreter::loop_of_terms(const Frame& frame, const TermStep& step,
                                                    const Arrays& operands) {
  const op::While& loop = step.relation.loop->loop;
  const HloComputation& body = module_.computations[loop.body];
  const HloInstruction& inside = body.instructions[parameters_of(body)[0]];
  Arrays state;
  std::vector<std::tuple<bool, TermId, int64_t>> carried;
  for (const int64_t leaf : TRY(loop_leaves(*step.relation.loop, frame.depth))) {
    const ArrayPtr& start = operands.at({0, leaf});
    if (is_same_throughout(frame.computation, step, leaf)) {
      state[{0, leaf}] = start;
    } else {
      carried.emplace_back(leaf != step.leaf, whole(*start), leaf);
    }
  }
  std::ranges::sort(carried);
  std::string text = "loop";
  std::vector<LeafOf> stepped;
  for (const auto& [is_other, start, leaf] : carried) {
    const TermArray& first = *operands.at({0, leaf});
    const auto number = static_cast<int32_t>(stepped.size());
    const ElementType type = type_of_leaf(inside, leaf).value_or(ElementType::kOpaque);
    const std::string shape = absl::StrCat(" ", info(type).name, dims_text(first.dims));
    const SymbolId name =
        terms_.symbol({.text = absl::StrCat("carried ", frame.loops, ".", number, shape),
                       .opcode = HloOpcode::kWhile,
                       .type = type,
                       .operand = number,
                       .leaf = frame.loops});
    auto array = std::make_shared<TermArray>(first.dims);
    work_ -= std::ssize(first.terms);
    TRY(check_work(*step.at));
    for (int64_t e = 0; e < std::ssize(first.terms); ++e) {
      array->terms.push_back(terms_.element(name, e));
    }
    state[{0, leaf}] = std::move(array);
    stepped.emplace_back(body.root, leaf);
    absl::StrAppend(&text, shape);
  }
  Frame inner = frame;
  inner.is_recorded = false;
  inner.is_iteration = true;
  ++inner.depth;
  ++inner.loops;
  inner.calls.push_back(step.instruction);
  inner.computation = loop.condition;
  const LeafOf tested = {module_.computations[loop.condition].root, 0};
  std::vector<TermId> all = {TRY(interpret(inner, {tested}, {state}))[0][0]->terms.at(0)};
  inner.computation = loop.body;
  const auto next = TRY(interpret(inner, stepped, {state}));
  for (size_t k = 0; k < stepped.size(); ++k) {
    all.push_back(whole(*next[k][0]));
    all.push_back(std::get<1>(carried[k]));
  }
  const SymbolId f = terms_.symbol({.text = text,
                                    .opcode = HloOpcode::kWhile,
                                    .type = step.type,
                                    .leaf = frame.loops,
                                    .group = static_cast<int32_t>(stepped.size()),
                                    .of_arrays = true});
  auto result = std::make_shared<TermArray>(step.dims);
  const int64_t count = *element_count(step.dims);
  work_ -= count;
  TRY(check_work(*step.at));
  for (int64_t e = 0; e < count; ++e) result->terms.push_back(terms_.opaque(f, e, all));
  return result;
}

// On each device. What it gives depends on the state there, and on that of all if they meet in the loop.
absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::opaque_loop(const Frame& frame,
                                                             const TermStep& step,
                                                             const OnDevices<Arrays>& operands) {
  const std::set<int64_t> leaves = TRY(loop_leaves(*step.relation.loop, frame.depth));
  conservative_.insert(absl::StrCat(step.at->name, ": ", kUnknownLoop));
  std::vector<TermId> all;
  for (const Arrays& here : operands) {
    for (const int64_t leaf : leaves) {
      TermArray& state = *here.at({0, leaf});
      if (!state.terms.empty()) all.push_back(whole(state));
    }
  }
  OnDevices<ArrayPtr> results;
  for (size_t v = 0; v < operands.size(); ++v) {
    if (values_ == nullptr && !step.meets_devices) {
      const int64_t before = work_;
      const auto terms = loop_of_terms(alone(frame, v), step, operands[v]);
      if (terms.ok()) {
        results.push_back(as_result(frame, step, **terms));
        continue;
      }
      work_ = before;  // it is a function of its text
    }
    std::vector<TermId> here = all;
    if (step.meets_devices) {
      here.push_back(number_of_device(frame.devices[v]));
      here.push_back(number_of_device(devices_->counts.replicas));
      here.push_back(number_of_device(devices_->counts.partitions));
    }
    auto result = std::make_shared<TermArray>(step.dims);
    const TermArray& same = *operands[v].at({0, step.leaf});
    for (int64_t e = 0; e < std::ssize(same.terms); ++e) {
      result->terms.push_back(terms_.opaque(step.symbol, e, here));
    }
    work_ -= std::ssize(same.terms);
    TRY(check_work(*step.at));
    results.push_back(as_result(frame, step, *result));
  }
  return results;
}

// Devices that meet in the loop run it in step. Those that are done leave it.
absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> Interpreter::iterate(
    const Frame& frame, Steps wanted, const OnDevices<Arrays>& operands) {
  const TermStep& first = *wanted[0];
  const op::While& loop = first.relation.loop->loop;
  std::vector<OnDevices<ArrayPtr>> results(wanted.size(), OnDevices<ArrayPtr>(operands.size()));
  // Values decide if all iterations have them.
  const auto in_loop = [&](int64_t leaf, const ArrayPtr& array) {
    return is_same_throughout(frame.computation, first, leaf) ? array : shown(array);
  };
  std::set<int64_t> leaves;
  std::vector<size_t> open;  // of those that are wanted
  for (size_t k = 0; k < wanted.size(); ++k) {
    const Loop& one = *wanted[k]->relation.loop;
    if (!is_handed_on(loop.body, one.leaf)) {
      open.push_back(k);
      leaves.merge(TRY(loop_leaves(one, frame.depth)));
      continue;
    }
    for (size_t v = 0; v < operands.size(); ++v) {
      results[k][v] =
          as_result(frame, *wanted[k], *in_loop(one.leaf, operands[v].at({0, one.leaf})));
    }
  }
  if (open.empty()) return results;
  const std::vector<LeafOf> tested = {{module_.computations[loop.condition].root, 0}};
  std::vector<LeafOf> stepped;
  for (const int64_t leaf : leaves) {
    stepped.emplace_back(module_.computations[loop.body].root, leaf);
  }
  Frame inner = frame;
  inner.is_recorded = false;
  inner.is_iteration = true;
  ++inner.depth;
  inner.calls.push_back(first.instruction);
  inner.calls.push_back(0);
  OnDevices<Arrays> state = operands;
  for (Arrays& here : state) {
    for (auto& [position, array] : here) array = in_loop(position.second, array);
  }
  std::vector<size_t> running(operands.size());  // which devices
  std::iota(running.begin(), running.end(), size_t{0});
  while (true) {
    inner.computation = loop.condition;
    const auto conditions = TRY(interpret(inner, tested, state))[0];
    std::vector<size_t> going;  // which of those that are running
    for (size_t v = 0; v < running.size(); ++v) {
      const std::optional<int64_t> goes_on = terms_.value(conditions[v]->terms[0]);
      if (!goes_on) {
        for (const size_t k : open) results[k] = TRY(opaque_loop(frame, *wanted[k], operands));
        return results;
      }
      if (*goes_on != 0) going.push_back(v);
      for (const size_t k : open) {
        if (*goes_on != 0) continue;
        const int64_t leaf = wanted[k]->relation.loop->leaf;
        results[k][running[v]] = as_result(frame, *wanted[k], *state[v].at({0, leaf}));
      }
    }
    if (going.empty()) return results;
    if (going.size() < running.size()) {
      std::tie(inner, state) = part_of(inner, state, going);
      for (size_t v = 0; v < going.size(); ++v) running[v] = running[going[v]];
      running.resize(going.size());
    }
    inner.computation = loop.body;
    const auto next = TRY(interpret(inner, stepped, state));
    for (size_t k = 0; k < stepped.size(); ++k) {
      const int64_t leaf = stepped[k].second;
      for (size_t v = 0; v < state.size(); ++v) state[v][{0, leaf}] = in_loop(leaf, next[k][v]);
    }
    ++inner.calls.back();
    work_ -= 50;
    TRY(check_work(*first.at));
  }
}

// The integers of the state before the first iteration, if constants say them where the loop is.
std::map<int64_t, std::vector<int64_t>> Interpreter::first_state(const Loop& loop) {
  std::map<int64_t, std::vector<int64_t>> values;
  const auto within = static_cast<int32_t>(loop.loop.within - module_.computations.data());
  const auto leaves = leaves_of(*loop.loop.within->instructions[loop.loop.operand].shape);
  for (int64_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
    if (!is_integer((*leaves)[leaf].array->element_type)) continue;
    const auto steps = steps_to(within, {{loop.loop.operand, leaf}}, 0);
    const bool is_closed =
        steps.ok() && std::ranges::all_of(**steps, [](const TermStepPtr& step) {
          return step->at->opcode != HloOpcode::kParameter && is_integer(step->type);
        });
    if (!is_closed) continue;
    Terms terms;
    Interpreter before(module_, Scope::kComputation, nullptr, limits_, terms);
    const auto array = before.run(within, loop.loop.operand, leaf);
    if (!array.ok()) continue;
    std::vector<int64_t> known;
    for (const TermId term : (*array)->terms) {
      if (terms.is_constant(term)) known.push_back(*terms.value(term));
    }
    if (known.size() == (*array)->terms.size()) values[leaf] = std::move(known);
  }
  return values;
}

// A leaf that the condition reads needs no more than the condition does.
bool Interpreter::is_counted(int32_t computation, int32_t loop) {
  const HloInstruction& at = module_.computations[computation].instructions[loop];
  const int32_t condition = called_computations(at, "condition")[0];
  const auto tested = parameters_needed(condition, 0, 1);
  if (!tested.ok() || !run(computation, loop, tested->empty() ? 0 : tested->begin()->second).ok()) {
    return false;
  }
  return !conservative_.contains(absl::StrCat(at.name, ": ", kUnknownLoop));
}

// ---- Computations ----

// Runs the instructions that lead to leaves of instructions, in the order of the computation.
// `parameters`: the values of its parameters. By result, on each device.
absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> Interpreter::interpret(
    const Frame& frame, const std::vector<LeafOf>& results, const OnDevices<Arrays>& parameters) {
  const auto* steps = TRY(steps_to(frame.computation, results, frame.depth));
  OnDevices<Arrays> done(parameters.size());  // by instruction and leaf
  for (size_t first = 0, end = 0; first < steps->size(); first = end) {
    const HloInstruction& i = *(*steps)[first]->at;
    while (end < steps->size() && (*steps)[end]->at == &i) ++end;
    const Steps leaves = absl::MakeConstSpan(*steps).subspan(first, end - first);
    std::vector<OnDevices<ArrayPtr>> arrays;
    if (i.opcode == HloOpcode::kParameter) {
      for (const TermStepPtr& step : leaves) {
        arrays.push_back(TRY(parameter_on(frame, *step, parameters)));
      }
    } else {
      OnDevices<Arrays> operands(done.size());
      for (size_t v = 0; v < done.size(); ++v) {
        for (const TermStepPtr& step : leaves) {
          for (const LeafOf& operand : step->operands) {
            operands[v][operand] =
                done[v].at({i.operands[operand.first].instruction, operand.second});
          }
        }
      }
      arrays = TRY(run_steps(frame, leaves, operands));
    }
    for (size_t k = 0; k < leaves.size(); ++k) {
      for (size_t v = 0; v < done.size(); ++v) {
        done[v][{leaves[k]->instruction, leaves[k]->leaf}] = std::move(arrays[k][v]);
      }
    }
  }
  std::vector<OnDevices<ArrayPtr>> found(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    for (const Arrays& here : done) found[k].push_back(here.at(results[k]));
  }
  return found;
}

// A parameter of the computation: given, or one of the sources.
absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::parameter_on(const Frame& frame,
                                                              const TermStep& step,
                                                              const OnDevices<Arrays>& parameters) {
  const auto number = static_cast<int32_t>(step.at->parameter_number);
  OnDevices<ArrayPtr> arrays;
  for (const Arrays& given : parameters) {
    const auto found = given.find({number, step.leaf});
    if (found == given.end()) return sources_on(frame, step, number);
    arrays.push_back(found->second);
  }
  return arrays;
}

absl::StatusOr<ArrayPtr> Interpreter::run(int32_t computation, int32_t instruction, int64_t leaf) {
  const HloInstruction& root = module_.computations[computation].instructions[instruction];
  computation_ = computation;
  instruction_ = instruction;
  const Frame frame{.computation = computation};
  origins_.emplace_back();  // 0: none
  const TermStepPtr step = TRY(step_of(computation, instruction, leaf, 0));
  TRY(count_sources(TRY(inputs_of(module_, computation, instruction, scope_))));
  if (scope_ == Scope::kComputation) {
    return TRY(interpret(frame, {{instruction, leaf}}, OnDevices<Arrays>(1)))[0][0];
  }
  if (step->relation.loop) source_values_ = first_state(*step->relation.loop);
  Arrays operands;
  for (const auto& [operand, operand_leaf] : step->operands) {
    operands[{operand, operand_leaf}] =
        TRY(source(root, computation, root.operands[operand].instruction, operand, operand_leaf));
  }
  return TRY(run_steps(frame, {step}, {operands}))[0][0];
}

absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> Interpreter::run_all(int32_t computation,
                                                                      int32_t instruction,
                                                                      const Devices* devices) {
  Frame frame{.computation = computation};
  if (devices != nullptr) {
    devices_ = devices;
    frame.devices.resize(*devices->counts.devices());
    std::iota(frame.devices.begin(), frame.devices.end(), int64_t{0});
  }
  origins_.emplace_back();  // 0: none
  TRY(count_sources(TRY(inputs_of(module_, computation, instruction, scope_))));
  const HloInstruction& root = module_.computations[computation].instructions[instruction];
  std::vector<LeafOf> wanted;
  const int64_t count = root.shape ? std::ssize(TRY(leaves_of(*root.shape))) : 0;
  for (int64_t leaf = 0; leaf < count; ++leaf) wanted.emplace_back(instruction, leaf);
  return interpret(frame, wanted, OnDevices<Arrays>(frame.devices.size()));
}

}  // namespace tileproof::spec

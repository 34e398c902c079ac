// SPDX-License-Identifier: Apache-2.0
// One element of a result as a term, found by going back from it: only what it needs is looked at.
//
// The walk runs the access functions of the definition (spec/hlo/access_relation.h). A domain says
// what an index is, and how a reduction and an unknown offset become terms:
//
//     AtAnyIndex (at_any_index.h)      expressions of d0, d1, ..: one term stands for all elements
//     AtOneIndex (at_one_index.h)      numbers: every step of a sum is a term
//
// A module may run on several devices: the walk then goes back from an element on one of them, through
// collectives to others. At any index, the device is an expression, too.
//
// A domain has the types and functions that are called here. Once it has failed, terms mean nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/device_routes.h"
#include "spec/hlo/devices.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/runtime_value.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "verify/prove/hlo/modules/any_round.h"
#include "verify/prove/hlo/modules/array_bounds.h"
#include "verify/prove/hlo/modules/device_tables.h"
#include "verify/prove/hlo/modules/nested_folds.h"
#include "verify/prove/hlo/modules/zero_points.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// The elements of a constant, by their numbers.
struct Literal {
  std::vector<int64_t> integers = {};
  std::vector<double> floats = {};
  ElementType type = ElementType::kOpaque;
  bool is_uniform = false;
};

// What one point of a reduction adds. Products have two factors. A point that does not exist adds what
// is there in place of it, or nothing.
template <class N>
struct BagPoint {
  spec::Truth<N> exists;
  std::vector<spec::TermId> factors = {};
  std::optional<spec::TermId> in_place = std::nullopt;
};

// A loop whose number of rounds is known is what its rounds compute one after another, or what any round
// computes, if that is known (verify/prove/hlo/modules/any_round.h). Else it is a function of whole arrays.
enum class LoopsAs : uint8_t { kFunctions, kRounds, kAnyRound };

// What an offset is that a predicate chooses of two numbers: each is inside of the bounds where it is chosen.
template <class N>
struct OffsetChoice {
  spec::TermId predicate;
  std::vector<N> numbers;
};

template <class Domain>
class ElementWalk {
 public:
  using DomainType = Domain;
  using N = typename Domain::Number;
  using Index = std::vector<N>;
  using TermId = spec::TermId;
  using Point = spec::IterationPoint<N>;

  // `devices`: those that the module runs on, if it is several. They must outlive the walk. After the
  // deadline no work is left.
  ElementWalk(const HloModule& module, Domain& domain, int64_t work, LoopsAs loops,
              const spec::Devices* devices = nullptr,
              ThreadCpuClock::time_point deadline = ThreadCpuClock::time_point::max())
      : module_(module),
        domain_(domain),
        work_(work),
        deadline_(deadline),
        loops_(loops),
        devices_(devices) {}

  // The element of the entry's result. Nothing if it needs more work, or is not followed.
  std::optional<TermId> result(int64_t leaf, Index index, const N& device = 0) {
    return term({result_array(leaf, device), std::move(index)});
  }
  int64_t work() const { return work_; }  // that is left
  void allow(int64_t work) { work_ = work; }

  struct Frame {
    const Frame* caller = nullptr;
    int32_t computation = 0;
    int32_t call = -1;      // an instruction of the caller's computation
    int32_t argument = -1;  // of a branch: the operand that is its parameter
    // Of a loop: the number of this way of looking into it; below 0: of the round, from -1 on, or any one.
    int64_t round = 0;
    int64_t device = 0;                          // what the domain calls its number
    const std::vector<TermId>* given = nullptr;  // the parameters, if it is applied to elements
    int64_t number = 0;                          // of any round: what the domain calls it
    auto operator<=>(const Frame&) const = default;
  };
  struct Array {
    const Frame* frame = nullptr;
    int32_t instruction = 0;
    int64_t leaf = 0;
    auto operator<=>(const Array&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Array& a) {
      return H::combine(std::move(h), a.frame, a.instruction, a.leaf);
    }
  };
  Array result_array(int64_t leaf, const N& device = 0) {
    const Frame* entry = frame_of({nullptr, module_.entry, -1, -1, 0, key_of(device)});
    return {entry, module_.computations[module_.entry].root, leaf};
  }

  // ---- Arrays as wholes, if the domain's indexes stand for all ----

  // How an array is made, and of which others. Of a loop: of all that its state starts from.
  struct Made {
    enum class How : uint8_t { kGiven, kMoved, kComputed, kLoop };
    How how = How::kGiven;
    std::vector<Array> of = {};
  };
  Made made(const Array& array) {
    using How = typename Made::How;
    if (cuts_.contains(array)) return {};
    if (at(array).opcode == HloOpcode::kParameter) {
      if (array.frame->caller == nullptr || !has_argument(array)) return {};
      return {How::kMoved, {argument(array)}};
    }
    const Step* step = step_of(array);
    if (step == nullptr) return {};
    if (step->relation.callee) return {How::kMoved, {inside(array, *step)}};
    if (is_kept(array)) return {How::kMoved, {operand(array, 0, array.leaf)}};
    if (is_any_round(array, *step)) return {How::kComputed, starts(array)};
    if (const auto last = after_rounds(array, *step)) return {How::kMoved, {*last}};
    if (step->relation.loop) return {How::kLoop, starts(array)};
    Made made{How::kComputed};
    const spec::Rule rule = step->meaning.rule;
    if (rule == spec::Rule::kMove) made.how = How::kMoved;
    if (rule == spec::Rule::kSource) made.how = How::kGiven;
    std::set<std::pair<int64_t, int64_t>> operands;
    for (const spec::Dependence& one : step->relation.dependences) {
      operands.emplace(one.operand, one.leaf);
    }
    for (const spec::RuntimeVariable& one : step->relation.runtime)
      operands.emplace(one.operand, 0);
    if (!step->relation.branches.empty()) operands.emplace(0, 0);
    for (const auto& [number, leaf] : operands) made.of.push_back(operand(array, number, leaf));
    for (const spec::Branch& branch : step->relation.branches) {
      made.of.push_back(inside(array, branch));
    }
    return made;
  }

  ElementType type(const Array& array) {
    const Step* step = step_of(array);
    return step == nullptr ? ElementType::kOpaque : step->type;
  }
  Dims dims(const Array& array) {
    const Step* step = step_of(array);
    return step == nullptr ? Dims() : step->dims(array.leaf);
  }
  // Element at every index.
  std::optional<TermId> whole(const Array& array) {
    const auto index = domain_.every_index(dims(array), "d");
    return index ? term({array, *index}) : std::nullopt;
  }
  // From now on the array is a parameter of its own, of this negative number, in place of what it is
  // made of.
  void cut(const Array& array, int64_t number) { cuts_[array] = number; }
  // What was found so far is looked for again.
  void forget() {
    known_.clear();
    bags_.clear();
  }

  // What each leaf of a loop's state is at first.
  std::vector<Array> starts(const Array& array) {
    std::vector<Array> all;
    const auto leaves = std::ssize(step_of(array)->op.operands[0]);
    for (int64_t leaf = 0; leaf < leaves; ++leaf) all.push_back(operand(array, 0, leaf));
    return all;
  }
  // A computation of a loop, whose parameters are to be cut in each round: its result or parameter.
  const op::While& loop_of(const Array& array) { return step_of(array)->relation.loop->loop; }
  Array in_loop(const Array& whole, int32_t computation, int32_t instruction, int64_t leaf,
                int64_t round) {
    return {frame_of({whole.frame, computation, whole.instruction, -1, round, whole.frame->device}),
            instruction, leaf};
  }
  // A leaf of the state that has the same values in each iteration.
  void keep(const Array& array) { kept_.insert(array); }
  bool is_kept(const Array& array) {
    if (kept_.contains(array)) return true;
    const Step* step = step_of(array);
    if (step == nullptr || !step->relation.loop) return false;
    const auto [known, is_new] =
        handed_on_.try_emplace({step->relation.loop->loop.body, array.leaf});
    if (is_new) known->second = spec::passes_through(module_, known->first.first, array.leaf);
    return known->second && type(operand(array, 0, array.leaf)) == step->type;
  }

  // ---- Step by step, if the domain's indexes are numbers ----

  // An element of what an instruction gives.
  struct Place {
    Array array;
    Index index;
  };
  Place result_place(int64_t leaf, Index index, const N& device) {
    return {result_array(leaf, device), std::move(index)};
  }
  const HloInstruction& instruction(const Place& place) const { return at(place.array); }
  // Nothing if the module runs on one.
  std::optional<int64_t> device(const Place& place) const {
    return devices_ == nullptr ? std::nullopt : std::optional(place.array.frame->device);
  }
  // The operand that a select chooses, if that is known.
  std::optional<Place> chosen(const Place& place) {
    const Step* step = step_of(place.array);
    if (step == nullptr || !is_plain(*step) || step->meaning.rule != spec::Rule::kSelect) {
      return std::nullopt;
    }
    std::vector<Place> all = operands(place);
    const auto predicate = all.size() == 3 ? term(all[0]) : std::nullopt;
    if (!predicate) return std::nullopt;
    const auto which = domain_.number_of(*predicate);
    return which ? std::optional(std::move(all[*which != 0 ? 1 : 2])) : std::nullopt;
  }

  // The arrays from which an instruction that moves an element could have moved another: all of them, on
  // all devices, or those that a select did not choose.
  std::vector<Array> sources(const Place& place) {
    std::vector<Array> all;
    const Step* step = step_of(place.array);
    const auto choice = chosen(place);
    if (step == nullptr || step->relation.callee || (!choice && !moved_from(place))) return all;
    std::set<std::pair<int64_t, int64_t>> operands;
    for (const spec::Dependence& one : step->relation.dependences) {
      const bool is_offset =
          choice ? one.operand == 0 || operand(place.array, one.operand, one.leaf) == choice->array
                 : step->meaning.rule == spec::Rule::kRead && one.operand >= step->meaning.arrays;
      if (!is_offset) operands.emplace(one.operand, one.leaf);
    }
    for (const auto& [number, leaf] : operands) {
      const Array one = operand(place.array, number, leaf);
      const auto there = is_exchange(place) ? on_all_devices(one) : std::vector<Array>{one};
      all.insert(all.end(), there.begin(), there.end());
    }
    return all;
  }
  // The same array on each device.
  std::vector<Array> on_all_devices(const Array& array) {
    std::vector<Array> all;
    const int64_t count = devices_ == nullptr ? 1 : *devices_->counts.devices();
    for (int64_t v = 0; v < count; ++v) all.push_back(on_device(array, v));
    return all;
  }
  bool is_exchange(const Place& place) {
    const Step* step = step_of(place.array);
    return step != nullptr && is_exchanged(place.array, *step);
  }
  std::optional<TermId> term(const Place& place) {
    const TermId found = element(place.array, place.index, 0);
    return domain_.has_failed() ? std::nullopt : std::optional(found);
  }

  // Where an operation that moves elements has it from; for a parameter of a call, from its operand. Nothing
  // if it depends on the index.
  std::optional<Place> moved_from(const Place& place) {
    const Array& array = place.array;
    const HloInstruction& i = at(array);
    if (i.opcode == HloOpcode::kParameter) {
      if (array.frame->caller == nullptr || !has_argument(array)) return std::nullopt;
      return Place{argument(array), place.index};
    }
    const Step* step = step_of(array);
    if (step == nullptr) return std::nullopt;
    if (step->relation.callee) return Place{inside(array, *step), place.index};
    if constexpr (kIsAnyIndex) {
      if (is_any_round(array, *step)) return any_round().made_at(place);
    }
    if (const auto last = after_rounds(array, *step)) return Place{*last, place.index};
    if (is_exchanged(array, *step)) return sent_from(array, *step, place.index);
    const bool reads = step->meaning.rule == spec::Rule::kRead;
    if (!is_plain(*step) || (!reads && step->meaning.rule != spec::Rule::kMove)) {
      return std::nullopt;
    }
    Point point{place.index, {}, {}};
    if (reads && !set_offsets(array, *step, point, 0)) return std::nullopt;
    for (const spec::Dependence& one : step->relation.dependences) {
      if (reads && one.operand >= step->meaning.arrays) continue;
      if (!one.ranges.empty()) return std::nullopt;
      spec::AccessedElement<N> reached = spec::reach(one, point);
      const std::optional<bool> exists = domain_.known(reached.in_domain);
      if (!exists) return std::nullopt;
      if (*exists) return Place{operand(array, one.operand, one.leaf), std::move(reached.index)};
    }
    return std::nullopt;
  }

  // The elements of offsets, or the predicate, that say where an operation has the element from.
  std::vector<Place> offsets(const Place& place) {
    const Step* step = step_of(place.array);
    std::vector<Place> all;
    if (chosen(place)) return {operands(place)[0]};
    if (step == nullptr || !is_plain(*step) || step->meaning.rule != spec::Rule::kRead) return all;
    const Point point{place.index, {}, {}};
    for (const spec::RuntimeVariable& variable : step->relation.runtime) {
      all.push_back(
          {operand(place.array, variable.operand, 0), spec::reach(variable.element, point).index});
    }
    return all;
  }

  // Whether a product is zero because of the first factor that is looked at (is_looked_at_first).
  bool is_zero_product(const Place& a, const Place& b) {
    const bool is_turned = is_looked_at_first(b.array);
    if (!is_turned && !is_looked_at_first(a.array)) return false;
    const auto first = term(is_turned ? b : a);
    return first && makes_zero(*first, (is_turned ? a : b).array);
  }

  // What an elementwise operation or a reduction computes the element of.
  std::vector<Place> operands(const Place& place) {
    const Step* step = step_of(place.array);
    std::vector<Place> all;
    if (step != nullptr && is_exchanged(place.array, *step)) {
      auto received = received_by(place.array, *step, place.index);
      return received && received->is_bag ? std::move(received->from) : all;
    }
    if (step == nullptr || !is_plain(*step)) return all;
    const spec::Rule rule = step->meaning.rule;
    const bool computes = rule == spec::Rule::kApply || rule == spec::Rule::kSelect;
    if (!computes && rule != spec::Rule::kBag) return all;
    for (const spec::Dependence& one : step->relation.dependences) {
      Point point{place.index, Index(one.ranges.size(), 0), {}};
      if (std::ranges::count(one.ranges, 0) > 0) continue;
      do {
        spec::AccessedElement<N> reached = spec::reach(one, point);
        if (domain_.known(reached.in_domain) != true) continue;
        all.push_back({operand(place.array, one.operand, one.leaf), std::move(reached.index)});
      } while (next_index(one.ranges, point.s));
    }
    return all;
  }

 private:
  template <class>
  friend class AnyRound;
  template <class>
  friend class NestedFolds;
  template <class>
  friend class ArrayBounds;

  static constexpr bool kIsAnyIndex = !std::is_same_v<N, int64_t>;
  static constexpr int64_t kAnyRound = INT64_MIN;

  struct Step {
    const CheckedOp& op;
    spec::AccessRelation relation;
    spec::Meaning meaning;
    ElementType type = ElementType::kOpaque;
    const Dims& dims(int64_t leaf) const { return op.result[leaf].dims; }
  };
  // What a step reads, where it may.
  struct Reached {
    spec::Truth<N> exists;
    const spec::Dependence* dependence = nullptr;
    Index index;
  };

  const HloInstruction& at(const Array& array) const {
    return module_.computations[array.frame->computation].instructions[array.instruction];
  }

  Array operand(const Array& array, int64_t number, int64_t leaf) const {
    return {array.frame, at(array).operands[number].instruction, leaf};
  }

  const Frame* frame_of(const Frame& frame) { return &*frames_.insert(frame).first; }

  // Of a device, or a round.
  int64_t key_of(const N& number) {
    Index simple = {number};
    domain_.simplify(simple);
    const int64_t key = domain_.key(simple[0]);
    numbers_.try_emplace(key, simple[0]);
    return key;
  }
  const N& device_of(const Array& array) const { return numbers_.at(array.frame->device); }
  const Frame* on_device(const Frame* frame, int64_t key) {
    if (frame == nullptr || frame->device == key) return frame;
    Frame there = *frame;
    there.caller = on_device(frame->caller, key);
    there.device = key;
    return frame_of(there);
  }
  Array on_device(const Array& array, const N& device) {
    return {on_device(array.frame, key_of(device)), array.instruction, array.leaf};
  }
  // The rounds that it is in, the outermost first, and it in others.
  void add_rounds(const Frame* frame, Index& all) const {
    if (frame == nullptr) return;
    add_rounds(frame->caller, all);
    if (frame->round == kAnyRound) all.push_back(numbers_.at(frame->number));
  }
  const Frame* in_rounds(const Frame* frame, const Index& all, size_t& next) {
    if (frame == nullptr) return nullptr;
    Frame there = *frame;
    there.caller = in_rounds(frame->caller, all, next);
    if (frame->round == kAnyRound) there.number = key_of(all[next++]);
    return frame_of(there);
  }

  TermId give_up() {
    domain_.fail();
    return 0;
  }
  // Takes a step, if there is one left. Looking at the clock takes as long as some steps.
  bool goes_on() {
    if (work_ % 64 == 0 && ThreadCpuClock::now() >= deadline_) work_ = 0;
    return !domain_.has_failed() && --work_ >= 0;
  }

  const Step* step_of(const Array& array) {
    const auto [known, is_new] =
        steps_.try_emplace(std::tuple(array.frame->computation, array.instruction, array.leaf));
    if (!is_new) return known->second.get();
    const HloInstruction& i = at(array);
    auto& op = checked_[&i];
    if (op == nullptr) {
      op = std::make_unique<absl::StatusOr<CheckedOp>>(
          checked_op(module_, module_.computations[array.frame->computation], i));
    }
    if (!op->ok() || array.leaf >= std::ssize((*op)->result)) return nullptr;
    if ((*op)->result[array.leaf].array == nullptr) return nullptr;
    auto relation = spec::access_relation_of(i, **op, array.leaf);
    if (!relation.ok()) return nullptr;
    const bool is_entered = relation->callee || relation->loop || !relation->branches.empty();
    auto step = std::make_unique<Step>(
        Step{**op, *std::move(relation), {}, (*op)->result[array.leaf].array->element_type});
    if (!is_entered) step->meaning = meaning_of(array, *step);
    known->second = std::move(step);
    return known->second.get();
  }

  spec::Meaning meaning_of(const Array& array, const Step& step) const {
    return spec::meaning_of(module_, at(array), step.op, step.relation, array.leaf, true);
  }

  // `level`: of the names of variables that an array or a reduction around it has.
  TermId element(const Array& array, Index index, int64_t level) {
    if (!goes_on() || depth_ > kMostDepth) return give_up();
    shorten(array, index);
    domain_.simplify(index);
    if (const auto cut = cuts_.find(array); cut != cuts_.end()) {
      return domain_.parameter(cut->second, 0, type(array), dims(array), index);
    }
    std::vector<int64_t> key = {level};
    for (const N& number : index) key.push_back(domain_.key(number));
    const auto known = known_.find({array, key});
    if (known != known_.end()) return known->second;
    ++depth_;
    const TermId term = computed(array, std::move(index), level);
    --depth_;
    if (!domain_.has_failed()) known_.emplace(std::pair(array, std::move(key)), term);
    return term;
  }

  // An index that exists is 0 where the array has one element.
  void shorten(const Array& array, Index& index) {
    const Step* step = step_of(array);
    if (step == nullptr) return;
    const Dims& dims = step->dims(array.leaf);
    for (size_t d = 0; d < std::min(index.size(), dims.size()); ++d) {
      if (dims[d] == 1) index[d] = 0;
    }
  }

  TermId computed(const Array& array, Index index, int64_t level) {
    const HloInstruction& i = at(array);
    if (i.opcode == HloOpcode::kParameter && array.frame->given != nullptr) {
      return array.frame->given->at(i.parameter_number);
    }
    if (i.opcode == HloOpcode::kParameter && array.frame->caller != nullptr) {
      if (has_argument(array)) return element(argument(array), std::move(index), level);
      if constexpr (kIsAnyIndex) {
        if (array.frame->round == kAnyRound) return any_round().before(array, index, level);
      }
      return give_up();
    }
    const Step* step = step_of(array);
    if (step == nullptr || domain_.has_failed()) return give_up();
    if (is_exchanged(array, *step)) return exchanged(array, *step, index, level);
    if (i.opcode == HloOpcode::kParameter) {
      if (devices_ != nullptr) return parameter_on_device(array, *step, index);
      return domain_.parameter(i.parameter_number, array.leaf, step->type, step->dims(array.leaf),
                               index);
    }
    if (step->relation.callee) return element(inside(array, *step), std::move(index), level);
    if (!step->relation.branches.empty()) return conditional(array, *step, index, level);
    if (is_kept(array)) {
      return element(operand(array, 0, array.leaf), std::move(index), level);
    }
    if (is_any_round(array, *step)) return after_any_round(array, *step, index, level);
    if (const auto last = after_rounds(array, *step)) {
      if constexpr (!kIsAnyIndex) ask_rounds(array, index, level);
      return element(*last, std::move(index), level);
    }
    if (!is_plain(*step)) return opaque(array, *step, index, level);
    switch (step->meaning.rule) {
      case spec::Rule::kSource:
        return source(array, *step, index, level);
      case spec::Rule::kMove:
        return moved(array, *step, {std::move(index), {}, {}}, level, INT64_MAX);
      case spec::Rule::kApply:
      case spec::Rule::kSelect:
      case spec::Rule::kEach:
        return of_each(array, *step, index, level);
      case spec::Rule::kRead:
        return read(array, *step, {std::move(index), {}, {}}, level);
      case spec::Rule::kOpaque:
        return opaque(array, *step, index, level);
      default:
        if (is_applied(array)) return give_up();  // to variables, which others may bind
        if (const Dims taps = taps_of(*step); !taps.empty() && domain_.writes_taps()) {
          return sum_of_taps(array, *step, taps, index, level);
        }
        return function(array, step->type, index, level,
                        [&](const Array& one, const Index& at, int64_t inner) {
                          return reduced(one, *step, at, inner);
                        });
    }
  }

  // ---- On several devices ----

  bool is_exchanged(const Array& array, const Step& step) const {
    const HloInstruction& i = at(array);
    if (devices_ == nullptr || !spec::is_exchange(i)) return false;
    const spec::Rule rule = step.meaning.rule;  // what is started is moved
    return rule != spec::Rule::kMove &&
           (i.opcode != HloOpcode::kCustomCall || rule == spec::Rule::kOpaque);
  }

  // `of` is asked for the element of the array at an index, on a device and in rounds of loops: they may be
  // others, whose term stands for all.
  template <class Of>
  TermId function(const Array& array, ElementType type, const Index& index, int64_t level, Of of) {
    Index all = index;
    if (devices_ != nullptr) all.push_back(device_of(array));
    add_rounds(array.frame, all);
    return domain_.function(type, all, level, [&](Index at, int64_t inner) {
      size_t next = index.size();
      Array there = array;
      if (devices_ != nullptr) there = on_device(there, at[next++]);
      if (next < at.size()) there.frame = in_rounds(there.frame, at, next);
      at.erase(at.begin() + std::ssize(index), at.end());
      return of(there, at, inner);
    });
  }

  // In branches, and in loops whose rounds are not known, some devices may not be there. Where they are
  // known, the other device must do as many.
  bool is_there(const Frame* frame, int64_t device) {
    for (const Frame* f = frame; f != nullptr; f = f->caller) {
      if (f->argument >= 0 || f->round > 0) return false;
      if (f->round == 0) continue;
      const Array loop{f->caller, f->call, 0};
      const auto here = rounds_of(loop);
      const auto there = rounds_of({on_device(loop.frame, device), loop.instruction, 0});
      if (!here || here != there) return false;
    }
    return true;
  }
  spec::Routes* routes_of(const Array& array, const Step& step) {
    const auto [known, is_new] =
        routes_.try_emplace(std::tuple(array.frame->computation, array.instruction, array.leaf));
    std::unique_ptr<spec::Routes>& routes = known->second;
    if (is_new) {
      routes = std::make_unique<spec::Routes>(at(array), step.op, array.leaf, devices_->counts);
      if (!routes->prepare(module_, array.frame->computation).ok()) routes = nullptr;
    }
    return routes.get();
  }

  // What devices send for an element. One, or none, if it is no bag.
  struct Received {
    std::vector<Place> from;
    bool is_bag = false;
  };
  std::optional<Received> received_by(const Array& array, const Step& step, const Index& index) {
    const spec::Routes* routes = routes_of(array, step);
    if (routes == nullptr) return std::nullopt;
    const auto route = routes->to(array.frame->device);
    if (!route.ok() || !*route) return std::nullopt;
    Received received{{}, (*route)->is_bag};
    const auto number_at = [&](const spec::DeviceElement& one) -> std::optional<int64_t> {
      const Array from = operand(array, one.from.operand, one.from.leaf);
      const auto number = term({on_device(from, one.device), one.index});
      return number ? domain_.number_of(*number) : std::nullopt;
    };
    auto elements = (*route)->reads(index, number_at);
    if (!elements) return std::nullopt;
    for (spec::DeviceElement& one : *elements) {
      const Array from = on_device(operand(array, one.from.operand, one.from.leaf), one.device);
      if (!is_there(array.frame, from.frame->device)) return std::nullopt;
      received.from.push_back({from, std::move(one.index)});
    }
    return received;
  }

  // Where a device has an element from that one device sends it.
  std::optional<Place> sent_from(const Array& array, const Step& step, const Index& index) {
    if constexpr (std::is_same_v<N, int64_t>) {
      auto received = received_by(array, step, index);
      const bool is_one = received && !received->is_bag && received->from.size() == 1;
      return is_one ? std::optional(std::move(received->from[0])) : std::nullopt;
    } else {
      const DeviceTables* tables = tables_of(array, step);
      if (tables == nullptr || tables->is_bag()) return std::nullopt;
      const auto sent = tables->sent(device_of(array), index, 0);
      if (sent.size() != 1 || domain_.known(sent[0].exists) != true) return std::nullopt;
      return place_of(array, sent[0]);
    }
  }

  TermId exchanged(const Array& array, const Step& step, const Index& index, int64_t level) {
    const auto number =
        spec::own_number(at(array).opcode, device_of(array), devices_->counts.partitions);
    if (number) return domain_.number_term(*number, step.type);
    if constexpr (!std::is_same_v<N, int64_t>) {
      return exchanged_at_any(array, step, index, level);
    } else {
      spec::Terms& terms = domain_.terms();
      const auto received = received_by(array, step, index);
      if (!received) return give_up();
      std::vector<TermId> all;
      for (const Place& from : received->from)
        all.push_back(element(from.array, from.index, level));
      if (domain_.has_failed()) return 0;
      if (!received->is_bag) return all.empty() ? spec::zero_of(step.type, terms) : all[0];
      const auto bag = spec::bag_symbol(module_, at(array), step.type);
      return bag ? terms.bag(terms.symbol(*bag), std::move(all)) : give_up();
    }
  }

  // The same for a device that is an expression: by closed forms of the tables that groups, pairs and
  // shardings are.
  TermId exchanged_at_any(const Array& array, const Step& step, const Index& index, int64_t level) {
    const DeviceTables* tables = tables_of(array, step);
    if (tables == nullptr) return give_up();
    if (tables->is_bag()) {
      return function(array, step.type, index, level,
                      [&](const Array& one, const Index& at, int64_t inner) {
                        return reduced(one, step, at, inner);
                      });
    }
    std::optional<TermId> found;
    const std::vector<SentElement> sent = tables->sent(device_of(array), index, 0);
    for (size_t k = sent.size(); k-- > 0;) {
      const SentElement& one = sent[k];
      const std::optional<bool> exists = domain_.known(one.exists);
      if (exists == false) continue;
      const auto from = place_of(array, one);
      if (!from) return give_up();
      const TermId term = element(from->array, from->index, level);
      if (exists == true) {
        found = term;
      } else {
        if (!found) found = spec::zero_of(step.type, domain_.terms());
        found = domain_.select(step.type, one.exists, term, *found);
      }
    }
    return found ? *found : spec::zero_of(step.type, domain_.terms());
  }
  // An element that is sent is on a device that exists.
  std::optional<Place> place_of(const Array& array, const SentElement& sent) {
    const Index device = domain_.inside({sent.device}, {*devices_->counts.devices()});
    const Array from = on_device(operand(array, sent.from.operand, sent.from.leaf), device[0]);
    if (!is_there(array.frame, from.frame->device)) return std::nullopt;
    return Place{from, sent.index};
  }
  const DeviceTables* tables_of(const Array& array, const Step& step) {
    auto& tables = tables_[std::tuple(array.frame->computation, array.instruction, array.leaf)];
    if (tables == nullptr) {
      const spec::Routes* routes = routes_of(array, step);
      if (routes == nullptr) return nullptr;
      tables = std::make_unique<DeviceTables>(*routes, *devices_->counts.devices());
    }
    return tables->is_known() ? tables.get() : nullptr;
  }

  TermId parameter_on_device(const Array& array, const Step& step, const Index& index) {
    const HloInstruction& i = at(array);
    const auto number = static_cast<int32_t>(i.parameter_number);
    const Dims& dims = step.dims(array.leaf);
    if constexpr (std::is_same_v<N, int64_t>) {
      spec::ParameterOnDevice parameter(*devices_, array.frame->device, number, array.leaf,
                                        step.type, dims, domain_.terms());
      return parameter.element(index);
    } else {
      const auto placed = devices_->parameters.find({number, array.leaf});
      Index own = index;
      own.push_back(device_of(array));
      const TermId unknown =
          domain_.parameter(number, array.leaf, step.type, dims, own, " of a device");
      if (placed == devices_->parameters.end()) return unknown;
      auto& parts = parts_[&placed->second];
      if (!parts) parts.emplace(placed->second.sharding);
      if (!parts->is_known()) return give_up();
      const Dims& all = placed->second.dims;
      Index global =
          spec::index_of_part(placed->second.sharding, all, parts->part(device_of(array)), index);
      domain_.simplify(global);
      const TermId whole = domain_.parameter(number, array.leaf, step.type, dims, global);
      spec::Truth<N> exists = true;
      const std::vector<int64_t>& cut = placed->second.sharding.parts;
      for (size_t d = 0; d < cut.size(); ++d) {  // where the last part is padded
        if (all[d] % cut[d] != 0) exists = exists && global[d] < all[d];
      }
      return domain_.select(step.type, exists, whole, unknown);
    }
  }

  // A state of a loop is none of its operand, but for what is kept.
  bool has_argument(const Array& array) {
    const Frame& frame = *array.frame;
    const bool is_state = frame.round > 0 || frame.round == kAnyRound;
    return !is_state || is_kept({frame.caller, frame.call, array.leaf});
  }

  // What a parameter of a computation that is called stands for.
  Array argument(const Array& array) {
    const Frame& frame = *array.frame;
    if (frame.round < 0 && frame.round != kAnyRound) {
      return state_after(-frame.round - 1, {frame.caller, frame.call, array.leaf});
    }
    const int64_t number = frame.argument >= 0 ? frame.argument : at(array).parameter_number;
    return operand({frame.caller, frame.call, 0}, number, array.leaf);
  }

  // A leaf of the state of a loop after some rounds.
  Array state_after(int64_t rounds, const Array& loop) {
    if (rounds == 0 || is_kept(loop)) return operand(loop, 0, loop.leaf);
    const int32_t body = loop_of(loop).body;
    return in_loop(loop, body, module_.computations[body].root, loop.leaf, -rounds);
  }

  // If it is a loop, and the number of its rounds is known: the state after the last.
  std::optional<Array> after_rounds(const Array& array, const Step& step) {
    if (!step.relation.loop || loops_ == LoopsAs::kFunctions) return std::nullopt;
    const std::optional<int64_t> rounds = rounds_of({array.frame, array.instruction, 0});
    if (!rounds) return std::nullopt;
    return state_after(*rounds, array);
  }
  // So that no round waits for all before it, which may be too many.
  void ask_rounds(const Array& array, const Index& index, int64_t level) {
    const std::optional<int64_t> rounds = rounds_of({array.frame, array.instruction, 0});
    for (int64_t round = kMostDepth / 16; round < rounds.value_or(0); ++round) {
      element(state_after(round, array), index, level);
      if (domain_.has_failed()) return;
    }
  }

  AnyRound<ElementWalk>& any_round() {
    if (any_round_ == nullptr) any_round_ = std::make_unique<AnyRound<ElementWalk>>(*this);
    return *any_round_;
  }
  // Whether it is a loop's, and known before any round.
  bool is_any_round(const Array& array, const Step& step) {
    if constexpr (kIsAnyIndex) {
      return step.relation.loop && loops_ == LoopsAs::kAnyRound &&
             any_round().leaf(array).kind != AnyRound<ElementWalk>::Kind::kOther;
    }
    return false;
  }
  TermId after_any_round(const Array& array, const Step& step, const Index& index, int64_t level) {
    if constexpr (kIsAnyIndex) {
      if (any_round().leaf(array).kind != AnyRound<ElementWalk>::Kind::kSum) {
        return any_round().after(array, index, level);
      }
    }
    return function(array, step.type, index, level,
                    [&](const Array& one, const Index& at, int64_t inner) {
                      return reduced(one, step, at, inner);
                    });
  }

  // While they are counted, they are not known.
  std::optional<int64_t> rounds_of(const Array& loop) {
    const auto [known, is_new] = rounds_.try_emplace(loop, std::nullopt);
    if (!is_new) return known->second;
    const int32_t condition = loop_of(loop).condition;
    const int32_t root = module_.computations[condition].root;
    for (int64_t round = 0; work_ >= 0 && !domain_.has_failed(); ++round) {
      const TermId goes_on = element(in_loop(loop, condition, root, 0, -round - 1), Index(), 0);
      const std::optional<int64_t> value = domain_.number_of(goes_on);
      if (value == 0) rounds_[loop] = round;
      if (value != 1) break;
    }
    return rounds_.at(loop);
  }

  TermId conditional(const Array& array, const Step& step, const Index& index, int64_t level) {
    std::vector<TermId> all = {element(operand(array, 0, 0), {}, level)};
    for (const spec::Branch& branch : step.relation.branches) {
      all.push_back(element(inside(array, branch), index, level));
    }
    if (domain_.has_failed()) return 0;
    const ElementType from = step.op.operands[0][0].array->element_type;
    const spec::Symbol f{.text = absl::StrCat("conditional of ", info(from).name),
                         .opcode = HloOpcode::kConditional,
                         .type = step.type,
                         .from = from};
    return domain_.terms().apply(domain_.terms().symbol(f), all);
  }

  static bool is_plain(const Step& step) {
    return !step.relation.loop && step.relation.branches.empty() &&
           (step.meaning.rule == spec::Rule::kMove ||
            !std::holds_alternative<op::Start>(step.op.operation));
  }

  // What a computation that is called gives.
  Array inside(const Array& array, const Step& step) {
    const spec::Callee& callee = *step.relation.callee;
    const Frame* inner =
        frame_of({array.frame, callee.computation, array.instruction, -1, 0, array.frame->device});
    return {inner, module_.computations[callee.computation].root, callee.leaf};
  }
  Array inside(const Array& array, const spec::Branch& branch) {
    const Frame* inner = frame_of({array.frame, branch.computation, array.instruction,
                                   branch.operand, 0, array.frame->device});
    return {inner, module_.computations[branch.computation].root, branch.leaf};
  }

  // The element of the one operand that exists at this index. Each is asked only where it may.
  TermId moved(const Array& array, const Step& step, const Point& point, int64_t level,
               int64_t arrays) {
    std::vector<Reached> all;
    const Point inner{domain_.inside(point.o, step.dims(array.leaf)), point.s, point.rt};
    for (const spec::Dependence& dependence : step.relation.dependences) {
      if (dependence.operand >= arrays) continue;
      if (!dependence.ranges.empty()) return give_up();
      spec::AccessedElement<N> reached = spec::reach(dependence, inner);
      const std::optional<bool> exists = domain_.known(reached.in_domain);
      if (exists == false) continue;
      if (exists == true) all.clear();
      all.push_back({std::move(reached.in_domain), &dependence, std::move(reached.index)});
      if (exists == true) break;
    }
    if (all.empty()) return give_up();
    std::optional<TermId> found;
    for (size_t k = all.size(); k-- > 0;) {
      const spec::Dependence& from = *all[k].dependence;
      const TermId one =
          element(operand(array, from.operand, from.leaf), std::move(all[k].index), level);
      found = found ? domain_.select(step.type, all[k].exists, one, *found) : one;
    }
    return *found;
  }

  TermId of_each(const Array& array, const Step& step, const Index& index, int64_t level) {
    std::vector<TermId> terms;
    const auto& dependences = step.relation.dependences;
    for (size_t k = 0; k < dependences.size(); ++k) {
      const spec::Dependence& one = dependences[k];
      spec::AccessedElement<N> reached = spec::reach(one, Point{index, {}, {}});
      if (!one.ranges.empty() || domain_.known(reached.in_domain) != true) return give_up();
      const TermId term =
          element(operand(array, one.operand, one.leaf), std::move(reached.index), level);
      if (domain_.has_failed()) return 0;
      const bool is_predicate = step.meaning.rule == spec::Rule::kSelect && k == 0;
      const auto choice = is_predicate ? domain_.number_of(term) : std::nullopt;
      if (choice && dependences.size() == 3) {  // what is not chosen is not looked at
        const spec::Dependence& chosen = dependences[*choice != 0 ? 1 : 2];
        return element(operand(array, chosen.operand, chosen.leaf),
                       spec::reach(chosen, Point{index, {}, {}}).index, level);
      }
      terms.push_back(term);
    }
    if (domain_.has_failed()) return 0;
    if (step.meaning.rule == spec::Rule::kEach) return applied(array, "to_apply", terms);
    if (step.meaning.swaps) std::swap(terms.at(0), terms.at(1));
    const TermId term = domain_.terms().apply(domain_.terms().symbol(step.meaning.symbol), terms);
    return domain_.shortest(term);
  }

  // ---- Computations that are applied to elements ----

  // What a computation of scalars makes of them: a leaf of its result.
  TermId applied(const Array& array, absl::string_view attribute, std::vector<TermId> operands,
                 int64_t leaf = 0) {
    const std::vector<int32_t> called = called_computations(at(array), attribute);
    if (called.size() != 1 || called[0] < 0 || domain_.has_failed()) return give_up();
    Frame inner{array.frame, called[0], array.instruction, -1, 0, array.frame->device};
    inner.given = &*given_.insert(std::move(operands)).first;
    return element({frame_of(inner), module_.computations[called[0]].root, leaf}, {}, 0);
  }
  static bool is_applied(const Array& array) {
    const Frame* frame = array.frame;
    while (frame != nullptr && frame->given == nullptr) frame = frame->caller;
    return frame != nullptr;
  }

  TermId choose(ElementType type, TermId predicate, TermId yes, TermId no) {
    if (const auto known = domain_.terms().value(predicate)) return *known != 0 ? yes : no;
    const std::string name(info(type).name);
    const spec::Symbol select{
        .text = absl::StrCat("select ", name, " of pred of ", name, " of ", name),
        .opcode = HloOpcode::kSelect,
        .type = type,
        .from = ElementType::kPred};
    return domain_.terms().apply(domain_.terms().symbol(select), {{predicate, yes, no}});
  }

  // What is made of elements at several indexes.
  TermId reduced(const Array& array, const Step& step, const Index& index, int64_t level) {
    std::vector<int64_t> key = {level};
    for (const N& number : index) key.push_back(domain_.key(number));
    const auto known = bags_.find({array, key});
    if (known != bags_.end()) return known->second;
    const TermId term = computed_of_many(array, step, index, level);
    if (!domain_.has_failed()) bags_.emplace(std::pair(array, std::move(key)), term);
    return term;
  }
  TermId computed_of_many(const Array& array, const Step& step, const Index& index, int64_t level) {
    if (is_exchanged(array, step) || step.relation.loop) return computed_bag(array, index, level);
    switch (step.meaning.rule) {
      case spec::Rule::kBag:
        return computed_bag(array, index, level);
      case spec::Rule::kFold:
        return is_folded(array, step) ? folded(array, step, index, level)
                                      : computed_bag(array, index, level);
      case spec::Rule::kScatter:
        return spec::bag_symbol(module_, at(array), step.type)
                   ? computed_bag(array, index, level)
                   : scattered(array, step, index, level);
      case spec::Rule::kSelectAndScatter:
        return scattered_to_selected(array, step, index, level);
      case spec::Rule::kSort:
        return sorted(array, step, index, level);
      default:
        return give_up();
    }
  }

  // Whether it is a reduction by a computation that is no single operation.
  bool is_folded(const Array& array, const Step& step) const {
    return step.meaning.rule == spec::Rule::kFold && !step.relation.loop &&
           !is_exchanged(array, step) &&
           !spec::reducer_of_leaf(module_, at(array), array.leaf, step.type);
  }
  std::vector<TermId> inits_of(const Array& array, const Step& step, const Index& index,
                               int64_t level) {
    const auto& dependences = step.relation.dependences;  // an array and its init, again and again
    std::vector<TermId> inits;
    for (size_t k = 1; k < dependences.size(); k += 2) {
      if (!dependences[k].ranges.empty()) {
        inits.push_back(give_up());
        continue;
      }
      inits.push_back(element(operand(array, dependences[k].operand, dependences[k].leaf),
                              spec::reach(dependences[k], Point{index, {}, {}}).index, level));
    }
    return inits;
  }

  // As the definition has it, from first to last.
  TermId folded(const Array& array, const Step& step, const Index& index, int64_t level) {
    const std::vector<TermId> inits = inits_of(array, step, index, level);
    spec::Terms& terms = domain_.terms();
    const TermId counts =
        terms.opaque(terms.symbol({.text = "padding counts", .type = ElementType::kPred}), 0, {});
    using Fold = typename NestedFolds<ElementWalk>::Fold;
    const Fold outer{{array.frame, array.instruction, 0}, &step, index};
    std::vector<Dims> nested = {outer.ranges()};
    if constexpr (kIsAnyIndex) nested = folds().ranges_of(outer, inits, level);
    Dims ranges;
    for (const Dims& one : nested) ranges.insert(ranges.end(), one.begin(), one.end());
    const auto next = [&](const std::vector<TermId>& state, const Index& points) {
      Fold one = outer;
      auto s = points.begin();
      for (size_t k = 0; k + 1 < nested.size(); s += std::ssize(nested[k]), ++k) {
        auto inner = folds().at(one, Index(s, s + std::ssize(nested[k])));
        if (!inner) return std::vector{give_up()};
        one = *std::move(inner);
      }
      return after_point(one, state, inits, Index(s, points.end()), counts, level);
    };
    return domain_.fold(step.type, ranges, level, inits, static_cast<size_t>(array.leaf), next);
  }
  // What a computation makes of the state and one point.
  std::vector<TermId> after_point(const typename NestedFolds<ElementWalk>::Fold& fold,
                                  const std::vector<TermId>& state,
                                  const std::vector<TermId>& inits, const Index& s, TermId counts,
                                  int64_t level) {
    const auto& dependences = fold.step->relation.dependences;
    std::vector<TermId> all = state, results;
    spec::Truth<N> exists = true;
    for (size_t k = 0; k < dependences.size(); k += 2) {
      spec::AccessedElement<N> reached = spec::reach(dependences[k], Point{fold.index, s, {}});
      exists = reached.in_domain;
      if (domain_.known(exists) == false) {
        all.push_back(inits[k / 2]);
        continue;
      }
      const Array from = operand(fold.array, dependences[k].operand, dependences[k].leaf);
      const TermId one = element(from, std::move(reached.index), level + 1);
      all.push_back(domain_.select(type(from), exists, one, inits[k / 2]));
    }
    for (size_t k = 0; k < state.size() && !domain_.has_failed(); ++k) {
      const ElementType own = type(operand(fold.array, dependences[2 * k].operand, 0));
      const TermId one = applied(fold.array, "to_apply", all, static_cast<int64_t>(k));
      const TermId outside =
          domain_.known(exists) == true ? one : choose(own, counts, one, state[k]);
      results.push_back(domain_.select(own, exists, one, outside));
    }
    return results;
  }
  NestedFolds<ElementWalk>& folds() {
    if (folds_ == nullptr) folds_ = std::make_unique<NestedFolds<ElementWalk>>(*this);
    return *folds_;
  }

  // The windows of a scatter, and the update of one that lands on an element.
  static Dims windows_of(const Step& step) {
    const op::IndexedWindows& t = std::get<op::Scatter>(step.relation.dependences[1].access).table;
    Dims windows;
    for (const int64_t d : t.batch_dims) windows.push_back(t.windows[d]);
    return windows;
  }
  BagPoint<N> update_at(const Array& array, const Step& step, const Index& index, const Index& s,
                        int64_t level) {
    const spec::Dependence& of = step.relation.dependences[1];
    const op::IndexedWindows& t = std::get<op::Scatter>(of.access).table;
    Point update{index, Index(t.windows.size(), 0), {}};
    for (size_t k = 0; k < s.size(); ++k) update.s[t.batch_dims[k]] = s[k];
    if (!set_offsets(array, step, update, level + 1)) return {false};
    const Index start = spec::array_element(t, update.s, update.rt);
    BagPoint<N> added{true};
    for (size_t k = 0; k < t.kept.size(); ++k) {
      N& in_window = update.s[t.window_dims[k]];
      in_window = spec::minus(index[t.kept[k]], start[t.kept[k]]);
      added.exists = added.exists && spec::inside(in_window, t.windows[t.window_dims[k]]);
    }
    spec::AccessedElement<N> reached = spec::reach(of, update);
    added.exists = added.exists && reached.in_domain;
    if (domain_.known(added.exists) == false) return added;
    added.factors.push_back(element(operand(array, 2, 0), std::move(reached.index), level + 1));
    return added;
  }
  // The element of the array, and those of the updates that land on it, by a computation that is no single
  // operation: of each window, one may.
  TermId scattered(const Array& array, const Step& step, const Index& index, int64_t level) {
    const auto next = [&](const std::vector<TermId>& state, const Index& s) {
      const BagPoint<N> added = update_at(array, step, index, s, level);
      if (domain_.has_failed() || domain_.known(added.exists) == false) return state;
      const TermId one = applied(array, "to_apply", {state[0], added.factors.at(0)});
      return std::vector{domain_.select(step.type, added.exists, one, state[0])};
    };
    return domain_.fold(step.type, windows_of(step), level,
                        {element(operand(array, 0, 0), index, level)}, 0, next);
  }

  TermId of_truth(const spec::Truth<N>& truth) {
    spec::Terms& terms = domain_.terms();
    const auto constant = [&](int64_t value) { return terms.constant(ElementType::kPred, value); };
    return domain_.select(ElementType::kPred, truth, constant(1), constant(0));
  }

  // Whether the window of the source element that this tap (point.s, its first half) leads to selects
  // the element: the first, as long as `select` holds of it and each later one.
  TermId is_selected(const Array& array, const Step& step, Point point, int64_t level) {
    const spec::Dependence& of = step.relation.dependences[0];
    const Dims taps(of.ranges.begin(), of.ranges.begin() + std::ssize(of.ranges) / 2);
    const Index own(point.s.begin(), point.s.begin() + std::ssize(taps));
    TermId found = of_truth(false), is_own = found;
    std::optional<TermId> best;
    Dims tap(taps.size(), 0);
    do {
      std::ranges::copy(tap, point.s.begin() + std::ssize(taps));
      spec::AccessedElement<N> reached = spec::reach(of, point);
      if (domain_.known(reached.in_domain) == false) continue;
      const TermId next = element(operand(array, 0, 0), std::move(reached.index), level);
      bool is_same = true;
      for (size_t k = 0; k < tap.size(); ++k)
        is_same = is_same && domain_.key(tap[k]) == domain_.key(own[k]);
      const TermId is_next = of_truth(is_same), exists = of_truth(reached.in_domain);
      if (!best) best = next;
      const TermId keeps = applied(array, "select", {*best, next});
      if (!goes_on()) return give_up();
      const TermId stays = choose(ElementType::kPred, found, keeps, found);
      const TermId goes = choose(ElementType::kPred, stays, of_truth(false), exists);
      is_own = choose(ElementType::kPred, goes, is_next, is_own);
      best = choose(step.type, goes, next, *best);
      found = choose(ElementType::kPred, found, found, exists);
    } while (next_index(taps, tap));
    return is_own;
  }

  // The updates are those of the windows that the element lies in, in the order of the source.
  TermId scattered_to_selected(const Array& array, const Step& step, const Index& index,
                               int64_t level) {
    const spec::Dependence& source = step.relation.dependences[1];
    const Dims& taps = source.ranges;
    std::vector<std::pair<TermId, TermId>> updates;
    Dims tap(taps.size(), 0);
    do {
      Point point{index, Index(tap.begin(), tap.end()), {}};
      point.s.resize(2 * taps.size(), 0);
      spec::AccessedElement<N> reached = spec::reach(source, point);
      if (domain_.known(reached.in_domain) == false) continue;
      const TermId selected = is_selected(array, step, point, level);
      if (domain_.has_failed()) return 0;
      updates.emplace_back(
          choose(ElementType::kPred, of_truth(reached.in_domain), selected, of_truth(false)),
          element(operand(array, 1, 0), std::move(reached.index), level));
    } while (next_index(taps, tap));
    std::ranges::reverse(updates);
    TermId result = element(operand(array, 2, 0), {}, level);
    const auto symbol = spec::bag_symbol(module_, at(array), step.type);
    spec::Terms& terms = domain_.terms();
    if (symbol && symbol->opcode == HloOpcode::kAdd && spec::float_format(step.type)) {
      std::vector<TermId> added = {result};
      for (const auto& [is_added, update] : updates) {
        added.push_back(choose(step.type, is_added, update, terms.constant(step.type, 0.0)));
      }
      return terms.bag(terms.symbol(*symbol), std::move(added));
    }
    for (const auto& [is_added, update] : updates) {
      if (terms.value(is_added) == 0) continue;
      const TermId one = applied(array, "scatter", {result, update});
      if (domain_.has_failed()) return 0;
      result = choose(step.type, is_added, one, result);
    }
    return result;
  }

  // What says that one element of a line is before another, as the definition has it.
  TermId order_of(const Array& array, const Step& step) {
    spec::Terms& terms = domain_.terms();
    std::vector<TermId> compared;
    for (const auto& leaves : step.op.operands) {
      const ElementType type = leaves[0].array->element_type;
      for (int side = 0; side < 2; ++side) {
        const auto number = static_cast<int32_t>(compared.size());
        const auto one =
            terms.symbol({.text = absl::StrCat("compared ", number, " ", info(type).name),
                          .opcode = HloOpcode::kSort,
                          .type = type,
                          .operand = number});
        compared.push_back(terms.element(one, 0));
      }
    }
    const HloInstruction& i = at(array);
    if (i.opcode != HloOpcode::kTopk) {
      return applied(array, i.opcode == HloOpcode::kSort ? "to_apply" : "called_computations",
                     std::move(compared));
    }
    const ElementType type = terms.symbol_of(compared[0]).type;
    const auto before =
        terms.symbol({.text = absl::StrCat("compare LT of ", info(type).name,
                                           spec::is_integer(type) ? "" : " TOTALORDER"),
                      .opcode = HloOpcode::kCompare,
                      .type = ElementType::kPred,
                      .from = type,
                      .direction = "LT"});
    if (*find_attribute(i.attributes, "largest") == "true") std::ranges::reverse(compared);
    return terms.apply(before, compared);
  }

  TermId sorted(const Array& array, const Step& step, const Index& index, int64_t level) {
    const auto& dependences = step.relation.dependences;
    if (index.empty()) return element(operand(array, array.leaf, 0), index, level);
    const bool is_sort = at(array).opcode == HloOpcode::kSort;
    const auto dimensions = integers_of(at(array), "dimensions");
    const bool is_named = is_sort && dimensions.ok() && !dimensions->empty();
    const N place = index[is_named ? dimensions->front() : std::ssize(index) - 1];
    const auto at_place = [&](const N& s) {
      std::vector<TermId> all;
      for (const spec::Dependence& one : dependences) {
        all.push_back(element(operand(array, one.operand, one.leaf),
                              spec::reach(one, Point{index, {s}, {}}).index, level + 1));
      }
      if (!is_sort) all.push_back(domain_.number_term(s, ElementType::kS32));
      return all;
    };
    if (dependences[0].ranges.size() != 1) return give_up();
    return domain_.line(step.meaning.symbol, dependences[0].ranges[0], level, at_place,
                        order_of(array, step), place);
  }

  // A reduction of a chain: each one reduces the results of the next. If the order is free, and all are of one
  // kind, a chain is one reduction.
  struct Reduction {
    Array array;
    Index index;
    const Step* step = nullptr;
    int64_t first =
        0;  // its dependence on what it reduces; the next one: on the other factor, or the init
    Dims ranges = {};
    spec::Symbol symbol = {};
    std::optional<TermId> init = std::nullopt;
  };
  // The one at this place. Nothing if it is none, or not followed.
  std::optional<Reduction> reduction_at(Place place, int64_t level) {
    const Step* step = step_of(place.array);
    if (step == nullptr) return std::nullopt;
    Reduction one{place.array, std::move(place.index), step};
    if (is_exchanged(one.array, *step)) {
      const auto symbol = spec::bag_symbol(module_, at(one.array), step->type);
      const DeviceTables* tables = tables_of(one.array, *step);
      if (!symbol || tables == nullptr || !tables->is_bag()) return std::nullopt;
      one.symbol = *symbol;
      one.ranges = {tables->group_size()};
      return one;
    }
    if constexpr (kIsAnyIndex) {
      if (is_any_round(one.array, *step)) {
        const auto& leaf = any_round().leaf(one.array);
        if (leaf.kind != AnyRound<ElementWalk>::Kind::kSum) return std::nullopt;
        one.symbol = spec::bag_of(leaf.adds, step->type);
        one.ranges = {leaf.rounds};
        one.init = element(operand(one.array, 0, one.array.leaf), one.index, level);
        return one;
      }
    }
    if (!is_plain(*step)) return std::nullopt;
    if (step->meaning.rule == spec::Rule::kScatter) {
      const auto symbol = spec::bag_symbol(module_, at(one.array), step->type);
      if (!symbol) return std::nullopt;
      one.symbol = *symbol;
      one.ranges = windows_of(*step);
      one.init = element(operand(one.array, 0, 0), one.index, level);
      return one;
    }
    if (step->meaning.rule == spec::Rule::kFold) {
      const auto own = spec::reducer_of_leaf(module_, at(one.array), one.array.leaf, step->type);
      if (!own) return std::nullopt;
      one.symbol = *own;
      one.first = 2 * one.array.leaf;
    } else if (step->meaning.rule == spec::Rule::kBag) {
      one.symbol = step->meaning.symbol;
    } else {
      return std::nullopt;
    }
    const auto& dependences = step->relation.dependences;
    if (std::ssize(dependences) < one.first + 2) return std::nullopt;
    one.ranges = dependences[one.first].ranges;
    const spec::Dependence& last = dependences[one.first + 1];
    if (one.symbol.group == 2) {
      return one.ranges == last.ranges ? std::optional(one) : std::nullopt;
    }
    if (!last.ranges.empty()) return std::nullopt;
    one.init = element(operand(one.array, last.operand, last.leaf),
                       spec::reach(last, Point{one.index, {}, {}}).index, level);
    return one;
  }
  // What the point s of a reduction of elements reads, where that is moved from.
  std::optional<Place> reduced_at(const Reduction& one, const Index& s) {
    std::optional<Place> place;
    if (is_exchanged(one.array, *one.step)) {
      if constexpr (!std::is_same_v<N, int64_t>) {
        const DeviceTables* tables = tables_of(one.array, *one.step);
        const auto sent = tables->sent(device_of(one.array), one.index, s[0]);
        place = place_of(one.array, sent.at(0));
      }
    } else if (one.step->relation.loop) {
      if constexpr (kIsAnyIndex) place = any_round().added(one.array, s[0], one.index);
    } else {
      const spec::Dependence& from = one.step->relation.dependences[one.first];
      spec::AccessedElement<N> reached = spec::reach(from, Point{one.index, s, {}});
      if (domain_.known(reached.in_domain) != true) return std::nullopt;
      place = Place{operand(one.array, from.operand, from.leaf), std::move(reached.index)};
    }
    return place ? std::optional(moved_back(*std::move(place))) : std::nullopt;
  }
  // Where the element is made that operations have moved there.
  Place moved_back(Place place) {
    while (goes_on()) {
      shorten(place.array, place.index);
      domain_.simplify(place.index);
      if (cuts_.contains(place.array)) break;
      auto from = moved_from(place);
      if (!from) break;
      place = *std::move(from);
    }
    return place;
  }
  // The reduction of the same kind that point s is.
  std::optional<Reduction> inner_at(const Reduction& outer, const Index& s, int64_t level) {
    const bool is_scatter = outer.step->meaning.rule == spec::Rule::kScatter;
    if (outer.symbol.group != 1 || is_scatter) return std::nullopt;
    const auto place = reduced_at(outer, s);
    if (!place || cuts_.contains(place->array)) return std::nullopt;
    auto inner = reduction_at(*place, level);
    const bool is_same = inner && inner->symbol.opcode == outer.symbol.opcode &&
                         inner->symbol.type == outer.symbol.type &&
                         (!inner->init || domain_.adds_nothing(inner->symbol, *inner->init));
    return is_same ? inner : std::nullopt;
  }

  // The taps of a window, over which it is a sum of what each one adds; the ranges of the reduction begin with
  // them.
  static Dims taps_of(const Step& step) {
    if (step.meaning.rule != spec::Rule::kBag && step.meaning.rule != spec::Rule::kFold) return {};
    const spec::Access& access = step.relation.dependences[0].access;
    if (const auto* window = std::get_if<op::ReduceWindow>(&access)) {
      return spec::taps_of(window->window);
    }
    const auto* convolution = std::get_if<op::Convolution>(&access);
    return convolution == nullptr ? Dims() : spec::taps_of(convolution->window);
  }
  TermId sum_of_taps(const Array& array, const Step& step, const Dims& taps, const Index& index,
                     int64_t level) {
    const auto all = reduction_at({array, index}, level);
    if (!all || !domain_.has_any_order(all->symbol)) return give_up();
    std::vector<TermId> parts;
    if (all->init) parts.push_back(*all->init);
    Dims tap(taps.size(), 0);
    if (std::ranges::count(taps, 0) > 0) return give_up();
    do {
      const auto part = [&](const Array& one, const Index& at, int64_t inner) {
        return computed_bag(one, at, inner, Index(tap.begin(), tap.end()));
      };
      parts.push_back(function(array, step.type, index, level, part));
    } while (!domain_.has_failed() && next_index(taps, tap));
    spec::Terms& terms = domain_.terms();
    return terms.bag(terms.symbol(spec::bag_of(all->symbol.opcode, step.type)), std::move(parts));
  }

  // `tap`: the values of the first ranges, if only those points are meant, without the init.
  TermId computed_bag(const Array& array, const Index& index, int64_t level,
                      const Index& tap = {}) {
    const auto outer = reduction_at({array, index}, level);
    if (!outer) return give_up();
    std::vector<Reduction> chain = {*outer};
    while (domain_.has_any_order(outer->symbol) &&
           std::ranges::count(chain.back().ranges, 0) == 0) {
      const auto anywhere = domain_.every_index(chain.back().ranges,
                                                absl::StrCat("n", level, ".", chain.size(), "."));
      auto inner = anywhere ? inner_at(chain.back(), *anywhere, level) : std::nullopt;
      if (domain_.has_failed() || !inner) break;
      chain.push_back(*std::move(inner));
    }
    if (domain_.has_failed()) return 0;
    Dims ranges;
    for (const Reduction& one : chain) {
      ranges.insert(ranges.end(), one.ranges.begin(), one.ranges.end());
    }
    ranges.erase(ranges.begin(), ranges.begin() + std::ssize(tap));
    const auto zeros = zero_points(*outer, level);
    const auto point = [&](const Index& others) {
      Index s = tap;
      s.insert(s.end(), others.begin(), others.end());
      if constexpr (std::is_same_v<N, int64_t>) {
        if (zeros && zeros->contains(s)) return BagPoint<N>{.exists = false};
      }
      Reduction last = *outer;
      size_t first = last.ranges.size();
      for (size_t k = 1; k < chain.size(); ++k) {
        const auto begin = s.begin() + static_cast<int64_t>(first - last.ranges.size());
        auto inner = inner_at(last, Index(begin, begin + std::ssize(last.ranges)), level);
        if (!inner || inner->array.instruction != chain[k].array.instruction) {
          give_up();
          return BagPoint<N>{false};
        }
        last = *std::move(inner);
        first += last.ranges.size();
      }
      const auto begin = s.begin() + static_cast<int64_t>(first - last.ranges.size());
      return added_by(last, Index(begin, s.end()), level);
    };
    const Reduction& last = chain.back();
    const auto init = !tap.empty() ? std::nullopt : outer->init ? outer->init : last.init;
    const bool is_of_products = last.symbol.group == 2;  // and the init is none
    const TermId all = domain_.bag(at(last.array), last.symbol, ranges, level, point,
                                   is_of_products ? std::nullopt : init, chain.size() > 1);
    if (!init || !is_of_products || domain_.has_failed()) return all;
    return domain_.terms().bag(domain_.terms().symbol(outer->symbol), {*init, all});
  }
  // What one point adds.
  BagPoint<N> added_by(const Reduction& one, const Index& s, int64_t level) {
    if (one.step->meaning.rule == spec::Rule::kScatter) {
      return update_at(one.array, *one.step, one.index, s, level);
    }
    BagPoint<N> added{.exists = true, .in_place = one.init};
    if (is_exchanged(one.array, *one.step) || one.step->relation.loop) {
      const auto place = reduced_at(one, s);
      if (place) {
        added.factors.push_back(element(place->array, place->index, level + 1));
      } else {
        give_up();
      }
      return added;
    }
    const auto& dependences = one.step->relation.dependences;
    const auto factor = [&](int64_t k) {
      return operand(one.array, dependences[k].operand, dependences[k].leaf);
    };
    std::vector<int64_t> order = {one.first};
    if (one.symbol.group == 2) order.push_back(one.first + 1);
    const bool is_turned = order.size() == 2 && is_looked_at_first(factor(order[1]));
    if (is_turned) std::swap(order[0], order[1]);
    for (const int64_t k : order) {
      spec::AccessedElement<N> reached = spec::reach(dependences[k], Point{one.index, s, {}});
      added.exists = added.exists && reached.in_domain;
      if (domain_.known(added.exists) == false) break;
      added.factors.push_back(element(factor(k), std::move(reached.index), level + 1));
      const bool is_first = order.size() == 2 && k == order[0];
      if (is_first && makes_zero(added.factors[0], factor(order[1]))) return {.exists = false};
    }
    if (is_turned && added.factors.size() == 2) std::swap(added.factors[0], added.factors[1]);
    return added;
  }

  // The points that a parameter makes zero which is looked at first.
  std::optional<ZeroPoints> zero_points(const Reduction& one, int64_t level) {
    if constexpr (std::is_same_v<N, int64_t>) {
      if (one.symbol.group != 2 || at(one.array).opcode != HloOpcode::kDot) return std::nullopt;
      const auto& dependences = one.step->relation.dependences;
      const auto factor = [&](int64_t k) {
        return operand(one.array, dependences[one.first + k].operand, 0);
      };
      const int64_t first = is_looked_at_first(factor(1)) ? 1 : 0;
      const Array array = factor(first);
      const bool is_given = at(array).opcode == HloOpcode::kParameter &&
                            array.frame->caller == nullptr && !cuts_.contains(array);
      if (!is_given || !is_looked_at_first(array) || !bounds().are_known(factor(1 - first))) {
        return std::nullopt;
      }
      const spec::Dependence& from = dependences[one.first + first];
      return ZeroPoints::of(domain_.point(), domain_.terms(), one.ranges, [&](const Index& s) {
        return element(array, spec::reach(from, Point{one.index, s, {}}).index, level + 1);
      });
    }
    return std::nullopt;
  }
  // At a point where parameters have many zeros, a factor that is one of them is looked at first. If it is 0, so
  // is the product with any number.
  bool is_looked_at_first(const Array& factor) {
    if constexpr (std::is_same_v<N, int64_t>) {
      return domain_.point().has_thin() && bounds().is_given(factor);
    }
    return false;
  }
  bool makes_zero(TermId factor, const Array& other) {
    if constexpr (std::is_same_v<N, int64_t>) {
      return domain_.point().has_thin() && !domain_.has_failed() && domain_.is_zero(factor) &&
             bounds().are_known(other);
    }
    return false;
  }
  ArrayBounds<ElementWalk>& bounds() {
    if (bounds_ == nullptr) {
      bounds_ = std::make_unique<ArrayBounds<ElementWalk>>(*this, domain_.point());
    }
    return *bounds_;
  }

  // The term of the next offset of a point.
  TermId next_offset(const Array& array, const Step& step, const Point& point, int64_t level) {
    const spec::RuntimeVariable& variable = step.relation.runtime[point.rt.size()];
    const Array offsets = operand(array, variable.operand, 0);
    return element(offsets, spec::reach(variable.element, point).index, level);
  }
  void add_offset(const Step& step, Point& point, TermId term) {
    const spec::RuntimeVariable& variable = step.relation.runtime[point.rt.size()];
    const ElementType type = step.op.operands[variable.operand][0].array->element_type;
    point.rt.push_back(domain_.offset(term, type, {variable.low, variable.high}));
  }
  bool set_offsets(const Array& array, const Step& step, Point& point, int64_t level) {
    while (!domain_.has_failed() && point.rt.size() < step.relation.runtime.size()) {
      add_offset(step, point, next_offset(array, step, point, level));
    }
    return !domain_.has_failed();
  }

  // Of an offset that a predicate chooses of two numbers, what is read at both.
  TermId read(const Array& array, const Step& step, Point point, int64_t level) {
    if (domain_.has_failed()) return 0;
    if (point.rt.size() == step.relation.runtime.size()) {
      return moved(array, step, point, level, step.meaning.arrays);
    }
    const TermId term = next_offset(array, step, point, level);
    const spec::RuntimeVariable& variable = step.relation.runtime[point.rt.size()];
    const auto choice = domain_.choice(term, {variable.low, variable.high});
    if (!choice) {
      add_offset(step, point, term);
      return read(array, step, std::move(point), level);
    }
    std::vector<TermId> both;
    for (const N& number : choice->numbers) {
      Point one = point;
      one.rt.push_back(number);
      both.push_back(read(array, step, std::move(one), level));
    }
    return choose(step.type, choice->predicate, both[0], both[1]);
  }

  const Literal* literal_of(const Array& array, const Step& step) {
    const HloInstruction& i = at(array);
    const auto [known, is_new] = literals_.try_emplace(&i);
    if (!is_new) return known->second ? &*known->second : nullptr;
    Literal literal{.type = step.type};
    const auto all_same = [](const auto& list) {  // 0 and -0 are not the same
      const auto bits = [](auto x) { return std::bit_cast<int64_t>(x); };
      return std::ranges::all_of(list, [&](auto x) { return bits(x) == bits(list[0]); });
    };
    if (spec::is_integer(step.type)) {
      const auto numbers = spec::numbers_of_constant(i);
      if (!numbers) return nullptr;
      for (const absl::int128 x : *numbers) literal.integers.push_back(static_cast<int64_t>(x));
    } else if (const auto floats = spec::floats_of_literal(step.type, i.literal)) {
      literal.floats = *floats;
    }
    const size_t count = std::max(literal.integers.size(), literal.floats.size());
    if (static_cast<int64_t>(count) != element_count(step.dims(array.leaf))) return nullptr;
    literal.is_uniform = count > 0 && all_same(literal.integers) && all_same(literal.floats);
    known->second = std::move(literal);
    return &*known->second;
  }

  TermId source(const Array& array, const Step& step, const Index& index, int64_t level) {
    const HloInstruction& i = at(array);
    if (step.meaning.number) return domain_.terms().constant(step.type, *step.meaning.number);
    if (i.opcode == HloOpcode::kConstant) {
      const Literal* literal = literal_of(array, step);
      const auto known = literal == nullptr
                             ? std::nullopt
                             : domain_.constant(*literal, step.dims(array.leaf), index);
      return known ? *known : opaque(array, step, index, level);
    }
    const auto dimension = integer_of(i, "iota_dimension");
    const bool is_number = spec::is_integer(step.type) || spec::float_format(step.type);
    if (i.opcode == HloOpcode::kIota && dimension.ok() && *dimension < std::ssize(index) &&
        is_number && step.type != ElementType::kPred) {
      return domain_.number_term(domain_.outside(index)[*dimension], step.type);
    }
    return opaque(array, step, index, level);
  }

  // Any device, if what an operation gives on one may be of its number, and of what others have.
  std::optional<N> device_met(const HloInstruction& i, int64_t level) {
    if (devices_ == nullptr || !spec::meets_devices(module_, i, meets_devices_)) {
      return std::nullopt;
    }
    const auto any =
        domain_.every_index({*devices_->counts.devices()}, absl::StrCat("w", level, " device "));
    return any ? std::optional((*any)[0]) : std::nullopt;
  }

  // An element of what the operation makes of its operands, each as a whole array.
  TermId opaque(const Array& array, const Step& step, Index index, int64_t level) {
    const HloInstruction& i = at(array);
    const auto device = device_met(i, level);
    const spec::Meaning meaning = step.relation.loop ? meaning_of(array, step) : step.meaning;
    std::string text = absl::StrCat("whole ", meaning.symbol.text, meaning.order);
    if (const std::string* dimensions = find_attribute(i.attributes, "dimensions")) {
      absl::StrAppend(&text, " along ", *dimensions);
    }
    absl::StrAppend(&text, " part ", array.leaf, dims_text(step.dims(array.leaf)));
    std::vector<TermId> all;
    for (int64_t k = 0; k < std::ssize(step.op.operands); ++k) {
      for (int64_t leaf = 0; leaf < std::ssize(step.op.operands[k]); ++leaf) {
        const Leaf& one = step.op.operands[k][leaf];
        if (one.array == nullptr) continue;
        absl::StrAppend(&text, " of ", dims_text(one.dims));
        if (std::ranges::count(one.dims, 0) > 0) continue;  // it has no elements
        const auto everywhere = domain_.every_index(one.dims, absl::StrCat("w", level, "."));
        if (!everywhere) continue;  // nothing is known of the result
        Array from = operand(array, k, leaf);
        if (device) from = on_device(from, *device);
        if (device && !is_there(array.frame, from.frame->device)) return give_up();
        all.push_back(element(from, *everywhere, level + 1));
      }
    }
    if (device) {
      absl::StrAppend(&text, " on devices ", devices_->counts.replicas, "x",
                      devices_->counts.partitions);
      index.push_back(device_of(array));
    }
    if (domain_.has_failed()) return 0;
    spec::Symbol symbol{
        .text = text, .opcode = HloOpcode::kOther, .type = step.type, .of_arrays = true};
    const auto [at, is_new] = symbols_.try_emplace(array);
    if (is_new) {
      at->second =
          meaning.unlike ? domain_.terms().new_symbol(symbol) : domain_.terms().symbol(symbol);
    }
    return domain_.opaque(at->second, std::move(all), index);
  }

  static constexpr int64_t kMostDepth = 3000;  // calls of this class, about 2 KB of stack each

  const HloModule& module_;
  Domain& domain_;
  int64_t work_;
  const ThreadCpuClock::time_point deadline_;
  const LoopsAs loops_;
  const spec::Devices* devices_;
  int64_t depth_ = 0;
  std::set<Frame> frames_;
  std::set<std::vector<TermId>> given_;  // to computations
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<absl::StatusOr<CheckedOp>>> checked_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, int64_t>, std::unique_ptr<Step>> steps_;
  absl::flat_hash_map<std::pair<Array, std::vector<int64_t>>, TermId> known_, bags_;
  absl::flat_hash_map<Array, int64_t> cuts_;
  absl::flat_hash_set<Array> kept_;
  std::map<Array, std::optional<int64_t>> rounds_;  // of loops
  absl::flat_hash_map<std::pair<int32_t, int64_t>, bool> handed_on_;
  std::map<const HloInstruction*, std::optional<Literal>> literals_;
  std::map<Array, spec::SymbolId> symbols_;
  std::map<std::tuple<int32_t, int32_t, int64_t>, std::unique_ptr<spec::Routes>> routes_;
  std::map<std::tuple<int32_t, int32_t, int64_t>, std::unique_ptr<DeviceTables>> tables_;
  std::map<const spec::Placed*, std::optional<PartTable>> parts_;
  std::unique_ptr<ArrayBounds<ElementWalk>> bounds_;
  std::unique_ptr<AnyRound<ElementWalk>> any_round_;
  std::unique_ptr<NestedFolds<ElementWalk>> folds_;
  std::map<int32_t, bool> meets_devices_;
  std::map<int64_t, N> numbers_;  // of devices and rounds, by what the domain calls them
};

}  // namespace tileproof::verify

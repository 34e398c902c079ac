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
//
// What more than one element makes has files of its own: reductions.h by one operation, in_order.h by a
// computation, exchanges.h by collectives, any_round.h in the rounds of a loop. path_steps.h takes one step.
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
#include "spec/lang/hlo/hlo_attributes.h"
#include "verify/prove/hlo/modules/any_round.h"
#include "verify/prove/hlo/modules/exchanges.h"
#include "verify/prove/hlo/modules/in_order.h"
#include "verify/prove/hlo/modules/reductions.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// The elements of a constant, by their numbers.
struct Literal {
  std::vector<int64_t> integers = {};
  std::vector<double> floats = {};
  ElementType type = ElementType::kOpaque;
  bool is_uniform = false;
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
  ElementWalk(const ElementWalk&) = delete;

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

  // ---- Elements, and where they are moved from ----

  // An element of what an instruction gives.
  struct Place {
    Array array;
    Index index;
  };
  Place result_place(int64_t leaf, Index index, const N& device) {
    return {result_array(leaf, device), std::move(index)};
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
    if (is_exchanged(array, *step)) return exchanges_->sent_from(array, *step, place.index);
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

 private:
  template <class>
  friend class AnyRound;
  template <class>
  friend class NestedFolds;
  template <class>
  friend class ArrayBounds;
  template <class>
  friend class Exchanges;
  template <class>
  friend class InOrder;
  template <class>
  friend class PathSteps;
  template <class>
  friend class Reductions;

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
  // Of an element, among those of its array.
  std::vector<int64_t> key_of(const Index& index, int64_t level) const {
    std::vector<int64_t> key = {level};
    for (const N& number : index) key.push_back(domain_.key(number));
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
    std::vector<int64_t> key = key_of(index, level);
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
    if (is_exchanged(array, *step)) return exchanges_->exchanged(array, *step, index, level);
    if (i.opcode == HloOpcode::kParameter) {
      if (devices_ != nullptr) return exchanges_->parameter_on_device(array, *step, index);
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
        if (const Dims taps = reductions_->taps_of(*step); !taps.empty() && domain_.writes_taps()) {
          return reductions_->sum_of_taps(array, *step, taps, index, level);
        }
        return of_many(array, *step, index, level);
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
    return of_many(array, step, index, level);
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
  TermId of_many(const Array& array, const Step& step, const Index& index, int64_t level) {
    return function(array, step.type, index, level,
                    [&](const Array& one, const Index& at, int64_t inner) {
                      return reduced(one, step, at, inner);
                    });
  }
  TermId reduced(const Array& array, const Step& step, const Index& index, int64_t level) {
    std::vector<int64_t> key = key_of(index, level);
    const auto known = bags_.find({array, key});
    if (known != bags_.end()) return known->second;
    const TermId term = computed_of_many(array, step, index, level);
    if (!domain_.has_failed()) bags_.emplace(std::pair(array, std::move(key)), term);
    return term;
  }
  TermId computed_of_many(const Array& array, const Step& step, const Index& index, int64_t level) {
    if (is_exchanged(array, step) || step.relation.loop) {
      return reductions_->computed_bag(array, index, level);
    }
    switch (step.meaning.rule) {
      case spec::Rule::kBag:
        return reductions_->computed_bag(array, index, level);
      case spec::Rule::kFold:
        return in_order_->is_folded(array, step) ? in_order_->folded(array, step, index, level)
                                                 : reductions_->computed_bag(array, index, level);
      case spec::Rule::kScatter:
        return spec::bag_symbol(module_, at(array), step.type)
                   ? reductions_->computed_bag(array, index, level)
                   : in_order_->scattered(array, step, index, level);
      case spec::Rule::kSelectAndScatter:
        return in_order_->scattered_to_selected(array, step, index, level);
      case spec::Rule::kSort:
        return in_order_->sorted(array, step, index, level);
      default:
        return give_up();
    }
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

  // An element of what the operation makes of its operands, each as a whole array.
  TermId opaque(const Array& array, const Step& step, Index index, int64_t level) {
    const HloInstruction& i = at(array);
    const auto device = exchanges_->device_met(i, level);
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
        if (device && !exchanges_->is_there(array.frame, from.frame->device)) return give_up();
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
  std::unique_ptr<AnyRound<ElementWalk>> any_round_;
  std::map<int64_t, N> numbers_;  // of devices and rounds, by what the domain calls them
  const std::unique_ptr<Exchanges<ElementWalk>> exchanges_ =
      std::make_unique<Exchanges<ElementWalk>>(*this);
  const std::unique_ptr<Reductions<ElementWalk>> reductions_ =
      std::make_unique<Reductions<ElementWalk>>(*this);
  const std::unique_ptr<InOrder<ElementWalk>> in_order_ =
      std::make_unique<InOrder<ElementWalk>>(*this);
};

}  // namespace tileproof::verify

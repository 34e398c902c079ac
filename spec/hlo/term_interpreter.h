// SPDX-License-Identifier: Apache-2.0
// The interpreter: computes the term of each element of a result (spec/hlo/terms.h), by the loop that
// the definition of each operation states (spec/hlo/access_relation.h).
//
// A module may run on several devices, all in step: each instruction is run on one after another, so
// a collective finds its operand on each of them. A branch that a device does not choose, or a loop
// that it has left, the others run without it.
//
// It enters fusions, calls and asynchronous computations. A loop runs as long as its condition has a
// value; without one, it is a function of its condition, its body and what it starts from. Both branches of a conditional are operands of its
// term. It never composes a map.
//
// It is slow and exact, and it needs arrays that can be enumerated. There is no other limit.
// Source: XLA operation semantics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/devices.h"
#include "spec/hlo/provenance.h"
#include "spec/hlo/terms.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof::spec {

// The arrays that a scope reads: the leaves of the instruction's operands, or of the parameters of
// its computation.
absl::StatusOr<std::vector<Leaves>> inputs_of(const HloModule& module, int32_t computation,
                                              int32_t instruction, Scope scope);

// The terms of one array, in row-major order.
struct TermArray {
  // The element of an instruction's result that a value comes from, through operations that copy.
  struct Origin {
    uint32_t array = 0;  // an entry of Interpreter::origins_
    uint32_t element = 0;
  };
  explicit TermArray(Dims of) : dims(std::move(of)) {}

  Dims dims;
  std::vector<TermId> terms = {};
  uint32_t origin = 0;               // of all elements, in their order, if `origins` is empty
  std::vector<Origin> origins = {};  // of each element
  std::optional<TermId> whole = std::nullopt;

  Origin origin_of(int64_t element) const {
    return origins.empty() ? Origin{origin, static_cast<uint32_t>(element)} : origins[element];
  }
};
using ArrayPtr = std::shared_ptr<TermArray>;
using LeafOf = std::pair<int32_t, int64_t>;  // an instruction or operand, and a leaf of it
using Arrays = std::map<LeafOf, ArrayPtr>;

// What becomes of the elements that an instruction reads.
enum class Rule : uint8_t {
  kSource,            // a constant, an iota, or something that is not looked into
  kMove,              // the element itself
  kApply,             // f of one element of each operand
  kSelect,            // one of two elements, by a predicate
  kBag,               // the multiset of them
  kRead,              // the first, at offsets that are the others
  kEach,              // what a computation makes of one element of each operand
  kFold,              // the same of the result so far and the next element, from first to last
  kScatter,           // an element of the array, and the updates that land on it
  kSelectAndScatter,  // the init, and the source elements whose windows select the element
  kSort,              // one of a line of elements, by their order
  kOpaque,
};

// One leaf of an instruction, with all that running it needs.
struct TermStep {
  int32_t instruction = 0;
  int64_t leaf = 0;
  const HloInstruction* at = nullptr;
  Dims dims;
  ElementType type = ElementType::kOpaque;
  AccessRelation relation;
  std::vector<LeafOf> operands = {};  // that it needs
  Rule rule = Rule::kOpaque;
  SymbolId symbol = 0;
  std::optional<int64_t> number = std::nullopt;  // kSource: what it always is
  std::string order = {};                        // kSort: the text of its computation
  int64_t arrays = 0;          // kRead: so many operands, the first, are no offsets
  bool swaps = false;          // kApply: the two operands
  bool unlike = false;         // any other one, even the same again
  bool keeps_origin = false;   // copies integers from where an offset may be followed
  bool shows = false;          // hands on integers that decide nothing
  bool meets_devices = false;  // what it gives on one device is of others, or of its number
};
using TermStepPtr = std::shared_ptr<const TermStep>;
using Steps = absl::Span<const TermStepPtr>;  // leaves of one instruction

// A computation that the interpreter runs.
struct Frame {
  int32_t computation = 0;
  std::vector<int64_t> devices = {0};  // that run it, in step
  std::vector<int32_t> calls = {};     // that lead to it; in loops: with numbers of iterations
  bool is_recorded = true;             // not inside of loops and conditionals
  bool is_iteration = false;           // inside of a loop
  int32_t loops = 0;                   // without a known end around it
  int64_t depth = 0;
};

struct Route;  // of elements from device to device (device_routes.h)

// The frame on one of its devices, or on some of them, with what they have.
Frame alone(const Frame& frame, size_t device);
std::pair<Frame, OnDevices<Arrays>> part_of(const Frame& frame, const OnDevices<Arrays>& arrays,
                                            const std::vector<size_t>& devices);

class Interpreter {
 public:
  // Without `values`, an element at unknown offsets is a term that reads the whole array.
  Interpreter(const HloModule& module, Scope scope, const RuntimeValues* values,
              const Limits& limits, Terms& terms)
      : module_(module),
        scope_(scope),
        values_(values),
        limits_(limits),
        work_(limits.work),
        terms_(terms) {}

  absl::StatusOr<ArrayPtr> run(int32_t computation, int32_t instruction, int64_t leaf);
  // All arrays of an instruction's result, for the parameters of its computation: by leaf, on each
  // device. The caller has counted the devices: they can be enumerated. One, if none are given.
  absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> run_all(int32_t computation, int32_t instruction,
                                                           const Devices* devices = nullptr);

  // Whether the condition of a loop has a value as often as it is asked, and is false at last.
  bool is_counted(int32_t computation, int32_t loop);

  // The dimensions of each array that the scope reads, by operand or parameter and by leaf.
  const std::vector<std::vector<Dims>>& sources() const { return source_dims_; }
  // The values of offsets, by the position that is read and the source of its value.
  const std::map<std::pair<HloElement, HloElement>, int64_t>& reads() const { return reads_; }
  // "NAME: reason" of each instruction that was opaque.
  const std::set<std::string>& conservative() const { return conservative_; }
  int64_t& work() { return work_; }  // that is left
  absl::Status check_work(const HloInstruction& instruction) const;

 private:
  struct OriginArray {
    int32_t computation = 0;
    int32_t instruction = 0;
    int64_t leaf = 0;
    Dims dims;
    std::vector<int32_t> calls;
    bool is_recorded = true;
  };
  // Values of runtime variables, by variable and element of the offset operand.
  using RuntimeCache = absl::flat_hash_map<std::pair<size_t, int64_t>, int64_t>;
  // What one step reads.
  struct Reading {
    const Frame& frame;
    const TermStep& step;
    const Arrays& operands;
    RuntimeCache cache = {};
    bool asked = false;                             // the caller, for an offset
    const std::vector<int64_t>* offsets = nullptr;  // if the step goes through all of them
    std::optional<TermId> order = std::nullopt;     // kSort: what says that one is before another
  };

  absl::Status too_large(const HloInstruction& instruction, absl::string_view what) const;

  // ---- The instructions that lead to a result ----
  absl::StatusOr<TermStepPtr> step_of(int32_t computation, int32_t instruction, int64_t leaf,
                                      int64_t depth);
  // Adds the operands that called computations need.
  absl::Status add_operands_inside(const HloInstruction& instruction,
                                   const AccessRelation& relation, int64_t depth,
                                   std::vector<LeafOf>& result);
  absl::StatusOr<const std::vector<TermStepPtr>*> steps_to(int32_t computation,
                                                           const std::vector<LeafOf>& results,
                                                           int64_t depth);
  absl::StatusOr<std::set<LeafOf>> parameters_needed(int32_t computation, int64_t leaf,
                                                     int64_t depth);
  absl::StatusOr<std::set<int64_t>> loop_leaves(const Loop& loop, int64_t depth);
  bool is_handed_on(int32_t body, int64_t leaf);
  bool is_same_throughout(int32_t computation, const TermStep& loop, int64_t leaf);

  // ---- Running them ----
  absl::Status count_sources(const std::vector<Leaves>& inputs);
  absl::StatusOr<ArrayPtr> source(const HloInstruction& owner, int32_t computation,
                                  int32_t instruction, int32_t operand, int64_t leaf);
  absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> interpret(const Frame& frame,
                                                             const std::vector<LeafOf>& results,
                                                             const OnDevices<Arrays>& parameters);
  absl::StatusOr<OnDevices<ArrayPtr>> parameter_on(const Frame& frame, const TermStep& step,
                                                   const OnDevices<Arrays>& parameters);
  bool is_outermost(const Frame& frame) const {
    return frame.depth == 0 && scope_ == Scope::kInstruction;
  }
  absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> run_steps(const Frame& frame, Steps leaves,
                                                             const OnDevices<Arrays>& operands);
  absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> run_each(const Frame& frame, Steps leaves,
                                                            const OnDevices<Arrays>& operands);
  absl::StatusOr<OnDevices<ArrayPtr>> run_step(const Frame& frame, const TermStep& step,
                                               const OnDevices<Arrays>& operands);
  absl::StatusOr<ArrayPtr> run_here(const Frame& frame, const TermStep& step,
                                    const Arrays& operands);
  ArrayPtr as_result(const Frame& frame, const TermStep& step, const TermArray& array);
  std::optional<size_t> branch_taken(const TermStep& step, TermId which) const;
  void one_of_branches(const TermStep& step, TermId which,
                       const std::vector<OnDevices<ArrayPtr>>& branches, size_t device,
                       TermArray& result);
  absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> enter(const Frame& frame, Steps leaves,
                                                         const OnDevices<Arrays>& operands);
  absl::StatusOr<ArrayPtr> loop_of_terms(const Frame& frame, const TermStep& step,
                                         const Arrays& operands);
  absl::StatusOr<std::vector<OnDevices<ArrayPtr>>> iterate(const Frame& frame, Steps wanted,
                                                           const OnDevices<Arrays>& operands);
  absl::StatusOr<OnDevices<ArrayPtr>> opaque_loop(const Frame& frame, const TermStep& step,
                                                  const OnDevices<Arrays>& operands);
  absl::StatusOr<OnDevices<ArrayPtr>> choose_branches(const Frame& frame, const TermStep& step,
                                                      const OnDevices<Arrays>& operands,
                                                      OnDevices<ArrayPtr> results);
  absl::StatusOr<OnDevices<ArrayPtr>> branch(const Frame& frame, const TermStep& step,
                                             const Branch& branch,
                                             const OnDevices<Arrays>& operands);

  // ---- On several devices (term_devices.cc) ----
  TermId number_of_device(int64_t number);
  absl::StatusOr<OnDevices<ArrayPtr>> sources_on(const Frame& frame, const TermStep& step,
                                                 int32_t operand);
  absl::StatusOr<std::pair<ArrayPtr, bool>> exchanged(const Frame& frame, size_t v,
                                                      const TermStep& step,
                                                      const std::map<int64_t, size_t>& places,
                                                      const std::optional<Route>& route,
                                                      const OnDevices<Arrays>& operands);
  absl::StatusOr<ArrayPtr> source_on(int64_t device, const TermStep& step, int32_t operand);
  absl::StatusOr<OnDevices<ArrayPtr>> exchange(const Frame& frame, const TermStep& step,
                                               const OnDevices<Arrays>& operands);
  absl::StatusOr<bool> receive(const std::map<int64_t, size_t>& places, const TermStep& step,
                               const Route& route, const OnDevices<Arrays>& operands,
                               TermArray& result);
  absl::Status receive_unknown(const Frame& frame, size_t device, const TermStep& step,
                               const OnDevices<Arrays>& operands, TermArray& result);

  absl::StatusOr<TermId> element(Reading& reading, const std::vector<TermId>& everywhere,
                                 IterationPoint<int64_t>& point, int64_t number, TermArray& result);
  // `outside` stands for what lies outside of the array, such as padding; without it, that is left out.
  absl::Status add_read(Reading& reading, const Dependence& dependence,
                        IterationPoint<int64_t>& point, std::vector<TermId>& terms,
                        TermArray::Origin* origin = nullptr,
                        std::optional<TermId> outside = std::nullopt);
  absl::StatusOr<std::optional<TermId>> choices(Reading& reading, IterationPoint<int64_t>& point);
  absl::StatusOr<std::vector<TermId>> applied(const Reading& reading,
                                              absl::Span<const TermId> operands,
                                              absl::string_view attribute = "to_apply");
  absl::StatusOr<std::optional<TermId>> folded(Reading& reading, IterationPoint<int64_t>& point);
  TermId order_of(const Reading& reading);
  TermId lands(Reading& reading, const IterationPoint<int64_t>& point,
               const std::vector<int64_t>& needed);
  // What lands on an element: whether it does, and what is combined with it.
  using Updates = std::vector<std::pair<TermId, TermId>>;
  absl::StatusOr<TermId> updated(const Reading& reading, TermId result, const Updates& updates,
                                 absl::string_view attribute);
  absl::StatusOr<TermId> scattered(Reading& reading, IterationPoint<int64_t>& point);
  absl::StatusOr<TermId> is_selected(const Reading& reading, IterationPoint<int64_t>& point);
  absl::StatusOr<TermId> scattered_to_selected(Reading& reading, IterationPoint<int64_t>& point);
  absl::Status elementwise(const TermStep& step, const Arrays& operands, TermArray& result);
  absl::Status fill_source(const TermStep& step, TermArray& result);
  absl::Status check_depth(const Frame& frame, const TermStep& step) const;
  absl::Status check_size(const TermStep& step, int64_t count);
  TermId selected(SymbolId f, TermId predicate, TermId yes, TermId no);
  TermId selected(ElementType type, TermId predicate, TermId yes, TermId no);
  ArrayPtr shown(const ArrayPtr& array);
  OnDevices<Arrays> shown(const OnDevices<Arrays>& arrays);
  TermId combined(const TermStep& step, int64_t number, std::vector<TermId>& terms, size_t arrays);
  TermId chosen(TermId predicate, TermId branch);
  TermId whole(TermArray& array);
  bool knows_offsets(Reading& reading, IterationPoint<int64_t>& point);
  bool takes_value(const Frame& frame, const TermArray::Origin& origin) const;
  std::vector<int64_t> runtime_values(Reading& reading, const IterationPoint<int64_t>& point);
  uint32_t new_origin(const Frame& frame, int32_t instruction, int64_t leaf, const Dims& dims);
  HloElement element_at(const TermArray::Origin& origin) const;
  std::map<int64_t, std::vector<int64_t>> first_state(const Loop& loop);

  const HloModule& module_;
  const Scope scope_;
  int32_t computation_ = -1;  // of the instruction asked about
  int32_t instruction_ = -1;
  const RuntimeValues* values_;
  const Limits limits_;
  int64_t work_;
  Terms& terms_;
  const Devices* devices_ = nullptr;  // if there are several
  std::map<int32_t, bool> computation_meets_devices_;
  std::vector<OriginArray> origins_;
  std::vector<std::vector<Dims>> source_dims_;
  std::map<int64_t, std::vector<int64_t>> source_values_;  // of leaves of operand 0
  std::map<std::pair<int32_t, int32_t>, absl::StatusOr<CheckedOp>> checked_;
  std::map<std::pair<int32_t, LeafOf>, TermStepPtr> steps_;
  std::map<std::pair<int32_t, std::vector<LeafOf>>, std::vector<TermStepPtr>> plans_;
  std::map<std::pair<int32_t, int64_t>, std::set<LeafOf>> parameters_needed_;
  std::map<std::pair<int32_t, int64_t>, bool> handed_on_;
  std::map<std::pair<op::While, int64_t>, std::set<int64_t>> loop_leaves_;
  std::set<std::string> conservative_;
  std::map<std::pair<HloElement, HloElement>, int64_t> reads_;
};

// What an operation does with the elements that it reads (term_symbols.cc).
struct Meaning {
  Rule rule = Rule::kOpaque;
  Symbol symbol;
  int64_t arrays = 0;
  bool swaps = false;   // its two operands
  bool unlike = false;  // any other one, even the same again
  bool keeps_origin = false;
  bool shows = false;
  std::optional<int64_t> number = std::nullopt;  // kSource: what it always is
  std::string order;  // kSort: the text of its computation, which the symbol leaves out
};
// A reduction by an operation.
Symbol bag_of(HloOpcode reducer, ElementType type);
// A reduction by the computation that the instruction applies, if it is one operation.
std::optional<Symbol> bag_symbol(const HloModule& module, const HloInstruction& instruction,
                                 ElementType type);
// The same for one of several arrays that are reduced at once, if no other one matters for it.
std::optional<Symbol> reducer_of_leaf(const HloModule& module, const HloInstruction& instruction,
                                      int64_t leaf, ElementType type);
// Whether it gives something new each time that it runs, or its text leaves something out.
bool is_unlike_others(const HloInstruction& instruction);
// Whether it may give devices with the same operands different results, or needs what others have: it
// exchanges, makes something new, or calls what does. `known`: of computations, for what is asked next.
bool meets_devices(const HloModule& module, const HloInstruction& instruction,
                   std::map<int32_t, bool>& known);
Meaning meaning_of(const HloModule& module, const HloInstruction& instruction, const CheckedOp& op,
                   const AccessRelation& relation, int64_t part, bool with_text);

}  // namespace tileproof::spec

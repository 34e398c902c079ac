// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/module_equal.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/merge_maps.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "verify/prove/hlo/modules/module_difference.h"
#include "verify/prove/hlo/modules/opaque_values.h"
#include "verify/prove/hlo/modules/value_difference.h"
#include "verify/prove/hlo/modules/value_numbers.h"

namespace tileproof::verify {
namespace {

// The module with a call of its entry, as the root of one more computation.
struct Called {
  HloModule module;
  int32_t computation = -1;
  int32_t call = -1;
  std::vector<std::string> parameters;  // of the entry: their names
};

// The parameters of the entry, in their order, and then its root. Each has a shape.
absl::StatusOr<std::vector<const HloInstruction*>> interface_of(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  std::vector<const HloInstruction*> found;
  for (const int32_t parameter : parameters_of(entry)) {
    found.push_back(&entry.instructions[parameter]);
    if (!found.back()->shape) {
      return absl::InvalidArgumentError("expected a shape of each parameter");
    }
  }
  found.push_back(&entry.instructions[entry.root]);
  if (!found.back()->shape) return absl::InvalidArgumentError("expected a shape of the result");
  return found;
}

absl::StatusOr<Called> with_call(const HloModule& module) {
  const auto interface = TRY(interface_of(module));
  Called called{module, static_cast<int32_t>(module.computations.size()), -1, {}};
  const HloComputation& entry = module.computations[module.entry];
  HloComputation outer;
  HloInstruction call;
  call.name = "call";
  call.opcode = HloOpcode::kCall;
  call.opcode_text = "call";
  call.shape = interface.back()->shape;
  call.attributes = {{"to_apply", entry.name}};
  call.calls = {{0, module.entry}};
  for (size_t k = 0; k + 1 < interface.size(); ++k) {
    HloInstruction copy = *interface[k];
    called.parameters.push_back(std::exchange(copy.name, absl::StrCat("p", k)));
    call.operands.push_back({static_cast<int32_t>(k), {}});
    outer.instructions.push_back(std::move(copy));
  }
  called.call = static_cast<int32_t>(outer.instructions.size());
  outer.root = called.call;
  outer.instructions.push_back(std::move(call));
  called.module.computations.push_back(std::move(outer));
  return called;
}

const HloInstruction& instruction_at(const Called& called, size_t i) {
  return called.module.computations[called.computation].instructions[i];
}

absl::string_view type_of(const Leaf& leaf) { return info(leaf.array->element_type).name; }

// Expects as many parameters, and arrays of the same sizes. The types of parameters are the same, too.
absl::Status expect_same_sizes(const HloModule& left, const HloModule& right) {
  const auto of_left = TRY(interface_of(left)), of_right = TRY(interface_of(right));
  const size_t last = of_left.size() - 1;
  if (last != of_right.size() - 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", last, " parameters as in LEFT, found ", of_right.size() - 1));
  }
  for (size_t i = 0; i <= last; ++i) {
    const std::string name = i == last ? "the result" : absl::StrCat("parameter ", i);
    const Leaves a = TRY(leaves_of(*of_left[i]->shape)), b = TRY(leaves_of(*of_right[i]->shape));
    const auto text_of = [](const Leaves& leaves) {
      std::string text;
      for (const Leaf& leaf : leaves) {
        absl::StrAppend(&text, text.empty() ? "" : " and ", dims_text(leaf.dims));
      }
      return text;
    };
    if (a.size() != b.size() && i == last) {
      std::vector<std::string> dims;
      for (const Leaf& leaf : a) dims.push_back(dims_text(leaf.dims));
      return absl::InvalidArgumentError(absl::StrCat("expected ", a.size(), " results, ",
                                                     absl::StrJoin(dims, " and "),
                                                     " as in LEFT, found ", b.size()));
    }
    if (!std::ranges::equal(a, b, {}, &Leaf::dims, &Leaf::dims)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", name, " of dimensions ", text_of(a), " as in LEFT, found ", text_of(b)));
    }
    for (size_t k = 0; i < last && k < a.size(); ++k) {
      if (a[k].array->element_type == b[k].array->element_type) continue;
      return absl::InvalidArgumentError(absl::StrCat("expected ", name, " of type ", type_of(a[k]),
                                                     " as in LEFT, found ", type_of(b[k])));
    }
  }
  return absl::OkStatus();
}

// Values that are computed inside of the modules, by number.
class Values {
 public:
  Values(const Called& left, const Called& right)
      : left_(left),
        right_(right),
        of_left_(left.module, left.computation, texts_),
        of_right_(right.module, right.computation, texts_) {
    add_positions({left.call}, of_left_);
  }

  // Why `rename` failed, for the maps of LEFT.
  std::string why_not(const impl::Indexing& of_left) {
    const std::string of_right = written(right_, of_right_, *unknown_);
    std::string text = absl::StrCat("RIGHT computes an offset or index ", of_right);
    std::optional<HloPosition> other;
    for (const std::vector<impl::LeafMaps>& operand : of_left) {
      for (const impl::LeafMaps& list : operand) {
        for (const impl::IndexedMap& map : list.maps) {
          for (const impl::RuntimeSource& source : map.runtime) {
            const bool is_computed = !source.position.calls.empty();
            if (!other || (other->calls.empty() && is_computed)) other = source.position;
          }
        }
      }
    }
    const std::string of_other = other ? written(left_, of_left_, *other) : "none";
    absl::StrAppend(&text, ", LEFT ", of_other);
    if (of_other == of_right) {
      const auto found = first_difference(of_left_, *other, of_right_, *unknown_);
      if (found) {
        absl::StrAppend(&text, ", from ", found->second, " in RIGHT, ", found->first, " in LEFT");
      }
    }
    return absl::StrCat(text, "; arithmetic is not compared");
  }

  // Names the sources of runtime variables as LEFT does. Returns false if LEFT has no such value.
  bool rename(impl::Indexing& maps) {
    for (std::vector<impl::LeafMaps>& operand : maps) {
      for (impl::LeafMaps& list : operand) {
        for (impl::IndexedMap& map : list.maps) {
          if (!std::ranges::all_of(map.runtime, [&](auto& source) { return rename(source); })) {
            return false;
          }
        }
      }
    }
    return true;
  }

 private:
  static constexpr size_t kMaxPositions = 100'000;

  // "i = add(p, q)"
  static std::string written(const Called& called, const ValueNumbers& numbers,
                             const HloPosition& position) {
    if (position.calls.empty()) {
      return absl::StrCat("takes the parameter ", called.parameters[position.instruction]);
    }
    return operation_text(numbers.computation_of(position), numbers.at(position));
  }

  // The values of the computation that these calls lead to, and of those that it calls.
  void add_positions(const std::vector<int32_t>& calls, ValueNumbers& numbers) {
    const int32_t computation = computation_at(left_.module, left_.computation, calls);
    const auto& instructions = left_.module.computations[computation].instructions;
    for (int32_t i = 0; i < std::ssize(instructions); ++i) {
      if (++positions_ > kMaxPositions) return;
      const auto leaves = instructions[i].shape ? leaves_of(*instructions[i].shape)
                                                : absl::StatusOr<Leaves>(absl::UnknownError(""));
      for (int32_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
        const HloPosition position{calls, i, leaf};
        if (const auto number = numbers.of(position)) by_number_.try_emplace(*number, position);
      }
      const bool is_call = instructions[i].opcode == HloOpcode::kCall ||
                           instructions[i].opcode == HloOpcode::kFusion;
      if (!is_call || callee_of(instructions[i]) < 0) continue;
      std::vector<int32_t> further = calls;
      further.push_back(i);
      add_positions(further, numbers);
    }
  }

  bool rename(impl::RuntimeSource& source) {
    if (source.position.calls.empty()) return true;  // an operand of the call: a parameter
    const auto number = of_right_.of(source.position);
    const auto found = number ? by_number_.find(*number) : by_number_.end();
    if (found == by_number_.end()) {
      unknown_ = source.position;
      return false;
    }
    const auto rank = of_left_.at(found->second).shape->rank();
    if (rank != std::ssize(source.map.results)) {  // one element, and other dimensions
      const NodeId zero = add_constant(source.map.nodes, 0);
      source.map.results.assign(rank, zero);
    }
    source.position = found->second;
    return true;
  }

  const Called& left_;
  const Called& right_;
  std::optional<HloPosition> unknown_;  // a value of RIGHT that LEFT does not compute
  ValueTexts texts_;
  ValueNumbers of_left_, of_right_;
  std::map<int64_t, HloPosition> by_number_;
  size_t positions_ = 0;
};

// Why the maps are a superset; empty if they are not.
std::string why_inexact(const impl::Indexing& maps) {
  for (const std::vector<impl::LeafMaps>& operand : maps) {
    for (const impl::LeafMaps& list : operand) {
      if (list.inexact) return list.reason;
    }
  }
  return "";
}

// Why results are undecided if the maps of a module are a superset, or leave out the device.
class Inexact {
 public:
  Inexact(const HloModule& module, bool is_right)
      : module_(module), is_right_(is_right), devices_(module) {}

  std::optional<ResultEquality> of(int32_t leaf, const impl::Indexing& maps) {
    if (const HloInstruction* found = devices_.behind(leaf)) {
      return open(leaf, found->opcode_text + ": devices are not compared", found->name);
    }
    const std::string why = why_inexact(maps);
    if (why.empty()) return std::nullopt;
    const auto [known, is_new] = instructions_.try_emplace(why);
    if (is_new) known->second = opaque_instruction(module_, why);
    return open(leaf, why, known->second);
  }

 private:
  ResultEquality open(int32_t leaf, const std::string& why, const std::string& instruction) const {
    return {.leaf = leaf,
            .verdict = Verdict::kUndecided,
            .detail = (is_right_ ? "RIGHT: " : "LEFT: ") + why,
            .may_take_time = false,
            .instruction = instruction,
            .is_of_right = is_right_};
  }

  const HloModule& module_;
  bool is_right_;
  DeviceValues devices_;
  std::map<std::string, std::string> instructions_;  // that are to blame, by reason
};

// Whether some offset or index is computed inside of the module.
bool computes_offsets(const impl::Indexing& maps) {
  const auto inside = [](const impl::RuntimeSource& source) {
    return !source.position.calls.empty();
  };
  for (const std::vector<impl::LeafMaps>& operand : maps) {
    for (const impl::LeafMaps& list : operand) {
      for (const impl::IndexedMap& map : list.maps) {
        if (std::ranges::any_of(map.runtime, inside)) return true;
      }
    }
  }
  return false;
}

// An error of the analysis of one module. `call: r: ..` is about instruction r.
absl::Status of_side(const absl::Status& error, const char* side) {
  absl::string_view message = error.message();
  if (absl::StartsWith(message, "call: ")) message.remove_prefix(6);
  absl::Status placed(error.code(), message);
  placed.SetPayload(kSideOfError, absl::Cord(side));
  return placed;
}

absl::StatusOr<impl::Indexing> maps_of(impl::IndexingAnalysis& analysis, const Called& called,
                                       int32_t leaf, const char* side) {
  auto maps = analysis.reads(called.computation, called.call, leaf);
  return maps.ok() ? std::move(maps) : of_side(maps.status(), side);
}

// `difference` is the counterexample in words, if it is one.
ResultEquality equality_of(int32_t leaf, const InstructionVerdict& verdict, bool computed,
                           const std::string& difference) {
  using Kind = InstructionVerdict::Kind;
  switch (verdict.kind) {
    case Kind::kProven:
    case Kind::kNoDataflow:
      return {leaf, Verdict::kProven, ""};
    case Kind::kRefuted:
      if (!computed) return {leaf, Verdict::kRefuted, difference};
      // These values may be impossible.
      return {.leaf = leaf,
              .verdict = Verdict::kUndecided,
              .detail = absl::StrCat("offsets are computed inside of the modules: ", difference),
              .may_take_time = false};
    default:
      return {leaf, Verdict::kUndecided, verdict.detail};
  }
}

// Each result by the maps of both modules.
absl::StatusOr<std::vector<ResultEquality>> by_maps(const HloModule& left, const HloModule& right,
                                                    VerifySession& session) {
  TRY(expect_same_sizes(left, right));
  const Called a = TRY(with_call(left));
  const Called b = TRY(with_call(right));
  impl::IndexingAnalysis analysis(b.module);
  impl::IndexingAnalysis own(a.module);
  ModuleVerifier verifier(own, session);
  Values values(a, b);
  Inexact left_inexact(left, false), right_inexact(right, true);
  std::vector<ResultEquality> results;
  const Leaves of_a = TRY(leaves_of(*instruction_at(a, a.call).shape));
  const Leaves of_b = TRY(leaves_of(*instruction_at(b, b.call).shape));
  for (int32_t leaf = 0; leaf < std::ssize(of_a); ++leaf) {
    if (of_a[leaf].array->element_type != of_b[leaf].array->element_type) {
      results.push_back(
          {leaf, Verdict::kRefuted,
           absl::StrCat("element types ", type_of(of_a[leaf]), " and ", type_of(of_b[leaf]))});
      continue;
    }
    const impl::Indexing of_left = TRY(maps_of(own, a, leaf, "LEFT"));
    impl::Indexing maps = TRY(maps_of(analysis, b, leaf, "RIGHT"));
    const bool computed = computes_offsets(maps) || computes_offsets(of_left);
    std::optional<ResultEquality> open = left_inexact.of(leaf, of_left);
    if (!open) open = right_inexact.of(leaf, maps);
    if (!open && !values.rename(maps)) {
      open = ResultEquality{leaf, Verdict::kUndecided, values.why_not(of_left)};
      open->may_take_time = false;
    }
    if (open) {
      results.push_back(*std::move(open));
      continue;
    }
    for (std::vector<impl::LeafMaps>& operand : maps) {
      for (impl::LeafMaps& list : operand) impl::merge_maps(list.maps);
    }
    const InstructionVerdict verdict = verifier.of_maps(a.computation, a.call, leaf, maps);
    const std::string difference =
        verdict.refutation
            ? difference_text(*verdict.refutation, {a.module, a.computation, a.parameters, of_left},
                              {b.module, b.computation, b.parameters, maps})
            : verdict.detail;
    results.push_back(equality_of(leaf, verdict, computed, difference));
  }
  return results;
}

bool is_open(const ResultEquality& result) { return result.verdict == Verdict::kUndecided; }

}  // namespace

absl::StatusOr<std::vector<ResultPair>> result_pairs(const HloModule& left,
                                                     const HloModule& right) {
  TRY(expect_same_sizes(left, right));
  const auto shape_of = [](const HloModule& module) -> const Shape& {  // leaves point into it
    const HloComputation& entry = module.computations[module.entry];
    return *entry.instructions[entry.root].shape;
  };
  std::vector<ResultPair> pairs;
  const Leaves of_a = TRY(leaves_of(shape_of(left)));
  const Leaves of_b = TRY(leaves_of(shape_of(right)));
  for (size_t k = 0; k < of_a.size(); ++k) {
    pairs.emplace_back(of_a[k].array->element_type, of_b[k].array->element_type);
  }
  return pairs;
}

absl::StatusOr<std::vector<ResultEquality>> same_accesses(const HloModule& left,
                                                          const HloModule& right,
                                                          VerifySession& session) {
  std::vector<ResultEquality> results = TRY(by_maps(left, right, session));
  if (std::ranges::none_of(results, is_open)) return results;
  if (same_program(left, right)) {
    for (ResultEquality& result : results) result = {result.leaf, Verdict::kProven, ""};
    return results;
  }
  const std::optional<Cut> cut = cut_opaque(left, right);
  if (!cut) return results;
  const auto without = by_maps(cut->left, cut->right, session);
  for (size_t i = 0; without.ok() && i < results.size(); ++i) {
    if (is_open(results[i]) && (*without)[i].verdict == Verdict::kProven)
      results[i] = (*without)[i];
  }
  return results;
}

}  // namespace tileproof::verify

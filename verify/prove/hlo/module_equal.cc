// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/module_equal.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/merge_maps.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof::verify {
namespace {

// The module with a call of its entry, as the root of one more computation.
struct Called {
  HloModule module;
  int32_t computation = -1;
  int32_t call = -1;
};

absl::StatusOr<Called> with_call(const HloModule& module) {
  Called called{module, static_cast<int32_t>(module.computations.size()), -1};
  const HloComputation& entry = module.computations[module.entry];
  HloComputation outer;
  HloInstruction call;
  call.name = "call";
  call.opcode = HloOpcode::kCall;
  call.opcode_text = "call";
  call.shape = entry.instructions[entry.root].shape;
  call.attributes = {{"to_apply", entry.name}};
  call.calls = {{0, module.entry}};
  for (const int32_t parameter : parameters_of(entry)) {
    HloInstruction copy = entry.instructions[parameter];
    copy.name = absl::StrCat("p", outer.instructions.size());
    if (!copy.shape) return absl::InvalidArgumentError("expected a shape of each parameter");
    call.operands.push_back({static_cast<int32_t>(outer.instructions.size()), {}});
    outer.instructions.push_back(std::move(copy));
  }
  if (!call.shape) return absl::InvalidArgumentError("expected a shape of the result");
  called.call = static_cast<int32_t>(outer.instructions.size());
  outer.root = called.call;
  outer.instructions.push_back(std::move(call));
  called.module.computations.push_back(std::move(outer));
  return called;
}

const HloInstruction& instruction_at(const Called& called, size_t i) {
  return called.module.computations[called.computation].instructions[i];
}

// Expects that both calls have as many operands, and arrays of the same sizes.
absl::Status expect_same_sizes(const Called& left, const Called& right) {
  if (left.call != right.call) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", left.call, " parameters as in LEFT, found ", right.call));
  }
  for (int32_t i = 0; i <= left.call; ++i) {
    const std::string name = i == left.call ? "the result" : absl::StrCat("parameter ", i);
    const Leaves a = TRY(leaves_of(*instruction_at(left, i).shape));
    const Leaves b = TRY(leaves_of(*instruction_at(right, i).shape));
    const auto text_of = [](const Leaves& leaves) {
      std::string text;
      for (const Leaf& leaf : leaves) absl::StrAppend(&text, dims_text(leaf.dims));
      return text;
    };
    if (!std::ranges::equal(a, b, {}, &Leaf::dims, &Leaf::dims)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", name, " of dimensions ", text_of(a), " as in LEFT, found ", text_of(b)));
    }
  }
  return absl::OkStatus();
}

// Why the maps say nothing about another module; empty if they do.
std::string why_not_comparable(const impl::Indexing& maps) {
  for (const std::vector<impl::LeafMaps>& operand : maps) {
    for (const impl::LeafMaps& list : operand) {
      if (list.inexact) return absl::StrCat("RIGHT: ", list.reason);
      for (const impl::IndexedMap& map : list.maps) {
        const bool inside = std::ranges::any_of(map.runtime, [](const impl::RuntimeSource& source) {
          return !source.position.calls.empty();
        });
        if (inside) return "RIGHT: offsets or indices are computed inside of the module";
      }
    }
  }
  return "";
}

ResultEquality compared(const Called& left, int32_t leaf, const impl::Indexing& maps,
                        VerifySession& session) {
  using Kind = InstructionVerdict::Kind;
  const std::string why = why_not_comparable(maps);
  if (!why.empty()) return {leaf, Verdict::kUndecided, why};
  const InstructionVerdict verdict =
      verify_maps(left.module, left.computation, left.call, leaf, maps, session);
  switch (verdict.kind) {
    case Kind::kProven:
    case Kind::kNoDataflow:
      return {leaf, Verdict::kProven, ""};
    case Kind::kRefuted:
      return {leaf, Verdict::kRefuted, verdict.detail};
    default:
      return {leaf, Verdict::kUndecided, verdict.detail};
  }
}

}  // namespace

absl::StatusOr<std::vector<ResultEquality>> same_accesses(const HloModule& left,
                                                          const HloModule& right,
                                                          VerifySession& session) {
  const Called a = TRY(with_call(left));
  const Called b = TRY(with_call(right));
  TRY(expect_same_sizes(a, b));
  impl::IndexingAnalysis analysis(b.module);
  impl::IndexingAnalysis own(a.module);
  std::vector<ResultEquality> results;
  const auto count = static_cast<int32_t>(TRY(leaves_of(*instruction_at(a, a.call).shape)).size());
  for (int32_t leaf = 0; leaf < count; ++leaf) {
    impl::Indexing maps = TRY(analysis.instruction(b.computation, b.call, leaf));
    const impl::Indexing of_left = TRY(own.instruction(a.computation, a.call, leaf));
    std::string superset;  // the definition of LEFT is a superset as well
    for (const auto& operand : of_left) {
      for (const impl::LeafMaps& list : operand) {
        if (list.inexact) superset = absl::StrCat("LEFT: ", list.reason);
      }
    }
    if (!superset.empty()) {
      results.push_back({leaf, Verdict::kUndecided, superset});
      continue;
    }
    for (std::vector<impl::LeafMaps>& operand : maps) {
      for (impl::LeafMaps& list : operand) impl::merge_maps(list.maps);
    }
    results.push_back(compared(a, leaf, maps, session));
  }
  return results;
}

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/module_values.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/operand_walk.h"
#include "verify/prove/hlo/modules/difference_path.h"
#include "verify/prove/hlo/modules/large_values.h"
#include "verify/prove/hlo/modules/module_equal.h"
#include "verify/prove/hlo/modules/opaque_values.h"
#include "verify/prove/hlo/modules/value_numbers.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {
namespace {

// Operations that give each element of a floating-point array an element of an operand.
bool moves(const HloInstruction& i) {
  switch (i.opcode) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kCall:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFusion:
    case HloOpcode::kGather:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kParameter:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kTuple:
      return true;
    default:
      return false;
  }
}

// Whether each floating-point element of the module is an element of a parameter. Integers may be
// computed: they are offsets.
bool only_moves(const HloModule& module) {
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& i : computation.instructions) {
      if (!i.shape) return false;
      const auto leaves = leaves_of(*i.shape);
      if (!leaves.ok()) return false;
      for (const Leaf& leaf : *leaves) {
        const bool is_integer = spec::is_integer(leaf.array->element_type);
        if (!is_integer && !moves(i)) return false;
      }
    }
  }
  return true;
}

// "LEFT: dot.1: too large to enumerate: .."
std::string too_large_text(const absl::Status& status) {
  const auto side = status.GetPayload(kSideOfError);
  return absl::StrCat(side ? std::string(*side) : "", ": ", status.message());
}

// An error if an instruction that leads to the result is not valid.
absl::Status expect_valid(const HloModule& module, const char* side) {
  OperandWalk walk(module, spec::bitcast_fits);
  absl::Status found = walk.expect_valid(FollowRegion::UpTo::kParameters, module.entry,
                                         module.computations[module.entry].root, std::nullopt);
  if (!found.ok()) found.SetPayload(kSideOfError, absl::Cord(side));
  return found;
}

// "LEFT: c.1 is not written out; ", if a module has such a constant: it may be any.
std::string left_out_text(const HloModule& module, const char* side) {
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& i : computation.instructions) {
      const bool is_left_out = i.opcode == HloOpcode::kConstant && spec::is_unlike_others(i);
      if (is_left_out) return absl::StrCat(side, ": ", i.name, " is not written out; ");
    }
  }
  return "";
}

absl::StatusOr<Leaves> result_leaves(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  return leaves_of(*entry.instructions[entry.root].shape);
}

// What the elements that are read say about the values.
ValueEquality by_reads(const ResultEquality& reads, bool moves, const std::string& too_large) {
  ValueEquality result{.leaf = reads.leaf, .verdict = Verdict::kUndecided, .detail = too_large};
  if (!moves) {
    if (reads.verdict == Verdict::kProven) {
      absl::StrAppend(&result.detail, "; both read the same elements");
    }
    return result;
  }
  result.verdict = reads.verdict;
  result.detail = reads.verdict == Verdict::kProven ? "" : reads.detail;
  return result;
}

// Device by device, if a device may compute something else than another. Else one stands for all. If
// all are too many to enumerate, one may show that results are equal: collectives are opaque on it.
std::vector<absl::StatusOr<ValueEquality>> compared_values(const HloModule& left,
                                                           const HloModule& right,
                                                           const std::vector<int64_t>& leaves,
                                                           const ValueOptions& options) {
  const auto counts = devices_run_on(left);
  const bool meet =
      counts.ok() && *counts->devices() > 1 && (meets_devices(left) || meets_devices(right));
  if (!meet) return equal_values(left, right, leaves, options);
  const auto on_each = same_values_on_each(left, right, leaves, options);
  if (!on_each.ok() && is_too_large(on_each.status())) {
    return equal_values(left, right, leaves, options);
  }
  if (!on_each.ok()) return {leaves.size(), on_each.status()};
  return {on_each->begin(), on_each->end()};
}

// The laws, of all, with which results are equal, if one term stands for their elements. With them no
// more is left to search for than a difference that no rounding explains. Sums of real numbers hide
// what other laws look for.
std::map<int64_t, Laws> laws_that_would_do(const HloModule& left, const HloModule& right,
                                           const std::vector<int64_t>& compared,
                                           const Leaves& leaves, const ValueOptions& options) {
  std::map<int64_t, Laws> found;
  for (const bool is_real : {false, true}) {
    ValueOptions lenient = options;
    lenient.allowed.insert(std::begin(kLaws), std::end(kLaws));
    if (!is_real && !options.allowed.contains(ValueLaw::kReal)) {
      lenient.allowed.erase(ValueLaw::kReal);
    }
    if (lenient.allowed == options.allowed) continue;
    LargeValues large(left, right, lenient);
    for (const int64_t leaf : compared) {
      if (found.contains(leaf)) continue;
      auto laws = large.equal(leaf, leaves[leaf].dims, false);
      if (laws && !laws->empty()) found.emplace(leaf, *std::move(laws));
    }
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<ValueEquality>> same_values(const HloModule& left,
                                                       const HloModule& right,
                                                       VerifySession& session,
                                                       const ValueOptions& options,
                                                       const Placements& placements) {
  const bool are_placed = are_placed_differently(left, right, placements);
  if (are_placed && (placements.left || placements.right || !same_program(left, right))) {
    return same_values_placed(left, right, placements, options);
  }
  const std::vector<ResultPair> pairs = TRY(result_pairs(left, right));
  TRY(expect_valid(left, "LEFT"));
  TRY(expect_valid(right, "RIGHT"));
  const bool is_same_program = same_program(left, right);
  std::vector<ValueEquality> results(pairs.size());
  std::vector<int64_t> compared;
  for (int64_t leaf = 0; leaf < std::ssize(pairs); ++leaf) {
    const auto& [of_left, of_right] = pairs[leaf];
    ValueEquality& result = results[leaf];
    result.leaf = leaf;
    if (of_left != of_right) {
      result.verdict = Verdict::kRefuted;
      result.detail =
          absl::StrCat("element types ", info(of_left).name, " and ", info(of_right).name);
    } else if (!is_same_program && has_elements(of_left)) {
      compared.push_back(leaf);
    }
  }
  LargeValues large(left, right, options);
  const Leaves leaves = TRY(result_leaves(left));
  std::erase_if(compared, [&](int64_t leaf) {
    const auto laws = large.equal(leaf, leaves[leaf].dims, false);
    if (laws) results[leaf].laws = *laws;
    return laws.has_value();
  });
  const std::string left_out =
      compared.empty() ? "" : left_out_text(left, "LEFT") + left_out_text(right, "RIGHT");
  const std::map<int64_t, Laws> would_do =
      laws_that_would_do(left, right, compared, leaves, options);
  ValueOptions brief = options;
  brief.limits.work /= 16;
  brief.milliseconds /= 16;
  std::optional<std::vector<ResultEquality>> reads;
  for (const bool is_brief : {true, false}) {
    std::vector<int64_t> asked = compared;
    std::erase_if(asked, [&](int64_t leaf) { return would_do.contains(leaf) != is_brief; });
    const ValueOptions& with = is_brief ? brief : options;
    auto answers = compared_values(left, right, asked, with);
    for (size_t k = 0; k < asked.size(); ++k) {
      const int64_t leaf = asked[k];
      const Dims& dims = leaves[leaf].dims;
      const absl::Status& status = answers[k].status();
      if (!answers[k].ok() && !is_too_large(status)) return status;
      ValueEquality& result = results[leaf];
      if (answers[k].ok() && answers[k]->verdict != Verdict::kUndecided) {
        result = *std::move(answers[k]);
      } else if (auto different = answers[k].ok()
                                      ? std::nullopt
                                      : LargeValues(left, right, with).different(leaf, dims)) {
        result = *std::move(different);
      } else if (auto laws = is_brief ? std::nullopt : large.equal(leaf, dims, !answers[k].ok())) {
        result.laws = *std::move(laws);
      } else if (answers[k].ok()) {
        result = *std::move(answers[k]);
      } else if (is_brief) {
        result.verdict = Verdict::kUndecided;
        result.at.assign(dims.size(), 0);
      } else if (options.is_late()) {
        result = {.leaf = leaf, .verdict = Verdict::kUndecided, .detail = "no time is left"};
      } else {
        if (!reads) reads = TRY(same_accesses(left, right, session));
        const bool moves =
            only_moves(left) && only_moves(right) && !spec::is_integer(pairs[leaf].first);
        result = by_reads((*reads)[leaf], moves, too_large_text(status));
      }
      const bool is_open = result.verdict == Verdict::kUndecided;
      if (is_brief && is_open) result.laws = would_do.at(leaf);
      if (is_open && !result.detail.empty()) result.detail.insert(0, left_out);
      const bool has_place = is_brief || !result.left.empty() || result.point;
      if (has_place && !result.device && (is_brief || !options.is_late())) {
        add_path({left, leaf, result.at}, {right, leaf, result.at}, options, result);
      }
      const bool is_unseen = is_brief && is_open && result.left.empty() && result.detail.empty();
      if (is_unseen) result.detail = too_large_text(status);
    }
  }
  return results;
}

}  // namespace tileproof::verify

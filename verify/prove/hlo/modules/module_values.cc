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
#include "spec/hlo/runtime_value.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/hlo/written_out.h"
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

// Whether a device may compute something else than another.
bool differ_by_device(const HloModule& left, const HloModule& right) {
  const auto counts = devices_run_on(left);
  return counts.ok() && *counts->devices() > 1 &&
         (depends_on_device(left) || depends_on_device(right));
}

// Device by device, if they differ. Else one stands for all. If all are too many to enumerate, one may show
// that results are equal: collectives are opaque on it.
std::vector<absl::StatusOr<ValueEquality>> compared_values(const HloModule& left,
                                                           const HloModule& right,
                                                           const std::vector<int64_t>& leaves,
                                                           const ValueOptions& options,
                                                           bool differ) {
  if (!differ) return equal_values(left, right, leaves, options);
  auto on_each = same_values_on_each(left, right, leaves, options);
  if (!on_each.ok() && is_too_large(on_each.status())) {
    return equal_values(left, right, leaves, options);
  }
  if (!on_each.ok()) return {leaves.size(), on_each.status()};
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (!(*on_each)[k].ok()) (*on_each)[k] = equal_values(left, right, {leaves[k]}, options)[0];
  }
  return *std::move(on_each);
}

// With half of the time that is left, so that what is tried next has some.
ValueOptions with_half(ValueOptions options) {
  const auto now = ThreadCpuClock::now();
  if (options.deadline > now) options.deadline = now + (options.deadline - now) / 2;
  return options;
}

// Two modules, and what the comparison knows of their results so far.
struct Question {
  const HloModule& left;
  const HloModule& right;
  const ValueOptions& options;
  ValueOptions of_large = with_half(options);
  LargeValues large = LargeValues(left, right, of_large);
  Leaves leaves = {};
  std::string left_out = {};
  std::map<int64_t, Laws> would_do = {};
  const bool differ = differ_by_device(left, right);
};

// Answers for a result that its elements left open. They may also be too many to look at: `by_elements` is
// an error then.
absl::StatusOr<ValueEquality> open_answer(Question& question, int64_t leaf, bool is_brief,
                                          absl::StatusOr<ValueEquality> by_elements) {
  const Leaf& of = question.leaves[leaf];
  ValueEquality open{.leaf = leaf, .verdict = Verdict::kUndecided};
  if (!is_brief) {
    if (auto laws = question.large.equal(leaf, of.dims, true)) {
      return ValueEquality{.leaf = leaf, .laws = *std::move(laws)};
    }
  }
  if (by_elements.ok()) return by_elements;
  if (is_brief) {
    open.at.assign(of.dims.size(), 0);
    return open;
  }
  if (question.options.is_late()) {
    open.detail = "no time is left";
    return open;
  }
  open.detail = too_large_text(by_elements.status());
  return open;
}

// Adds the path to the instruction that differs or is open, which a reader looks at first.
void explain(const Question& question, bool is_brief, const absl::Status& by_elements,
             ValueEquality& result) {
  const ValueOptions& options = question.options;
  const bool is_open = result.verdict == Verdict::kUndecided;
  if (is_brief && is_open) result.laws = question.would_do.at(result.leaf);
  if (is_open && !result.detail.empty()) result.detail.insert(0, question.left_out);
  const bool has_place = is_brief || !result.left.empty() || result.point;
  if (has_place && !result.device && (is_brief || !options.is_late())) {
    add_path({question.left, result.leaf, result.at}, {question.right, result.leaf, result.at},
             options, result);
  }
  const bool is_unseen = is_brief && is_open && result.left.empty() && result.detail.empty();
  if (is_unseen) result.detail = too_large_text(by_elements);
}

// Leaves out the results that few elements decide.
void leave_out_small(const Question& question, std::vector<int64_t>& compared,
                     std::vector<ValueEquality>& results) {
  if (question.differ) return;
  ValueOptions few = question.options;
  few.limits.work /= 64;
  auto answers = decided_at_once(question.left, question.right, compared, few);
  for (auto& [leaf, answer] : answers) {
    results[leaf] = std::move(answer);
    explain(question, false, absl::OkStatus(), results[leaf]);
  }
  std::erase_if(compared, [&](int64_t leaf) { return answers.contains(leaf); });
}

// Compares results element by element. Of those that are too large it looks at some elements.
absl::Status compare_elements(Question& question, const std::vector<int64_t>& asked, bool is_brief,
                              std::vector<ValueEquality>& results) {
  ValueOptions with = question.options;
  if (is_brief) {
    with.limits.work /= 16;
    with.milliseconds /= 16;
  }
  auto answers = compared_values(question.left, question.right, asked, with, question.differ);
  std::map<int64_t, Dims> too_large;
  for (size_t k = 0; k < asked.size(); ++k) {
    const absl::Status& status = answers[k].status();
    if (!status.ok() && !is_too_large(status)) return status;
    if (!status.ok()) too_large[asked[k]] = question.leaves[asked[k]].dims;
  }
  auto different = differences(question.left, question.right, too_large, with);
  for (size_t k = 0; k < asked.size(); ++k) {
    const int64_t leaf = asked[k];
    const absl::Status status = answers[k].status();
    const auto found = different.find(leaf);
    if (answers[k].ok() && answers[k]->verdict != Verdict::kUndecided) {
      results[leaf] = *std::move(answers[k]);
    } else if (found != different.end()) {
      results[leaf] = std::move(found->second);
    } else {
      results[leaf] = TRY(open_answer(question, leaf, is_brief, std::move(answers[k])));
    }
    explain(question, is_brief, status, results[leaf]);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ValueEquality>> same_values_written_out(const HloModule& left,
                                                                   const HloModule& right,
                                                                   const ValueOptions& options,
                                                                   const Placements& placements) {
  const bool are_placed = are_placed_differently(left, right, placements);
  if (are_placed && (placements.left || placements.right || !same_program(left, right))) {
    TRY(expect_valid(left, "LEFT"));
    TRY(expect_valid(right, "RIGHT"));
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
  Question question{left, right, options};
  question.leaves = TRY(result_leaves(left));
  leave_out_small(question, compared, results);
  std::map<int64_t, Dims> open;
  std::erase_if(compared, [&](int64_t leaf) {
    const Dims& dims = question.leaves[leaf].dims;
    const auto laws = question.large.equal(leaf, dims, false);
    if (laws) results[leaf].laws = *laws;
    if (!laws) open[leaf] = dims;
    return laws.has_value();
  });
  if (compared.empty()) return results;
  question.left_out = left_out_text(left, "LEFT") + left_out_text(right, "RIGHT");
  question.would_do = laws_that_would_do(left, right, open, with_half(options));
  question.of_large.deadline = options.deadline;
  for (const bool is_brief : {true, false}) {
    std::vector<int64_t> asked = compared;
    std::erase_if(asked,
                  [&](int64_t leaf) { return question.would_do.contains(leaf) != is_brief; });
    TRY(compare_elements(question, asked, is_brief, results));
  }
  return results;
}

}  // namespace

absl::StatusOr<std::vector<ValueEquality>> same_values(const HloModule& left,
                                                       const HloModule& right,
                                                       const ValueOptions& options,
                                                       const Placements& placements) {
  return same_values_written_out(spec::written_out(left), spec::written_out(right), options,
                                 placements);
}

}  // namespace tileproof::verify

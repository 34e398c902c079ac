// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/acceptance.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "verify/xla/acceptance_differences.h"

namespace tileproof::xla {
namespace {

const HloInstruction& root_of(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  return entry.instructions[entry.root];
}

// The first error of checked_op about the instructions of the module, in order.
absl::Status checked(const HloModule& module) {
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      TRY(checked_op(module, computation, instruction));
    }
  }
  return absl::OkStatus();
}

std::set<std::string> opcodes_of(const HloModule& module) {
  std::set<std::string> opcodes;
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      opcodes.insert(std::string(name_of(instruction.opcode)));
    }
  }
  return opcodes;
}

// Element types are not compared: checked_op does not check them.
bool same_dimensions(const Shape& a, const Shape& b) {
  const auto of_a = leaves_of(a), of_b = leaves_of(b);
  return of_a.ok() && of_b.ok() && std::ranges::equal(*of_a, *of_b, {}, &Leaf::dims, &Leaf::dims);
}

// What the stages of XLA said: each that was reached accepts, or the first one that refuses.
struct Decision {
  std::string stage;
  std::string refusal;  // empty: accepted
};

// Whether XLA's parser infers the shape of another operation: of a broadcast whose dimension
// numbers are sizes, of an elementwise operation for opt-barrier, of a reduce-window of one array.
bool infers_otherwise(const HloInstruction& root) {
  return root.opcode == HloOpcode::kBroadcast || root.opcode == HloOpcode::kOptBarrier ||
         (root.opcode == HloOpcode::kReduceWindow && root.operands.size() > 2);
}

// Nothing if XLA does not answer.
absl::StatusOr<std::optional<Decision>> decision(const nlohmann::json& answer,
                                                 const absl::StatusOr<HloModule>& module) {
  std::optional<Decision> last;
  const bool infers = !module.ok() || !infers_otherwise(root_of(*module));
  for (const char* stage : {"parser", "inference", "verifier"}) {
    if (!answer.contains(stage) || (absl::string_view(stage) == "inference" && !infers)) continue;
    last = Decision{stage, answer[stage].get<std::string>()};
    if (!last->refusal.empty()) return last;
  }
  if (!infers || !answer.contains("inferred")) {
    return last->stage == "parser" ? std::nullopt : last;
  }
  if (!module.ok()) return Decision{"inference", ""};
  const std::string text = answer["inferred"].get<std::string>();
  const Shape inferred = TRY(parse_shape(text));
  const bool same = same_dimensions(inferred, *root_of(*module).shape);
  return Decision{"inference", same ? "" : absl::StrCat("inferred ", text)};
}

}  // namespace

absl::StatusOr<Verdict> judge_acceptance(absl::string_view line) {
  using Kind = Verdict::Kind;
  const nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object() || !answer.contains("text") || !answer.contains("parser")) {
    return absl::InvalidArgumentError("expected an answer with text and parser");
  }
  const std::string text = answer["text"].get<std::string>();
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  const absl::Status ours = module.ok() ? checked(*module) : module.status();
  Verdict judged;
  if (module.ok()) judged.opcodes = opcodes_of(*module);
  const std::optional<Decision> theirs = TRY(decision(answer, module));
  if (!theirs) {
    judged.kind = Kind::kUnanswered;
    return judged;
  }
  judged.stage = theirs->stage;
  if (ours.ok() == theirs->refusal.empty()) {
    judged.kind = ours.ok() ? Kind::kBothAccept : Kind::kBothRefuse;
    return judged;
  }
  judged.name = std::string(acceptance_difference(
      {module.ok() ? &*module : nullptr, ours, theirs->stage, theirs->refusal}));
  judged.kind = judged.name.empty() ? Kind::kDifferent : Kind::kKnown;
  judged.difference = absl::StrCat(text, "\n  XLA's ", theirs->stage, ": ",
                                   theirs->refusal.empty() ? "accepted" : theirs->refusal,
                                   "\n  checked_op: ", ours.message());
  return judged;
}

}  // namespace tileproof::xla

// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/acceptance.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"

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

namespace {

using Case = AcceptanceCase;

const HloInstruction& root_of(const Case& c) {
  const HloComputation& entry = c.module->computations[c.module->entry];
  return entry.instructions[entry.root];
}

bool xla_accepts(const Case& c) { return c.refusal.empty(); }

// What the refusing side says.
bool xla_says(const Case& c, absl::string_view text) { return absl::StrContains(c.refusal, text); }
bool we_say(const Case& c, absl::string_view text) {
  return xla_accepts(c) && absl::StrContains(c.ours.message(), text);
}

bool has_opaque(const Case& c) {
  if (!c.ours.ok()) return false;
  const HloComputation& entry = c.module->computations[c.module->entry];
  return std::ranges::any_of(entry.instructions, [&](const HloInstruction& instruction) {
    const auto op = checked_op(*c.module, entry, instruction);
    return op.ok() && (std::holds_alternative<op::Opaque>(op->operation) ||
                       std::holds_alternative<op::While>(op->operation) ||
                       std::holds_alternative<op::Conditional>(op->operation) ||
                       std::holds_alternative<op::CustomCall>(op->operation));
  });
}

bool is_who_communicates(const Case& c) {
  for (const char* text : {"replica id", "replica_groups", "replica groups", "source_target_pairs",
                           "duplicate sources", "duplicate targets"}) {
    if (xla_says(c, text)) return true;
  }
  return false;
}

bool lacks_other_attribute(const Case& c) {
  for (const char* name : {"direction", "domain", "delta"}) {
    if (xla_says(c, absl::StrCat("attribute ", name, " is expected"))) return true;
  }
  const HloOpcode opcode = root_of(c).opcode;
  return c.stage == "parser" && (opcode == HloOpcode::kDomain || opcode == HloOpcode::kOutfeed) &&
         (xla_says(c, "unexpected token") || xla_says(c, "expected primitive type"));
}

bool lacks_attribute_of_scalar(const Case& c) {
  const Shape& shape = *root_of(c).shape;
  return c.stage == "parser" && xla_says(c, "is expected but not seen") &&
         shape.kind == Shape::Kind::kArray && shape.rank() == 0;
}

bool dilates_select_and_scatter(const Case& c) {
  if (c.stage != "verifier" || root_of(c).opcode != HloOpcode::kSelectAndScatter) return false;
  const auto window = window_of(root_of(c));
  return window.ok() &&
         std::ranges::any_of(*window, [](const WindowDimension& w) { return w.rhs_dilate != 1; });
}

bool broadcasts_ones(const Case& c) {
  return root_of(c).opcode == HloOpcode::kBroadcast && we_say(c, "of the result of size 1, found");
}

bool of_opcode_and_we_say(const Case& c, HloOpcode opcode, absl::string_view text) {
  return root_of(c).opcode == opcode && we_say(c, text);
}

// The differences above the blank line are our decisions. Those below it come from the way in which
// XLA is asked: its verifier of HLO is not in the package, and StableHLO is another language.
constexpr AcceptanceDifference kDifferences[] = {
    {"opaque", "checked_op does not check operations without structure.", has_opaque},
    {"element-types",
     "checked_op does not check element types, except those of offsets, indices and predicates.",
     [](const Case& c) { return xla_says(c, "element type"); }},
    {"who-communicates", "checked_op reads only the size of replica groups.", is_who_communicates},
    {"other-attributes", "checked_op reads only the attributes that decide shapes.",
     lacks_other_attribute},
    {"attribute-of-a-scalar", "We read a scalar's empty list of dimensions where it is left out.",
     lacks_attribute_of_scalar},
    {"padded-below-nothing",
     "If negative padding removes more elements than there are, a window has no places. XLA ends "
     "the process.",
     [](const Case& c) { return xla_says(c, "bound >= 0"); }},

    {"empty-collective", "StableHLO has no collective along an empty dimension.",
     [](const Case& c) { return c.stage == "verifier" && xla_says(c, "cannot be zero"); }},
    {"several-operands", "StableHLO has no collective-permute of several arrays.",
     [](const Case& c) {
       return c.stage == "verifier" && xla_says(c, "requires a single operand");
     }},
    {"dilated-select-and-scatter", "StableHLO's windows have no dilation there.",
     dilates_select_and_scatter},
    {"offset-vector", "StableHLO takes offsets as scalars alone; HLO takes one vector, too.",
     [](const Case& c) {
       return c.stage == "verifier" && xla_says(c, "must be variadic of 0D tensor");
     }},
    {"first-number", "XLA's parser reads the first number of a collective's dimensions alone.",
     [](const Case& c) { return we_say(c, "1 number in dimensions"); }},
    {"more-operands", "XLA's parser and converter drop what follows two operands of a dot or rng.",
     [](const Case& c) {
       return of_opcode_and_we_say(c, HloOpcode::kDot, "2 operands") ||
              of_opcode_and_we_say(c, HloOpcode::kRng, "2 operands");
     }},
    {"infeed", "The converter does not demand a token in the result of an infeed.",
     [](const Case& c) {
       return of_opcode_and_we_say(c, HloOpcode::kInfeed, "(data, .., token)");
     }},
    {"fusion", "No stage compares a fusion with its computation.",
     [](const Case& c) { return of_opcode_and_we_say(c, HloOpcode::kFusion, " of "); }},
    {"start-operands", "The converter does not read the operands in the result of a start.",
     [](const Case& c) {
       return of_opcode_and_we_say(c, HloOpcode::kAllGatherDone, "s: expected part 0") ||
              of_opcode_and_we_say(c, HloOpcode::kCollectivePermuteDone, "s: expected part 0");
     }},
    {"wrapped-operands", "No stage counts the operands of an operation in an async-start.",
     [](const Case& c) { return of_opcode_and_we_say(c, HloOpcode::kAsyncDone, "operand"); }},
    {"bitcast-convert-rank",
     "StableHLO's verifier compares no ranks if the element types are as wide as each other.",
     [](const Case& c) { return of_opcode_and_we_say(c, HloOpcode::kBitcastConvert, "bits"); }},
    {"broadcast-of-ones", "In StableHLO a dimension of size 1 is broadcast to any size.",
     broadcasts_ones},
};

}  // namespace

absl::Span<const AcceptanceDifference> acceptance_differences() { return kDifferences; }

absl::string_view acceptance_difference(const AcceptanceCase& c) {
  if (c.module == nullptr) return "";
  for (const AcceptanceDifference& entry : kDifferences) {
    if (entry.explains(c)) return entry.name;
  }
  return "";
}

}  // namespace tileproof::xla

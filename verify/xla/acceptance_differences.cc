// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/acceptance_differences.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::xla {
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

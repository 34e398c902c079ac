// SPDX-License-Identifier: Apache-2.0
#include "conform/report/hlo_structure.h"

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

// Each run of digits becomes "n".
std::string without_numbers(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      out += c;
    } else if (out.empty() || out.back() != 'n') {
      out += 'n';
    }
  }
  return out;
}

std::string rank_text(const SharedShape& shape) {
  if (!shape) return "";
  if (shape->kind != Shape::Kind::kArray) return absl::StrCat("(", shape->parts.size(), ")");
  std::string text = "[";
  for (const Dimension& dimension : shape->dimensions) {
    text += dimension.size == 0 ? "0" : dimension.size == 1 ? "1" : "n";
  }
  return text + "]";
}

std::string instruction_text(const HloInstruction& at) {
  std::string text = absl::StrCat(at.opcode_text, "(",
                                  absl::StrJoin(at.operands, ",",
                                                [](std::string* out, const HloOperand& operand) {
                                                  absl::StrAppend(out, operand.instruction);
                                                }),
                                  ")", rank_text(at.shape));
  for (size_t a = 0; a < at.attributes.size(); ++a) {
    const HloAttribute& attribute = at.attributes[a];
    bool call = false;
    for (const HloCall& one : at.calls) call |= one.attribute == static_cast<int32_t>(a);
    absl::StrAppend(&text, " ", attribute.name,
                    call ? "" : absl::StrCat("=", without_numbers(attribute.value)));
  }
  return text;
}

}  // namespace

std::string hlo_structure(const std::string& text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return without_numbers(text);
  std::vector<std::string> parts;
  for (const HloComputation& computation : module->computations) {
    for (const HloInstruction& at : computation.instructions) parts.push_back(instruction_text(at));
    parts.push_back(absl::StrCat("root ", computation.root));
  }
  return absl::StrJoin(parts, "; ");
}

void add_hlo_features(const std::string& text, std::set<std::string>& features) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) {
    features.insert("invalid hlo");
    return;
  }
  for (const HloComputation& computation : module->computations) {
    for (const HloInstruction& at : computation.instructions) {
      if (at.opcode == HloOpcode::kParameter) continue;
      features.insert(at.opcode_text);
      for (const HloAttribute& attribute : at.attributes) {
        const std::string name = absl::StrCat(at.opcode_text, " ", attribute.name);
        features.insert(name);
        if (absl::StrContains(attribute.value, "-")) features.insert("negative " + name);
      }
    }
  }
}

}  // namespace tileproof::conform

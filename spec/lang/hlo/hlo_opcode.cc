// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_opcode.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/strip.h"

namespace tileproof {
namespace {

constexpr HloOpcodeInfo kOpcodes[] = {
#define TILEPROOF_ROW(opcode, ...) {HloOpcode::opcode, __VA_ARGS__},
    TILEPROOF_HLO_OPCODES(TILEPROOF_ROW)
#undef TILEPROOF_ROW
};

consteval bool in_order() {
  for (size_t i = 1; i < std::size(kOpcodes); ++i) {
    if (!(kOpcodes[i - 1].name < kOpcodes[i].name)) return false;
  }
  return true;
}
static_assert(in_order(), "names are in alphabetical order");

HloOpcode known_opcode(absl::string_view name) {
  const auto* const entry = std::lower_bound(
      std::begin(kOpcodes), std::end(kOpcodes), name,
      [](const HloOpcodeInfo& left, absl::string_view right) { return left.name < right; });
  if (entry == std::end(kOpcodes) || entry->name != name) return HloOpcode::kOther;
  return entry->opcode;
}

}  // namespace

absl::Span<const HloOpcodeInfo> hlo_opcodes() { return kOpcodes; }

absl::string_view name_of(HloOpcode opcode) {
  return opcode == HloOpcode::kOther ? "other" : kOpcodes[static_cast<size_t>(opcode)].name;
}

int64_t elementwise_operands(HloOpcode opcode) {
  return opcode == HloOpcode::kOther ? 0 : kOpcodes[static_cast<size_t>(opcode)].elementwise;
}

HloOpcode wrapped_opcode(absl::string_view name) {
  for (absl::string_view suffix : {"-start", "-update", "-done"}) {
    if (absl::ConsumeSuffix(&name, suffix)) return known_opcode(name);
  }
  return HloOpcode::kOther;
}

HloOpcode opcode_named(absl::string_view name) {
  const HloOpcode known = known_opcode(name);
  if (known != HloOpcode::kOther || wrapped_opcode(name) == HloOpcode::kOther) return known;
  if (absl::ConsumeSuffix(&name, "-start")) return HloOpcode::kAsyncStart;
  if (absl::ConsumeSuffix(&name, "-update")) return HloOpcode::kAsyncUpdate;
  return HloOpcode::kAsyncDone;
}

}  // namespace tileproof

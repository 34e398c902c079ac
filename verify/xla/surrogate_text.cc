// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/surrogate_text.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::xla {

ElementType to_bits(ElementType type) { return has_elements(type) ? ElementType::kU64 : type; }

ElementType to_integers(ElementType type) {
  if (type == ElementType::kF32) return ElementType::kS32;
  if (type == ElementType::kBF16) return ElementType::kS16;
  return type;
}

Shape retyped(const Shape& shape, const Retype& retype) {
  Shape result = shape;
  result.layout.reset();
  if (shape.kind == Shape::Kind::kArray) result.element_type = retype(shape.element_type);
  for (Shape& part : result.parts) part = retyped(part, retype);
  return result;
}

std::string bits_shape(const Dims& dims) {
  return absl::StrCat("u64[", absl::StrJoin(dims, ","), "]");
}

std::string attributes_text(const HloInstruction& i) {
  std::string text;
  for (int32_t k = 0; k < std::ssize(i.attributes); ++k) {
    const HloAttribute& attribute = i.attributes[k];
    const bool calls = std::any_of(i.calls.begin(), i.calls.end(),
                                   [&](const HloCall& call) { return call.attribute == k; });
    if (calls || attribute.name == "kind" || attribute.name == "metadata") continue;
    absl::StrAppend(&text, ", ", attribute.name, "=", attribute.value);
  }
  return text;
}

int64_t parts_of(const Shape& shape) {
  return shape.kind == Shape::Kind::kTuple ? std::ssize(shape.parts) : 1;
}

std::string operands_text(const std::vector<std::string>& names) {
  return absl::StrCat("(", absl::StrJoin(names, ", "), ")");
}

bool is_elementwise(HloOpcode opcode) {
  static const auto* const all = new std::set<HloOpcode>{
      HloOpcode::kNegate,  HloOpcode::kCopy,    HloOpcode::kAbs, HloOpcode::kSign,
      HloOpcode::kNot,     HloOpcode::kConvert, HloOpcode::kAdd, HloOpcode::kMultiply,
      HloOpcode::kMaximum, HloOpcode::kCompare, HloOpcode::kAnd, HloOpcode::kOr,
      HloOpcode::kSelect,  HloOpcode::kClamp};
  return all->count(opcode) > 0;
}

bool moves_elements(HloOpcode opcode) {
  static const auto* const all = new std::set<HloOpcode>{HloOpcode::kBroadcast,
                                                         HloOpcode::kTranspose,
                                                         HloOpcode::kReverse,
                                                         HloOpcode::kReshape,
                                                         HloOpcode::kSlice,
                                                         HloOpcode::kPad,
                                                         HloOpcode::kConcatenate,
                                                         HloOpcode::kTuple,
                                                         HloOpcode::kOptBarrier,
                                                         HloOpcode::kDynamicSlice,
                                                         HloOpcode::kDynamicUpdateSlice,
                                                         HloOpcode::kGather,
                                                         HloOpcode::kGetTupleElement,
                                                         HloOpcode::kAllGather,
                                                         HloOpcode::kAllToAll,
                                                         HloOpcode::kCollectivePermute};
  return all->count(opcode) > 0;
}

}  // namespace tileproof::xla

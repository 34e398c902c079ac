// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/hlo_dimension.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_opcode.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kUnknown = -2, kNone = -1;  // no array needed it so far; the array keeps all

bool is_array(const SharedShape& shape) { return shape && shape->kind == Shape::Kind::kArray; }

std::string* attribute(HloInstruction& at, absl::string_view name) {
  const auto found = std::ranges::find(at.attributes, name, &HloAttribute::name);
  return found == at.attributes.end() ? nullptr : &found->value;
}

// The list without the entry of dimension d. Numbers above it become one smaller.
std::string without(const std::vector<int64_t>& dimensions, int64_t d) {
  std::vector<int64_t> left;
  for (int64_t dimension : dimensions) {
    if (dimension != d) left.push_back(dimension > d ? dimension - 1 : dimension);
  }
  return absl::StrCat("{", absl::StrJoin(left, ","), "}");
}

// Removes item d of a list in braces, or of one joined by `by` without braces.
bool remove_item(std::string* text, absl::string_view by, int64_t d) {
  if (text == nullptr) return false;
  const bool braces = !text->empty() && text->front() == '{';
  const std::string inside = braces ? text->substr(1, text->size() - 2) : *text;
  std::vector<std::string> items = absl::StrSplit(inside, std::string(by));
  if (d >= std::ssize(items)) return false;
  items.erase(items.begin() + d);
  const std::string joined = absl::StrJoin(items, by);
  *text = braces ? absl::StrCat("{", joined, "}") : joined;
  return true;
}

class DimensionDrop {
 public:
  explicit DimensionDrop(HloModule module)
      : module_(std::move(module)),
        computation_(module_.computations[module_.entry]),
        dropped_(computation_.instructions.size(), kUnknown) {}

  std::optional<HloModule> without(int64_t dimension) {
    dropped_[computation_.root] = dimension;
    for (int32_t i = computation_.root; i >= 0; --i) {
      if (dropped_[i] == kUnknown) continue;
      HloInstruction& at = computation_.instructions[i];
      if (!(dropped_[i] == kNone ? keep_operands(at) : drop(at, dropped_[i]))) return std::nullopt;
    }
    computation_.signature.reset();
    return std::move(module_);
  }

 private:
  // Says which dimension an operand loses. False if it would lose another one, too.
  bool lose(const HloInstruction& at, size_t operand, int64_t d) {
    int64_t& dropped = dropped_[at.operands[operand].instruction];
    if (dropped != kUnknown && dropped != d) return false;
    dropped = d;
    return true;
  }

  bool keep_operands(const HloInstruction& at) {
    for (size_t i = 0; i < at.operands.size(); ++i) {
      if (!lose(at, i, kNone)) return false;
    }
    return true;
  }

  int64_t rank_of(const HloInstruction& at, size_t operand) const {
    const SharedShape& shape = computation_.instructions[at.operands[operand].instruction].shape;
    return is_array(shape) ? shape->rank() : kNone;
  }

  bool drop(HloInstruction& at, int64_t d) {
    if (!is_array(at.shape) || d >= at.shape->rank() || !pass_on(at, d)) return false;
    Shape shape = *at.shape;
    const int64_t rank = shape.rank();
    shape.dimensions.erase(shape.dimensions.begin() + d);
    shape.layout.reset();
    at.shape = SharedShape(std::move(shape));
    for (HloOperand& operand : at.operands) operand.shape = {};
    return rank > 0;
  }

  // Passes the dimension on to the operands, and removes it from the attributes.
  bool pass_on(HloInstruction& at, int64_t d) {
    switch (at.opcode) {
      case HloOpcode::kParameter:
        return true;
      case HloOpcode::kTranspose:
        return transpose(at, d);
      case HloOpcode::kBroadcast:
        return broadcast(at, d);
      case HloOpcode::kReduce:
        return reduce(at, d);
      case HloOpcode::kReverse:
        return renumber(at, d) && aligned(at, d);
      case HloOpcode::kConcatenate:
        return !contains(at, d) && renumber(at, d) && aligned(at, d);
      case HloOpcode::kSlice:
        return slice(at, d);
      case HloOpcode::kPad:
        return remove_item(attribute(at, "padding"), "x", d) && aligned(at, d);
      case HloOpcode::kDynamicSlice:
        return remove_item(attribute(at, "dynamic_slice_sizes"), ",", d) && offsets(at, d, 1);
      case HloOpcode::kDynamicUpdateSlice:
        return offsets(at, d, 2);
      case HloOpcode::kIota:
        return iota(at, d);
      case HloOpcode::kSelect:
      case HloOpcode::kClamp:
        return aligned(at, d);
      default:
        return elementwise_operands(at.opcode) > 0 && aligned(at, d);
    }
  }

  // Operands of the same rank lose the same dimension; scalars lose none.
  bool aligned(const HloInstruction& at, int64_t d) {
    for (size_t i = 0; i < at.operands.size(); ++i) {
      const bool same = rank_of(at, i) == at.shape->rank();
      if (!same && rank_of(at, i) != 0) return false;
      if (!lose(at, i, same ? d : kNone)) return false;
    }
    return true;
  }

  static bool contains(const HloInstruction& at, int64_t d) {
    const absl::StatusOr<std::vector<int64_t>> numbers = integers_of(at, "dimensions");
    return !numbers.ok() || std::ranges::count(*numbers, d) > 0;
  }

  static bool renumber(HloInstruction& at, int64_t d) {
    const absl::StatusOr<std::vector<int64_t>> numbers = integers_of(at, "dimensions");
    if (!numbers.ok()) return false;
    *attribute(at, "dimensions") = conform::without(*numbers, d);
    return true;
  }

  static bool iota(HloInstruction& at, int64_t d) {
    const absl::StatusOr<int64_t> counted = integer_of(at, "iota_dimension");
    if (!counted.ok() || *counted == d) return false;
    *attribute(at, "iota_dimension") = absl::StrCat(*counted > d ? *counted - 1 : *counted);
    return true;
  }

  bool transpose(HloInstruction& at, int64_t d) {
    const absl::StatusOr<std::vector<int64_t>> permutation = integers_of(at, "dimensions");
    if (!permutation.ok() || d >= std::ssize(*permutation)) return false;
    const int64_t from = (*permutation)[d];
    *attribute(at, "dimensions") = conform::without(*permutation, from);
    return lose(at, 0, from);
  }

  bool broadcast(HloInstruction& at, int64_t d) {
    const absl::StatusOr<std::vector<int64_t>> numbers = integers_of(at, "dimensions", {});
    if (!numbers.ok()) return false;
    const auto found = std::ranges::find(*numbers, d);
    const int64_t from = found == numbers->end() ? kNone : found - numbers->begin();
    if (std::string* text = attribute(at, "dimensions")) *text = conform::without(*numbers, d);
    return lose(at, 0, from);
  }

  // Dimension d of the result is dimension d of the operand without the reduced ones.
  bool reduce(HloInstruction& at, int64_t d) {
    const absl::StatusOr<std::vector<int64_t>> reduced = integers_of(at, "dimensions");
    if (!reduced.ok() || at.operands.size() != 2) return false;
    int64_t from = d;
    std::vector<int64_t> sorted = *reduced;
    std::ranges::sort(sorted);
    for (int64_t dimension : sorted) from += dimension <= from ? 1 : 0;
    *attribute(at, "dimensions") = conform::without(*reduced, from);
    return lose(at, 0, from) && lose(at, 1, kNone);
  }

  bool slice(HloInstruction& at, int64_t d) {
    const absl::StatusOr<std::vector<SliceLimits>> limits = slice_of(at);
    if (!limits.ok() || d >= std::ssize(*limits)) return false;
    std::vector<std::string> left;
    for (int64_t i = 0; i < std::ssize(*limits); ++i) {
      const SliceLimits& one = (*limits)[i];
      if (i != d)
        left.push_back(absl::StrCat("[", one.start, ":", one.limit, ":", one.stride, "]"));
    }
    *attribute(at, "slice") = absl::StrCat("{", absl::StrJoin(left, ", "), "}");
    return aligned(at, d);
  }

  // `arrays` operands, and then an offset for each dimension.
  bool offsets(HloInstruction& at, int64_t d, size_t arrays) {
    const size_t offset = arrays + static_cast<size_t>(d);
    if (offset >= at.operands.size()) return false;
    at.operands.erase(at.operands.begin() + static_cast<int64_t>(offset));
    return aligned(at, d);
  }

  HloModule module_;
  HloComputation& computation_;
  std::vector<int64_t> dropped_;  // by instruction
};

}  // namespace

std::optional<HloModule> without_dimension(HloModule module, int64_t dimension) {
  return DimensionDrop(std::move(module)).without(dimension);
}

}  // namespace tileproof::conform

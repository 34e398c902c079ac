// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/nested.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {
namespace {

constexpr std::array<TagInfo, 17> kTags = {{
    {Tag::kRowMajor, "RowMajor", 2},
    {Tag::kColumnMajor, "ColumnMajor", 2},
    {Tag::kzN, "zN", 2},
    {Tag::knZ, "nZ", 2},
    {Tag::kzZ, "zZ", 2},
    {Tag::knN, "nN", 2},
    {Tag::kL0C, "L0C", 2},
    {Tag::kWeight4BitnZ, "Weight4BitnZ", 2},
    {Tag::kVectorLayout, "VectorLayout", 1},
    {Tag::kCol32, "COL32", 2},
    {Tag::kCol4_4R2_8C, "COL4_4R2_8C", 2},
    {Tag::kCol32_2R_4R4, "COL32_2R_4R4", 2},
    {Tag::kSwizzle32_4_4, "SWIZZLE_32_4_4", 2},
    {Tag::kVnni, "VNNI", 2},
    {Tag::kQ4_0_4_4, "Q4_0_4_4", 2, 4},
    {Tag::kQ4_0_4_8, "Q4_0_4_8", 2, 4},
    {Tag::kQ4_0_8_8, "Q4_0_8_8", 2, 4},
}};

void append_leaves(const IntTuple& tuple, std::vector<int64_t>& leaves) {
  if (!tuple.is_tuple) leaves.push_back(tuple.value);
  for (const IntTuple& element : tuple.elements) append_leaves(element, leaves);
}

IntTuple take_leaves(const IntTuple& like, absl::Span<const int64_t>& left) {
  if (!like.is_tuple) {
    const int64_t value = left.front();
    left.remove_prefix(1);
    return make_integer(value);
  }
  IntTuple result = make_tuple({});
  for (const IntTuple& element : like.elements) {
    result.elements.push_back(take_leaves(element, left));
  }
  return result;
}

absl::Status within_limits(const IntTuple& tuple, int level) {
  if (tuple.is_tuple && level == kMaxNesting) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected nesting of at most ", kMaxNesting, ", found more"));
  }
  if (std::ssize(tuple.elements) > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected at most ", kMaxRank, " elements in a tuple, found ", tuple.elements.size()));
  }
  for (const IntTuple& element : tuple.elements) {
    TRY(within_limits(element, level + 1));
  }
  return absl::OkStatus();
}

}  // namespace

bool IntTuple::operator==(const IntTuple& other) const {
  return is_tuple == other.is_tuple && value == other.value && elements == other.elements;
}

IntTuple make_integer(int64_t value) { return {.value = value, .elements = {}}; }

IntTuple make_tuple(std::vector<IntTuple> elements) {
  return {.is_tuple = true, .elements = std::move(elements)};
}

IntTuple make_flat(absl::Span<const int64_t> values) {
  std::vector<IntTuple> elements;
  for (int64_t value : values) elements.push_back(make_integer(value));
  return make_tuple(std::move(elements));
}

int64_t rank(const IntTuple& tuple) { return tuple.is_tuple ? std::ssize(tuple.elements) : 1; }

int64_t depth(const IntTuple& tuple) {
  if (!tuple.is_tuple) return 0;
  int64_t deepest = 0;
  for (const IntTuple& element : tuple.elements) deepest = std::max(deepest, depth(element));
  return 1 + deepest;
}

const IntTuple* get(const IntTuple& tuple, absl::Span<const int64_t> path) {
  const IntTuple* at = &tuple;
  for (int64_t i : path) {
    if (i < 0 || i >= rank(*at)) return nullptr;
    if (at->is_tuple) at = &at->elements[i];
  }
  return at;
}

bool congruent(const IntTuple& a, const IntTuple& b) {
  return a.is_tuple == b.is_tuple && std::equal(a.elements.begin(), a.elements.end(),
                                                b.elements.begin(), b.elements.end(), congruent);
}

std::vector<int64_t> leaves(const IntTuple& tuple) {
  std::vector<int64_t> result;
  append_leaves(tuple, result);
  return result;
}

IntTuple with_leaves(const IntTuple& like, absl::Span<const int64_t> leaves) {
  return take_leaves(like, leaves);
}

NestedLayout mode(const NestedLayout& layout, int64_t i) {
  if (!layout.shape.is_tuple) return layout;
  return {layout.shape.elements[i], layout.stride.elements[i]};
}

absl::Span<const TagInfo> tags() { return kTags; }

absl::Span<const TagInfo> catlass_tags() {
  return tags().first(1 + static_cast<size_t>(Tag::kVectorLayout));
}

const TagInfo& info(Tag tag) { return kTags[static_cast<size_t>(tag)]; }

std::optional<Tag> tag_named(absl::string_view name) {
  for (const TagInfo& known : kTags) {
    if (known.name == name) return known.tag;
  }
  return std::nullopt;
}

int tla_bits(ElementType type) { return type == ElementType::kPred ? 8 : info(type).bits; }

absl::Status validate(const IntTuple& tuple) { return within_limits(tuple, 0); }

absl::Status validate(const NestedLayout& layout) {
  for (const IntTuple* part : {&layout.shape, &layout.stride}) {
    TRY(validate(*part));
  }
  if (!congruent(layout.shape, layout.stride)) {
    return absl::InvalidArgumentError("expected a stride of the same nesting as the shape");
  }
  for (int64_t extent : leaves(layout.shape)) {
    if (extent < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected an extent of at least 0, found ", extent));
    }
  }
  return absl::OkStatus();
}

absl::Status validate(const TaggedShape& tagged) {
  const TagInfo& tag = info(tagged.tag);
  if (!is_tla_width(tla_bits(tagged.element_type))) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an element type whose bits divide 256, found ",
                     std::string(info(tagged.element_type).name)));
  }
  if (tag.bits != 0 && tla_bits(tagged.element_type) != tag.bits) {
    return absl::InvalidArgumentError(absl::StrCat("expected an element type of ", tag.bits,
                                                   " bits for ", std::string(tag.name), ", found ",
                                                   std::string(info(tagged.element_type).name)));
  }
  if (std::ssize(tagged.dims) != tag.rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", tag.rank, " dimension", tag.rank == 1 ? "" : "s", " for ",
                     std::string(tag.name), ", found ", tagged.dims.size()));
  }
  for (int64_t d : tagged.dims) {
    if (d < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a dimension of at least 0, found ", d));
    }
  }
  return absl::OkStatus();
}

absl::Status validate(Tag tag, int64_t element_bits, int64_t rows, int64_t cols) {
  if (!is_tla_width(element_bits)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected element_bits to be a divisor of 256, found ", element_bits));
  }
  if (info(tag).bits != 0 && element_bits != info(tag).bits) {
    return absl::InvalidArgumentError(absl::StrCat("expected element_bits ", info(tag).bits,
                                                   " for ", std::string(info(tag).name), ", found ",
                                                   element_bits));
  }
  if (rows < 0 || cols < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected rows and cols of at least 0, found ", rows, " and ", cols));
  }
  return absl::OkStatus();
}

}  // namespace tileproof

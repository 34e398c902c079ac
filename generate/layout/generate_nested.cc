// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_nested.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/limits.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {
namespace {

// Returns a nesting of 1 to `most` zeros: an integer, or a tuple of none to three elements.
// Subtracts the number of zeros from `most`.
IntTuple nesting(Choose& choose, int64_t& most, int64_t max_depth) {
  const int64_t widest = max_depth == 0 ? -1 : std::min(limits::kNestedWidth.most, most);
  const int64_t kind = choose(widest + 2);  // 0: an integer; k + 1: a tuple of k elements
  if (kind == 0) {
    --most;
    return make_integer(0);
  }
  IntTuple tuple = make_tuple({});
  for (int64_t left = kind - 1; left > 0; --left) {
    int64_t here = most - (left - 1);  // each other element needs at least one
    const int64_t before = here;
    tuple.elements.push_back(nesting(choose, here, max_depth - 1));
    most -= before - here;
  }
  return tuple;
}

int64_t leaf_count(const IntTuple& tuple) { return std::ssize(leaves(tuple)); }

int64_t random_extent(Choose& choose, int64_t most) {
  int64_t extent = 1;
  switch (choose(6)) {
    case 0:
      extent = choose.between(1, 4);
      break;
    case 1:
      extent = choose.pick<int64_t>({16, 8, 32, 2, 64});
      break;
    case 2:
      extent = choose.between(1, 20);
      break;
    case 3:
      extent = choose.between(1, std::max<int64_t>(most, 1));
      break;
    case 4:
      extent = int64_t{1} << choose(16);
      break;
    default:
      return choose.chance(1, 4) ? 0 : 1;
  }
  return std::min(extent, std::max<int64_t>(most, 1));
}

std::vector<int64_t> random_extents(Choose& choose, int64_t count, int64_t magnitude) {
  std::vector<int64_t> extents;
  for (int64_t i = 0; i < count; ++i) {
    extents.push_back(random_extent(choose, magnitude));
    magnitude /= std::max<int64_t>(extents.back(), 1);
  }
  return extents;
}

// Visits the leaves in a random order. The stride of each is where the one before ended, or a gap
// past it.
std::vector<int64_t> compact_strides(Choose& choose, const std::vector<int64_t>& extents) {
  std::vector<int64_t> order, strides(extents.size());
  for (int64_t i = 0; i < std::ssize(extents); ++i) order.push_back(i);
  if (choose.chance(1, 2)) {
    for (int64_t i = std::ssize(order); i-- > 1;) std::swap(order[i], order[choose(i + 1)]);
  }
  const bool gaps = choose.chance(1, 4);
  int64_t next = 1;
  for (int64_t i : order) {
    if (gaps && choose.chance(1, 3)) next *= choose.between(1, 4);
    strides[i] = next;
    const int64_t extent = std::max<int64_t>(extents[i], 1);
    next = next > INT64_MAX / 4 / extent ? 1 : next * extent;
  }
  return strides;
}

int64_t random_stride(Choose& choose, int64_t magnitude) {
  switch (choose(6)) {
    case 0:
      return choose.between(0, 4);
    case 1:
      return int64_t{1} << choose(12);
    case 2:
      return choose.between(0, magnitude);
    case 3:
      return -choose.between(0, 20);
    case 4:
      return choose.chance(1, 64) ? choose.pick<int64_t>({INT64_MAX, INT64_MIN, INT64_MAX / 3}) : 1;
    default:
      return choose.between(0, 100);
  }
}

NestedLayout assembled(const IntTuple& like, const std::vector<int64_t>& extents,
                       const std::vector<int64_t>& strides) {
  return {with_leaves(like, extents), with_leaves(like, strides)};
}

IntTuple random_nesting(Choose& choose) {
  const auto part = [&choose](int64_t most_leaves) {
    const int64_t depth = choose_within(choose, limits::kNestedDepth);
    return nesting(choose, most_leaves, depth);
  };
  IntTuple result = part(choose_within(choose, limits::kNestedLeaves));
  if (choose.chance(1, 16)) {  // wide
    result = make_tuple({std::move(result)});
    for (int64_t more = choose(16); more > 0; --more)
      result.elements.push_back(part(choose.between(1, 3)));
  }
  if (choose.chance(1, 64)) {  // deep
    for (int64_t levels = choose.between(1, 60); levels > 0; --levels) {
      result = make_tuple({std::move(result)});
    }
  }
  return result;
}

ElementType random_element_type(Choose& choose) {
  return choose.pick<ElementType>({ElementType::kF16, ElementType::kS8, ElementType::kF32,
                                   ElementType::kS4, ElementType::kF64, ElementType::kBF16,
                                   ElementType::kC128, ElementType::kS1, ElementType::kPred});
}

// Returns an integer, or a tuple of up to four parts. The empty tuple is rare.
IntTuple full_nesting(Choose& choose, int64_t max_depth) {
  if (max_depth == 0 || choose.chance(1, 4)) return make_integer(0);
  IntTuple result = make_tuple({});
  const int64_t parts =
      choose.chance(1, 64) ? 0 : choose.pick<int64_t>({2, 3, 1, limits::kCompactParts.most});
  for (int64_t i = 0; i < parts; ++i) {
    result.elements.push_back(full_nesting(choose, choose.chance(2, 3) ? 0 : max_depth - 1));
  }
  return result;
}

// Visits every part of a shape together with the same part of the stride.
template <class Visit>
void for_each_part(IntTuple& shape, IntTuple& stride, const Visit& visit) {
  visit(shape, stride);
  for (size_t i = 0; i < shape.elements.size(); ++i) {
    for_each_part(shape.elements[i], stride.elements[i], visit);
  }
}

void mutate_structure(Choose& choose, IntTuple& shape, IntTuple& stride) {
  if (!shape.is_tuple || choose.chance(1, 4)) {  // put a tuple around it
    for (IntTuple* part : {&shape, &stride}) *part = make_tuple({*part});
    return;
  }
  const int64_t count = std::ssize(shape.elements);
  const int64_t at = choose(count + 1);
  const int64_t what = choose(4);
  if (what == 0 && count == 1) {  // replace the tuple by its element
    for (IntTuple* part : {&shape, &stride}) {
      IntTuple only = std::move(part->elements[0]);
      *part = std::move(only);
    }
  } else if (what == 1 && at < count) {
    shape.elements.erase(shape.elements.begin() + at);
    stride.elements.erase(stride.elements.begin() + at);
  } else if (what == 2 && at + 1 < count) {
    std::swap(shape.elements[at], shape.elements[at + 1]);
    std::swap(stride.elements[at], stride.elements[at + 1]);
  } else if (count < kMaxRank) {
    shape.elements.insert(shape.elements.begin() + at, make_integer(choose.between(0, 5)));
    stride.elements.insert(stride.elements.begin() + at, make_integer(choose.between(-2, 9)));
  }
}

void mutate_numbers(Choose& choose, IntTuple& shape, IntTuple& stride) {
  switch (choose(5)) {
    case 0:
      shape.value = random_extent(choose, INT64_MAX);
      break;
    case 1:
      shape.value += shape.value < INT64_MAX ? 1 : 0;
      break;
    case 2:
      shape.value /= 2;
      break;
    case 3:
      stride.value = random_stride(choose, int64_t{1} << choose(62));
      break;
    default:
      stride.value = stride.value / 3 * choose.between(1, 3);
      break;
  }
}

}  // namespace

std::string to_text(const NestedFamily& family) {
  return absl::StrCat("<= ", family.max_leaves, " integers, depth <= ", family.max_depth,
                      ", extents {", absl::StrJoin(family.extents, ","), "}, strides {",
                      absl::StrJoin(family.strides, ","), "}");
}

NestedLayout bounded_nested_layout(Choose& choose, const NestedFamily& family) {
  int64_t most = family.max_leaves;
  const IntTuple like = nesting(choose, most, family.max_depth);
  std::vector<int64_t> extents, strides;
  for (int64_t i = leaf_count(like); i > 0; --i) {
    extents.push_back(choose.pick(family.extents));
    strides.push_back(choose.pick(family.strides));
  }
  return assembled(like, extents, strides);
}

NestedLayout random_nested_layout(Choose& choose, int64_t magnitude) {
  const IntTuple like = random_nesting(choose);
  const std::vector<int64_t> extents = random_extents(choose, leaf_count(like), magnitude);
  std::vector<int64_t> strides = compact_strides(choose, extents);
  if (choose.chance(1, 2)) {
    for (int64_t& stride : strides) {
      if (choose.chance(1, 2)) stride = random_stride(choose, magnitude);
    }
  }
  return assembled(like, extents, strides);
}

NestedLayout random_compact_layout(Choose& choose, int64_t magnitude) {
  const IntTuple like = full_nesting(choose, 3);
  std::vector<int64_t> extents;
  for (int64_t i = leaf_count(like); i > 0; --i) {
    const int64_t extent = choose.pick<int64_t>({2, 3, 4, 1, 5, 6, 8, 7});
    extents.push_back(extent <= magnitude ? extent : 1);
    magnitude /= extents.back();
  }
  std::vector<int64_t> strides = compact_strides(choose, extents);
  for (int64_t& stride : strides) {
    if (choose.chance(1, 8)) stride = choose.between(0, 12);
  }
  return assembled(like, extents, strides);
}

Coordinate random_coordinate(Choose& choose, const IntTuple& shape) {
  if (shape.is_tuple && !choose.chance(1, 3)) {
    Coordinate result = make_tuple({});
    for (const IntTuple& mode : shape.elements) {
      result.elements.push_back(random_coordinate(choose, mode));
    }
    return result;
  }
  int64_t most = 1;
  for (int64_t extent : leaves(shape)) {
    const int64_t positive = std::max<int64_t>(extent, 1);
    most = most > INT64_MAX / positive ? INT64_MAX : most * positive;
  }
  switch (choose(8)) {
    case 0:
      return make_integer(0);
    case 1:
      return make_integer(most - 1);
    case 2:
      return make_integer(choose.chance(1, 4) ? choose(INT64_MAX) : most);
    case 3:
      return make_integer(choose(std::min<int64_t>(most, INT64_MAX / 2) * 2));
    default:
      return make_integer(choose(most));
  }
}

TaggedShape random_tagged_shape(Choose& choose, int64_t magnitude) {
  TaggedShape tagged;
  tagged.tag = catlass_tags()[choose(std::ssize(catlass_tags()))].tag;
  tagged.element_type = random_element_type(choose);
  for (int d = 0; d < info(tagged.tag).rank; ++d) {
    tagged.dims.push_back(
        choose.chance(1, 24) ? 0 : choose.between(1, std::max<int64_t>(magnitude, 1)));
    if (choose.chance(1, 2)) tagged.dims.back() = std::min<int64_t>(tagged.dims.back(), 200);
    magnitude /= std::max<int64_t>(tagged.dims.back(), 1);
  }
  return tagged;
}

void mutate_tagged_shape(Choose& choose, TaggedShape& tagged) {
  switch (choose(3)) {
    case 0: {
      const Tag tag = catlass_tags()[choose(std::ssize(catlass_tags()))].tag;
      if (info(tag).rank == info(tagged.tag).rank) tagged.tag = tag;
      break;
    }
    case 1:
      tagged.element_type = random_element_type(choose);
      break;
    default:
      if (!tagged.dims.empty()) {
        tagged.dims[choose(std::ssize(tagged.dims))] = random_extent(choose, INT64_MAX);
      }
  }
}

std::string random_nested_text(Choose& choose) {
  std::string text = choose.chance(1, 8) ? to_text(random_tagged_shape(choose, 1 << 20))
                                         : to_text(random_nested_layout(choose, 1 << 20));
  if (choose.chance(1, 8))
    text.insert(choose(std::ssize(text) + 1), 1, choose.chance(1, 2) ? '_' : ' ');
  const int64_t edits = choose.chance(1, 4) ? choose.between(1, 3) : 0;
  for (int64_t i = 0; i < edits; ++i) edit_text(choose, text, "0123456789,:()_<>- Int/*");
  return text;
}

void mutate_nested_layout(Choose& choose, NestedLayout& layout) {
  int64_t parts = 0;
  for_each_part(layout.shape, layout.stride, [&parts](IntTuple&, IntTuple&) { ++parts; });
  IntTuple* shape = nullptr;
  IntTuple* stride = nullptr;
  int64_t left = choose(parts);
  for_each_part(layout.shape, layout.stride, [&](IntTuple& s, IntTuple& d) {
    if (left-- == 0) std::tie(shape, stride) = std::pair(&s, &d);
  });
  if (shape->is_tuple || choose.chance(1, 4)) {
    if (depth(layout.shape) < kMaxNesting) mutate_structure(choose, *shape, *stride);
  } else {
    mutate_numbers(choose, *shape, *stride);
  }
}

}  // namespace tileproof

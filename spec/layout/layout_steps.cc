// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/layout_steps.h"

#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/odometer.h"

namespace tileproof::spec {
namespace {

// The row-major position of `index` in an array.
size_t position(const Dims& dims, const Dims& index) {
  size_t result = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    result = result * static_cast<size_t>(dims[d]) + static_cast<size_t>(index[d]);
  }
  return result;
}

// The error for a step after which a size does not fit int64. Other steps add no elements.
struct TooLarge {
  const Dims& dims;

  std::string operator()(const Combine& step) const {
    return absl::StrCat("combined dimensions of ", dims[step.at], " and ", dims[step.at + 1],
                        " have more places than 64 signed bits count");
  }
  std::string operator()(const Pad& step) const {
    return absl::StrCat(dims[step.at], " rounded up to a multiple of ", step.multiple,
                        " does not fit 64 signed bits");
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return "a size does not fit 64 signed bits";
  }
};

// A reshape keeps the row-major order of the elements.
Array reshaped(const Array& array, Dims dims) { return {std::move(dims), array.ids}; }

// Moves each element to the index that `where` computes. Every other position is padding.
template <class Where>
Array moved(const Array& array, Dims dims, const Where& where) {
  Array result{std::move(dims), {}};
  result.ids.assign(static_cast<size_t>(*element_count(result.dims)), Array::kPadding);
  if (array.ids.empty()) return result;
  Dims index(array.dims.size(), 0), to(result.dims.size());
  size_t i = 0;
  do {
    where(index, to);
    result.ids[position(result.dims, to)] = array.ids[i++];
  } while (next_index(array.dims, index));
  return result;
}

struct ArrayAfter {
  const Array& array;
  Dims after;

  Array operator()(const Prepend&) { return reshaped(array, after); }
  Array operator()(const Combine&) { return reshaped(array, after); }
  Array operator()(const Split&) { return reshaped(array, after); }
  Array operator()(const Pad&) {
    return moved(array, after, [](const Dims& index, Dims& to) { to = index; });
  }
  Array operator()(const Transpose& step) {
    return moved(array, after, [&](const Dims& index, Dims& to) {
      for (size_t i = 0; i < to.size(); ++i) to[i] = index[step.from[i]];
    });
  }
};

struct ToText {
  const Dims& after;

  std::string operator()(const Prepend&) const { return "put a dimension of 1 in front"; }
  std::string operator()(const Combine& step) const {
    return absl::StrCat("combine dimensions ", step.at, " and ", step.at + 1);
  }
  std::string operator()(const Split& step) const {
    return absl::StrCat("split dimension ", step.at, " into tiles of ", step.tile);
  }
  std::string operator()(const Pad& step) const {
    return absl::StrCat("pad dimension ", step.at, " to ", after[step.at]);
  }
  std::string operator()(const Transpose& step) const {
    return absl::StrCat("transpose to dimensions ", absl::StrJoin(step.from, ","));
  }
};

}  // namespace

absl::StatusOr<Dims> dims_after(const Step& step, const Dims& dims) {
  const size_t most = dims.size() + 1;  // no step adds more than one dimension
  std::vector<Exact> sizes;
  sizes.reserve(most);
  for (int64_t size : dims) sizes.push_back(exact(size));
  Dims after;
  after.reserve(most);
  for (const Exact& size : sizes_after(step, std::move(sizes))) {
    const std::optional<int64_t> fits = to_int64(size);
    if (!fits) return absl::OutOfRangeError(std::visit(TooLarge{dims}, step));
    after.push_back(*fits);
  }
  return after;
}

std::string to_text(const Step& step, const Dims& after) { return std::visit(ToText{after}, step); }

Array counted_array(const Dims& dims) {
  Array array{dims, std::vector<int64_t>(static_cast<size_t>(*element_count(dims)))};
  std::iota(array.ids.begin(), array.ids.end(), int64_t{0});
  return array;
}

Array array_after(const Step& step, const Array& array) {
  return std::visit(ArrayAfter{array, *dims_after(step, array.dims)}, step);
}

}  // namespace tileproof::spec

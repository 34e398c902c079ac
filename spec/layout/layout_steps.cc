#include "spec/layout/layout_steps.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"
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

size_t element_count(const Dims& dims) {
  size_t count = 1;
  for (int64_t size : dims) count *= static_cast<size_t>(size);
  return count;
}

// Inserts a dimension before dimension `at`.
Dims with_one_more(const Dims& dims, int64_t at, int64_t size) {
  Dims after;
  after.reserve(dims.size() + 1);
  after.assign(dims.begin(), dims.end());
  after.insert(after.begin() + at, size);
  return after;
}

struct DimsAfter {
  const Dims& dims;

  absl::StatusOr<Dims> operator()(const Prepend&) const { return with_one_more(dims, 0, 1); }
  absl::StatusOr<Dims> operator()(const Combine& step) const {
    const std::optional<int64_t> size = checked_mul(dims[step.at], dims[step.at + 1]);
    if (!size) {
      return absl::OutOfRangeError(absl::StrCat("combined dimensions of ", dims[step.at], " and ",
                                                dims[step.at + 1],
                                                " have more places than 64 signed bits count"));
    }
    Dims after = dims;
    after[step.at] = *size;
    after.erase(after.begin() + step.at + 1);
    return after;
  }
  absl::StatusOr<Dims> operator()(const Split& step) const {
    Dims after = with_one_more(dims, step.at + 1, step.tile);
    after[step.at] /= step.tile;
    return after;
  }
  absl::StatusOr<Dims> operator()(const Pad& step) const {
    Dims after = dims;
    after[step.at] = step.size;
    return after;
  }
  absl::StatusOr<Dims> operator()(const Transpose& step) const {
    Dims after;
    after.reserve(step.from.size());
    for (int64_t from : step.from) after.push_back(dims[from]);
    return after;
  }
};

// A reshape keeps the row-major order of the elements.
Array reshaped(const Array& array, Dims dims) { return {std::move(dims), array.ids}; }

// Moves each element to the index that `where` computes. Every other position is padding.
template <class Where>
Array moved(const Array& array, Dims dims, const Where& where) {
  Array result{std::move(dims), {}};
  result.ids.assign(element_count(result.dims), Array::kPadding);
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
  std::string operator()(const Prepend&) const { return "put a dimension of 1 in front"; }
  std::string operator()(const Combine& step) const {
    return absl::StrCat("combine dimensions ", step.at, " and ", step.at + 1);
  }
  std::string operator()(const Split& step) const {
    return absl::StrCat("split dimension ", step.at, " into tiles of ", step.tile);
  }
  std::string operator()(const Pad& step) const {
    return absl::StrCat("pad dimension ", step.at, " to ", step.size);
  }
  std::string operator()(const Transpose& step) const {
    return absl::StrCat("transpose to dimensions ", absl::StrJoin(step.from, ","));
  }
};

}  // namespace

absl::StatusOr<Dims> dims_after(const Step& step, const Dims& dims) {
  return std::visit(DimsAfter{dims}, step);
}

std::string to_text(const Step& step) { return std::visit(ToText{}, step); }

Array counted_array(const Dims& dims) {
  Array array{dims, std::vector<int64_t>(element_count(dims))};
  for (size_t i = 0; i < array.ids.size(); ++i) array.ids[i] = static_cast<int64_t>(i);
  return array;
}

Array array_after(const Step& step, const Array& array) {
  return std::visit(ArrayAfter{array, *dims_after(step, array.dims)}, step);
}

}  // namespace tileproof::spec

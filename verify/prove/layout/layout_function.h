// A layout of any system as what it is: a function from a logical index to an offset in elements.
//
//     f16[64,96]{0,1:T(16,16)(16,1)}     (d0, d1) in [64,96]
//     zN:f16[64,96]                      the same function
//     ((16,4),(16,6)):((16,256),(1,1024))
//
// The meaning is that of the reference: the steps of a tiled layout (spec/layout/tiled_layout.h) or of a
// blocked format (spec/layout/blocked_layout.h), and the spreading of a coordinate over the modes of a
// nested layout (spec/layout/nested_layout.h), a tag being the layout that MakeLayout makes.
//
// The logical shape of a NESTED has one dimension for each of its modes, as large as the mode. It
// has no element type. TLA and CuTe pad arrays up to whole tiles and write the padded sizes; so a
// NESTED also stands for every array for which its modes are those of a padded one: a mode of sizes
// (n1, .., nk) for dimensions of which ceil(d / (n1 * .. * n(k-1))) is nk. An integer mode is
// exactly that size.
//
//     ((16,4),(16,6)):((16,256),(1,1024))     [64,96], and also [60,90], [49,81]; not [48,96]
//
// Source: INTERFACE, section 2 "Nested layouts".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/base/integers.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::verify {

// The modes of a nested layout, ready for indices of any number type.
struct NestedModes {
  NestedLayout layout;
  std::vector<spec::Modes> modes;             // one for each dimension
  std::vector<std::vector<int64_t>> strides;  // of the integers of a mode
};

struct LayoutFunction {
  AnyLayout layout;  // as it was written
  spec::Dims dims;   // logical
  std::variant<spec::TiledLayout, NestedModes> meaning;

  // What the text says beside the function, where it does.
  std::optional<int64_t> element_bits;
  std::optional<int64_t> elements;      // that are allocated
  std::optional<int64_t> memory_space;  // of a tiled layout
};

// Errors: no array with elements, an unbounded dimension, sizes or offsets that do not fit int64.
absl::StatusOr<LayoutFunction> layout_function(const AnyLayout& layout);

// Gives both the same logical shape, taking a NESTED for the array of the other one. Errors where
// they have none.
absl::Status share_shape(LayoutFunction& left, LayoutFunction& right);

// What differs beside the function, and moves no element: allocations, memory spaces.
std::vector<std::string> notes(const LayoutFunction& left, const LayoutFunction& right);

// The offset by the reference. An error where the index is not in the array.
absl::StatusOr<int64_t> offset_at(const LayoutFunction& function,
                                  const std::vector<int64_t>& index);

// The same on any number type, without the checks.
template <class N>
N offset_of(const LayoutFunction& function, const std::vector<N>& index);

// ---- The definition ----

template <class N>
N offset_of(const NestedModes& nested, const std::vector<N>& index) {
  N offset(0);
  for (size_t d = 0; d < index.size(); ++d) {
    std::vector<N> leaves;
    spec::spread_integer(nested.modes[d], index[d], leaves);
    for (size_t i = 0; i < leaves.size(); ++i) offset = offset + leaves[i] * nested.strides[d][i];
  }
  return offset;
}

template <class N>
N offset_of(const LayoutFunction& function, const std::vector<N>& index) {
  if (const auto* steps = std::get_if<spec::TiledLayout>(&function.meaning))
    return spec::offset_of(*steps, index);
  return offset_of(std::get<NestedModes>(function.meaning), index);
}

}  // namespace tileproof::verify

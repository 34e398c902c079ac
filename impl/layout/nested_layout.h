// RecursionGuard layouts in closed form.
//
// Reading an integer coordinate off a mode is writing it in digits: the integers of a mode from
// left to right are the digits, the least significant first, their extents the radices. So nesting
// does not matter inside of a mode, and digit i of extent n above a product m of extents adds
//
//     d_i * ((c floordiv m) mod n)          the last digit  d_i * (c floordiv m)
//
// Digits of extent 1 vanish, and two digits where d_{i+1} = n_i * d_i are one of extent
// n_i * n_{i+1}:
//
//     ((4,2),(4,3)):((4,16),(1,32))
//     offset = d0 * 4 + d1 mod 4 + (d1 floordiv 4) * 32
//
// The way back takes the digits from the last to the first, and for each only those values that
// leave an offset which the digits before it can reach: within their span, and a multiple of their
// greatest common divisor away. In layouts that are in use that is one value.
//
// The same questions are answered by definition in spec/layout/nested_layout.h, with the same errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::impl {

class NestedLayout {
 public:
  // Errors: a layout that is not valid.
  static absl::StatusOr<NestedLayout> create(const tileproof::NestedLayout& layout);

  const tileproof::NestedLayout& layout() const { return layout_; }

  // Coordinates, and places between the lowest and the highest offset. Errors: kOutOfRange.
  absl::StatusOr<int64_t> size() const;
  absl::StatusOr<int64_t> cosize() const;

  // crd2offset. Coordinates may be nested like the layout, or have integers where it has tuples.
  absl::StatusOr<int64_t> offset(const Coordinate& coordinate) const;

  // The first coordinate with that offset; nothing where there is none. kOutOfRange where the
  // cosize is; kUnimplemented where too many digits overlap for the search.
  absl::StatusOr<std::optional<Coordinate>> coordinate_at(int64_t offset) const;

  // The offset as a formula of d0, d1, .., one for each mode.
  std::string formula() const;

 private:
  struct Digit {
    int64_t extent;
    int64_t stride;
  };
  // ((c floordiv divisor) mod modulus) * stride
  struct Term {
    static constexpr int64_t kWhole = 0;
    int64_t stride;
    int64_t divisor;
    int64_t modulus;  // kWhole: the quotient itself
  };
  struct Mode {
    std::vector<Term> terms;
    std::optional<int64_t> bound;  // integer coordinates are below it, where nothing extrapolates
    bool divides_by_zero = false;  // no integer coordinate is possible
  };

  explicit NestedLayout(tileproof::NestedLayout layout);
  static Mode mode_of(const IntTuple& shape, const IntTuple& stride);

  tileproof::NestedLayout layout_;
  std::vector<Digit> digits_;  // all of them
  std::vector<Mode> modes_;    // of the layout, in order
};

}  // namespace tileproof::impl

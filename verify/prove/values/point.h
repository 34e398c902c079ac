// SPDX-License-Identifier: Apache-2.0
// Terms at a point: the parameters have numbers, and a term has the values that a program may
// compute for it.
//
// An integer is exact. A floating-point number is an interval that holds the real number, and what
// any rounding and any order of reductions make of it:
//
//     x[0] = 0.3    multiply(x[0], 10)    [2.9999.., 3.0000..]    divide(x[0], 0.1)    the same, nearly
//
// So programs whose intervals at one point have no number in common are different, whatever laws of
// floating-point arithmetic one allows. What is not evaluated (custom calls, long loops) is not
// known.
//
// At a special point, x may be NaN, infinite or -0. Only operations that round nothing have values
// there (compare, select, maximum, negate, floor, convert, ..): no law of arithmetic is about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/hlo/terms.h"

namespace tileproof::verify {

struct PointValue {
  bool is_known = false;
  bool is_integer = false;
  int64_t integer = 0;       // as spec/hlo/integer_arithmetic.h keeps it
  double low = 0, high = 0;  // both NaN: not a number
  // Of a complex number, whose real part is in [low, high].
  bool is_complex = false;
  double imaginary_low = 0, imaginary_high = 0;
  bool has_overflow = false;  // finite numbers led to one that is not, here or on the way
};

// Points from this seed on are special.
inline constexpr uint64_t kFirstSpecialSeed = uint64_t{1} << 32;

// The numbers of parameters: integers that are given, by the text of their array's symbol and their
// number; others depend on the seed alone: small and large ones, all alike, at the ends of types.
struct PointNumbers {
  uint64_t seed = 0;
  std::map<std::pair<std::string, int64_t>, int64_t> given = {};
  // By the text of an array's symbol: about one of so many of its floating-point elements is not 0. If there
  // are some, elements of parameters are in [-2, 2].
  std::map<std::string, int64_t> thin = {};
  // Sizes and constants of the programs, none of them 0: about half of the integers are some of them, beside some, or
  // any between 0 and one.
  std::vector<int64_t> integers = {};
};

// An array of which most elements are 0.
class ThinArray {
 public:
  ThinArray(uint64_t state, int64_t one_of) : state_(state), one_of_(one_of) {}
  bool is_zero(int64_t number) const;  // of the element with this number

 private:
  uint64_t state_;
  int64_t one_of_;
};

class Point {
 public:
  Point(const spec::Terms& terms, PointNumbers numbers)
      : terms_(terms),
        seed_(numbers.seed),
        given_(std::move(numbers.given)),
        thin_(std::move(numbers.thin)),
        integers_(std::move(numbers.integers)) {}

  PointValue of(spec::TermId term);
  // An operation on these values.
  PointValue applied(const spec::Symbol& f, const std::vector<PointValue>& a) const;
  bool has_thin() const { return !thin_.empty(); }
  // The array that this is an element of. Nothing if it is no such one.
  std::optional<ThinArray> thin_array(spec::TermId element) const;
  int64_t work() const { return work_; }  // that is done: about one for each operand

 private:
  bool is_special() const { return seed_ >= kFirstSpecialSeed; }
  PointValue compute(spec::TermId term);
  PointValue with_overflow(spec::TermId term, PointValue value) const;
  PointValue element(spec::TermId term) const;
  int64_t integer_of_programs(uint64_t z) const;
  // Lines that are sorted (sorted_point.cc).
  struct Line;
  PointValue sorted(spec::TermId term, const std::vector<PointValue>& a);
  PointValue compared_in(const Line& line, spec::TermId term, size_t x, size_t y);
  bool compares_keys(spec::TermId order) const;
  std::optional<std::vector<size_t>> order_by_keys(const Line& line);
  std::optional<std::vector<size_t>> order_by_places(const Line& line);
  PointValue bag(const spec::Symbol& f, const std::vector<PointValue>& a) const;
  std::set<spec::TermId> elements_of(HloOpcode of, const std::vector<spec::TermId>& terms) const;
  PointValue looped(spec::TermId term);
  std::optional<std::vector<PointValue>> run(spec::TermId loop);
  uint64_t random_state(const spec::Symbol& array) const;
  uint64_t random(const spec::Symbol& array, int64_t number) const;

  const spec::Terms& terms_;
  const uint64_t seed_;
  const std::map<std::pair<std::string, int64_t>, int64_t> given_;
  const std::map<std::string, int64_t> thin_;
  const std::vector<int64_t> integers_;
  int64_t work_ = 0;
  absl::flat_hash_map<spec::TermId, PointValue> known_;
  // By the operands of a sort: the numbers of its elements, sorted.
  std::map<std::vector<spec::TermId>, std::optional<std::vector<size_t>>> orders_;
  // By the operands of a loop: what it gives.
  std::map<std::vector<spec::TermId>, std::optional<std::vector<PointValue>>> runs_;
  std::map<spec::TermId, PointValue> carried_;  // inside of loops
};

// Whether two programs that compute these are different.
bool are_apart(const PointValue& a, const PointValue& b);
// Whether arithmetic overflows on the way to one of them, or it is NaN or infinite: other arithmetic
// may not overflow.
bool is_overflow(const PointValue& a, const PointValue& b);
std::string text_of(const PointValue& value);

}  // namespace tileproof::verify

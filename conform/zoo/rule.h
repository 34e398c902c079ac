// SPDX-License-Identifier: Apache-2.0
// A wrong rule as text: the last cell of a line of zoo.tsv.
//
//     (x mod a) mod b -> x mod b if a > 1
//     x mod m in [l, u] -> x in [l, u] if m > 0, 0 <= x <= m
//     each S: [l, u] -> S: [l, u - 1] if l < u
//     a mod b -> a - b * quo(a, b) if b > 0
//
// The letters a to u are constants, v and w two variables of a map, D, S and R a dimension, a range
// variable and a runtime variable, x and y any expressions, and z is an expression that is no sum. A
// letter that occurs twice is the same both times.
//
//     x * k            k is 1 if there is no constant factor
//     x + k            a sum with a constant term
//     x * g + Y        the first term whose factor is above 1, and the sum of all others
//     x + y, v * w     one operation, in this order. A rule that rewrites a sum finds its terms
//                      anywhere in the sum, in any order, and leaves the others.
//     e in [l, u]      a constraint: the rule replaces one constraint, or several that it merges, by
//                      one, or by nothing if it says `true`
//     v: [l, u]        the bounds of a variable; behind the arrow, its new bounds
//     each ..          for all matches, not only the first
//     first: ..        of map.compose and map.equal: of the first map; also `second` and `both`
//     ..; ..           rules of which the first that matches counts
//
// A condition holds if it holds for all values that a range analysis allows. `g = gcd(a, b)` with a
// new letter names a number. low(x) and high(x) are the ends of a range; quo and rem truncate;
// wrap and int32 keep the low bits; double rounds to 53 bits; small(n): below 2^30; fits(n): in 64
// bits; bounded(x): below 2^60 and not empty; constant(Y). Numbers are exact. A rule whose numbers do
// not fit 64 bits does not match.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

struct Formula {
  std::string head;  // a letter, an operation as in the text, or a function; empty: a number
  int64_t value = 0;
  std::vector<Formula> parts;
};

inline bool is_letter(const Formula& f) {
  return f.head.size() == 1 && absl::ascii_isalpha(static_cast<unsigned char>(f.head[0]));
}

struct Comparison {
  Formula left;
  std::string relation;  // empty: `left` is a condition such as small(n)
  Formula right;
};

struct Bounded {
  Formula expr, low, high;
};

// One rule, about an expression (from, to), or about constraints or the bounds of a variable (given,
// become, bounds).
struct StatedRule {
  std::string of;  // first, second or both; empty: there is one map
  bool each = false;
  Formula from, to;
  std::vector<Bounded> given;
  bool of_bounds = false;         // `given` is the bounds of a variable
  std::vector<Bounded> become;    // none: they are dropped
  bool keeps = false;             // the constraints stay
  std::optional<Bounded> bounds;  // of a variable
  std::vector<Comparison> conditions;
};
using StatedRules = std::vector<StatedRule>;  // the first that matches counts

// An error names the column and what was expected, or a letter that stands for nothing.
absl::StatusOr<StatedRules> parse_rules(absl::string_view text);

// Changes the map where a rule matches. Returns whether anything changed. A rule about expressions
// also folds constants and moves them to the right of sums and products.
bool apply(const StatedRules& rules, IndexingMap& map);

// map.evaluate: the value of an operation. b is not 0 in a division. Nothing: the right one stays.
std::optional<int64_t> apply(const StatedRules& rules, Op op, int64_t a, int64_t b);

}  // namespace tileproof::zoo

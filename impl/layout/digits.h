// SPDX-License-Identifier: Apache-2.0
// Numbers written in digits: the algebra that turns the steps of a layout into a closed form.
//
// A source is a number with a known extent: its values are in [0, extent). A digit of a source S is
//
//     (S floordiv divisor) mod modulus
//
// A Numeral is a sum of weighted digits, most significant first, with values in [0, size). Two
// functions on Numerals express padding, splitting, combining and moving coordinates:
//
//     combine   (a, b) with b in [0, size_b)   ->  a * size_b + b
//     split     x into tiles of t              ->  x floordiv t  and  x mod t
//
// Splitting only rearranges digits if t falls between two digits, or inside one digit that it
// divides evenly: x = (S floordiv 8)*8 + S mod 8, split by 2, gives
//
//     x floordiv 2 = (S floordiv 8)*4 + (S mod 8) floordiv 2      x mod 2 = S mod 2
//
// Otherwise (8 split by 3), the digits that t cuts become a new source.
//
// Letters: w weight, m divisor, n modulus, t tile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impl/layout/closed_form.h"

namespace tileproof::impl {

struct Digit {
  static constexpr int64_t kWhole = 0;
  int32_t source;
  int64_t divisor;
  int64_t modulus;  // kWhole: the quotient itself
};

struct Numeral {
  struct Term {
    int64_t weight;
    Digit digit;
  };
  std::vector<Term>
      terms;         // by decreasing weight; each weight exceeds the largest sum of all later terms
  int64_t size = 1;  // the values are in [0, size)
};

// A weighted digit of a source with this text, "((d0 mod 8) floordiv 2) * 256". A source that is no
// name is put in parentheses.
std::string to_text(const Numeral::Term& term, std::string source, bool is_name = true);

class Digits {
 public:
  // Adds a source that is an input of the closed form. All inputs come before the first split.
  Numeral input(int64_t extent);

  // a * b.size + b. The product of the sizes must fit int64.
  static Numeral combine(const Numeral& a, const Numeral& b);

  // (x floordiv t, x mod t). t must divide x.size, as it does after padding. May add sources.
  std::pair<Numeral, Numeral> split(const Numeral& x, int64_t t);

  // The largest value of x. It is below size - 1 if there is padding.
  int64_t most(const Numeral& x) const;

  // x as a sum of digits of inputs, where `source` is the number of the input. Returns nothing if x
  // has a digit of a source that split() added and whose parts are not whole again.
  std::optional<std::vector<Numeral::Term>> of_inputs(const Numeral& x) const;

  // The program that computes `outputs` and checks x < bound for each pair. Digits of one source
  // become floors: (S floordiv m) mod n is S floordiv m - n * (S floordiv (m*n)). Equal sums are
  // computed once.
  ClosedForm compile(const std::vector<Numeral>& outputs,
                     const std::vector<std::pair<Numeral, int64_t>>& checks) const;

  // x as a formula; `names` are those of the inputs.
  std::string to_text(const Numeral& x, const std::vector<std::string>& names) const;

 private:
  friend class Compiler;
  struct Source {
    int64_t extent;
    Numeral definition;  // unless the source is an input
    bool is_input;
  };

  int64_t most(const Digit& digit) const;
  int64_t most(const std::vector<Numeral::Term>& terms) const;
  void append(std::vector<Numeral::Term>& terms, int64_t weight, Digit digit) const;

  std::vector<Source> sources_;
};

}  // namespace tileproof::impl

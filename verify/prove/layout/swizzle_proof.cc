// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/swizzle_proof.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::verify {
namespace {

// A term of SMT-LIB of 64 bits, as a number of the definition and as a word of the closed form.
struct BitTerm {
  std::string text;

  explicit BitTerm(std::string smtlib) : text(std::move(smtlib)) {}
  BitTerm(int64_t value)  // NOLINT: implicit from integers
      : text(absl::StrCat("#x", absl::Hex(value, absl::kZeroPad16))) {}
};

BitTerm call(const char* function, const BitTerm& a, const BitTerm& b) {
  return BitTerm(absl::StrCat("(", function, " ", a.text, " ", b.text, ")"));
}

BitTerm operator+(const BitTerm& a, const BitTerm& b) { return call("bvadd", a, b); }
// By a power of two or -1; a swizzle multiplies by no other numbers.
BitTerm operator*(const BitTerm& a, int64_t b) {
  if (b == -1) return BitTerm(absl::StrCat("(bvneg ", a.text, ")"));
  return call("bvshl", a, absl::countr_zero(static_cast<uint64_t>(b)));
}
BitTerm operator^(const BitTerm& a, const BitTerm& b) { return call("bvxor", a, b); }
BitTerm operator&(const BitTerm& a, int64_t b) { return call("bvand", a, b); }
BitTerm operator<<(const BitTerm& a, int64_t b) { return call("bvshl", a, b); }
BitTerm operator>>(const BitTerm& a, int64_t b) { return call("bvlshr", a, b); }

// c is a power of two; a swizzle divides by no other numbers.
BitTerm floordiv(const BitTerm& a, int64_t c) {
  return a >> absl::countr_zero(static_cast<uint64_t>(c));
}
BitTerm mod(const BitTerm& a, int64_t c) { return a & (c - 1); }

// For every x of `width` bits.
Verdict ask(int width, const BitTerm& left, const BitTerm& right, ProofSession& session) {
  const std::string text =
      absl::StrCat("(set-logic QF_BV)\n(declare-const x (_ BitVec 64))\n(assert (bvule x ",
                   BitTerm(INT64_MAX >> (63 - width)).text, "))\n(assert (not (= ", left.text,
                   "\n  ", right.text, ")))\n");
  return ask_once(text, session);
}

// An offset that one set bit, or two, makes wrong. Bits do not act on each other but in pairs.
std::string counterexample(const SwizzledLayout& layout, const impl::SwizzleWords& words,
                           int width) {
  for (int i = 0; i < width; ++i) {
    for (int j = 0; j <= i; ++j) {
      const int64_t x = int64_t{1} << i | int64_t{1} << j;
      const int64_t right = spec::swizzled_element(layout, x);
      const int64_t found = impl::swizzled_word(words, x);
      if (right != found) {
        return absl::StrCat("the swizzle of ", x, " is ", right, ", its words give ", found);
      }
    }
  }
  return "the words of the swizzle are not its bits";
}

}  // namespace

LayoutProof prove_swizzle(const SwizzledLayout& layout, const impl::SwizzleWords& words,
                          ProofSession& session) {
  const BitTerm x("x");
  const BitTerm word = impl::swizzled_word(words, x);
  // An offset has 63 bits; behind a pointer, the address of a byte has.
  const int64_t bits = std::max<int64_t>(layout.pointer_bits.value_or(8), 8);
  const int width = 66 - absl::countr_zero(static_cast<uint64_t>(bits));
  const Verdict same = ask(width, spec::swizzled_element(layout, x), word, session);
  if (same == Verdict::kRefuted) return {same, counterexample(layout, words, width), ""};
  if (same == Verdict::kUndecided) return {same, "", "the words of the swizzle are its bits"};
  const Verdict inverse = ask(width, impl::swizzled_word(words, word), x, session);
  if (inverse == Verdict::kRefuted) return {inverse, "the swizzle is not its own inverse", ""};
  return {inverse, "", inverse == Verdict::kProven ? "" : "the swizzle is its own inverse"};
}

}  // namespace tileproof::verify

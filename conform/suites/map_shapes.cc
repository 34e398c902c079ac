// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/map_shapes.h"

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using Texts = std::vector<std::string>;
using Factors = std::pair<int64_t, int64_t>;

constexpr size_t kResults = 24;  // of one map

// Like all texts here, without `+ 0` and `* 1`: a rule would not match them.
std::string shifted(const std::string& x, int64_t by) {
  return by == 0 ? x : absl::StrCat("(", x, " + ", by, ")");
}

std::string digit(const std::string& x, const char* op, int64_t c) {
  return absl::StrCat("((", x, ") ", op, " ", c, ")");
}

std::string times(const std::string& x, int64_t k) {
  return k == 1 ? x : absl::StrCat("(", x, ") * ", k);
}

std::string sum(const std::string& a, int64_t k, const std::string& b, int64_t l) {
  return absl::StrCat(times(a, k), " + ", times(b, l));
}

constexpr const char* kDivisions[] = {"floordiv", "mod"};

// The factors of two terms that a rule may cancel, combine or round.
std::vector<Factors> factors(int64_t c) {
  return {{1, -1}, {1, c}, {1, -c}, {1, 1}, {-1, c}, {c, 1}, {2, 2 * c}, {2, 2}, {1, 2 * c}};
}

// Two digits of one expression.
void append_digits(const std::string& x, int64_t c, Texts& texts) {
  for (const char* op : kDivisions) {
    for (const char* other : kDivisions) {
      for (int64_t a : {int64_t{0}, int64_t{1}, c + 2}) {
        for (int64_t b : {int64_t{0}, c - 1}) {
          const std::string first = digit(shifted(x, a), op, c),
                            second = digit(shifted(x, b), other, c);
          for (const auto& [k, l] : factors(c)) texts.push_back(sum(first, k, second, l));
        }
      }
    }
  }
}

// A value and a digit of it.
void append_rests(const std::string& x, int64_t c, Texts& texts) {
  for (const char* op : {"floordiv", "mod", "ceildiv"}) {
    for (int64_t a : {int64_t{0}, int64_t{1}, c - 1}) {
      const std::string part = digit(shifted(x, a), op, c);
      for (const auto& [k, l] : factors(c)) texts.push_back(sum(x, k, part, l));
    }
  }
}

// A digit of a sum of two digits, of a multiple of a digit, and of a negated one.
void append_nested(int64_t c, Texts& texts) {
  for (const char* op : kDivisions) {
    for (const char* inner : kDivisions) {
      for (const char* last : kDivisions) {
        const std::string first = digit("d0 + 1", op, c), second = digit("d1 * 2", inner, c);
        texts.push_back(digit(sum(first, 1, second, 1), last, 2));
        texts.push_back(digit(sum(first, c, second, 1), last, 2 * c));
        texts.push_back(digit(sum(first, 2, "d1", 1), last, c));
      }
      for (int64_t d : {c, 2 * c, c + 1}) {
        texts.push_back(digit(digit("d0", op, c), inner, d));
        texts.push_back(digit(digit("d0 * -1 + 1", op, c), inner, d));
        texts.push_back(digit(sum(digit("d0", op, 2 * c), 2, "1", 1), inner, d));
      }
    }
  }
}

// Multiples with constants and small rests, divided by related numbers.
void append_multiples(int64_t c, Texts& texts) {
  for (const char* op : kDivisions) {
    for (int64_t k : {c - 1, c, c + 1, 2 * c, 3 * c, -c}) {
      for (int64_t b : {int64_t{0}, int64_t{1}, c - 1, c, 2 * c - 1, int64_t{-1}}) {
        texts.push_back(digit(shifted(absl::StrCat("d0 * ", k), b), op, 2 * c));
      }
      texts.push_back(digit(absl::StrCat("d0 * ", k, " + d1"), op, 2 * c));
      texts.push_back(digit(absl::StrCat("d0 * ", k, " - d1"), op, c));
      texts.push_back(absl::StrCat("2 - ", digit(absl::StrCat("1 - d0 * ", k), op, 2 * c)));
    }
  }
}

// A constant less a quotient, digits by multiples that are larger than the divisor, and remainders of
// digits by negative numbers.
void append_others(Texts& texts) {
  for (const char* op : kDivisions) {
    for (int64_t c : {2, 3, 4}) {
      texts.push_back(absl::StrCat("2 - ", digit("1 - d0", op, c)));
      texts.push_back(absl::StrCat(c + 1, " - ", digit("d1 - d0", op, c)));
      texts.push_back(digit(shifted("d0 * 5", c - 1), op, c));
      texts.push_back(digit(digit("d0", op, -c), "mod", c));
    }
    texts.push_back(digit("d0 * 320 + 255", op, 256));
    texts.push_back(digit("d0 * 320 + 256", op, 256));
    texts.push_back(digit("d0 * -320 + 255", op, 256));
  }
}

std::string map_of(absl::Span<const std::string> results, const char* domain) {
  return to_text(*parse_map(
      absl::StrCat("(d0, d1) -> (", absl::StrJoin(results, ", "), "), domain: ", domain)));
}

void append_maps(const Texts& texts, const char* domain, Texts& maps) {
  for (size_t at = 0; at < texts.size(); at += kResults) {
    maps.push_back(map_of(absl::MakeConstSpan(texts).subspan(at, kResults), domain));
  }
}

}  // namespace

std::vector<std::string> maps_of_shapes() {
  Texts maps, others;
  for (int64_t c : {2, 3}) {
    Texts texts;
    for (const char* x : {"d0", "d0 * 2 + d1"}) {
      append_digits(x, c, texts);
      append_rests(x, c, texts);
    }
    append_nested(c, texts);
    append_multiples(c, texts);
    Texts rounded_up;
    std::erase_if(texts, [&rounded_up](const std::string& text) {
      const bool up = absl::StrContains(text, "ceildiv");
      if (up) rounded_up.push_back(text);
      return up;
    });
    const char* domain = c == 2 ? "d0 in [-7, 7], d1 in [0, 3]" : "d0 in [0, 13], d1 in [-2, 2]";
    append_maps(texts, domain, maps);
    append_maps(rounded_up, domain, maps);
  }
  append_others(others);
  append_maps(others, "d0 in [-7, 7], d1 in [0, 3]", maps);
  return maps;
}

std::vector<std::string> maps_of_sums_in_intervals() {
  Texts maps;
  const auto append = [&maps](const char* d0, const char* s0, const std::string& constraint) {
    maps.push_back(to_text(*parse_map(absl::StrCat("(d0)[s0] -> (d0, s0), domain: d0 in ", d0,
                                                   ", s0 in ", s0, ", ", constraint))));
  };
  for (int64_t a : {2, 4, -4}) {
    for (const char* s0 : {"[1, 3]", "[0, 1]", "[-1, 1]"}) {
      for (const char* interval : {"[0, 4]", "[0, 7]", "[0, 8]", "[1, 7]", "[1, 8]", "[4, 12]"}) {
        append("[-4, 4]", s0, absl::StrCat("d0 * ", a, " + s0 in ", interval));
      }
    }
  }
  for (const char* d0 : {"[0, 3]", "[0, 4]", "[-4, 7]"}) {
    for (const char* expr : {"d0 mod 3", "d0 mod 4", "d0 floordiv 3", "d0 * -3", "d0 * 3",
                             "d0 mod 2", "(d0 + s0) floordiv 2", "d0 + 1"}) {
      for (const char* interval : {"[0, 0]", "[1, 2]", "[-4, 4]", "[0, 2]"}) {
        append(d0, "[0, 1]", absl::StrCat(expr, " in ", interval));
      }
    }
  }
  for (const char* expr : {"d0 + s0", "d0 - s0", "s0 - d0", "d0 * 2", "d0 * 3", "d0 * -3"}) {
    for (const char* interval : {"[0, 0]", "[0, 2]", "[-2, -1]", "[-8, -1]", "[1, 7]"}) {
      append("[-4, 4]", "[-3, 3]", absl::StrCat(expr, " in ", interval));
    }
  }
  append("[0, 3]", "[0, 1]", "1 in [0, 0]");
  append("[0, 3]", "[0, 1]", "1 in [0, 1]");
  return maps;
}

}  // namespace tileproof::conform

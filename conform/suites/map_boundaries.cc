// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/map_boundaries.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

// Operations on d0. The bounds of d0 are all of int64 or a small range. Constraints keep the value
// in intervals that end where int64 ends.
constexpr absl::string_view kEndless[] = {"d0",  "d0 + 5",        "d0 - 1",       "d0 * 8",
                                          "-d0", "d0 floordiv 8", "d0 ceildiv 8", "d0 mod 7"};
constexpr Interval kEnds[] = {
    {INT64_MIN, 3}, {-3, INT64_MAX}, {INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}, {1, 1}};
constexpr Interval kBounds[] = {{INT64_MIN, INT64_MAX}, {-100, 100}};

std::string interval_text(Interval i) { return absl::StrCat("[", i.low, ", ", i.high, "]"); }

// Maps with each expression of kEndless as a result, and with each as a constraint.
std::vector<std::string> maps_at_the_ends() {
  std::vector<std::string> maps;
  for (Interval bounds : kBounds) {
    const std::string domain = absl::StrCat(", domain: d0 in ", interval_text(bounds));
    for (absl::string_view expr : kEndless) {
      const std::string text(expr);
      maps.push_back(absl::StrCat("(d0) -> (", text, ")", domain));
      for (Interval ends : kEnds) {
        if (text == "d0") continue;
        maps.push_back(
            absl::StrCat("(d0) -> (d0)", domain, ", ", text, " in ", interval_text(ends)));
      }
    }
  }
  return maps;
}

using Constants = std::vector<int64_t>;

// x * c, x floordiv c and x mod c for each constant.
std::vector<std::string> operations_on(const std::string& x, const Constants& constants) {
  std::vector<std::string> list;
  for (const char* operation : {" * ", " floordiv ", " mod "}) {
    for (int64_t c : constants) list.push_back(absl::StrCat("(", x, operation, c, ")"));
  }
  return list;
}

// A map of these results in canonical text. If `one`, its only variable is d0. Otherwise it also
// has d1.
std::string small_map(const std::vector<std::string>& results, bool one, Interval d0 = {-13, 13}) {
  const std::string header = one ? "(d0) -> (" : "(d0, d1) -> (";
  const std::string domain =
      absl::StrCat("), domain: d0 in ", interval_text(d0), one ? "" : ", d1 in [0, 3]");
  return to_text(*parse_map(absl::StrCat(header, absl::StrJoin(results, ", "), domain)));
}

// Small expressions, some dozens to a map: chains of three operations by constants, sums of a chain
// of two with a variable, and quotients of a multiple plus a small rest.
std::vector<std::string> small_expressions() {
  std::vector<std::string> maps;
  for (const std::string& first : operations_on("d0", {2, 3, 6, -2})) {
    std::vector<std::string> rows;
    for (const std::string& second : operations_on(first, {2, 3, 4, -2})) {
      for (std::string& third : operations_on(second, {2, 3, 6})) rows.push_back(std::move(third));
    }
    maps.push_back(small_map(rows, true));
  }
  for (const std::string& first : operations_on("d0", {2, 4, -2})) {
    std::vector<std::string> sums;
    for (const std::string& second : operations_on(first, {2, 4, -2})) {
      for (const char* other : {"d0 + ", "d1 + ", "d1 floordiv 2 - "}) {
        sums.push_back(absl::StrCat(other, second));
      }
    }
    maps.push_back(small_map(sums, false));
  }
  for (const char* multiple : {"d0", "d0 floordiv 2", "d0 floordiv 3"}) {
    std::vector<std::string> quotients;
    for (const char* rest : {"d1", "-d1", "d1 floordiv 2", "d1 mod 2"}) {
      for (const std::string& sum : {absl::StrCat("((", multiple, ") * 2 + ", rest, ")"),
                                     absl::StrCat("((", multiple, ") * 3 + ", rest, ")")}) {
        for (std::string& q : operations_on(sum, {2, 4, 6})) quotients.push_back(std::move(q));
      }
    }
    maps.push_back(small_map(quotients, false));
  }
  return maps;
}

// Patterns that the rules of simplifiers match, with numbers that expose a wrong rule: sums of a
// value and its own quotient, three terms with a common factor, constants of more than 32 bits, and
// operations on constants.
std::vector<std::string> small_rewrites() {
  std::vector<std::string> maps;
  for (Interval d0 : {Interval{0, 13}, {-13, 13}}) {
    std::vector<std::string> nested;
    for (const std::string& first : operations_on("d0", {2, 3})) {
      for (std::string& second : operations_on(first, {-1, -2, -4})) {
        nested.push_back(std::move(second));
      }
    }
    maps.push_back(small_map(nested, true, d0));
    std::vector<std::string> sums;
    for (int64_t c : {2, 3, -2}) {
      for (const char* x : {"d0", "(d0 + d1)", "(d0 - d1 - 1)", "(d0 + 5)", "(d0 - (d0 + 1))"}) {
        sums.push_back(absl::StrCat("d0 - ", x, " floordiv ", c));
        sums.push_back(absl::StrCat("(", x, " ceildiv ", c, ") * ", c, " - d0"));
        sums.push_back(absl::StrCat("((", x, " floordiv 2) mod ", c, ") * 3 + (", x, " floordiv ",
                                    2 * c, ") * ", 3 * c));
        sums.push_back(absl::StrCat("(", x, " floordiv ", c, ") mod 2"));
      }
    }
    maps.push_back(small_map(sums, false, d0));
  }
  for (const char* rest : {"d1 + d1 floordiv 2", "d1 - 1", "d1 - 1 + 1", "3 - d1"}) {
    std::vector<std::string> terms;
    for (int64_t c : {2, 4, 6}) {
      terms.push_back(absl::StrCat("(d0 * 2 + ", rest, ") floordiv ", c));
      terms.push_back(absl::StrCat("(d0 * 2 + ", rest, ") mod ", c));
    }
    maps.push_back(small_map(terms, false));
  }
  std::vector<std::string> large, alone;
  for (int64_t c : {int64_t{1} << 30, int64_t{1} << 32, -(int64_t{1} << 31)}) {
    large.push_back(absl::StrCat("d0 floordiv 2 + ", c));
    large.push_back(absl::StrCat("(d0 + ", c, ") floordiv 6 - ", c));
    large.push_back(absl::StrCat("(d0 * ", c, ") floordiv 3"));
    large.push_back(absl::StrCat("(d0 + ", c, ") mod 7"));
  }
  maps.push_back(small_map(large, true));
  for (const char* c : {"0", "1", "5", "-5"}) {
    for (int64_t by : {1, 3, -1, -3}) {
      for (const char* op : {" + ", " * ", " floordiv ", " ceildiv ", " mod "}) {
        alone.push_back(absl::StrCat("(", c, ")", op, by));
      }
    }
  }
  maps.push_back(small_map(alone, true));
  return maps;
}

// One or several constraints on the same variables, and results that the constraints bound.
std::vector<std::string> small_systems() {
  std::vector<std::string> maps;
  for (const char* constraints :
       {"d0 mod 2 in [1, 1]", "d0 mod 2 in [2, 2], d0 mod 3 in [2, 2]",
        "d0 mod 3 in [1, 1], d0 mod 5 in [2, 2]", "d0 mod 3 in [1, 1], d0 mod 6 in [4, 4]",
        "d0 mod 4 in [1, 1], d0 mod 6 in [1, 1]",
        "d0 mod 2 in [1, 1], d0 mod 3 in [1, 1], d0 mod 6 in [0, 0]",
        "d0 mod 2 in [0, 0], d0 mod 2 in [1, 0]",
        "d0 mod 2 in [1, 1], d0 mod 3 in [1, 1], d0 mod 6 in [2, 5]",
        "d0 mod 3 in [0, 1], d0 mod 3 in [1, 2]", "d0 + d1 in [3, 9]", "d0 - d1 in [-2, 1]",
        "d0 * 2 + d1 in [1, 8]", "d0 * 4 + d1 in [3, 20], d0 * 4 + d1 in [-5, 17]"}) {
    for (Interval d0 : {Interval{0, 13}, {-13, 13}}) {
      maps.push_back(to_text(*parse_map(absl::StrCat(
          "(d0, d1) -> (d0, d1, d0 mod 2, d0 mod 3, d0 * 2 + d1, d0 + d1), domain: d0 in ",
          interval_text(d0), ", d1 in [0, 3], ", constraints))));
    }
  }
  return maps;
}

// One constraint: a division, or a multiple plus a small rest, in intervals around zero.
std::vector<std::string> small_constraints() {
  std::vector<std::string> maps;
  for (const char* expr :
       {"d0 floordiv 3", "d0 floordiv -3", "d0 ceildiv 3", "d0 mod 3", "d0 mod -3", "d0 * -3"}) {
    for (Interval ends : {Interval{-2, -1}, {0, 0}, {1, 2}}) {
      maps.push_back(
          absl::StrCat("(d0) -> (d0), domain: d0 in [-9, 9], ", expr, " in ", interval_text(ends)));
    }
  }
  for (Interval bounds : {Interval{-20, -6}, {-7, 20}, {3, 17}}) {
    for (int64_t residue = 0; residue < 4; ++residue) {
      maps.push_back(absl::StrCat("(d0) -> (d0), domain: d0 in ", interval_text(bounds),
                                  ", d0 mod 4 in ", interval_text({residue, residue})));
    }
  }
  for (const char* rest : {"s0", "-s0", "s0 floordiv 2", "(s0 mod 3) * -1"}) {
    for (int64_t k : {2, 4}) {
      for (Interval ends : {Interval{-100, -1}, {-100, k - 1}, {0, 0}, {0, k}, {1, 2 * k - 1}}) {
        maps.push_back(to_text(
            *parse_map(absl::StrCat("(d0)[s0] -> (d0), domain: d0 in [-3, 3], s0 in [-3, 6], d0 * ",
                                    k, " + ", rest, " in ", interval_text(ends)))));
      }
    }
  }
  return maps;
}

}  // namespace

std::vector<std::string> simplify_boundaries() {
  std::vector<std::string> all;
  for (const auto& maps :
       {maps_at_the_ends, small_expressions, small_constraints, small_rewrites, small_systems}) {
    for (std::string& map : maps()) all.push_back(std::move(map));
  }
  return all;
}

}  // namespace tileproof::conform

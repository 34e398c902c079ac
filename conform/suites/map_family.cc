// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/map_family.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/suites/map_suites.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using Texts = std::vector<std::string>;

constexpr int64_t kLeast = -3, kMost = 4;  // the range of constants
constexpr Interval kDim{-3, 4}, kRange{0, 2};

std::string text_of(Interval i) { return absl::StrCat("[", i.low, ", ", i.high, "]"); }

// Appends every operation on x by a constant.
void append_operations(const std::string& x, Texts& texts) {
  for (const char* op : {" + ", " * ", " floordiv ", " ceildiv ", " mod "}) {
    const bool divides = op[1] != '+' && op[1] != '*';
    for (int64_t c = kLeast; c <= kMost; ++c) {
      if (divides && c == 0) continue;
      texts.push_back(absl::StrCat("(", x, ")", op, "(", c, ")"));
    }
  }
}

// A variable, and every operation on it by a constant.
Texts short_ones(const std::string& variable) {
  Texts texts = {variable};
  append_operations(variable, texts);
  return texts;
}

// A map in canonical text.
std::string printed(absl::string_view results, Interval d0, Interval s0,
                    absl::string_view constraint = "") {
  return to_text(*parse_map(absl::StrCat("(d0)[s0] -> (", results, "), domain: d0 in ", text_of(d0),
                                         ", s0 in ", text_of(s0), constraint)));
}

Texts small_maps(Interval d0, Interval s0) {
  Texts maps;
  for (const std::string& text : bounded_expressions()) maps.push_back(printed(text, d0, s0));
  return maps;
}

// Every expression of at most one operation, constrained to each small interval.
Texts constrained_maps() {
  Texts maps;
  for (const char* variable : {"d0", "s0"}) {
    for (const std::string& text : short_ones(variable)) {
      for (int64_t low = -1; low <= 1; ++low) {
        for (int64_t high = low; high <= 2; ++high) {
          maps.push_back(printed("d0, s0", kDim, kRange,
                                 absl::StrCat(", ", text, " in ", text_of({low, high}))));
        }
      }
    }
  }
  return maps;
}

// Every constraint a * d0 + b * s0 in [low, high] of small numbers.
Texts sums_in_intervals() {
  Texts maps;
  for (Interval s0 : {Interval{0, 2}, {1, 3}, {-1, 1}}) {
    for (int64_t a : {-4, -3, -2, -1, 1, 2, 3, 4}) {
      for (int64_t b : {-4, -3, -2, -1, 1, 2, 3, 4}) {
        for (int64_t low = -2; low <= 2; ++low) {
          for (int64_t width : {0, 1, 2, 3, 5, 8}) {
            maps.push_back(printed("d0, s0", kDim, s0,
                                   absl::StrCat(", d0 * (", a, ") + s0 * (", b, ") in ",
                                                text_of({low, low + width}))));
          }
        }
      }
    }
  }
  return maps;
}

Texts with(Texts texts, Texts more) {
  for (std::string& text : more) texts.push_back(std::move(text));
  return texts;
}

std::string family_size() {
  return absl::StrCat(bounded_expressions().size(),
                      " small expressions of d0, s0 and constants in [-3, 4], ",
                      constrained_maps().size(), " constraints of one operation");
}

// The requests make(0), make(1), .., make(count - 1).
Family all_of(size_t count, std::function<Json(size_t)> make) {
  return [count, make = std::move(make), i = size_t{0}]() mutable -> std::optional<Json> {
    if (i == count) return std::nullopt;
    return make(i++);
  };
}

// Maps of one dimension and at most one operation.
Texts one_operation_maps(Interval d0) {
  Texts maps;
  for (const std::string& text : short_ones("d0")) {
    maps.push_back(
        to_text(*parse_map(absl::StrCat("(d0) -> (", text, "), domain: d0 in ", text_of(d0)))));
  }
  return maps;
}

}  // namespace

Texts bounded_expressions() {
  const Texts of_d0 = short_ones("d0"), of_s0 = short_ones("s0");
  const Texts shorts = with(of_d0, of_s0);
  Texts texts = shorts;
  for (int64_t c = kLeast; c <= kMost; ++c) {
    texts.push_back(absl::StrCat(c));
    append_operations(absl::StrCat(c), texts);
    for (const char* variable : {"d0", "s0"}) texts.push_back(absl::StrCat(c, " + ", variable));
  }
  for (const Texts& of_one : {of_d0, of_s0}) {
    for (size_t i = 1; i < of_one.size(); ++i) append_operations(of_one[i], texts);
  }
  for (const char* sum : {"d0 + d0", "d0 + s0", "s0 + s0"}) append_operations(sum, texts);
  for (size_t i = 0; i < shorts.size(); ++i) {
    for (size_t j = 0; j <= i; ++j)
      texts.push_back(absl::StrCat("(", shorts[i], ") + (", shorts[j], ")"));
  }
  return texts;
}

Family evaluate_family() {
  constexpr int64_t kDims = kDim.high - kDim.low + 2;  // the last one is outside of the domain
  constexpr int64_t kRanges = kRange.high - kRange.low + 2;
  constexpr size_t kPoints = kDims * kRanges;
  Texts maps = with(small_maps(kDim, kRange), constrained_maps());
  const size_t count = maps.size() * kPoints;
  return all_of(count, [maps = std::move(maps)](size_t i) {
    const auto point = static_cast<int64_t>(i % kPoints);
    return evaluate_request(maps[i / kPoints], {kDim.low + point / kRanges},
                            {kRange.low + point % kRanges}, {});
  });
}

std::string evaluate_family_text() {
  return absl::StrCat(family_size(), ", at all d0 in [-3, 5] and s0 in [0, 3]");
}

Family simplify_family() {
  Texts maps = with(constrained_maps(), sums_in_intervals());
  for (const auto& [d0, s0] :
       {std::pair(kDim, kRange), {Interval{0, 5}, {0, 3}}, {Interval{0, 1}, {0, 0}}}) {
    maps = with(std::move(maps), small_maps(d0, s0));
  }
  const size_t count = maps.size();
  return all_of(count, [maps = std::move(maps)](size_t i) { return simplify_request(maps[i]); });
}

std::string simplify_family_text() {
  return absl::StrCat(family_size(), "; the expressions in three domains; ",
                      sums_in_intervals().size(), " constraints on a sum a * d0 + b * s0");
}

Family compose_family() {
  Texts firsts = one_operation_maps(kDim), seconds = one_operation_maps({-2, 5});
  const size_t count = firsts.size() * seconds.size();
  return all_of(count, [firsts = std::move(firsts), seconds = std::move(seconds)](size_t i) {
    return compose_request(firsts[i / seconds.size()], seconds[i % seconds.size()]);
  });
}

std::string compose_family_text() {
  return "every two maps of at most one operation on d0 by a constant in [-3, 4]";
}

Family equal_family() {
  Texts maps;
  for (const char* variable : {"d0", "s0"}) {
    for (const std::string& text : short_ones(variable))
      maps.push_back(printed(text, kDim, kRange));
  }
  const size_t count = maps.size() * maps.size();
  return all_of(count, [maps = std::move(maps)](size_t i) {
    return equal_request(maps[i / maps.size()], maps[i % maps.size()]);
  });
}

std::string equal_family_text() {
  return "every two maps of at most one operation on d0 or s0 by a constant in [-3, 4]";
}

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Properties: what holds for every input, such as "the closed form of a layout is its definition".
// The same rows serve the unit tests (properties_test.cc), long random runs
// (fuzz/raw/random_cases.cc) and the mutants (verify/mutants). A row only makes inputs; what it
// checks is in verify/compare, where fuzz targets find it, too.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// What the tally of many cases shows: the first kind occurs at least `times` as often as the other.
// {"arrays equal", 10, "arrays not counted"}. The unit test, which expects it, counts its "cases", too.
struct Ratio {
  std::string often;
  double times = 1;
  std::string rare = "cases";
};

struct Property {
  std::string name;                // "layout"
  std::function<int64_t()> cases;  // how many a runner takes
  bool endless = false;            // more follow
  // Checks the case with a number. Those of a corpus use the number alone, and all others the
  // choices, after the cases of a corpus if there are some. Returns "", or a finding of one line.
  std::function<std::string(int64_t number, Choose& choose, CaseCounts& tally)> check;
  // Every case passes. If false, failing ones are counted and prove nothing.
  bool holds = true;
  int64_t times = 1;  // the unit test takes this many times as many cases
  std::vector<Ratio> ratios = {};
  // The input of the choices, if it is a text, such as one that ends the process; else null.
  std::function<std::string(Choose& choose)> text = nullptr;
};

// A number beyond all cases of a corpus: the choices alone make the input.
inline constexpr int64_t kNoNumber = INT64_MAX;

inline std::function<int64_t()> always(int64_t cases) {
  return [cases] { return cases; };
}

// A property of random inputs.
Property of_choices(std::string name, int64_t cases,
                    std::function<std::string(Choose& choose, CaseCounts& tally)> check,
                    int64_t times = 1, std::vector<Ratio> ratios = {});

// A property of texts, which `make` makes. A finding ends with the text.
Property of_texts(std::string name, int64_t cases, std::function<std::string(Choose& choose)> make,
                  std::function<std::string(const std::string& text, CaseCounts& tally)> check,
                  std::vector<Ratio> ratios);

// Checks one case; its number is the seed of its choices.
std::string check_case(const Property& property, int64_t number, CaseCounts& tally);

std::vector<Property> layout_properties();  // tiled, nested, tags, algebra, banks
std::vector<Property> map_properties();     // simplification, composition, functions on variables
std::vector<Property> hlo_properties();     // indexing maps, and what is computed from them
std::vector<Property> golden_properties();  // the recorded answers, and changed questions
std::vector<Property> all_properties();     // those above
std::vector<Property> proof_properties();   // of provers; mutants are not tried with them

// All of several lists.
std::vector<Property> joined(std::initializer_list<std::vector<Property> (*)()> lists);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
#include "verify/properties/property.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace tileproof::verify {

Property of_choices(std::string name, int64_t cases,
                    std::function<std::string(Choose& choose, CaseCounts& tally)> check,
                    int64_t times, std::vector<Ratio> ratios) {
  return {std::move(name),
          always(cases),
          true,
          [check = std::move(check)](int64_t, Choose& choose, CaseCounts& tally) {
            return check(choose, tally);
          },
          true,
          times,
          std::move(ratios)};
}

Property of_texts(std::string name, int64_t cases, std::function<std::string(Choose& choose)> make,
                  std::function<std::string(const std::string& text, CaseCounts& tally)> check,
                  std::vector<Ratio> ratios) {
  Property property = of_choices(
      std::move(name), cases,
      [make, check = std::move(check)](Choose& choose, CaseCounts& tally) {
        const std::string text = make(choose), found = check(text, tally);
        return found.empty() ? "" : absl::StrCat(found, ": $'", absl::CEscape(text), "'");
      },
      1, std::move(ratios));
  property.text = std::move(make);
  return property;
}

std::vector<Property> joined(std::initializer_list<std::vector<Property> (*)()> lists) {
  std::vector<Property> all;
  for (auto* list : lists) {
    for (Property& one : list()) all.push_back(std::move(one));
  }
  return all;
}

std::string check_case(const Property& property, int64_t number, CaseCounts& tally) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
  return property.check(number, choose, tally);
}

}  // namespace tileproof::verify

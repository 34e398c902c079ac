// SPDX-License-Identifier: Apache-2.0
// The golden answers, word for word, and variations of their questions against the reference.
#include "absl/strings/str_cat.h"
#include "verify/golden/golden.h"
#include "verify/golden/random_questions.h"
#include "verify/properties/property.h"

namespace tileproof::verify {
namespace {

Property recorded(absl::string_view file) {
  return {absl::StrCat("recorded-", file.substr(0, file.find('.'))),
          [file] { return std::ssize(golden_answers(file)); }, false,
          [file](int64_t number, Choose&, CaseCounts&) {
            const GoldenAnswer& entry = golden_answers(file)[static_cast<size_t>(number)];
            if (answer_to(entry.question) == entry.answer) return std::string();
            return absl::StrCat(entry.question,
                                "if this change is intended: update_golden corpus/golden/", file);
          }};
}

// The reference decides: answers about modules near to the golden ones must be right, too.
std::string check_changed(Choose& choose, CaseCounts&) {
  return difference_from_reference(
      changed(choose, choose.pick(golden_answers("families.txt")).question));
}

}  // namespace

std::vector<Property> golden_properties() {
  std::vector<Property> properties;
  for (absl::string_view file : kGoldenFiles) properties.push_back(recorded(file));
  properties.push_back(of_choices("changed", 1000, check_changed, 12));
  return properties;
}

}  // namespace tileproof::verify

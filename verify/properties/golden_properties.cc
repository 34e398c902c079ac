// SPDX-License-Identifier: Apache-2.0
// The golden answers, word for word, and variations of their questions against the reference.
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "verify/golden/golden.h"
#include "verify/properties/property.h"

namespace tileproof::verify {
namespace {

const std::vector<GoldenAnswer>& questions_of(absl::string_view file) {
  static std::map<std::string, std::vector<GoldenAnswer>, std::less<>> files;
  const auto [found, is_new] = files.try_emplace(std::string(file));
  if (is_new) {
    auto read = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    found->second = std::move(read).value_or(std::vector<GoldenAnswer>{});
    std::erase_if(found->second, is_comment);
  }
  return found->second;
}

Property recorded(absl::string_view file) {
  return {absl::StrCat("recorded-", file.substr(0, file.find('.'))),
          [file] { return std::ssize(questions_of(file)); }, false,
          [file](int64_t number, Choose&, CaseCounts&) {
            const GoldenAnswer& entry = questions_of(file)[static_cast<size_t>(number)];
            return answer_to(entry.question) == entry.answer ? "" : entry.question;
          }};
}

// The reference decides: answers about modules near to the golden ones must be right, too.
std::string check_changed(Choose& choose, CaseCounts&) {
  return difference_from_reference(
      changed(choose, choose.pick(questions_of("families.txt")).question));
}

}  // namespace

std::vector<Property> golden_properties() {
  std::vector<Property> properties;
  for (absl::string_view file : kGoldenFiles) properties.push_back(recorded(file));
  properties.push_back(of_choices("changed", 1000, check_changed, 12));
  return properties;
}

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Bank conflicts: what the definition serves together, and which lanes it names.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/access/banks.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::spec {
namespace {

// The element's bits and those of a vector; a layout; the access. A line for each phase.
template <bool amd_read>
std::string served(absl::string_view text) {
  const auto [element, layout, access] = parts_of<3>(text, "\n");
  const std::vector<int64_t> sizes = numbers_of(element);
  const auto phases = serve(*layout_function(*parse_any_layout(layout)), *parse_map(access),
                            {sizes[0], sizes[1]}, {.amd_read = amd_read}, 100'000);
  if (!phases.ok()) return std::string(phases.status().message());
  std::string lines;
  for (const BankPhase& phase : *phases) {
    absl::StrAppend(&lines, "lanes ", absl::StrJoin(phase.lanes, " "), ": ", phase.ways, " ways");
    if (phase.clash) {
      absl::StrAppend(&lines, ", bank ", phase.clash->bank, " of lanes ", phase.clash->lanes[0],
                      " and ", phase.clash->lanes[1], ", words ", phase.clash->words[0], " and ",
                      phase.clash->words[1]);
    }
    lines += "\n";
  }
  return lines;
}

TEST(BanksDefinition, Answers) {
  expect_answers("answers/banks.txt", {{"amd", served<true>}, {"serve", served<false>}});
}

}  // namespace
}  // namespace tileproof::spec

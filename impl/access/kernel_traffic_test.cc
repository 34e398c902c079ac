// SPDX-License-Identifier: Apache-2.0
#include "impl/access/kernel_traffic.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// One line for each array of the entry's root: "result: 4 accesses, 4 transactions, at most 1, 128
// elements of 32 bits".
std::string traffic_of(absl::string_view text) {
  const auto [head, threads, hlo] = parts_of<3>(text, "\n");
  const auto [output, lanes, bytes] = parts_of<3>(head);
  const Warps warps{.warp = numbers_of(lanes).at(0), .width = numbers_of(bytes).at(0)};
  const HloModule module = module_of(hlo);
  IndexingAnalysis analysis(module);
  const auto all = kernel_traffic(
      analysis, module, module.entry, module.computations[module.entry].root,
      static_cast<int32_t>(numbers_of(output).at(0)), parse_map(threads).value(), warps);
  if (!all.ok()) return std::string(all.status().message());
  std::string lines;
  for (const KernelTraffic& one : *all) {
    absl::StrAppend(&lines, one.name, ": ");
    if (one.accesses) {
      absl::StrAppend(&lines, one.accesses->accesses, " accesses, ", one.accesses->transactions,
                      " transactions, at most ", one.accesses->most, ", ", one.accesses->elements,
                      " elements of ", one.bits, " bits\n");
    } else {
      absl::StrAppend(&lines, one.why, ", ", one.bits, " bits\n");
    }
  }
  return lines;
}

TEST(KernelTraffic, Answers) {
  expect_answers("answers/kernel_traffic.txt", {{"traffic", traffic_of}});
}

}  // namespace
}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Checks the laws of the layout algebra on random layouts:
//
//     algebra_campaign [LAYOUTS] [SEED]
//
// Prints for each law how often it held and how often it did not apply. If a law is broken, prints
// the case and exits with 1.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "verify/compare/algebra_laws.h"

int main(int argc, char** argv) {
  using namespace tileproof;
  int64_t count = 50'000;
  uint64_t seed = 0;
  if ((argc > 1 && (!absl::SimpleAtoi(argv[1], &count) || count < 1)) ||
      (argc > 2 && !absl::SimpleAtoi(argv[2], &seed)) || argc > 3) {
    std::cerr << "usage: algebra_campaign [LAYOUTS] [SEED]\n";
    return 2;
  }
  const auto laws = verify::algebra_laws();
  std::vector<int64_t> held(laws.size()), not_applicable(laws.size());
  for (int64_t i = 0; i < count; ++i) {
    Choose choose(Choose::Random{seed + static_cast<uint64_t>(i)});
    const verify::AlgebraCase operands = verify::random_algebra_case(choose);
    for (size_t law = 0; law < laws.size(); ++law) {
      const auto outcome = laws[law].check(operands);
      if (!outcome.ok()) {
        std::cout << laws[law].name << ": " << outcome.status().message() << "\n";
        return 1;
      }
      ++(*outcome == verify::Outcome::kHolds ? held : not_applicable)[law];
    }
  }
  int64_t all = 0;
  for (size_t law = 0; law < laws.size(); ++law) {
    std::cout << absl::StreamFormat("%-34s %9d held  %9d did not apply\n",
                                    std::string(laws[law].name), held[law], not_applicable[law]);
    all += held[law];
  }
  std::cout << count << " cases, " << all << " laws held, 0 broken\n";
  return 0;
}

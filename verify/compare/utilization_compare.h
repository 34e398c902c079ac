// SPDX-License-Identifier: Apache-2.0
// Compares operand utilization in closed form with the reference, which visits each element for
// every value of the offsets, or for a sample if there are too many values.
#pragma once

#include <cstdint>
#include <string>

#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

struct UtilizationComparison {
  int64_t equal = 0;              // arrays with equal counts
  int64_t within = 0;             // arrays whose counts hold for the sampled values
  int64_t uncounted = 0;          // arrays without a closed-form count
  int64_t superset = 0;           // arrays for which the reference has a superset
  bool refused = false;           // both refuse, or too large to enumerate; nothing was compared
  std::string difference;         // the array, expected and found; empty if equal
  std::string uncounted_because;  // last reason
};

UtilizationComparison compare_utilization(const HloModule& module, int32_t computation,
                                          int32_t instruction, spec::Scope scope, uint64_t seed,
                                          int64_t combinations = 600,
                                          const spec::Limits& limits = {.elements = 1 << 14,
                                                                        .work = 1 << 20});

}  // namespace tileproof::verify

// Utilization in closed form against the reference, which looks at each element, for every value of
// the offsets; for some of them where these are too many.
#pragma once

#include <cstdint>
#include <string>

#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

struct UtilizationComparison {
  int64_t equal = 0;              // arrays whose counts are those of the reference
  int64_t within = 0;             // arrays whose counts hold for the values tried, not all
  int64_t uncounted = 0;          // arrays that the closed form does not count
  int64_t superset = 0;           // arrays of which the reference itself has a superset
  bool refused = false;           // by both, or too large to enumerate; then nothing was compared
  std::string difference;         // empty, or the array, what was expected and what was found
  std::string uncounted_because;  // the last reason
};

UtilizationComparison compare_utilization(const HloModule& module, int32_t computation,
                                          int32_t instruction, spec::Scope scope, uint64_t seed,
                                          int64_t combinations = 600,
                                          const spec::Limits& limits = {.elements = 1 << 14,
                                                                        .work = 1 << 20});

}  // namespace tileproof::verify

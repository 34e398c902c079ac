// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/values_suite.h"

#include <string>
#include <utility>

#include "conform/oracle/value_ops.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"

namespace tileproof::conform {

Json make_values_request(Choose& choose, const Limits&) {
  HloLimits limits;
  limits.elements = 30;
  Json request;
  bool is_same = choose.chance(1, 4);
  for (int left = 60; left > 0; --left) {
    const GeneratedHlo made = choose.chance(1, 2) ? generate_operation(choose, limits)
                                                  : generate_computation(choose, limits);
    is_same = is_same || left == 1;
    request = json_object({{"op", "hlo.equal"},
                           {"left", made.text},
                           {"right", is_same ? made.text : mutate_hlo(choose, made.text)}});
    if (is_same || hlo_equal(request, Engine::kSpec).ok()) break;
  }
  return request;
}

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "conform/oracle/value_ops.h"
#include "conform/suites/makers.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"

namespace tileproof::conform {
namespace {

// Breaks one part of the request.
void spoil(Choose& choose, Json& request) {
  switch (choose(3)) {
    case 0:
      return remove(request, choose.chance(1, 2) ? "left" : "right");
    case 1:
      return set(request, "laws", Json::Array{"no_such_law"});
    default:
      return set(request, "right", "r = f32[3] copy(f32[4] p)");
  }
}

}  // namespace

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
  if (choose.chance(1, 10)) spoil(choose, request);
  return request;
}

}  // namespace tileproof::conform

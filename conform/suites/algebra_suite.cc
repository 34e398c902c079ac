// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/algebra_ops.h"
#include "conform/suites/makers.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::conform {
namespace {

constexpr const char* kUnary[] = {"tla.coalesce", "tla.right_inverse", "tla.left_inverse"};
constexpr const char* kWithLayout[] = {"tla.composition", "tla.logical_product"};
constexpr const char* kWithTiler[] = {"tla.logical_divide", "tla.zipped_divide",
                                      "tla.tiled_divide"};

Json one(absl::string_view op, absl::string_view layout) {
  return json_object({{"op", op}, {"layout", layout}});
}

Json two(absl::string_view op, absl::string_view layout, absl::string_view by) {
  return json_object({{"op", op}, {"layout", layout}, {"by", by}});
}

Json complement(absl::string_view layout, int64_t size) {
  return json_object({{"op", "tla.complement"}, {"layout", layout}, {"size", size}});
}

// Layouts that have no inverse or complement get different answers from different systems, which are
// right by their own definitions. The suite does not ask about them.
bool is_settled(const Json& request) {
  const bool inverse =
      *find(request, "op") != Json("tla.composition") && find(request, "by") == nullptr;
  return !inverse || tla_algebra(request, Engine::kSpec).ok();
}

Json random_request(Choose& choose) {
  const verify::AlgebraCase made = verify::random_algebra_case(choose);
  const std::string layout = to_text(made.a);
  switch (choose(9)) {
    case 0:
      return one(kUnary[0], layout);
    case 1:
      return one(kUnary[1], layout);
    case 2:
      return one(kUnary[2], layout);
    case 3:
      return complement(layout, made.m);
    case 4:
    case 5:
      return two(kWithLayout[0], layout, to_text(made.b));
    case 6:
      return two(kWithLayout[1], layout, to_text(made.b));
    case 7:
      return two(kWithTiler[choose(3)], layout, to_text(made.tiler));
    default:
      return two(kWithTiler[choose(3)], layout, to_text(made.b));
  }
}

}  // namespace

Json make_algebra_request(Choose& choose, const Limits&) {
  for (int left = 20; left > 0; --left) {
    Json request = random_request(choose);
    if (is_settled(request)) return request;
  }
  return one("tla.coalesce", "4:1");
}

}  // namespace tileproof::conform

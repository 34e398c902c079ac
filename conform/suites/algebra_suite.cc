// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/algebra_suite.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/algebra_ops.h"
#include "conform/suites/tla_suite.h"
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

// ---- Shrinking ----

// The steps of tla.offset shrink a layout; the coordinate 0 fits every one.
std::vector<std::string> smaller_layouts(const std::string& layout) {
  std::vector<std::string> result;
  const Json request = json_object({{"op", "tla.offset"}, {"layout", layout}, {"coord", 0}});
  for (const Json& step : shrink_tla_requests(request)) {
    std::string text = *find(step, "layout")->as<std::string>();
    if (text != layout) result.push_back(std::move(text));
  }
  return result;
}

// Drops a tiler of a mode, makes it simpler, or takes it for the whole layout.
std::vector<std::string> smaller_tilers(const std::string& text) {
  const absl::StatusOr<Tiler> tiler = parse_tiler(text);
  if (!tiler.ok()) return {};
  if (!tiler->by_mode) return smaller_layouts(text);
  std::vector<std::string> result;
  for (size_t k = 0; k < tiler->layouts.size(); ++k) {
    Tiler less = *tiler;
    less.layouts.erase(less.layouts.begin() + static_cast<int64_t>(k));
    if (!less.layouts.empty()) result.push_back(to_text(less));
    if (!tiler->layouts[k]) continue;
    result.push_back(to_text(*tiler->layouts[k]));
    for (const std::string& smaller : smaller_layouts(to_text(*tiler->layouts[k]))) {
      less = *tiler;
      less.layouts[k] = *parse_nested_layout(smaller);
      result.push_back(to_text(less));
    }
  }
  return result;
}

}  // namespace

Json make_algebra_request(Choose& choose, const Limits&) {
  for (int left = 20; left > 0; --left) {
    Json request = random_request(choose);
    if (is_settled(request)) return request;
  }
  return one("tla.coalesce", "4:1");
}

std::vector<Json> shrink_algebra_requests(const Json& request) {
  std::vector<Json> result;
  const auto put = [&](const char* key, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      Json changed = request;
      set(changed, key, text);
      result.push_back(std::move(changed));
    }
  };
  const Json *layout = find(request, "layout"), *by = find(request, "by");
  if (const auto* text = layout == nullptr ? nullptr : layout->as<std::string>()) {
    put("layout", smaller_layouts(*text));
  }
  if (const auto* text = by == nullptr ? nullptr : by->as<std::string>()) {
    put("by", smaller_tilers(*text));
  }
  const Json* size = find(request, "size");
  if (const int64_t* m = size == nullptr ? nullptr : size->as<int64_t>()) {
    for (int64_t less : {*m / 2, *m - 1}) {
      if (less < 1 || less >= *m) continue;
      Json changed = request;
      set(changed, "size", less);
      result.push_back(std::move(changed));
    }
  }
  return result;
}

}  // namespace tileproof::conform

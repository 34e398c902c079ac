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

// Layouts for the operations on one layout: a mode of 1, modes that merge or nearly do, nested and
// permuted ones, gaps, strides of 0, and offsets that collide.
constexpr absl::string_view kLayouts[] = {
    "4:1",
    "4:3",
    "1:7",
    "(2,(1,6)):(1,(6,2))",
    "(2,4):(1,2)",
    "(2,4):(4,1)",
    "(2,4):(1,3)",
    "(2,3,4):(12,4,1)",
    "((2,2),(4,2)):((1,4),(16,2))",
    "(4,2):(2,8)",
    "(3,2):(0,1)",
    "(2,2):(1,1)",
    "(4,1,2):(1,9,4)",
    "(2,1):(3,1)",
    "(4,3):(2,4)",
};

// A layout, and the one that it is composed with.
constexpr std::pair<absl::string_view, absl::string_view> kPairs[] = {
    {"(6,2):(8,2)", "(4,3):(3,1)"}, {"20:2", "(5,4):(4,1)"},  {"(10,2):(16,4)", "(5,4):(1,5)"},
    {"(2,3):(1,2)", "(2,3):(3,1)"}, {"(5,4):(1,100)", "6:2"}, {"(4,6):(1,10)", "4:3"},
    {"(2,2):(1,4)", "3:1"},         {"(2,2):(1,4)", "2:1"},   {"(2,2):(4,1)", "6:1"},
    {"4:1", "(2,2):(2,1)"},         {"(4,2):(2,8)", "4:1"},   {"(2,4):(4,1)", "3:2"},
    {"8:1", "(2,2):(0,1)"},         {"1:0", "4:1"},           {"(4,6):(1,10)", "4:-1"},
    {"4:1", "(2,2):(1,-2)"},
};

// A layout and a tiler.
constexpr std::pair<absl::string_view, absl::string_view> kTiled[] = {
    {"(4,2,3):(2,1,8)", "4:2"},
    {"(9,(4,8)):(59,(13,1))", "<3:3,(2,4):(1,8)>"},
    {"16:1", "4:4"},
    {"(8,8):(8,1)", "<4:1,2:1>"},
    {"(8,8):(8,1)", "<4:2>"},
    {"(6,4):(4,1)", "<4:1,2:1>"},
    {"10:1", "4:1"},
};

// Layouts that have no inverse or complement get different answers from different systems, which are
// right by their own definitions. The suite does not ask about them.
bool is_settled(const Json& request) {
  const bool inverse =
      *find(request, "op") != Json("tla.composition") && find(request, "by") == nullptr;
  return !inverse || tla_algebra(request, Engine::kSpec).ok();
}

void append_nested(std::vector<Json>& requests) {
  for (const absl::string_view layout : kLayouts) {
    for (const char* op : kUnary) requests.push_back(one(op, layout));
    for (int64_t size : {1, 8, 24}) requests.push_back(complement(layout, size));
  }
  std::erase_if(requests, [](const Json& request) { return !is_settled(request); });
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

std::vector<Json> algebra_fixed() {
  std::vector<Json> requests;
  append_nested(requests);
  for (const auto& [layout, by] : kPairs) {
    for (const char* op : kWithLayout) requests.push_back(two(op, layout, by));
  }
  for (const auto& [layout, by] : kTiled) {
    for (const char* op : kWithTiler) requests.push_back(two(op, layout, by));
  }
  requests.push_back(complement("4:1", 0));
  requests.push_back(one("tla.coalesce", "(2,2):(1)"));
  requests.push_back(two("tla.logical_divide", "8:1", "<4:1,2:1>"));
  requests.push_back(json_object({{"op", "tla.composition"}, {"layout", "8:1"}}));
  return requests;
}

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

// SPDX-License-Identifier: Apache-2.0
// The steps that shrink a request about a nested layout: simpler questions about simpler layouts.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "conform/oracle/tla_ops.h"
#include "conform/shrink/shrink_numbers.h"
#include "conform/suites/tla_suite.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::conform {
namespace {

// A layout, and a coordinate or tile `at` with the same modes.
struct NestedQuestion {
  IntTuple shape;
  IntTuple stride;
  IntTuple at;
};

using VisitNested = absl::FunctionRef<void(const NestedQuestion&)>;

// Makes each integer smaller. Negative strides stay negative.
void smaller_leaves(const IntTuple& tuple, int64_t least,
                    absl::FunctionRef<void(const IntTuple&)> visit) {
  const std::vector<int64_t> now = leaves(tuple);
  for (size_t i = 0; i < now.size(); ++i) {
    std::vector<int64_t> less = now;
    const bool negative = now[i] < 0 && now[i] > INT64_MIN;
    for (int64_t n : shrink_numbers(negative ? -now[i] : now[i], least)) {
      less[i] = negative ? -n : n;
      visit(with_leaves(tuple, less));
    }
  }
}

// Drops an element of a tuple, or replaces a tuple by one of its elements, at any depth. If the
// coordinate has an integer for the tuple, it stays unchanged.
void shrink_structure(const NestedQuestion& now, VisitNested visit) {
  if (!now.shape.is_tuple) return;
  const bool follows = now.at.is_tuple && rank(now.at) == rank(now.shape);
  const auto parts = [follows](NestedQuestion& q) {
    std::vector<IntTuple*> result = {&q.shape, &q.stride};
    if (follows) result.push_back(&q.at);
    return result;
  };
  for (int64_t k = 0; k < rank(now.shape); ++k) {
    NestedQuestion less = now;
    for (IntTuple* part : parts(less)) part->elements.erase(part->elements.begin() + k);
    if (!less.shape.elements.empty()) visit(less);
    less = now;
    for (IntTuple* part : parts(less)) {
      IntTuple only = part->elements[k];
      *part = std::move(only);
    }
    visit(less);
    const NestedQuestion element{now.shape.elements[k], now.stride.elements[k],
                                 follows ? now.at.elements[k] : now.at};
    shrink_structure(element, [&](const NestedQuestion& shrink) {
      NestedQuestion changed = now;
      changed.shape.elements[k] = shrink.shape;
      changed.stride.elements[k] = shrink.stride;
      if (follows) changed.at.elements[k] = shrink.at;
      visit(changed);
    });
  }
}

void shrink_layouts(const Json& request, absl::string_view key, std::vector<Json>& result) {
  const absl::StatusOr<NestedLayout> layout = nested_under(request);
  const Json* given = find(request, key);
  if (!layout.ok() || given == nullptr) return;
  const absl::StatusOr<IntTuple> at = int_tuple_in(*given, key);
  if (!at.ok()) return;
  const NestedQuestion now{layout->shape, layout->stride, *at};
  const auto ask = [&](const NestedQuestion& question) {
    Json changed = request;
    set(changed, "layout", to_text(NestedLayout{question.shape, question.stride}));
    set(changed, key, arrays(question.at));
    result.push_back(std::move(changed));
  };
  shrink_structure(now, ask);
  smaller_leaves(now.shape, 1, [&](const IntTuple& t) { ask({t, now.stride, now.at}); });
  smaller_leaves(now.stride, 0, [&](const IntTuple& t) { ask({now.shape, t, now.at}); });
  smaller_leaves(now.at, 0, [&](const IntTuple& t) { ask({now.shape, now.stride, t}); });
}

}  // namespace

std::vector<Json> shrink_tla_requests(const Json& request) {
  std::vector<Json> result;
  shrink_layouts(request, "coord", result);
  shrink_layouts(request, "tile", result);
  for (const char* key : {"rows", "cols"}) {
    const Json* value = find(request, key);
    const int64_t* number = value == nullptr ? nullptr : value->as<int64_t>();
    for (int64_t n : shrink_numbers(number == nullptr ? 0 : *number, 0)) {
      Json changed = request;
      set(changed, key, n);
      result.push_back(std::move(changed));
    }
  }
  return result;
}

}  // namespace tileproof::conform

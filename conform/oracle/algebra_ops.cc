// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/algebra_ops.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/tla_ops.h"
#include "impl/layout/layout_algebra.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_algebra.h"

namespace tileproof::conform {
namespace {

using Layout = absl::StatusOr<NestedLayout>;

Layout with_layout(const Json& request, const NestedLayout& a, absl::string_view op, bool spec) {
  const NestedLayout b = TRY(nested_under(request, "by"));
  if (op == "tla.composition") return spec ? spec::composition(a, b) : impl::composition(a, b);
  return spec ? spec::logical_product(a, b) : impl::logical_product(a, b);
}

Layout with_tiler(const Json& request, const NestedLayout& a, absl::string_view op, bool spec) {
  const Tiler b = TRY(parsed_field(request, "by", parse_tiler));
  if (op == "tla.zipped_divide") {
    return spec ? spec::zipped_divide(a, b) : impl::zipped_divide(a, b);
  }
  if (op == "tla.tiled_divide") return spec ? spec::tiled_divide(a, b) : impl::tiled_divide(a, b);
  return spec ? spec::logical_divide(a, b) : impl::logical_divide(a, b);
}

Layout complement_of(const Json& request, const NestedLayout& a, bool spec) {
  const int64_t m = TRY(integer_under(request, "size"));
  return spec ? spec::complement(a, m) : impl::complement(a, m);
}

Layout computed(const Json& request, Engine engine) {
  const absl::string_view op = TRY(required_text(request, "op"));
  const Layout a = nested_under(request);
  if (!a.ok()) return a;
  const bool spec = engine == Engine::kSpec;
  Layout result;
  if (op == "tla.coalesce") {
    result = spec ? spec::coalesce(*a) : impl::coalesce(*a);
  } else if (op == "tla.right_inverse") {
    result = spec ? spec::right_inverse(*a) : impl::right_inverse(*a);
  } else if (op == "tla.left_inverse") {
    result = spec ? spec::left_inverse(*a) : impl::left_inverse(*a);
  } else if (op == "tla.complement") {
    result = complement_of(request, *a, spec);
  } else if (op == "tla.composition" || op == "tla.logical_product") {
    result = with_layout(request, *a, op, spec);
  } else {
    result = with_tiler(request, *a, op, spec);
  }
  // The definition has no result for this request.
  if (absl::IsFailedPrecondition(result.status()))
    return absl::InvalidArgumentError(result.status().message());
  return result;
}

}  // namespace

absl::StatusOr<Result> tla_algebra(const Json& request, Engine engine) {
  const Layout result = computed(request, engine);
  if (!result.ok()) return result.status();
  return Result(to_text(*result));
}

namespace {

// R is a left inverse of A if R(A(i)) = i for all i < size(A). There are many.
Assessment judge_left_inverse(const NestedLayout& a, const NestedLayout& r) {
  const auto offsets = spec::values(a);
  if (!offsets.ok()) return {Assessment::Kind::kOpen, std::string(offsets.status().message())};
  const auto found = spec::values_at(r, *offsets);
  if (!found.ok()) return wrong(found.status().message());
  for (size_t i = 0; i < found->size(); ++i) {
    if ((*found)[i] == static_cast<int64_t>(i)) continue;
    return wrong(absl::StrCat("at ", (*offsets)[i], ", the offset of ", i, ": ", (*found)[i]));
  }
  return {};
}

// The stride of an extent of 1 never matters.
NestedLayout without_idle_strides(NestedLayout layout) {
  const std::vector<int64_t> extents = leaves(layout.shape);
  std::vector<int64_t> strides = leaves(layout.stride);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) strides[i] = 0;
  }
  layout.stride = with_leaves(layout.stride, strides);
  return layout;
}

}  // namespace

Assessment judge_tla_algebra(const Json& request, const Answer& answer) {
  const Layout right = computed(request, Engine::kSpec);
  if (!right.ok()) return {Assessment::Kind::kOpen, std::string(right.status().message())};
  const auto* text = answer.result.as<std::string>();
  Layout given = parse_nested_layout(text == nullptr ? "" : *text);
  if (!given.ok()) return compare_nested_answer(*right, answer);
  if (*find(request, "op") == Json("tla.left_inverse")) {
    return judge_left_inverse(*nested_under(request), *given);
  }
  const NestedLayout other = without_idle_strides(*std::move(given));
  if (other.shape == right->shape) {
    Answer same = answer;
    same.result = to_text(other);
    return compare_nested_answer(without_idle_strides(*right), same);
  }
  return compare_nested_answer(*right, answer);
}

}  // namespace tileproof::conform

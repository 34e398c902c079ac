// SPDX-License-Identifier: Apache-2.0
// For tests: what checked_op resolves, as text: the name of the operation and its fields.
//
//     p = f32[2,6] pad(f32[2,3] x, f32[] v), padding=0_0x1_0_1
//     Pad operand=[2,3] result=[2,6] limits=[(0 0 0),(1 0 1)]
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof {

// The members see each other in whichever order they are declared.
struct Resolved {
  template <std::integral Number>
  static std::string show(Number number) {
    return absl::StrCat(static_cast<int64_t>(number));
  }
  static std::string show(const std::string& text) { return absl::StrCat("'", text, "'"); }
  template <class Value>
  static std::string show(const std::optional<Value>& value) {
    return value ? show(*value) : "-";
  }
  template <class Item>
  static std::string show(const std::vector<Item>& items) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < items.size(); ++i)
      texts.push_back(show(static_cast<const Item&>(items[i])));
    return absl::StrCat("[", absl::StrJoin(texts, ","), "]");
  }
  template <class... Fields>
  static std::string group(const Fields&... fields) {
    const std::vector<std::string> texts = {show(fields)...};
    return absl::StrCat("(", absl::StrJoin(texts, " "), ")");
  }

  static std::string show(const OperandLeaf& o) { return absl::StrCat(o.operand, ".", o.leaf); }
  static std::string show(const SliceLimits& o) { return group(o.start, o.limit, o.stride); }
  static std::string show(const PadLimits& o) { return group(o.low, o.high, o.interior); }
  static std::string show(const WindowDimension& o) {
    return group(o.size, o.stride, o.pad_low, o.pad_high, o.lhs_dilate, o.rhs_dilate,
                 o.rhs_reversal);
  }
  static std::string show(const op::CollectivePart& o) {
    return group(o.from, o.operand, o.result);
  }
  static std::string show(const op::Offsets& o) { return group(o.first, o.count, o.in_vector); }
  static std::string show(const DotDimensionNumbers& o) {
    return group(o.lhs_batch, o.rhs_batch, o.lhs_contracting, o.rhs_contracting);
  }
  static std::string show(const ConvolutionDimensionNumbers& o) {
    return group(o.input_batch, o.input_feature, o.input_spatial, o.kernel_input_feature,
                 o.kernel_output_feature, o.kernel_spatial, o.output_batch, o.output_feature,
                 o.output_spatial);
  }
  static std::string show(const op::IndexedWindows& o) {
    return group(o.array, o.indices, o.windows, o.window_dims, o.collapsed, o.start_map,
                 o.array_batching, o.indices_batching, o.index_vector_dim, o.batch_dims, o.kept,
                 o.window_sizes);
  }

  template <class Operation>
  static std::string fields(const Operation& o) {
    std::string text;
    const auto add = [&](const char* name, const auto& value) {
      absl::StrAppend(&text, " ", name, "=", show(value));
    };
    if constexpr (requires { o.dims; }) add("dims", o.dims);
    if constexpr (requires { o.lhs; }) add("lhs", o.lhs);
    if constexpr (requires { o.rhs; }) add("rhs", o.rhs);
    if constexpr (requires { o.input; }) add("input", o.input);
    if constexpr (requires { o.kernel; }) add("kernel", o.kernel);
    if constexpr (requires { o.operand; }) add("operand", o.operand);
    if constexpr (requires { o.operands; }) add("operands", o.operands);
    if constexpr (requires { o.source; }) add("source", o.source);
    if constexpr (requires { o.update; }) add("update", o.update);
    if constexpr (requires { o.result; }) add("result", o.result);
    if constexpr (requires { o.result_shape; })
      add("layout", layout_of(*o.result_shape).minor_to_major);
    if constexpr (requires { o.numbers; }) add("numbers", o.numbers);
    if constexpr (requires { o.inputs; }) add("inputs", o.inputs);
    if constexpr (requires { o.dimension; }) add("dimension", o.dimension);
    if constexpr (requires { o.dimensions; }) add("dimensions", o.dimensions);
    if constexpr (requires { o.is_scalar; }) add("is_scalar", o.is_scalar);
    if constexpr (requires { o.is_reversed; }) add("is_reversed", o.is_reversed);
    if constexpr (requires { o.sizes; }) add("sizes", o.sizes);
    if constexpr (requires { o.limits; }) add("limits", o.limits);
    if constexpr (requires { o.lhs_free; }) add("lhs_free", o.lhs_free);
    if constexpr (requires { o.rhs_free; }) add("rhs_free", o.rhs_free);
    if constexpr (requires { o.kept; }) add("kept", o.kept);
    if constexpr (requires { o.window; }) add("window", o.window);
    if constexpr (requires { o.feature_groups; }) add("feature_groups", o.feature_groups);
    if constexpr (requires { o.batch_groups; }) add("batch_groups", o.batch_groups);
    if constexpr (requires { o.offsets; }) add("offsets", o.offsets);
    if constexpr (requires { o.table; }) add("table", o.table);
    if constexpr (requires { o.parts; }) add("parts", o.parts);
    if constexpr (requires { o.chunks; }) add("chunks", o.chunks);
    if constexpr (requires { o.from; }) add("from", o.from);
    if constexpr (requires { o.computation; }) add("computation", o.computation);
    if constexpr (requires { o.condition; }) add("condition", o.condition);
    if constexpr (requires { o.body; }) add("body", o.body);
    if constexpr (requires { o.branches; }) add("branches", o.branches);
    if constexpr (requires { o.target; }) add("target", o.target);
    if constexpr (requires { o.is_like_operand; }) add("is_like_operand", o.is_like_operand);
    if constexpr (requires { o.reason; }) add("reason", o.reason);
    return text;
  }
};

// In the order of op::Any.
inline constexpr absl::string_view kOperationNames =
    "Elementwise Broadcast Transpose Reverse Reshape DynamicReshape SetDimensionSize Bitcast "
    "BitcastConvert Slice Pad Concatenate Dot Reduce Sort TopK ReduceWindow Convolution "
    "SelectAndScatter DynamicSlice DynamicUpdateSlice Gather Scatter AllGather ReduceScatter "
    "AllReduce CollectivePermute ArrayAllToAll TupleAllToAll Forward Call While Conditional Start "
    "Source Token GetDimensionSize Rng CustomCall Opaque";

inline std::string resolved(const CheckedOp& op) {
  const std::vector<std::string> names = absl::StrSplit(kOperationNames, ' ');
  const std::string text = absl::StrCat(
      names.at(op.operation.index()),
      std::visit([](const auto& operation) { return Resolved::fields(operation); }, op.operation));
  const auto* start = std::get_if<op::Start>(&op.operation);
  const bool has_inner = start != nullptr && start->operation != nullptr;
  return has_inner ? absl::StrCat(text, " of ", resolved(*start->operation)) : text;
}

}  // namespace tileproof

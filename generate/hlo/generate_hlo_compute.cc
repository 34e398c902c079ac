// SPDX-License-Identifier: Apache-2.0
// Operations that compute along dimensions and windows, and collectives.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof::hlo {
namespace {

Value with_rank(Builder& b, Value x, int64_t rank) {
  if (std::ssize(x.dims) >= rank) return x;
  Dims dims = x.dims;
  while (std::ssize(dims) < rank) dims.insert(dims.begin(), 1);
  return b.emit({"", x.type, dims, ""}, "reshape(", x.name, ")");
}

// Each dimension of x is a batch, free or contracting dimension; those of y are in any order.
Value dot(Builder& b, Value x) {
  Dims lhs_batch, lhs_contracting, out, y_dims, rhs_batch, rhs_contracting;
  const std::vector<int64_t> order = b.permutation(std::ssize(x.dims));
  Dims batch_sizes, free_sizes;
  for (int64_t d : order) {
    switch (b.choose(3)) {
      case 0:
        lhs_contracting.push_back(d);
        break;
      case 1:
        break;
      default:
        lhs_batch.push_back(d);
    }
  }
  for (int64_t d : lhs_batch) out.push_back(x.dims[d]);
  for (int64_t d = 0; d < std::ssize(x.dims); ++d) {
    const bool used = std::count(lhs_batch.begin(), lhs_batch.end(), d) +
                          std::count(lhs_contracting.begin(), lhs_contracting.end(), d) >
                      0;
    if (!used) out.push_back(x.dims[d]);
  }
  // The dimensions of y: {role, number or size}, shuffled.
  struct Role {
    char role;
    int64_t number;
  };
  std::vector<Role> roles;
  for (int64_t k = 0; k < std::ssize(lhs_batch); ++k) roles.push_back({'b', k});
  for (int64_t k = 0; k < std::ssize(lhs_contracting); ++k) roles.push_back({'c', k});
  for (int64_t k = b.within(limits::kFreeDimensions); k > 0; --k) {
    roles.push_back({'f', b.within(limits::kNewSize)});
  }
  rhs_batch.resize(lhs_batch.size());
  rhs_contracting.resize(lhs_contracting.size());
  for (int64_t place : b.permutation(std::ssize(roles))) {
    const Role role = roles[place];
    const int64_t at = std::ssize(y_dims);
    if (role.role == 'b') {
      rhs_batch[role.number] = at;
      y_dims.push_back(x.dims[lhs_batch[role.number]]);
    } else if (role.role == 'c') {
      rhs_contracting[role.number] = at;
      y_dims.push_back(x.dims[lhs_contracting[role.number]]);
    } else if (count(out) * role.number <= b.limit() && count(y_dims) * role.number <= b.limit()) {
      y_dims.push_back(role.number);
      out.push_back(role.number);
    }
  }
  const Value y = b.operand(x.type, y_dims);
  std::string text = absl::StrCat("dot(", x.name, ", ", y.name, ")");
  if (!lhs_batch.empty()) {
    absl::StrAppend(&text, ", lhs_batch_dims={", list(lhs_batch), "}, rhs_batch_dims={",
                    list(rhs_batch), "}");
  }
  absl::StrAppend(&text, ", lhs_contracting_dims={", list(lhs_contracting),
                  "}, rhs_contracting_dims={", list(rhs_contracting), "}");
  return b.emit({"", x.type, out, ""}, text);
}

// Returns x and mostly up to two more arrays of the same dimensions.
std::vector<Value> together(Builder& b, const Value& x) {
  std::vector<Value> inputs = {x};
  const int64_t count = b.choose.chance(1, 3) ? b.within(limits::kVariadic) : 1;
  while (std::ssize(inputs) < count) {
    const std::string type = b.choose.chance(1, 2) ? x.type : "s32";
    inputs.push_back(b.operand(type, x.dims));
  }
  return inputs;
}

std::vector<std::string> types_of(const std::vector<Value>& values) {
  std::vector<std::string> types;
  for (const Value& value : values) types.push_back(value.type);
  return types;
}

std::vector<Value> inits(Builder& b, const std::vector<Value>& inputs) {
  std::vector<Value> result;
  for (const Value& input : inputs) result.push_back(b.operand(input.type, {}));
  return result;
}

Value reduce(Builder& b, Value x) {
  const std::vector<Value> inputs = together(b, x);
  Dims reduced, kept;
  for (int64_t d = 0; d < std::ssize(x.dims); ++d) {
    if (b.choose.chance(1, 2)) {
      kept.push_back(x.dims[d]);
    } else {
      reduced.push_back(d);
    }
  }
  if (b.choose.chance(1, 4)) std::reverse(reduced.begin(), reduced.end());
  std::vector<Value> operands = inputs, parts;
  for (const Value& init : inits(b, inputs)) operands.push_back(init);
  for (const Value& input : inputs) parts.push_back({"", input.type, kept, ""});
  return b.emit_tuple(parts, "reduce(", names_of(operands), "), dimensions={", list(reduced),
                      "}, to_apply=", b.reducer(types_of(inputs)));
}

Value sort(Builder& b, Value x) {
  x = with_rank(b, x, 1);
  const std::vector<Value> inputs = together(b, x);
  const int64_t d = b.choose(std::ssize(x.dims));
  std::vector<Value> parts = inputs;
  for (Value& part : parts) part.layout.clear();
  return b.emit_tuple(parts, "sort(", names_of(inputs), "), dimensions={", d,
                      "}, to_apply=", b.comparator(types_of(inputs)));
}

Value topk(Builder& b, Value x) {
  x = with_rank(b, x, 1);
  if (x.dims.back() == 0 || is_complex(x.type)) return b.emit(x, "opt-barrier(", x.name, ")");
  Value values = {"", x.type, x.dims, ""};
  values.dims.back() = b.choose.between(1, x.dims.back());
  Value places = values;
  places.type = "s32";
  return b.emit_tuple({values, places}, "topk(", x.name, "), k=", values.dims.back(),
                      ", largest=true");
}

struct Window {
  Dims size, stride, low, high, lhs_dilate, rhs_dilate, reversal;
  Dims out;

  std::string text() const {
    std::string result = absl::StrCat("window={size=", absl::StrJoin(size, "x"));
    const auto add = [&](absl::string_view name, const Dims& values) {
      absl::StrAppend(&result, " ", name, "=", absl::StrJoin(values, "x"));
    };
    const auto differs = [](const Dims& values, int64_t usual) {
      return std::count(values.begin(), values.end(), usual) != std::ssize(values);
    };
    if (differs(stride, 1)) add("stride", stride);
    if (differs(low, 0) || differs(high, 0)) {
      std::vector<std::string> pads;
      for (size_t d = 0; d < low.size(); ++d) pads.push_back(absl::StrCat(low[d], "_", high[d]));
      absl::StrAppend(&result, " pad=", absl::StrJoin(pads, "x"));
    }
    if (differs(lhs_dilate, 1)) add("lhs_dilate", lhs_dilate);
    if (differs(rhs_dilate, 1)) add("rhs_dilate", rhs_dilate);
    if (differs(reversal, 0)) add("rhs_reversal", reversal);
    return result + "}";
  }
};

// Returns the padding of one edge; elements are cut if it is negative.
int64_t window_edge(Builder& b) {
  if (!b.choose.chance(1, 2)) return 0;
  const int64_t width = b.within(limits::kWindowPad);
  return b.choose.chance(1, 2) ? -width : width;
}

// Returns a window over arrays of these sizes; the result has at most `room` elements.
Window window_over(Builder& b, const Dims& sizes, bool lhs_dilation, bool reversal, int64_t room) {
  Window w;
  for (int64_t size : sizes) {
    const int64_t extent = b.within(limits::kWindow);
    w.size.push_back(count(w.size) * extent > limits::kWindowElements.most ? 1 : extent);
    w.stride.push_back(b.choose.chance(1, 3) ? b.within(limits::kStride) : 1);
    w.low.push_back(window_edge(b));
    w.high.push_back(window_edge(b));
    w.lhs_dilate.push_back(lhs_dilation && b.choose.chance(1, 3) ? b.within(limits::kDilation) : 1);
    w.rhs_dilate.push_back(b.choose.chance(1, 3) ? b.within(limits::kDilation) : 1);
    w.reversal.push_back(reversal && b.choose.chance(1, 3) ? 1 : 0);
    const auto result = [&] {
      const int64_t dilated = size == 0 ? 0 : (size - 1) * w.lhs_dilate.back() + 1;
      const int64_t padded = dilated + w.low.back() + w.high.back();
      const int64_t taken = (w.size.back() - 1) * w.rhs_dilate.back() + 1;
      return padded < taken ? 0 : (padded - taken) / w.stride.back() + 1;
    };
    if (count(w.out) * result() > room) {
      w.lhs_dilate.back() = 1;
      w.low.back() = w.high.back() = 0;
      w.stride.back() = 1;
      w.size.back() = std::max<int64_t>(size, 1);
      w.rhs_dilate.back() = 1;
    }
    w.out.push_back(result());
  }
  return w;
}

Value reduce_window(Builder& b, Value x) {
  const std::vector<Value> inputs = together(b, x);
  const Window w = window_over(b, x.dims, true, false, b.limit());
  std::vector<Value> operands = inputs, parts;
  for (const Value& init : inits(b, inputs)) operands.push_back(init);
  for (const Value& input : inputs) parts.push_back({"", input.type, w.out, ""});
  return b.emit_tuple(parts, "reduce-window(", names_of(operands), ")",
                      x.dims.empty() ? "" : ", " + w.text(),
                      ", to_apply=", b.reducer(types_of(inputs)));
}

Value select_and_scatter(Builder& b, Value x) {
  const Window w = window_over(b, x.dims, false, false, b.limit());
  const Value source = b.operand(x.type, w.out);
  const Value init = b.operand(x.type, {});
  const std::string choose_by = b.comparator({x.type});
  return b.emit({"", x.type, x.dims, ""}, "select-and-scatter(", x.name, ", ", source.name, ", ",
                init.name, ")", x.dims.empty() ? "" : ", " + w.text(), ", select=", choose_by,
                ", scatter=", b.reducer({x.type}));
}

// Dimensions in a random order: their labels, and their sizes.
struct Labeled {
  std::string labels;
  Dims dims;
};

Labeled labeled(const std::vector<int64_t>& order, const std::string& roles, const Dims& sizes) {
  Labeled result;
  for (int64_t k : order) {
    result.labels += roles[k];
    result.dims.push_back(sizes[k]);
  }
  return result;
}

int64_t some_divisor(Builder& b, int64_t n) {
  std::vector<int64_t> divisors = {1};
  for (int64_t d = 2; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return b.choose.pick(divisors);
}

// x is the input: two of its dimensions are batch and features, the others spatial.
Value convolution(Builder& b, Value x) {
  x = with_rank(b, x, 2);
  const std::vector<int64_t> roles_of = b.permutation(std::ssize(x.dims));  // batch, features, ..
  const int64_t batches = x.dims[roles_of[0]], features = x.dims[roles_of[1]];
  const int64_t rank = std::ssize(x.dims);
  std::string input_roles(static_cast<size_t>(rank), ' ');
  Dims spatial;
  for (int64_t k = 0; k < rank; ++k) {
    input_roles[roles_of[k]] = k == 0 ? 'b' : k == 1 ? 'f' : static_cast<char>('0' + k - 2);
    if (k >= 2) spatial.push_back(x.dims[roles_of[k]]);
  }
  const int64_t kind = b.choose(3);
  const int64_t feature_groups = kind == 1 ? some_divisor(b, features) : 1;
  const int64_t batch_groups = kind == 2 ? some_divisor(b, batches) : 1;
  const int64_t out_features = feature_groups * batch_groups * b.within(limits::kFeatures);
  const int64_t room = b.limit() / std::max<int64_t>(1, out_features * batches);
  const Window w = window_over(b, spatial, true, true, room);
  Dims kernel_sizes = {features / feature_groups, out_features};
  Dims out_sizes = {batches / batch_groups, out_features};
  kernel_sizes.insert(kernel_sizes.end(), w.size.begin(), w.size.end());
  out_sizes.insert(out_sizes.end(), w.out.begin(), w.out.end());
  std::string digits;
  for (int64_t k = 2; k < rank; ++k) digits += static_cast<char>('0' + k - 2);
  const Labeled kernel = labeled(b.permutation(rank), "io" + digits, kernel_sizes);
  const Labeled out = labeled(b.permutation(rank), "bf" + digits, out_sizes);
  if (count(kernel.dims) > 4 * b.limit() || count(out.dims) > 4 * b.limit()) {
    return b.emit(x, "copy(", x.name, ")");
  }
  const Value k = b.operand(x.type, kernel.dims);
  std::string text = absl::StrCat("convolution(", x.name, ", ", k.name, ")");
  if (rank > 2) absl::StrAppend(&text, ", ", w.text());
  absl::StrAppend(&text, ", dim_labels=", input_roles, "_", kernel.labels, "->", out.labels);
  if (feature_groups > 1) absl::StrAppend(&text, ", feature_group_count=", feature_groups);
  if (batch_groups > 1) absl::StrAppend(&text, ", batch_group_count=", batch_groups);
  return b.emit({"", x.type, out.dims, ""}, text);
}

std::string groups_of(int64_t n) {
  std::vector<int64_t> ids;
  for (int64_t k = 0; k < n; ++k) ids.push_back(k);
  return absl::StrCat("replica_groups={{", list(ids), "}}");
}

Value all_gather(Builder& b, Value x) {
  x = with_rank(b, x, 1);
  const int64_t d = b.choose(std::ssize(x.dims));
  const int64_t n = std::min(b.within(limits::kReplicas),
                             std::max<int64_t>(1, b.limit() / std::max<int64_t>(1, count(x.dims))));
  Value to = {"", x.type, x.dims, ""};
  to.dims[d] *= n;
  return b.emit(to, "all-gather(", x.name, "), ", groups_of(n), ", dimensions={", d, "}");
}

Value reduce_scatter(Builder& b, Value x) {
  x = with_rank(b, x, 1);
  const int64_t d = b.choose(std::ssize(x.dims));
  const int64_t n = some_divisor(b, x.dims[d]);
  Value to = {"", x.type, x.dims, ""};
  to.dims[d] /= n;
  return b.emit(to, "reduce-scatter(", x.name, "), ", groups_of(n), ", dimensions={", d,
                "}, to_apply=", b.reducer({x.type}));
}

Value all_to_all(Builder& b, Value x) {
  x = with_rank(b, x, 1);
  const int64_t d = b.choose(std::ssize(x.dims));
  const int64_t n = some_divisor(b, x.dims[d]);
  return b.emit({"", x.type, x.dims, ""}, "all-to-all(", x.name, "), ", groups_of(n),
                ", dimensions={", d, "}");
}

Value all_reduce(Builder& b, Value x) {
  const Value to = {"", x.type, x.dims, ""};
  if (b.choose.chance(1, 2)) {
    return b.emit(to, "collective-permute(", x.name, "), source_target_pairs={{0,1},{1,0}}");
  }
  return b.emit(to, "all-reduce(", x.name, "), ", groups_of(2), ", to_apply=", b.reducer({x.type}));
}

Value custom_call(Builder& b, Value x) {
  const Dims dims = b.small_dims(0, 2);
  std::vector<Value> operands = {x};
  for (int64_t left = b.within(limits::kCallOperands) - 1; left > 0; --left) {
    operands.push_back(b.operand(b.any_type(), b.small_dims(0, 2)));
  }
  return b.emit({"", "f32", dims, ""}, "custom-call(", names_of(operands),
                "), custom_call_target=\"opaque\"");
}

}  // namespace

const std::vector<Kind>& computing_kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"dot", dot, kDecides},
      {"reduce", reduce, kDecides},
      {"reduce-window", reduce_window, kDecides},
      {"convolution", convolution, kDecides},
      {"select-and-scatter", select_and_scatter, kDecides},
      {"sort", sort},
      {"topk", topk},
      {"all-gather", all_gather},
      {"reduce-scatter", reduce_scatter},
      {"all-to-all", all_to_all},
      {"all-reduce", all_reduce},
      {"custom-call", custom_call},
  };
  return *kinds;
}

}  // namespace tileproof::hlo

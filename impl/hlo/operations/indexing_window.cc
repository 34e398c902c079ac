// Operations with windows: reduce-window, convolution, select-and-scatter.
#include <algorithm>
#include <optional>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/map/normal_form/linear.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::string text_of(const Dims& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

// The size of the result in one dimension, or nothing where a number leaves 64 bits.
std::optional<int64_t> window_positions(const WindowDimension& w, int64_t size) {
  const Wide elements = size == 0 ? 0 : Wide{size - 1} * w.lhs_dilate + 1;
  const Wide padded = elements + w.pad_low + w.pad_high;
  const Wide reach = Wide{w.size - 1} * w.rhs_dilate + 1;
  const bool fits = std::max({elements, padded, reach}) <= INT64_MAX && w.pad_low > INT64_MIN;
  if (!fits) return std::nullopt;
  return padded < reach ? 0 : static_cast<int64_t>((padded - reach) / w.stride) + 1;
}

// The element of a dimension that lies under the window at position `at` and tap `tap`. Its
// conditions are required: not in padding, not in a hole.
NodeId element_under(MapBuilder& m, const WindowDimension& w, int64_t size, NodeId at, NodeId tap) {
  const NodeId position =
      m.plus(m.plus(m.times(at, w.stride), m.times(tap, w.rhs_dilate)), -w.pad_low);
  m.require(position, {0, (size - 1) * w.lhs_dilate});
  if (w.lhs_dilate > 1) m.require(m.mod(position, w.lhs_dilate), {0, 0});
  return m.floordiv(position, w.lhs_dilate);
}

absl::Status expect_positions(const Operation& op, const WindowDimension& w, int64_t size,
                              int64_t found, size_t d) {
  const std::optional<int64_t> positions = window_positions(w, size);
  if (positions == found) return absl::OkStatus();
  return wrong(op, "expected ",
               positions ? absl::StrCat(*positions, " window positions")
                         : std::string("window positions that fit 64 signed bits"),
               " in window dimension ", d, ", found ", found);
}

absl::Status add_window_input(const Operation& op, Dependences& dependences, int32_t operand,
                              const Dims& in, const std::vector<WindowDimension>& window) {
  if (has_no_elements(in)) return absl::OkStatus();
  MapBuilder m(op.output);
  for (size_t d = 0; d < in.size(); ++d) {
    const NodeId tap = m.range(window[d].size);
    m.result(element_under(m, window[d], in[d], m.dimension(static_cast<int64_t>(d)), tap));
  }
  return add_dependence(op, dependences, operand, m, in, Form::kToSimplify);
}

// The window of every dimension; one that is left out does nothing.
absl::StatusOr<std::vector<WindowDimension>> whole_window(const Operation& op, size_t rank) {
  auto window = window_of(op.instruction);
  if (window.ok() && window->empty()) window->resize(rank);
  if (window.ok() && window->size() != rank) {
    return wrong(op, "expected a window of ", rank, " dimensions, found ", window->size());
  }
  return window;
}

}  // namespace

absl::StatusOr<Dependences> reduce_window_dependences(const Operation& op) {
  const int32_t inputs = op.operands() / 2;
  if (op.operands() % 2 != 0 || op.leaf_count() != inputs) {
    return wrong(op, "expected an array and an initial value for each of ", op.leaf_count(),
                 " results, found ", op.operands(), " operands");
  }
  const auto first = TRY(operand_sizes(op, 0));
  const auto window = TRY(whole_window(op, first.size()));
  if (op.output.size() != first.size()) {
    return wrong(op, "expected a result of ", first.size(), " dimensions");
  }
  for (size_t d = 0; d < first.size(); ++d) {
    TRY(expect_positions(op, window[d], first[d], op.output[d], d));
  }
  Dependences dependences;
  for (int32_t k = 0; k < inputs; ++k) {
    const auto in = TRY(operand_sizes(op, k));
    if (in != first) return wrong(op, "expected operand ", k, " of ", text_of(first));
    TRY(add_window_input(op, dependences, k, in, window));
    TRY(add_scalar(op, dependences, inputs + k));
  }
  return dependences;
}

namespace {

struct Convolution {
  ConvolutionDimensionNumbers numbers;
  std::vector<WindowDimension> window;
  Dims input;
  Dims kernel;
  int64_t feature_groups;
  int64_t batch_groups;
};

absl::StatusOr<Convolution> read_convolution(const Operation& op) {
  TRY(expect_operands(op, 2, 2));
  const auto numbers = TRY(dim_labels_of(op.instruction));
  const auto window = TRY(whole_window(op, numbers.input_spatial.size()));
  const auto input = TRY(operand_sizes(op, 0)), kernel = TRY(operand_sizes(op, 1));
  const auto feature_groups = TRY(integer_of(op.instruction, "feature_group_count", 1));
  const auto batch_groups = TRY(integer_of(op.instruction, "batch_group_count", 1));
  return Convolution{numbers, window, input, kernel, feature_groups, batch_groups};
}

absl::Status expect_groups(const Operation& op, const Convolution& c) {
  const auto& n = c.numbers;
  const int64_t features = c.input[n.input_feature], outputs = op.output[n.output_feature];
  const int64_t batches = c.input[n.input_batch];
  for (int64_t groups : {c.feature_groups, c.batch_groups}) {
    if (groups < 1 || outputs % groups != 0) {
      return wrong(op, "expected output features in ", groups, " equal groups, found ", outputs);
    }
  }
  if (features % c.feature_groups != 0 ||
      features / c.feature_groups != c.kernel[n.kernel_input_feature]) {
    return wrong(op, "expected ", c.feature_groups, " groups of ", c.kernel[n.kernel_input_feature],
                 " input features, found ", features);
  }
  if (batches % c.batch_groups != 0 || batches / c.batch_groups != op.output[n.output_batch]) {
    return wrong(op, "expected ", c.batch_groups, " groups of ", op.output[n.output_batch],
                 " batches, found ", batches);
  }
  if (outputs != c.kernel[n.kernel_output_feature]) {
    return wrong(op, "expected ", c.kernel[n.kernel_output_feature], " output features, found ",
                 outputs);
  }
  return absl::OkStatus();
}

absl::Status expect_convolution(const Operation& op, const Convolution& c) {
  const auto& n = c.numbers;
  if (std::ssize(c.input) != n.input_rank || std::ssize(c.kernel) != n.kernel_rank ||
      std::ssize(op.output) != n.output_rank) {
    return wrong(op, "expected the ranks of dim_labels, found ", text_of(c.input), " and ",
                 text_of(c.kernel), " to ", text_of(op.output));
  }
  // A label `?`.
  const size_t spatial = n.input_spatial.size();
  if (n.input_rank != std::ssize(n.input_spatial) + 2 ||
      n.kernel_rank != std::ssize(n.kernel_spatial) + 2 ||
      n.output_rank != std::ssize(n.output_spatial) + 2) {
    return wrong(op, "expected a role and a window for every dimension");
  }
  for (size_t k = 0; k < spatial; ++k) {
    if (c.kernel[n.kernel_spatial[k]] != c.window[k].size) {
      return wrong(op, "expected a kernel of the size of the window, found ", text_of(c.kernel));
    }
    TRY(expect_positions(op, c.window[k], c.input[n.input_spatial[k]],
                         op.output[n.output_spatial[k]], k));
  }
  return expect_groups(op, c);
}

// Input and kernel elements meet at every tap that lies on an element of the input.
absl::Status add_convolution(const Operation& op, Dependences& dependences, const Convolution& c,
                             bool of_kernel) {
  const auto& n = c.numbers;
  MapBuilder m(op.output);
  std::vector<NodeId> input(c.input.size()), kernel(c.kernel.size());
  for (size_t k = 0; k < c.window.size(); ++k) {
    const WindowDimension& w = c.window[k];
    const NodeId tap = m.range(w.size);
    input[n.input_spatial[k]] =
        element_under(m, w, c.input[n.input_spatial[k]], m.dimension(n.output_spatial[k]), tap);
    kernel[n.kernel_spatial[k]] = w.rhs_reversal ? m.plus(m.times(tap, -1), w.size - 1) : tap;
  }
  const NodeId feature = m.dimension(n.output_feature);
  const int64_t outputs = op.output[n.output_feature];
  const int64_t inner = c.kernel[n.kernel_input_feature];
  const NodeId summed = m.range(inner);
  kernel[n.kernel_input_feature] = summed;
  kernel[n.kernel_output_feature] = feature;
  const NodeId group = m.floordiv(feature, outputs / c.feature_groups);
  input[n.input_feature] = m.plus(m.times(group, inner), summed);
  const NodeId batch = m.dimension(n.output_batch);
  const NodeId batch_group = m.floordiv(feature, outputs / c.batch_groups);
  input[n.input_batch] = m.plus(m.times(batch_group, op.output[n.output_batch]), batch);
  for (NodeId result : of_kernel ? kernel : input) m.result(result);
  return add_dependence(op, dependences, of_kernel ? 1 : 0, m, of_kernel ? c.kernel : c.input,
                        Form::kToSimplify);
}

}  // namespace

absl::StatusOr<Dependences> convolution_dependences(const Operation& op) {
  const auto convolution = TRY(read_convolution(op));
  TRY(expect_convolution(op, convolution));
  Dependences dependences;
  // Of an input without elements it is a condition that there is one under a tap.
  if (has_no_elements(op.output)) return dependences;
  TRY(add_convolution(op, dependences, convolution, false));
  TRY(add_convolution(op, dependences, convolution, true));
  return dependences;
}

namespace {

// The source elements whose windows lie over the result element, and the operand elements in these
// windows, among which the choice was made.
absl::Status add_selected(const Operation& op, Dependences& dependences, const Dims& source,
                          const std::vector<WindowDimension>& window, bool of_source) {
  MapBuilder m(op.output);
  for (size_t d = 0; d < source.size(); ++d) {
    const WindowDimension& w = window[d];
    const NodeId start = m.plus(
        m.plus(m.dimension(static_cast<int64_t>(d)), m.times(m.range(w.size), -w.rhs_dilate)),
        w.pad_low);
    m.require(start, {0, (source[d] - 1) * w.stride});
    if (w.stride > 1) m.require(m.mod(start, w.stride), {0, 0});
    const NodeId e = m.floordiv(start, w.stride);
    m.result(of_source ? e : element_under(m, w, op.output[d], e, m.range(w.size)));
  }
  const Dims& sizes = of_source ? source : op.output;
  return add_dependence(op, dependences, of_source ? 1 : 0, m, sizes, Form::kToSimplify);
}

}  // namespace

// Operand, source, initial value.
absl::StatusOr<Dependences> select_and_scatter_dependences(const Operation& op) {
  TRY(expect_operands(op, 3, 3));
  const auto in = TRY(operand_sizes(op, 0)), source = TRY(operand_sizes(op, 1));
  const auto window = TRY(whole_window(op, in.size()));
  for (const WindowDimension& w : window) {
    if (w.lhs_dilate != 1) return wrong(op, "expected a window without lhs_dilate");
  }
  if (in != op.output || source.size() != in.size()) {
    return wrong(op, "expected operand, result, source and window of one rank, found ", text_of(in),
                 " and ", text_of(source), " to ", text_of(op.output));
  }
  for (size_t d = 0; d < in.size(); ++d) {
    TRY(expect_positions(op, window[d], in[d], source[d], d));
  }
  Dependences dependences;
  absl::Status status;
  if (!has_no_elements(source)) {
    status = add_selected(op, dependences, source, window, false);
    if (status.ok()) status = add_selected(op, dependences, source, window, true);
  }
  if (status.ok()) status = add_scalar(op, dependences, 2);
  if (!status.ok()) return status;
  return dependences;
}

}  // namespace tileproof::impl

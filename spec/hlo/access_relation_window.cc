// Operations with windows: reduce-window, convolution, select-and-scatter.
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// One window dimension for each dimension of the operand; a window that is left out does nothing.
absl::StatusOr<std::vector<WindowDimension>> whole_window(const Operation& op, int64_t rank) {
  auto window = TRY(window_of(op.instruction));
  if (window.empty()) window.resize(static_cast<size_t>(rank));
  if (std::ssize(window) != rank) {
    return expected(op, absl::StrCat("a window of rank ", rank, ", found ", window.size()));
  }
  return window;
}

absl::StatusOr<Dims> windowed_dims(const Operation& op, const std::vector<WindowDimension>& window,
                                   const Dims& in) {
  Dims out;
  for (size_t d = 0; d < in.size(); ++d) {
    out.push_back(TRY(windowed_size(op, window[d], in[d])));
  }
  return out;
}

Dims taps_of(const std::vector<WindowDimension>& window) {
  Dims taps;
  for (const WindowDimension& w : window) taps.push_back(w.size);
  return taps;
}

}  // namespace

// Every result is computed from the windows over all inputs, starting with all inits.
absl::StatusOr<AccessRelation> reduce_window(const Operation& op, int64_t leaf) {
  const int64_t inputs = op.operand_count() / 2;
  if (inputs < 1 || op.operand_count() % 2 != 0) return expected(op, "an init for each operand");
  if (std::ssize(op.result) != inputs) return expected(op, "a result for each operand");
  const Dims in = TRY(array_dims(op, 0));
  const auto window = TRY(whole_window(op, std::ssize(in)));
  const Dims out = TRY(windowed_dims(op, window, in));
  if (op.result[leaf].dims != out) {
    return expected(op, absl::StrCat("results of dimensions ", dims_text(out), ", found ",
                                     dims_text(op.result[leaf].dims)));
  }
  AccessRelation relation;
  for (int64_t k = 0; k < inputs; ++k) {
    absl::Status status = expect_dims(op, k, in);
    status.Update(expect_dims(op, inputs + k, {}));
    if (!status.ok()) return status;
    relation.dependences.push_back(
        dependence_of(k, access::ReduceWindow{window, in}, taps_of(window)));
    relation.dependences.push_back(scalar(inputs + k));
  }
  return relation;
}

namespace {

absl::Status expect_size(const Operation& op, absl::string_view what, int64_t size, int64_t found) {
  if (size == found) return absl::OkStatus();
  return expected(op, absl::StrCat(what, " to be ", size, ", found ", found));
}

absl::Status expect_ranks(const Operation& op, const access::Convolution& c) {
  const int64_t rank = 2 + std::ssize(c.window);
  const ConvolutionDimensionNumbers& n = c.numbers;
  for (int64_t labels :
       {n.input_rank, n.kernel_rank, n.output_rank, 2 + std::ssize(n.input_spatial),
        2 + std::ssize(n.kernel_spatial), 2 + std::ssize(n.output_spatial)}) {
    if (labels != rank) return expected(op, "dim_labels and window of one rank");
  }
  for (const Dims* dims : {&c.input, &c.kernel, &c.output}) {
    if (std::ssize(*dims) != rank) {
      return expected(op, absl::StrCat("arrays of rank ", rank, ", found ", dims_text(*dims)));
    }
  }
  return absl::OkStatus();
}

absl::Status expect_groups(const Operation& op, const access::Convolution& c) {
  const ConvolutionDimensionNumbers& n = c.numbers;
  const int64_t batches = c.input[n.input_batch], features = c.input[n.input_feature];
  const int64_t results = c.output[n.output_feature];
  if (c.feature_groups < 1 || c.batch_groups < 1) return expected(op, "at least one group");
  if (c.feature_groups > 1 && c.batch_groups > 1) {
    return expected(op, "one group of features or one of batches");
  }
  if (features % c.feature_groups != 0 || results % c.feature_groups != 0) {
    return expected(op, "feature_group_count to divide input and output features");
  }
  if (batches % c.batch_groups != 0 || results % c.batch_groups != 0) {
    return expected(op, "batch_group_count to divide batches and output features");
  }
  absl::Status status = expect_size(op, "the kernel's input features", features / c.feature_groups,
                                    c.kernel[n.kernel_input_feature]);
  status.Update(
      expect_size(op, "the kernel's output features", results, c.kernel[n.kernel_output_feature]));
  status.Update(
      expect_size(op, "output batches", batches / c.batch_groups, c.output[n.output_batch]));
  return status;
}

absl::Status expect_windows(const Operation& op, const access::Convolution& c) {
  const ConvolutionDimensionNumbers& n = c.numbers;
  for (size_t k = 0; k < c.window.size(); ++k) {
    TRY(expect_size(op, "the kernel's size in each dimension of the window", c.window[k].size,
                    c.kernel[n.kernel_spatial[k]]));
    const auto size = TRY(windowed_size(op, c.window[k], c.input[n.input_spatial[k]]));
    TRY(expect_size(op, "the output's size under the window", size, c.output[n.output_spatial[k]]));
  }
  return absl::OkStatus();
}

absl::StatusOr<access::Convolution> convolution_of(const Operation& op) {
  access::Convolution c;
  absl::Status status = expect_operands(op, 2, 2);
  const auto take = [&status](auto value, auto& field) {
    if (status.ok()) status = value.status();
    if (status.ok()) field = *std::move(value);
  };
  if (!status.ok()) return status;
  take(array_dims(op, 0), c.input);
  take(array_dims(op, 1), c.kernel);
  take(result_dims(op), c.output);
  take(dim_labels_of(op.instruction), c.numbers);
  take(window_of(op.instruction), c.window);
  take(integer_of(op.instruction, "feature_group_count", 1), c.feature_groups);
  take(integer_of(op.instruction, "batch_group_count", 1), c.batch_groups);
  if (!status.ok()) return status;
  if (c.window.empty()) c.window.resize(c.numbers.input_spatial.size());
  return c;
}

}  // namespace

absl::StatusOr<AccessRelation> convolution(const Operation& op, int64_t) {
  const access::Convolution c = TRY(convolution_of(op));
  for (const auto check : {expect_ranks, expect_groups, expect_windows}) {
    TRY(check(op, c));
  }
  Dims ranges = taps_of(c.window);
  ranges.push_back(c.kernel[c.numbers.kernel_input_feature]);
  return AccessRelation{.dependences = {dependence_of(0, access::ConvolutionInput{c}, ranges),
                                        dependence_of(1, access::ConvolutionKernel{c}, ranges)}};
}

absl::StatusOr<AccessRelation> select_and_scatter(const Operation& op, int64_t) {
  TRY(expect_operands(op, 3, 3));
  const Dims out = TRY(result_dims(op));
  const auto window = TRY(whole_window(op, std::ssize(out)));
  for (const WindowDimension& w : window) {
    if (w.lhs_dilate != 1) return expected(op, "a window without lhs_dilate");
  }
  const Dims sources = TRY(windowed_dims(op, window, out));
  absl::Status status = expect_dims(op, 0, out);
  status.Update(expect_dims(op, 1, sources));
  status.Update(expect_dims(op, 2, {}));
  if (!status.ok()) return status;
  const access::SelectAndScatterSource source{window, sources};
  const Dims taps = taps_of(window);
  Dims twice = taps;
  twice.insert(twice.end(), taps.begin(), taps.end());
  return AccessRelation{
      .dependences = {dependence_of(0, access::SelectAndScatterOperand{source, out}, twice),
                      dependence_of(1, source, taps), scalar(2)}};
}

}  // namespace tileproof::spec

// Flows through windows: reduce-window, convolution, select-and-scatter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/hlo/access_function.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::spec::access {

// One dimension of a window at result coordinate o, at its tap w. The operand is dilated (element e
// lies at e * lhs_dilate, holes between), then padded by pad_low before; the window starts at
// o * stride and its taps are rhs_dilate apart. Padding and holes are no elements.
template <class N>
Coordinate<N> window_element(const WindowDimension& window, int64_t size, const N& o, const N& w) {
  const N position = minus(o * window.stride + w * window.rhs_dilate, N(window.pad_low));
  const N e = floordiv(position, window.lhs_dilate);
  return {e, mod(position, window.lhs_dilate) == N(0) && inside(e, size)};
}

// Every element under the window; s are the taps.
struct ReduceWindow {
  std::vector<WindowDimension> window;
  Dims sizes;  // of the operand
};

template <class N>
AccessedElement<N> reach(const ReduceWindow& access, const IterationPoint<N>& at) {
  AccessedElement<N> reached{{}, true};
  for (size_t d = 0; d < access.sizes.size(); ++d) {
    const Coordinate<N> e = window_element(access.window[d], access.sizes[d], at.o[d], at.s[d]);
    reached.index.push_back(e.index);
    reached.in_domain = reached.in_domain && e.exists;
  }
  return reached;
}

// out[b, f, x] = sum over taps w and kernel input features c of
//
//     input[b + (batches / batch_groups) * (f's batch group),
//           c + (features / feature_groups) * (f's feature group), element of x under tap w]
//     * kernel[c, f, w]          (w counted from the end where the window is reversed)
//
// where output features are cut into groups of equal size, and taps on padding or in holes give
// nothing: neither the kernel's element flows there. s are the taps, then c.
struct Convolution {
  ConvolutionDimensionNumbers numbers;
  std::vector<WindowDimension> window;
  Dims input;
  Dims kernel;
  Dims output;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
};

// Which of `groups` equal parts of the output features f is in.
template <class N>
N group_of(const Convolution& c, int64_t groups, const N& f) {
  return floordiv(f, std::max<int64_t>(c.output[c.numbers.output_feature] / groups, 1));
}

// The spatial coordinates of the input under the taps.
template <class N>
std::vector<Coordinate<N>> spatial_elements(const Convolution& c, const IterationPoint<N>& at) {
  std::vector<Coordinate<N>> elements;
  for (size_t k = 0; k < c.window.size(); ++k) {
    const int64_t size = c.input[c.numbers.input_spatial[k]];
    const N& x = at.o[c.numbers.output_spatial[k]];
    elements.push_back(window_element(c.window[k], size, x, at.s[k]));
  }
  return elements;
}

struct ConvolutionInput {
  Convolution convolution;
};

template <class N>
AccessedElement<N> reach(const ConvolutionInput& access, const IterationPoint<N>& at) {
  const Convolution& c = access.convolution;
  const N& f = at.o[c.numbers.output_feature];
  const int64_t batches = c.input[c.numbers.input_batch] / c.batch_groups;
  const int64_t features = c.input[c.numbers.input_feature] / c.feature_groups;
  AccessedElement<N> reached{std::vector<N>(c.input.size(), N(0)), true};
  reached.index[c.numbers.input_batch] =
      at.o[c.numbers.output_batch] + group_of(c, c.batch_groups, f) * batches;
  reached.index[c.numbers.input_feature] =
      at.s[c.window.size()] + group_of(c, c.feature_groups, f) * features;
  const std::vector<Coordinate<N>> elements = spatial_elements(c, at);
  for (size_t k = 0; k < elements.size(); ++k) {
    reached.index[c.numbers.input_spatial[k]] = elements[k].index;
    reached.in_domain = reached.in_domain && elements[k].exists;
  }
  return reached;
}

struct ConvolutionKernel {
  Convolution convolution;
};

template <class N>
AccessedElement<N> reach(const ConvolutionKernel& access, const IterationPoint<N>& at) {
  const Convolution& c = access.convolution;
  AccessedElement<N> reached{std::vector<N>(c.kernel.size(), N(0)), true};
  reached.index[c.numbers.kernel_output_feature] = at.o[c.numbers.output_feature];
  reached.index[c.numbers.kernel_input_feature] = at.s[c.window.size()];
  const std::vector<Coordinate<N>> elements = spatial_elements(c, at);
  for (size_t k = 0; k < elements.size(); ++k) {
    const WindowDimension& window = c.window[k];
    reached.index[c.numbers.kernel_spatial[k]] =
        window.rhs_reversal ? minus(N(window.size - 1), at.s[k]) : at.s[k];
    reached.in_domain = reached.in_domain && elements[k].exists;
  }
  return reached;
}

// Select-and-scatter: each source element e has a window over the operand, `select` chooses one
// place of it, and the source element goes there. As `select` is opaque, a source element flows to
// every place of its window, and so does every operand element of the window, on which the choice
// depends.
//
// The source element whose window has the place o at tap w, if there is one.
template <class N>
Coordinate<N> window_over(const WindowDimension& window, int64_t sources, const N& o, const N& w) {
  const N start = minus(o + N(window.pad_low), w * window.rhs_dilate);
  const N e = floordiv(start, window.stride);
  return {e, mod(start, window.stride) == N(0) && inside(e, sources)};
}

// s are the taps.
struct SelectAndScatterSource {
  std::vector<WindowDimension> window;
  Dims sources;
};

template <class N>
AccessedElement<N> reach(const SelectAndScatterSource& access, const IterationPoint<N>& at) {
  AccessedElement<N> reached{{}, true};
  for (size_t d = 0; d < access.sources.size(); ++d) {
    const Coordinate<N> e = window_over(access.window[d], access.sources[d], at.o[d], at.s[d]);
    reached.index.push_back(e.index);
    reached.in_domain = reached.in_domain && e.exists;
  }
  return reached;
}

// s are the taps at which o lies, then the taps at which the operand element lies.
struct SelectAndScatterOperand {
  SelectAndScatterSource source;
  Dims sizes;  // of the operand
};

template <class N>
AccessedElement<N> reach(const SelectAndScatterOperand& access, const IterationPoint<N>& at) {
  const AccessedElement<N> source = reach(access.source, at);
  AccessedElement<N> reached{{}, source.in_domain};
  for (size_t d = 0; d < access.sizes.size(); ++d) {
    const N& w = at.s[access.sizes.size() + d];
    const Coordinate<N> e =
        window_element(access.source.window[d], access.sizes[d], source.index[d], w);
    reached.index.push_back(e.index);
    reached.in_domain = reached.in_domain && e.exists;
  }
  return reached;
}

}  // namespace tileproof::spec::access

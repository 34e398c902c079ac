// SPDX-License-Identifier: Apache-2.0
// Definitions: operations with windows. A window moves over an array and its padding. It has one
// position for each result element (of a select-and-scatter: each source element). A tap is one
// element of the window.
//
// `accesses` gives the access relation of a checked operation, `reach` its access function. In the
// examples, x(1,2) is an element of operand x, and o the index of a result element.
// Source: XLA operation semantics, the section that each definition names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "spec/hlo/dependence.h"

namespace tileproof::spec {

// The size of the window: one range variable for each of its dimensions.
inline Dims taps_of(const std::vector<WindowDimension>& window) {
  Dims taps;
  for (const WindowDimension& w : window) taps.push_back(w.size);
  return taps;
}

// The element under tap w of the window at position o, in one dimension of this size.
//
// Element e lies at position pad_low + e * lhs_dilate. Tap w lies at o * stride + w * rhs_dilate.
// The other positions are padding and holes: they have no element.
template <class N>
AccessedCoordinate<N> window_element(const WindowDimension& window, int64_t size, const N& o,
                                     const N& w) {
  const N position = minus(o * window.stride + w * window.rhs_dilate, N(window.pad_low));
  const N e = floordiv(position, window.lhs_dilate);
  return {e, mod(position, window.lhs_dilate) == N(0) && inside(e, size)};
}

// ---- reduce-window ----
//
// Each result element depends on the elements under its window, of all inputs, and on all inits.
//
//     w = f32[3] reduce-window(f32[4] x, f32[] x0), window={size=2}
//
//     o = (2) reads x(2 + s0), s0 < 2, and x0()
//
// Source: ReduceWindow.
inline AccessRelation accesses(const op::ReduceWindow& r) {
  AccessRelation relation;
  for (int32_t k = 0; k < r.inputs; ++k) {
    relation.dependences.push_back({.operand = k, .ranges = taps_of(r.window), .access = r});
    relation.dependences.push_back(scalar(r.inputs + k));
  }
  return relation;
}

template <class N>
AccessedElement<N> reach(const op::ReduceWindow& r, const IterationPoint<N>& at) {
  AccessedElement<N> reached{{}, true};
  for (size_t d = 0; d < r.window.size(); ++d) {
    append(reached, window_element(r.window[d], r.operand[d], at.o[d], at.s[d]));
  }
  return reached;
}

// ---- convolution ----
//
// result[b, f, x] = the sum over taps w and kernel input features c of
//
//     input[b + (input batches / batch_groups) * (batch group of f),
//           c + (input features / feature_groups) * (feature group of f),
//           the element under tap w of the window at x]
//     * kernel[c, f, w]      (w counts from the end if the window is reversed)
//
// A group is an equal part of the output features. If a tap lies on padding or in a hole, neither
// the input's element nor the kernel's flows. The range variables are the taps, then c.
//
//     c = f32[1,3,8] convolution(f32[1,5,4] input, f32[3,4,8] kernel), window={size=3},
//         dim_labels=b0f_0io->b0f
//
//     o = (0, 2, 7) reads input(0, 2 + s0, s1) and kernel(s0, s1, 7), s0 < 3, s1 < 4
//
// Source: Conv (Convolution); docs/findings.md, "Where a definition was open", for padding.
inline AccessRelation accesses(const op::Convolution& c) {
  Dims ranges = taps_of(c.window);
  ranges.push_back(c.kernel[c.numbers.kernel_input_feature]);
  return {.dependences = {{.operand = 0, .ranges = ranges, .access = c},
                          {.operand = 1, .ranges = ranges, .access = c}}};
}

// Which of `groups` equal parts of the output features f is in.
template <class N>
N group_of(const op::Convolution& c, int64_t groups, const N& f) {
  return floordiv(f, std::max<int64_t>(c.result[c.numbers.output_feature] / groups, 1));
}

template <class N>
AccessedElement<N> reach(const op::Convolution& c, const IterationPoint<N>& at, int64_t operand) {
  const ConvolutionDimensionNumbers& n = c.numbers;
  const N &f = at.o[n.output_feature], &channel = at.s[c.window.size()];
  const bool is_input = operand == 0;
  AccessedElement<N> reached{std::vector<N>(at.o.size(), N(0)), true};
  if (is_input) {
    const int64_t batches = c.input[n.input_batch] / c.batch_groups;
    const int64_t features = c.input[n.input_feature] / c.feature_groups;
    reached.index[n.input_batch] = at.o[n.output_batch] + group_of(c, c.batch_groups, f) * batches;
    reached.index[n.input_feature] = channel + group_of(c, c.feature_groups, f) * features;
  } else {
    reached.index[n.kernel_input_feature] = channel;
    reached.index[n.kernel_output_feature] = f;
  }
  for (size_t k = 0; k < c.window.size(); ++k) {
    const WindowDimension& w = c.window[k];
    const N &x = at.o[n.output_spatial[k]], &tap = at.s[k];
    const AccessedCoordinate<N> element = window_element(w, c.input[n.input_spatial[k]], x, tap);
    reached.in_domain = reached.in_domain && element.exists;
    if (is_input) {
      reached.index[n.input_spatial[k]] = element.index;
    } else {
      reached.index[n.kernel_spatial[k]] = w.rhs_reversal ? minus(N(w.size - 1), tap) : tap;
    }
  }
  return reached;
}

// ---- select-and-scatter ----
//
// Each source element has a window over the operand. `select` chooses one operand element under the
// window, and the source element goes there. `select` is opaque, so the source element flows to
// every element under its window. The choice depends on all of these, so they flow there, too. The
// init flows everywhere.
//
//     s = f32[4] select-and-scatter(f32[4] x, f32[3] source, f32[] x0), window={size=2}
//
//     o = (1) reads source(1 - s0) and x(1 - s0 + s1), s0 < 2, s1 < 2, and x0()
//
// The range variables are the taps that o lies under, then (for the operand) the taps that the
// operand's element lies under.
// Source: SelectAndScatter.
inline AccessRelation accesses(const op::SelectAndScatter& s) {
  const Dims taps = taps_of(s.window);
  Dims twice = taps;
  twice.insert(twice.end(), taps.begin(), taps.end());
  return {.dependences = {{.operand = 0, .ranges = std::move(twice), .access = s},
                          {.operand = 1, .ranges = taps, .access = s},
                          scalar(2)}};
}

template <class N>
AccessedElement<N> reach(const op::SelectAndScatter& s, const IterationPoint<N>& at,
                         int64_t operand) {
  const size_t rank = s.window.size();
  AccessedElement<N> source{{}, true};
  for (size_t d = 0; d < rank; ++d) {
    const WindowDimension& w = s.window[d];
    const N start = minus(at.o[d] + N(w.pad_low), at.s[d] * w.rhs_dilate);
    const N e = floordiv(start, w.stride);
    append(source, {e, mod(start, w.stride) == N(0) && inside(e, s.source[d])});
  }
  if (operand == 1) return source;
  AccessedElement<N> element{{}, source.in_domain};
  for (size_t d = 0; d < rank; ++d) {
    append(element, window_element(s.window[d], s.operand[d], source.index[d], at.s[rank + d]));
  }
  return element;
}

}  // namespace tileproof::spec

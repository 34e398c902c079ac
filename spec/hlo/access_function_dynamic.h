// Flows whose places depend on values: dynamic-slice, dynamic-update-slice, gather, scatter.
//
// The values are the runtime variables rt. They are clamped before they come here
// (RuntimeVariable in spec/hlo/access_relation.h says to what).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/hlo/access_function.h"

namespace tileproof::spec::access {

// Result element e is element rt + e of the operand.
struct DynamicSlice {};

template <class N>
AccessedElement<N> reach(const DynamicSlice&, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (size_t d = 0; d < at.o.size(); ++d) index.push_back(at.o[d] + at.rt[d]);
  return {std::move(index), true};
}

// The update lies in the result at rt.
struct DynamicUpdate {
  Dims sizes;  // of the update
};

template <class N>
AccessedElement<N> reach(const DynamicUpdate& access, const IterationPoint<N>& at) {
  AccessedElement<N> reached{{}, true};
  for (size_t d = 0; d < access.sizes.size(); ++d) {
    reached.index.push_back(minus(at.o[d], at.rt[d]));
    reached.in_domain = reached.in_domain && inside(reached.index[d], access.sizes[d]);
  }
  return reached;
}

// What is updated stays outside the update.
struct DynamicUpdateOperand {
  DynamicUpdate update;
};

template <class N>
AccessedElement<N> reach(const DynamicUpdateOperand& access, const IterationPoint<N>& at) {
  return {at.o, !reach(access.update, at).in_domain};
}

// How one dimension of the operand of a gather or scatter is addressed: where it starts, plus a
// coordinate inside the window, or a coordinate of the batch, each if it has one.
struct Addressed {
  std::optional<int64_t> start;   // number of the runtime variable
  std::optional<int64_t> window;  // dimension of the result (gather) or of the updates (scatter)
  std::optional<int64_t> batch;   // the same
};

template <class N>
N address(const Addressed& d, const std::vector<N>& coordinates, const std::vector<N>& rt) {
  N position(0);
  if (d.start) position = position + rt[*d.start];
  if (d.window) position = position + coordinates[*d.window];
  if (d.batch) position = position + coordinates[*d.batch];
  return position;
}

struct Gather {
  std::vector<Addressed> dimensions;  // of the operand
};

template <class N>
AccessedElement<N> reach(const Gather& access, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (const Addressed& d : access.dimensions) index.push_back(address(d, at.o, at.rt));
  return {std::move(index), true};
}

// The element s of the updates, which lands at one place of the operand, unless its window is not
// wholly inside.
struct ScatterLanding {
  std::vector<Addressed> dimensions;  // of the operand
  Dims sizes;                         // of the operand
  Dims window;                        // in each dimension of the operand
};

template <class N>
Truth<N> lands(const ScatterLanding& landing, const IterationPoint<N>& at) {
  Truth<N> result = true;
  for (size_t d = 0; d < landing.sizes.size(); ++d) {
    const Addressed& dimension = landing.dimensions[d];
    if (dimension.start) {
      result = result && inside(at.rt[*dimension.start], landing.sizes[d] - landing.window[d] + 1);
    }
    result = result && at.o[d] == address(dimension, at.s, at.rt);
  }
  return result;
}

// An update flows where it lands.
struct ScatterUpdate {
  ScatterLanding landing;
};

template <class N>
AccessedElement<N> reach(const ScatterUpdate& access, const IterationPoint<N>& at) {
  return {at.s, lands(access.landing, at)};
}

// With several operands, the update computation is given the elements of all of them where an
// update lands: so they flow into each other's results there.
struct ScatterOtherOperand {
  ScatterLanding landing;
};

template <class N>
AccessedElement<N> reach(const ScatterOtherOperand& access, const IterationPoint<N>& at) {
  return {at.o, lands(access.landing, at)};
}

}  // namespace tileproof::spec::access

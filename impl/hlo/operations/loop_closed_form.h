// SPDX-License-Identifier: Apache-2.0
// The dependences of a loop that runs a known number of times, n, in closed form.
//
// The state of a loop is a tuple. Its leaves are of three kinds, by what the body makes of them:
//
//     static     the leaf itself, element by element: what the body hands on, and counters
//     written    the leaf, but for a slab at a counter: dynamic-update-slice(ys, y, k)
//     carried    any elements of carried leaves, along whole dimensions, and of static leaves
//
// Let T be what the body gives carried leaves from carried ones, as lists of coordinates that are
// kept or arbitrary. The powers of T repeat after few iterations: T^m = T^(m+1). So before iteration
// k a carried leaf has, for all j < k,
//
//     T^k of the first state        T^(k-1-j) of what iteration j read of static leaves
//
// where T^i is T^m for i >= m. The slabs of a written leaf lie side by side. So an element is in one
// of them, and has what that iteration wrote; or it is as it was at first.
//
//     ys[k] = f(h), h' = g(h, xs[k]), k = 0 .. 9
//
//     ys    (d0, d1) -> (d0, d1) of the first ys: nowhere, as all ten rows are written
//           (d0, d1)[s0] -> (s0) of the first h
//           (d0, d1)[s0, s1] -> (s0, s1) of xs, domain: d0 - s0 in [1, 9]
#pragma once

#include <optional>

#include "impl/hlo/operations/loop_counter.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// Nothing if a leaf is of none of these kinds, reads offsets that are no counters, or is too large
// a union. The summary of the body has no errors.
std::optional<Dependences> loop_closed_form(const op::While& loop, const LoopCounters& counters,
                                            const OperationContext& context);

}  // namespace tileproof::impl

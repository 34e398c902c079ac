// SPDX-License-Identifier: Apache-2.0
// The dataflow paths of a loop that runs a known number of times.
//
// In closed form, there is no path for each iteration. The paths of the body, from the root back to its parameter, are composed with the number k of the
// iteration as a range variable. The offsets in them have the values that running the loop gives
// (verify/prove/hlo/loop_run.h); they are used if they grow evenly. Three kinds of leaves have paths here:
//
//     static     the body gives the leaf itself: its only path has no step
//     written    a dynamic-update-slice at a counter, whose slabs lie side by side: an element has
//                what the iteration of its slab wrote, and is as it was outside of all slabs
//     carried    paths among carried leaves run along whole dimensions and depend on no counter; so
//                they have finitely many different compositions, which repeat from some power on
//
// A path from a carried leaf to a static one leaves in an earlier iteration j; the condition on
// k - j says through which power.
//
// A loop with leaves of other kinds is unrolled, if it runs few times: the paths of the body, one after
// the other for each iteration. One whose pairs others have is left out.
//
// Every step is a definition of spec/hlo; only their composition is made here. loop_paths_test.cc
// enumerates the paths and compares them with the interpreter, which runs every iteration.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/hlo/loop_run.h"

namespace tileproof::verify {

// The paths to the operand, of the leaf of the last state. `leaves`: of the state. `of_body` gives
// the paths of a leaf of the body's root. Nothing if it has neither form, for offsets that the run
// does not know, for paths of the body that are a superset, and if it is late.
std::optional<Paths> loop_paths(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
                                absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)> of_body,
                                absl::FunctionRef<bool()> is_late);

}  // namespace tileproof::verify

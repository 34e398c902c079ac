// SPDX-License-Identifier: Apache-2.0
// The dataflow paths of a loop that runs a known number of times, without a path for each
// iteration.
//
// The paths of the body, from the root back to its parameter, are composed with the number k of the
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
// k - j says through which power. Every step is a definition of spec/hlo; only their composition is
// made here. loop_paths_test.cc enumerates the paths and
// compares them with the interpreter, which runs every iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/hlo/loop_run.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// The paths to the operand, of the leaf of the last state. `leaves`: of the state. `of_body` gives
// the paths of a leaf of the body's root. Nothing for leaves of other kinds, and after the deadline.
std::optional<Paths> loop_paths(
    const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
    absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)> of_body,
    ThreadCpuClock::time_point deadline = ThreadCpuClock::time_point::max());

}  // namespace tileproof::verify

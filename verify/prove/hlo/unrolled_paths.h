// SPDX-License-Identifier: Apache-2.0
// The dataflow paths of a loop that runs few times: those of its body, one after the other for each
// iteration, the last one first. The offsets in them have the values that running the loop gives
// (verify/prove/hlo/loop_run.h).
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

// As loop_paths. Nothing for more than 8 iterations, offsets that the run does not know, paths of
// the body that are a superset, too many paths, and after the deadline.
std::optional<Paths> unrolled_paths(
    const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
    absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)> of_body,
    ThreadCpuClock::time_point deadline = ThreadCpuClock::time_point::max());

}  // namespace tileproof::verify

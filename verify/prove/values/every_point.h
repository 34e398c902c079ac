// SPDX-License-Identifier: Apache-2.0
// Integers that few bits decide, compared for all values of these bits.
//
//     convert(multiply(convert(p), 0.5)) and divide(p, 2), p of s16: equal at all 65536 points
#pragma once

#include <cstdint>
#include <utility>

#include "spec/hlo/terms.h"
#include "verify/prove/smt/ask_solver.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

// Proven: both are the same integer at every point, whatever is rounded on the way. Refuted: at this
// point they are not. Undecided: some parameter element is no integer, some value is not known, or
// there are more points than `work` allows, which is counted down by one for each term at each point.
std::pair<Verdict, PointNumbers> compared_at_every_point(const spec::Terms& terms, spec::TermId a,
                                                         spec::TermId b, int64_t& work);

}  // namespace tileproof::verify

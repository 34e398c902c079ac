// SPDX-License-Identifier: Apache-2.0
// Generates small modules with a while loop, as the ENTRY's root.
//
// The state is a tuple: a counter, rows f32[a,b], vectors f32[b], squares f32[b,b], and sometimes
// the limit of the counter. For each leaf, the body does one of what scans do, and of what comes
// close to it:
//
//     rows       handed on; a slab written at the counter, up, down, or in steps of two rows; at an
//                offset that is no counter; rolled; read while they are written
//     vectors    carried on, with rows that the counter selects; swapped; reversed; a reduction
//     squares    carried on through a dot, a transpose
//
// Many states have masks too: predicates of the same sizes, which iotas and constants decide, or
// parameters. The body mostly hands them on. It selects with them, with masks of its own that iotas,
// constants or the counter decide, and with what follows from these. Behind the loop stand selects
// with the last masks, which nothing uses: their names begin with kBehindLoop.
//
// Most loops run a known number of times, from 0 to a; some compare with a parameter. Behind some
// loops stands another one, with the same start and body and a condition of its own, and a sum of
// what both give, whose name begins with kBehindLoop, too.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"

namespace tileproof {

inline constexpr absl::string_view kBehindLoop = "behind";

struct GeneratedLoop {
  std::string text;
  bool is_counted = true;  // the number of iterations follows from constants
  int64_t masks = 0;       // predicates that the loop carries
  uint64_t seed = 0;       // for the values of offsets
  int64_t near = 1;
};

GeneratedLoop generate_loop(Choose& choose);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `formats`: offsets by layouts of every system, above all by those that
// no other suite asks about, swizzled layouts of CuTe, memrefs of MLIR and formats of oneDNN.
#pragma once

#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_format_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// A text of what a path reads: of the index that it ends at, and of its conditions. It leaves out
// variables without effect and numbers the others in order of appearance, so paths of other steps may
// have the same.
//
//     reverse twice        (o0)
#pragma once

#include <optional>
#include <string>

#include "spec/hlo/dependence.h"
#include "verify/prove/hlo/dataflow_path.h"

namespace tileproof::verify {

// Paths from an array of these dimensions with the same text have the same pairs; with the empty text,
// none. Nothing if a number is too large.
std::optional<std::string> text_of(const DataflowPath& path, const spec::Dims& result);

}  // namespace tileproof::verify

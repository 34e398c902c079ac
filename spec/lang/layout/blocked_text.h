// SPDX-License-Identifier: Apache-2.0
// The text of blocked formats, as in oneDNN, and of arrays in such a format.
//
//     format  = letter { letter } { int letter }          nChw16c, OIhw8i16o2i, acdb
//     blocked = "dnnl:" format ":" type "[" int { "," int } "]"
//
// Each dimension has one letter. It is in upper case exactly if the dimension has blocks. The
// letters are a, b, .. without a gap, or one of oneDNN's sets of names: x; tn; nc, ncw, nchw,
// ncdhw; oi, oiw, oihw, oidhw; goiw, goihw, goidhw; tnc; ldnc, ldigo, ldio, ldgo. Block sizes are
// at least 1.
//
// parse(to_text(x)) == x.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/blocked.h"

namespace tileproof {

// Each parses the whole text. Errors name the column and what was expected.
absl::StatusOr<BlockedFormat> parse_blocked_format(absl::string_view text);
absl::StatusOr<BlockedShape> parse_blocked_shape(absl::string_view text);

std::string to_text(const BlockedFormat& format);
std::string to_text(const BlockedShape& shape);

}  // namespace tileproof

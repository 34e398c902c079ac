// The text of blocked formats, as oneDNN names them, and of arrays that have one.
//
//     format  = letter { letter } { int letter }          nChw16c, OIhw8i16o2i, acdb
//     blocked = "dnnl:" format ":" type "[" int { "," int } "]"
//
// Each dimension has one letter, in upper case exactly if blocks of it follow. Letters are a, b, ..
// without a gap, or one of the sets of names that oneDNN has (nc, ncw, nchw, ncdhw; oi, oiw, oihw,
// oidhw; the same with g; tnc; ldnc, ldigo, ldio, ldgo). Sizes of blocks are at least 1.
//
// parse(to_text(x)) == x.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/blocked.h"

namespace tileproof {

// The whole text. Errors name the column and what was expected.
absl::StatusOr<BlockedFormat> parse_blocked_format(absl::string_view text);
absl::StatusOr<BlockedShape> parse_blocked_shape(absl::string_view text);

std::string to_text(const BlockedFormat& format);
std::string to_text(const BlockedShape& shape);

}  // namespace tileproof

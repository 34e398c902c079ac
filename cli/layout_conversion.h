// tileproof layout --as: a layout in the words of another system.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::cli {

// `system` is one of xla, tla, cute, dnnl; `type` the element type of a layout that has none. The
// exit status: 0 a layout that is proven equal; 1 there is none, which a point shows; 2 bad input;
// 3 none was found, or its proof was not.
int convert_layout(absl::string_view text, const std::string& system, const std::string& type,
                   bool json);

}  // namespace tileproof::cli

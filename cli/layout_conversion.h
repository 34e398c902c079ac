// tileproof layout --as: a layout in the words of another system.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::cli {

struct ConversionOptions {
  std::string system;        // "xla", "tla", "cute", "dnnl"
  std::string type = "f32";  // of a layout that has no element type
  unsigned milliseconds = 30'000;
  bool json = false;
};

// The exit status: 0 a layout that is proven equal; 1 there is none, which a point shows; 2 bad
// input; 3 none was found, or its proof was not.
int convert_layout(const ConversionOptions& options, absl::string_view text);

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
// Converts a layout to another system, with a proof that both are the same function, or with the
// reason why no such layout exists.
//
//     zN:f16[64,96] as xla                   f16[64,96]{0,1:T(16,16)(16,1)}
//     f32[3,5]{1,0:T(2,2)} as cute           ((2,2),(2,3)):((2,12),(1,4))
//     f32[4,8]{0,1} as mlir                  memref<4x8xf32, strided<[1, 4]>>
//     f32[8,4]{0,1:T(4,8)(3,1)} as cute      ruled out: blocks of 4 split by 3 have no digits
//
// impl/layout/digit_layout.h makes the layout, and prove_equal proves it. If it makes none, a
// counterexample rules the conversion out, which the reference confirms:
//
// * nested: an index at which the offset is not the sum of its parts along the dimensions, or is not
//   a sum of digits (verify/prove/layout/layout_convert.cc says why no choice of digits helps);
// * tiled and blocked: an offset below 0, or two elements with the same offset.
//
// Without a counterexample the answer is that no layout was found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::verify {

// kTla writes a tag if MakeLayout makes this layout for one, else a nested layout like kCute.
// kMlir writes a memref.
enum class LayoutSystem { kXla, kTla, kCute, kDnnl, kMlir };

std::optional<LayoutSystem> layout_system_named(absl::string_view name);  // "xla", "tla", ..

struct Converted {
  std::optional<AnyLayout> layout = {};
  LayoutProof proof = {};               // the layout equals the given one
  std::vector<std::string> notes = {};  // differences other than the function
  bool ruled_out = false;   // without a layout: true if none exists, false if none was found
  std::string reason = {};  // why there is no layout
};

// `type` is the element type of a NESTED, which has none of its own. Errors: those of
// layout_function.
absl::StatusOr<Converted> convert(const AnyLayout& layout, LayoutSystem system, ElementType type,
                                  ProofSession& session);

}  // namespace tileproof::verify

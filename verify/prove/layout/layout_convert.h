// Converts a layout to another system, with a proof that it is the same function, or with the
// reason why there is none.
//
//     zN:f16[64,96] as xla              f16[64,96]{0,1:T(16,16)(16,1)}
//     f32[3,5]{1,0:T(2,2)} as cute      ((2,2),(2,3)):((2,12),(1,4))
//     f32[8,4]{0,1:T(4,8)(3,1)} as cute      refused: 4 cut by 3 has no digits, and a point shows
//     it
//
// impl/layout/digit_layout.h makes the layout and prove_equal proves it. If the conversion says no,
// points at which the reference is evaluated confirm that:
//
// * nested: offsets must be a sum over the dimensions. Along each dimension, a linear first digit
//   repeats: h(x) = h(x mod n) + h(x - x mod n), where n is the first multiple at which h is no
//   longer linear; and so on for h(n * y). Nothing here can be chosen, so one x that breaks it
//   rules out all nested layouts.
// * tiled and blocked: offsets are at least 0, and no two elements share one.
//
// If there is no such point, the answer is that no layout is known.
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
enum class LayoutSystem { kXla, kTla, kCute, kDnnl };

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

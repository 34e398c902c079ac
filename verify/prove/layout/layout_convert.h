// A layout in the words of another system, with the proof that it is the same function, or the
// reason why there is none.
//
//     zN:f16[64,96] as xla      f16[64,96]{0,1:T(16,16)(16,1)}
//     f32[3,5]{1,0:T(2,2)} as cute      ((2,2),(2,3)):((2,12),(1,4))
//     f32[8,4]{0,1:T(4,8)(3,1)} as cute      refused: 4 cut by 3 has no digits, and a point shows
//     it
//
// impl/layout/digit_layout.h makes the layout, prove_equal proves it. Whatever the conversion says no to
// is refused by points, at which the reference is evaluated:
//
// * nested: offsets must be a sum over the dimensions, and along each one a first digit, linear, is
//   repeated: h(x) = h(x mod n) + h(x - x mod n), where n is the first multiple at which h is no
//   longer linear, and so on for h(n * y). No choice is free, so one x that breaks it refutes all
//   nested layouts.
// * tiled and blocked: offsets are at least 0, and no two elements have the same.
//
// Where no such point is found the answer is that none is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::verify {

// kTla writes a tag where MakeLayout makes this layout for one, else a nested layout as kCute does.
enum class LayoutSystem { kXla, kTla, kCute, kDnnl };

std::optional<LayoutSystem> layout_system_named(absl::string_view name);  // "xla", "tla", ..

struct Converted {
  std::optional<AnyLayout> layout = {};
  LayoutProof proof = {};               // that it equals the given one
  std::vector<std::string> notes = {};  // what differs beside the function
  bool ruled_out = false;               // no layout, and none is possible; else none was found
  std::string reason = {};              // where there is no layout
};

// `type` is the element type of what has none of its own, the NESTED. Errors: what layout_function
// refuses.
absl::StatusOr<Converted> convert(const AnyLayout& layout, LayoutSystem system, ElementType type,
                                  ProofSession& session);

}  // namespace tileproof::verify

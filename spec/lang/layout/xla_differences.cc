// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/xla_differences.h"

#include <cstdlib>

namespace tileproof {
namespace {

using Kind = Difference::Kind;

constexpr Difference kDifferences[] = {
    // Tileproof rejects these.
    {"empty-property", Kind::kRejected, "f32[3,5]{1,0:T}",
     "reads a property letter without its parentheses: an empty tile, or the default value",
     "expects '('"},
    {"malformed-property", Kind::kRejected, "f32[3]{0:T(2}",
     "ignores a malformed property if '}' or another property follows: a missing ')', "
     "'(' alone, T(2#)",
     "an error"},
    {"validated-later", Kind::kRejected, "f32[3,5]{0,0}",
     "its parser accepts a lone array with repeated or absent dimension numbers, empty or zero "
     "tiles, or a negative E; its validator rejects them later",
     "its parser rejects them"},
    {"sparse-fields", Kind::kRejected, "f32[3]{0:#(s32)}",
     "its parser stores #(..) and *(..) of any type, even signed; its validator rejects both, as "
     "sparse arrays no longer exist",
     "its parser rejects them"},
    {"tail-alignment-below-one", Kind::kRejected, "f32[3]{0:L(0)}", "the process aborts (CHECK)",
     "an error"},
    {"tile-size-below-one", Kind::kRejected, "f32[3]{0:T(-2)}",
     "the process aborts (LOG(FATAL)) when it prints", "an error"},
    {"tile-ends-in-combine", Kind::kRejected, "f32[3,5]{1,0:T(2,*)}",
     "accepts it, although there is no more minor dimension to combine with", "an error"},
    {"integer-wraps", Kind::kRejected, "f32[3]{0:E(18446744073709551615)}",
     "numbers from 2^63 to 2^64-1 turn negative", "numbers outside int64 are an error"},
    {"memory-space-narrowed", Kind::kRejected, "f32[3]{0:S(256)}",
     "keeps 8 bits: S(256) becomes S(0), S(200) becomes S(-56)", "memory spaces are 0 to 127"},
    {"metadata-below-zero", Kind::kRejected, "f32[3]{0:M(-1)}", "kept, but never printed",
     "an error"},
    {"too-large", Kind::kRejected, "s8[9223372036854775807,2]{1,0}",
     "its parser accepts a shape whose elements or bytes do not fit int64; ValidateShape rejects "
     "it",
     "an error"},
    {"limits", Kind::kRejected,
     "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
     "no limits", "64 dimensions, 64 tiles, 64 sizes in a tile, nesting of 1,000, texts of 16 MiB"},
    // Tileproof accepts these, and XLA rejects them.
    {"split-unchecked", Kind::kAccepted, "(f32[3]{0:SC(0:5)})",
     "its validator requires the dimension of a split to be below the rank and to occur once, and "
     "its points to increase within the size of the dimension; a part of a tuple fails in its "
     "parser, a lone array later in its validator",
     "SC never matters; it is kept as written"},
    // Both accept these, with different sizes or offsets.
    {"size-of-combined", Kind::kSize, "f32[4,6]{1,0:T(*,8)}",
     "ArraySize is 0 if the first tile has a `*`", "the product of the physical dimensions"},
    {"size-of-later-tiles", Kind::kSize, "bf16[]{:T(512)(2,1)}",
     "ArraySize counts only the first tile: 512 elements",
     "every tile counts: 1024 elements, as the second pads a leading dimension from 1 to 2"},
    {"tail-alignment-without-tiles", Kind::kSize, "f32[200001,128]{1,0:L(1024)}",
     "L is ignored without T", "L always counts"},
    {"size-of-splits", Kind::kSize, "pred[123,456]{1,0:T(2,128)SC(1:200)}",
     "ArraySize is the size of the largest piece", "SC never matters"},
    {"size-of-empty", Kind::kSize, "f32[0,64]{1,0:T(8,128)}",
     "ArrayDataSize of an empty tiled array can be negative", "0"},
    {"linear-index-first-tile", Kind::kSize, "bf16[16,128]{1,0:T(8,128)(2,1)}",
     "LayoutUtil::LinearIndex ignores later tiles, `*`, and every tile of an array of rank 0 or 1; "
     "it multiplies by the volume of a tile that has more sizes than the rank",
     "all tiles, as the document on tiled layouts defines them"},
};

}  // namespace

absl::Span<const Difference> differences() { return kDifferences; }

const Difference& difference(absl::string_view name) {
  for (const Difference& entry : kDifferences) {
    if (entry.name == name) return entry;
  }
  std::abort();  // a misspelled name in our own code
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Fuzz target: in a text of MLIR, maps and memrefs are found or an error names a column. Each found
// map is valid, and its own text, and its printed text, parse as the same map.
#include "fuzz/targets/map_inputs.h"
#include "spec/lang/map/mlir_text.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

// A map in one of its forms, or a memref.
std::string random_item(Choose& choose) {
  const std::string name = choose.chance(1, 2) ? "#map = " : "";
  if (choose.chance(1, 2)) {
    const MlirKind kind = choose.pick({MlirKind::kIndexingMap, MlirKind::kAffineMap});
    const absl::StatusOr<std::string> text = to_mlir(random_map(choose), kind);
    if (text.ok()) return absl::StrCat(name, *text);
  }
  std::vector<int64_t> dims;
  for (int64_t left = choose(4); left > 0; --left) dims.push_back(choose(20));
  std::string text = "memref<";
  for (const int64_t size : dims) absl::StrAppend(&text, size, "x");
  absl::StrAppend(&text, choose.pick({"f32", "i1", "vector<4xf32>", "complex<f32>"}));
  if (choose.chance(1, 2)) {
    std::vector<int64_t> strides;
    for (size_t i = 0; i < dims.size(); ++i) strides.push_back(choose.between(-9, 99));
    absl::StrAppend(&text, ", strided<[", absl::StrJoin(strides, ", "), "]",
                    choose.chance(1, 2) ? absl::StrCat(", offset: ", choose(99)) : "", ">");
  } else if (choose.chance(1, 4)) {
    absl::StrAppend(&text, ", #map");
  }
  return absl::StrCat(text, choose.chance(1, 4) ? ", 3 : i32>" : ">");
}

std::string mutated(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 4)) return random_item(choose);
  const auto at = static_cast<size_t>(choose(static_cast<int64_t>(text.size()) + 1));
  const std::string prefix = choose.pick({" ", "\n", "\n// CHECK: ", "\" ", "// ", ", "});
  return absl::StrCat(text.substr(0, at), prefix, random_item(choose), " ", text.substr(at));
}

}  // namespace

const TextTarget kTarget = {verify::mlir_difference, mutated, /*bytes_of_16=*/8};

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Arrays with a layout of Triton's GPU dialect: the text, as a tree.
//
//     tensor<16x32xf16, #ttg.slice<{dim = 0, parent = #ttg.blocked<{..}>}>>
//     !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, ..}>, #smem, mutable>
//     #ttg.blocked<{sizePerThread = [1, 4], ..}>                         without an array
//     #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>         without braces
//     #shared = #ttg.padded_shared<[32:+4] {order = [1, 0]}>             lines of names before it
//     tensor<16x32xf16, #shared>
//
//     SliceLayout(dim=0, parent=BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])):f16[32]
//                                                                        as Gluon writes it in Python
//
// `#triton_gpu.` is the older name of the dialect. Sources: Triton's TritonGPUAttrDefs.td; Gluon's
// language/_layouts.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/mlir_array.h"

namespace tileproof {

struct TtgAttribute;

// A number (true is 1), a list or an attribute. `{key = value, ..}` is an attribute without a name.
struct TtgValue {
  size_t position = 0;
  std::optional<int64_t> number;
  bool is_list = false;
  std::vector<TtgValue> list;
  std::shared_ptr<const TtgAttribute> attribute;  // null if it is none
};

// `name<[32:+4, ..] {key = value, ..}>`
struct TtgAttribute {
  std::string name;  // without the dialect: "blocked"
  size_t position = 0;
  std::vector<std::pair<int64_t, int64_t>> paddings;  // [interval:+padding, ..]
  std::vector<std::pair<std::string, TtgValue>> fields;
};

struct TtgType {
  std::optional<MlirArray> array;
  TtgAttribute layout;
};

// Parses the whole text. Errors name the place, and what was expected.
absl::StatusOr<TtgType> parse_ttg_type(absl::string_view text);

// Whether the text has a layout of Triton, and whether that is one of shared memory.
bool has_ttg_layout(absl::string_view text);
bool has_shared_layout(absl::string_view text);

// Takes the fields of an attribute one by one; each error names its place in the text.
class TtgFields {
 public:
  static constexpr int64_t kMostOfAxis = int64_t{1} << 30;  // of a size, a basis, each coordinate
  static constexpr int64_t kMostOfList = int64_t{1} << 20;  // the product of a list of sizes
  static constexpr size_t kMostBases = 30;
  static bool is_power(int64_t x) { return x >= 1 && x <= kMostOfAxis && (x & (x - 1)) == 0; }

  TtgFields(const TtgAttribute& attribute, absl::string_view text)
      : attribute_(attribute), text_(text), taken_(attribute.fields.size()) {}

  absl::StatusOr<int64_t> number(absl::string_view key);
  absl::StatusOr<int64_t> number(absl::string_view key, int64_t otherwise);
  absl::StatusOr<std::vector<int64_t>> numbers(absl::string_view key);
  absl::StatusOr<std::vector<std::vector<int64_t>>> rows(absl::string_view key);
  // Each of `rank` dimensions once. `each` names one in the error.
  absl::StatusOr<std::vector<int64_t>> order(absl::string_view key, size_t rank,
                                             absl::string_view each);
  absl::StatusOr<const TtgAttribute*> attribute(absl::string_view key);
  // Powers of two, one for each of `rank` dimensions.
  absl::StatusOr<std::vector<int64_t>> powers(absl::string_view key, std::optional<size_t> rank);
  // What the bits of a block's number add to the part of the tensor that it holds: CGALayout, or the
  // lists of before: CTAsPerCGA blocks in each dimension, of which CTASplitNum hold different parts,
  // numbered by CTAOrder.
  absl::StatusOr<std::vector<std::vector<int64_t>>> block_bases(std::optional<size_t> rank);
  bool has(absl::string_view key) const;

  // Fails if a field was not taken: Tileproof does not know what it means.
  absl::Status expect_none_left() const;

  absl::Status error(absl::string_view message) const;

 private:
  const TtgValue* take(absl::string_view key);
  absl::StatusOr<const TtgValue*> need(absl::string_view key);
  absl::Status error_at(size_t position, absl::string_view message) const;
  absl::StatusOr<std::vector<int64_t>> numbers_of(const TtgValue& value, absl::string_view key);

  const TtgAttribute& attribute_;
  absl::string_view text_;
  std::vector<bool> taken_;
};

}  // namespace tileproof

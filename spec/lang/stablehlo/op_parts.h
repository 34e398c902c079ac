// SPDX-License-Identifier: Apache-2.0
// What the rules of operations share: attributes of StableHLO as numbers, and an operation that is
// asked for its pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/stablehlo/op_text.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

using Ints = std::vector<int64_t>;
using Pieces = absl::StatusOr<std::vector<Piece>>;

absl::Status invalid(absl::string_view message);

// The integers of `[1, 0]`, `array<i64: 1, 0>`, `dense<[[1, 0], [0, 0]]> : ..` and `1`, in order.
absl::StatusOr<Ints> integers(absl::string_view text);

// The integers of an attribute; none if it is missing.
absl::StatusOr<Ints> ints(const Attributes& attributes, absl::string_view name);

absl::StatusOr<int64_t> one_int(const Attributes& attributes, absl::string_view name,
                                std::optional<int64_t> missing = std::nullopt);

// `n` integers; `value` each if the attribute is missing; a single one stands for all.
absl::StatusOr<Ints> ints_or(const Attributes& attributes, absl::string_view name, size_t n,
                             int64_t value);

// What is between `#stablehlo.gather<` and `>`.
absl::StatusOr<Attributes> inner(const Attributes& attributes, absl::string_view name);

std::string braces(const Ints& numbers);

// `f32[2,3]`: an array of these dimensions and the element type of another.
std::string array_like(const Type& type, const Ints& dims);

// `reshape(a), ..`
std::string call(absl::string_view opcode, const std::vector<Value>& operands,
                 const std::string& attributes = "");

struct Asked {
  const Op& op;
  const std::vector<Value>& operands;
  const std::vector<std::string>& applied;
  const std::vector<Mesh>& meshes;

  // The operation alone, with all operands.
  std::vector<Piece> one(absl::string_view opcode, const std::string& attributes = "") const;
  absl::Status expect_operands(size_t at_least) const;
  std::string applying() const;  // `to_apply=..`
};

// The operations whose attributes have a structure of their own.
namespace rule {
Pieces dot(const Asked& asked);
Pieces convolution(const Asked& asked);
Pieces reduce_window(const Asked& asked);  // and select_and_scatter
Pieces gather(const Asked& asked);
Pieces scatter(const Asked& asked);

// all_gather, all_reduce, reduce_scatter
Pieces collective(const Asked& asked, const char* opcode);
Pieces all_to_all(const Asked& asked);
}  // namespace rule

}  // namespace tileproof::stablehlo

// SPDX-License-Identifier: Apache-2.0
// One operation of StableHLO as an operation of HLO: opcode, operands and attributes. Private to
// spec/lang/stablehlo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

// An operand as HLO knows it.
struct Value {
  std::string name;
  Type type;
};

// Instructions: the shape and what follows it. The writer names them; `%0` is the one before.
//
//     f32[8] reshape(a)      f32[3,8] broadcast(%0), dimensions={1}
struct Piece {
  std::string shape;
  std::string text;
};

// For all operations but calls, returns, and those with branches and loops. `applied` are the names
// of the computations of its regions, and `meshes` those of the module. Errors name no place.
absl::StatusOr<std::vector<Piece>> pieces_of(const Op& op, const std::vector<Value>& operands,
                                             const std::vector<std::string>& applied,
                                             const std::vector<Mesh>& meshes);

// The name of an elementwise operation that HLO lacks. Its words say which function it is.
inline constexpr absl::string_view kElementwiseTarget = "tileproof.elementwise";

// The shape of the results: a tuple if there are several.
std::string shape_of(const std::vector<Type>& types);

// ---- Constants, as literals of HLO: literal_text.cc ----
//
//     dense<[0, 2, 1]>       {0, 2, 1}
//     dense<2.0>             2.0, for every element
//     dense<0x7FC00000>      nan
//     dense<"0x0000..">      the bytes of the elements, or of one for all
struct Literal {
  std::string text;
  bool is_splat = false;  // one value for an array
};

// Errors name no place.
absl::StatusOr<Literal> literal_text(absl::string_view dense, const Type& type);

// ---- What the rules of operations share: op_parts.cc ----

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

// The attribute of the pretty form if it is there, else that of the generic form.
absl::string_view either(const Attributes& attributes, absl::string_view pretty,
                         absl::string_view generic);

// The word of the list that an attribute holds, as `#stablehlo<comparison_direction GE>` holds GE; the
// last one of several, `otherwise` if there is none.
std::string word_of(const Attributes& attributes, absl::string_view name,
                    const std::vector<absl::string_view>& words, absl::string_view otherwise = "");

// What is between `#stablehlo.gather<` and `>`.
absl::StatusOr<Attributes> inner(const Attributes& attributes, absl::string_view name);

// `f32[2,3]`: an array of these dimensions and the element type of another.
std::string array_like(const Type& type, const Ints& dims);

// `reshape(a), ..`
std::string call(absl::string_view opcode, const std::vector<Value>& operands,
                 absl::string_view attributes = "");

// `channel_id=1, `: the devices that exchange are partitions then. Empty if there is none.
absl::StatusOr<std::string> channel_text(const Attributes& attributes);

struct Asked {
  const Op& op;
  std::string opcode;  // of HLO
  const std::vector<Value>& operands;
  const std::vector<std::string>& applied;
  const std::vector<Mesh>& meshes;

  // The operation alone, with all operands.
  std::vector<Piece> one(absl::string_view attributes) const;
  absl::Status expect_operands(size_t at_least) const;
  std::string applying() const;  // `to_apply=..`
};

// The operations that are more than a row of attributes.
namespace rule {
Pieces broadcast(const Asked& asked);
Pieces broadcast_in_dim(const Asked& asked);
Pieces compare(const Asked& asked);
Pieces constant(const Asked& asked);
Pieces convolution(const Asked& asked);
Pieces custom_call(const Asked& asked);
Pieces dot(const Asked& asked);
Pieces dot_general(const Asked& asked);
Pieces fusion(const Asked& asked);
Pieces gather(const Asked& asked);
Pieces optimization_barrier(const Asked& asked);
Pieces pad(const Asked& asked);
Pieces reduce_precision(const Asked& asked);
Pieces reduce_window(const Asked& asked);  // and select_and_scatter
Pieces rng(const Asked& asked);
Pieces rng_bit_generator(const Asked& asked);
Pieces scatter(const Asked& asked);
Pieces slice(const Asked& asked);
Pieces sort(const Asked& asked);
Pieces square(const Asked& asked);

Pieces collective(const Asked& asked);  // those with groups, but all_to_all
Pieces all_to_all(const Asked& asked);
}  // namespace rule

}  // namespace tileproof::stablehlo

// SPDX-License-Identifier: Apache-2.0
// Parts of wrong implementations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/oracle/oracle.h"
#include "conform/zoo/rewriting.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

// Rules leave large numbers alone, so that the mistake of an entry is the one that its line names,
// and no overflow.
inline bool is_small(int64_t n) { return n > -(1 << 30) && n < 1 << 30; }

// The value of an operation, by wrapping sums and products. b is not 0 in a division.
int64_t exact(Op op, int64_t a, int64_t b);

// Matches `left op c` with a constant c.
std::optional<Rewriting::By> by(const IndexingMap& map, Op op, NodeId id);

inline bool is_result(const conform::Answer& answer) {
  return answer.kind == conform::Answer::Kind::kResult;
}

// The text in a field of a request; empty if it has none.
std::string text_under(const conform::Json& request, absl::string_view field);

// Gives the right result for a request with another value in one field, if there is one.
void answer_as_if(conform::Json request, conform::Answer& answer, absl::string_view field,
                  conform::Json value);

// The right layout.linearize. No value for an invalid question.
std::optional<int64_t> right_offset(const Shape& array, const std::vector<int64_t>& index);

}  // namespace tileproof::zoo

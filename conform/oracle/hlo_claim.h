// SPDX-License-Identifier: Apache-2.0
// Reads an answer to hlo.index into a value that can be compared with the reference.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/protocol/protocol.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/access_function.h"
#include "spec/hlo/provenance.h"

namespace tileproof::conform {

struct HloClaim {
  impl::Indexing indexing;
  // The first list that is "unknown". In `indexing` it relates all elements to all elements.
  std::optional<int64_t> unknown;
};

// Reads the result and `inexact`. `provenance` may be that of any values of the offsets. Errors:
//     kInvalidArgument  the answer is malformed, or has a wrong number of lists, results or
//                       variables
//     kUnimplemented    this judge cannot tell which values the runtime variables have
absl::StatusOr<HloClaim> read_hlo_claim(const HloQuestion& question,
                                        const spec::Provenance& provenance, const Answer& answer);

// Finds which element each runtime variable of an answer to hlo.index is, if the answer gives no
// sources.
//
// Without sources the variables are declared in order: one for each offset operand, or one for each
// component of the index vector in the order of start_index_map.
//
//     d = f32[1,4] dynamic-slice(f32[3,9] p, s32[] a, s32[] b)     rt0 is a, rt1 is b
//
// The order is enough for one operation. It is also enough for a fusion or a whole computation in
// which a single operation has offsets, and these are scalars.

struct OrderedVariable {
  HloPosition position;
  spec::access::Projection element;  // from the index of the result to the index in `position`
  Interval feasible;
  bool known = false;  // a constant or an iota index in the scope: need not be declared
};

// The index of the variable's element, from the variables of `map`, a map of an answer. The index
// of the result is the dimensions of `map`, or its results if the direction is input to output.
IndexingMap element_in(const OrderedVariable& variable, const IndexingMap& map,
                       impl::Direction direction);

// All variables in order. Errors:
//     kInvalidArgument  the order does not say which elements the variables are
//     kUnimplemented    it may say so, but this judge cannot tell
absl::StatusOr<std::vector<OrderedVariable>> variables_by_order(const HloQuestion& question,
                                                                const spec::Provenance& provenance);

// The variables that an answer with `count` runtime variables declares. An answer may leave out the
// variables with one feasible value, the known ones, or both. Empty if no choice gives `count`.
std::vector<const OrderedVariable*> variables_meant(const std::vector<OrderedVariable>& all,
                                                    size_t count);

// The position with this name (see impl::name_of), relative to the computation of the question. The
// calls may be left out if the name of the instruction is unique.
absl::StatusOr<HloPosition> position_named(const HloQuestion& question, absl::string_view name);

const HloInstruction& instruction_at(const HloQuestion& question, const HloPosition& position);

}  // namespace tileproof::conform

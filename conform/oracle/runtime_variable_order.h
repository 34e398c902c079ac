// Which value each runtime variable of an answer to hlo.index has, where the answer does not say.
//
// Then they are declared in order: one for each offset operand, or for each component of the index
// vector in the order of start_index_map. That tells which element each one is as long as one
// operation is asked about; in a fusion or a whole computation, as long as one operation in it has
// scalar offsets and no other reads any. Source: INTERFACE, section 2 "HLO".
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/hlo_ops.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/access_function_movement.h"
#include "spec/hlo/provenance.h"

namespace tileproof::conform {

struct OrderedVariable {
  impl::HloPosition position;
  spec::access::Projection element;  // of that place, by the index of the result
  Interval feasible;
  bool known = false;  // a constant or an iota index in the region: need not be declared
};

// Which element the variable is in a map of an answer: by its dimensions, which are the index of
// the result, or input to output by its results, which are.
IndexingMap element_in(const OrderedVariable& variable, const IndexingMap& map,
                       impl::Direction direction);

// All variables in order. An error: the order does not tell; kUnimplemented: it may, but not this
// judge.
absl::StatusOr<std::vector<OrderedVariable>> variables_by_order(const HloQuestion& question,
                                                                const spec::Provenance& provenance);

// Those that an answer with `count` variables means: all, or all but those with one feasible value,
// or all but known ones, or both. Nothing where it can mean none of these.
std::vector<const OrderedVariable*> variables_meant(const std::vector<OrderedVariable>& all,
                                                    size_t count);

// The place of that name, as impl::name_of writes it, seen from the computation that is asked
// about; the calls may be left out where one instruction alone has that name.
absl::StatusOr<impl::HloPosition> position_named(const HloQuestion& question,
                                                 absl::string_view name);

const HloInstruction& instruction_at(const HloQuestion& question,
                                     const impl::HloPosition& position);

}  // namespace tileproof::conform

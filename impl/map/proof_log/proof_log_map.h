// SPDX-License-Identifier: Apache-2.0
// Proof steps between a map and its normal forms (impl/map/proof_log/proof_log.h).
#pragma once

#include <cstdint>
#include <vector>

#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {

// The meaning of the constraint with that number.
void log_constraint(NormalFormContext& context, const IndexingMap& map, size_t number);
// The last result written to `out` has this form and equals the result of the map.
void log_result(NormalFormContext& context, const IndexingMap& map, const IndexingMap& out,
                const Linear& form);
// The last result written to `out` is a copy of the original.
void log_copied_result(NormalFormContext& context, const IndexingMap& out);
// The meaning of the constraints that were written.
void log_new_constraints(NormalFormContext& context, const IndexingMap& map,
                         const IndexingMap& out);
// The divisors of c other than 1 and c that are at most 1024, and the quotient of c by each if it
// is more than 1024. A floor by c divides in two steps by these.
std::vector<int64_t> proper_divisors(int64_t c);
// Logs a section in which the map stays the same.
void log_unchanged(NormalFormContext& context, const IndexingMap& map);

// Proof steps of the local rules (impl/map/extraction/local_rules.h).
//
// Here a floor is simplified by these rules alone. So the meaning of a written mod or quotient is a
// sum of floors as they are written, and each rule is an equation for such a floor. The equations
// are collected in ProofLog::rules. `x` is a sum with written atoms, c may be negative.

// Gives the written atom its meaning, and states its range.
void log_written(NormalFormContext& context, int32_t atom);
// A variable with one value is that value.
void log_value(NormalFormContext& context, int32_t variable);
// floor(x / c) = m.
void log_local_cell(NormalFormContext& context, const Linear& x, int64_t c, int64_t m);
// floor(x / c) = (x - y) / c + value, where value = floor(y / c).
void log_local_pull(NormalFormContext& context, const Linear& x, int64_t c, const Linear& y,
                    const Linear& value);
// floor((g*a + part) / c) = floor((a + m) / (c / g)) = value, where the part is in cell m of g.
void log_local_small(NormalFormContext& context, const Linear& a, const Linear& part, int64_t c,
                     int64_t g, int64_t m, const Linear& value);
// floor(floor(x / a) / c) = floor(x / (a*c)) = value, c > 0.
void log_local_nested(NormalFormContext& context, const Linear& x, int64_t a, int64_t c,
                      const Linear& value);
// The constraint is that the form lies in the range: a step.
int log_local_constraint(NormalFormContext& context, size_t number, const Linear& form,
                         const Range& range);
// The result has the value of `form`, which is that of `written` if atoms with one value are put in
// for them. The last result of the map after is `written`.
void log_local_result(NormalFormContext& context, size_t number, const Linear& form,
                      const Linear& written);

}  // namespace tileproof::impl

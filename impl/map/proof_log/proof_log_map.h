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

}  // namespace tileproof::impl

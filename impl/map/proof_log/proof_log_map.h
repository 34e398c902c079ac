// The steps from a map to its normal forms and back (impl/map/proof_log/proof_log.h).
#pragma once

#include <cstdint>
#include <vector>

#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {

// What the constraint of that number says.
void log_constraint(NormalFormContext& context, const IndexingMap& map, size_t number);
// The last result that was written, which has this form, is the result of the map.
void log_result(NormalFormContext& context, const IndexingMap& map, const IndexingMap& out,
                const Linear& form);
// The same text.
void log_copied_result(NormalFormContext& context, const IndexingMap& out);
// What the constraints that were written say.
void log_new_constraints(NormalFormContext& context, const IndexingMap& map,
                         const IndexingMap& out);
// The divisors of c, but 1 and c itself, that are at most 1024, and what each of these leaves if
// that is more: a floor by c is divided in two steps by them.
std::vector<int64_t> proper_divisors(int64_t c);
// A section in which the map becomes itself.
void log_unchanged(NormalFormContext& context, const IndexingMap& map);

}  // namespace tileproof::impl

// The steps from a map to its normal forms and back (impl/map/proof_log/proof_log.h).
#pragma once

#include <cstdint>
#include <vector>

#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {

// What the constraint of that number says.
void note_constraint(Forms& forms, const IndexingMap& map, size_t number);
// The last result that was written, which has this form, is the result of the map.
void note_result(Forms& forms, const IndexingMap& map, const IndexingMap& out, const Linear& form);
// The same text.
void note_copied_result(Forms& forms, const IndexingMap& out);
// What the constraints that were written say.
void note_new_constraints(Forms& forms, const IndexingMap& map, const IndexingMap& out);
// The divisors of c, but 1 and c itself, that are at most 1024, and what each of these leaves if
// that is more: a floor by c is divided in two steps by them.
std::vector<int64_t> proper_divisors(int64_t c);
// A section in which the map becomes itself.
void tell_unchanged(Forms& forms, const IndexingMap& map);

}  // namespace tileproof::impl

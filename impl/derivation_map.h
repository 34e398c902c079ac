// The steps from a map to its normal forms and back (impl/derivation.h).
#pragma once

#include "impl/derivation.h"
#include "impl/normalize.h"

namespace tileproof::impl {

// What the constraint of that number says, by the form of its expression.
void note_constraint(Forms& forms, Normalizer& normalizer, const IndexingMap& map, size_t number,
                     const Linear& form);
void note_result(Forms& forms, Normalizer& normalizer, const IndexingMap& map, size_t number,
                 const Linear& form);

// The same of the map that is being written: its last result, and all its constraints.
void note_new_result(Forms& forms, const IndexingMap& map, const IndexingMap& out);
void note_new_constraints(Forms& forms, const IndexingMap& map, const IndexingMap& out);

}  // namespace tileproof::impl

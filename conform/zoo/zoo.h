// The zoo: known-wrong implementations of the protocol, each a real bug of a real system.
//
// zoo.tsv has a line for every bug that is known (of the list of bugs and of the facts): those that
// can show as a wrong answer of an operation name the operation, and this library holds the small
// wrong part; the others say why they cannot.
//
//     XLA-SIMP-03  map.simplify  (a//b)//c -> a//(b*c) if a >= 0  ..  where it was seen
//     HAL-03       -             max(x*c0, y*c1) -> ..            ..  a map has no maximum
//
// An implementation answers everything as is right (by the closed forms, impl/), but for what its
// one wrong part changes; and it says that it knows its operation alone. So it is asked nothing
// else, and a judge that finds no fault with it has been too easy on it.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/protocol.h"

namespace tileproof::zoo {

struct Entry {
  absl::string_view id;
  absl::string_view operation;  // empty: it cannot be shown by an operation
  absl::string_view wrong;      // the rule or formula
  absl::string_view seen;       // where
  absl::string_view why_not;    // of one without operation
};

// All lines of the table, in its order.
absl::Span<const Entry> entries();

// The one of that name, or null.
const Entry* entry_named(absl::string_view id);

// What the known-wrong implementation does with a request: it answers, or ends by a signal.
struct Reaction {
  conform::Answer answer;
  int signal = 0;  // of a crash; then there is no answer
};
Reaction react(const Entry& entry, const conform::Request& request);

// Whether the entry has its wrong part. (The test asks it of all.)
bool is_written(const Entry& entry);

// Reads request lines from standard input and answers them until it ends, or dies as the original
// did.
void respond_wrongly(const Entry& entry);

}  // namespace tileproof::zoo

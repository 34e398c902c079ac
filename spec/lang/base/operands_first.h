// SPDX-License-Identifier: Apache-2.0
// A walk over expressions that visits the operands of each one before it. It does not depend on the
// order in which they are stored. No recursion: expressions may be as deep as a loop is long.
#pragma once

#include <cstddef>
#include <vector>

namespace tileproof {

// Calls visit(id) once for each expression that `root` holds and that is not done yet, and for `root`
// itself. visit must make is_done(id) true. Ends early, and returns false, if goes_on() is false.
//
//     operands_first(add(p, multiply(p, q)), ..)       visits p, q, multiply(p, q), add(..)
template <class Id, class Operands, class IsDone, class Visit, class GoesOn>
bool operands_first(Id root, Operands operands, IsDone is_done, Visit visit, GoesOn goes_on) {
  std::vector<Id> open = {root};
  while (!open.empty()) {
    if (!goes_on()) return false;
    const Id at = open.back();
    const size_t before = open.size();
    if (!is_done(at)) {
      for (const Id operand : operands(at)) {
        if (!is_done(operand)) open.push_back(operand);
      }
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (!is_done(at)) visit(at);
  }
  return true;
}

}  // namespace tileproof

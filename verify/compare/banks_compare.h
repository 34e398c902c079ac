// SPDX-License-Identifier: Apache-2.0
// Compares the bank conflicts of an access in closed form with the simulation by the reference.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/access/banks.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

struct BanksQuestion {
  AnyLayout layout;
  IndexingMap access;
  BankElement element;
  BankMemory memory;
};

// Returns "", or the question and both answers. Counts phases, and those of several ways; or
// "refused" by both, or "not counted": the closed form has no answer, or a number exceeds 64 bits.
std::string banks_difference(const BanksQuestion& question, CaseCounts& tally);

// Layouts of any system, accesses by rows, columns, digits and vectors of values.
BanksQuestion random_banks_question(Choose& choose);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// The words for an element that one of two modules reads and the other does not.
//
//     result[0,1,0] reads x[0,4] in LEFT, not in RIGHT; RIGHT reads y[0,1]
//     result[7] reads x[9] in RIGHT, not in LEFT, where i[] is 2
#pragma once

#include <string>
#include <vector>

#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::verify {

// One of two modules whose results are compared.
struct ComparedSide {
  const HloModule& module;
  int32_t computation = 0;              // the one that calls the entry
  std::vector<std::string> parameters;  // of the entry: their names
  const impl::Indexing& maps;           // of the result to them
};

// `refutation` is about the maps of RIGHT and the definitions of LEFT.
std::string difference_text(const Refutation& refutation, const ComparedSide& left,
                            const ComparedSide& right);

}  // namespace tileproof::verify

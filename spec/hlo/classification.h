// SPDX-License-Identifier: Apache-2.0
// What can be said about the instructions of a module without looking at the elements of arrays.
//
//     reshape  kDefined        fft  kConservative, for it is not looked into        iota  kNoDataflow
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

struct Classification {
  enum class Kind : uint8_t {
    kDefined,       // exactly what flows is known
    kConservative,  // everything flows, for the reason
    kNoDataflow,    // no element of an operand flows anywhere: parameter, constant, iota, ..
    kBeyond,        // nothing: numbers beyond 2^56
    kRefused,       // attributes and shapes do not fit; the reason is the error
  };
  Kind kind = Kind::kNoDataflow;
  std::string reason;
};

// Classifies every instruction, by computation and by its index there. An instruction that enters a
// computation is conservative or beyond if an instruction of that computation is, and refused if it
// depends on one that is (spec/lang/hlo/operand_walk.h).
std::vector<std::vector<Classification>> classify(const HloModule& module);

}  // namespace tileproof::spec

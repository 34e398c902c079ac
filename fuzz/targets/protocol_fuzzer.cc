// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lines of the protocol. Every line, valid or not, gets an answer of one line with its
// id. The judge accepts the answers of the closed forms and of the reference.
#include "fuzz/targets/request_inputs.h"
#include "fuzz/targets/text_input.h"

namespace tileproof {

const TextTarget kTarget = {answers_difference, mutated_requests, /*bytes_of_16=*/4};

}  // namespace tileproof

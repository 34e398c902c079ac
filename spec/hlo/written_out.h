// SPDX-License-Identifier: Apache-2.0
// Operations whose values other operations define: each becomes a call of what defines it.
//
//     y = f32[4,3] batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.001, feature_index=1
//
//     y = f32[4,3] call(x, scale, offset, mean, variance)     (x - mean) / sqrt(variance + 0.001) * scale + offset
//
// Source: StableHLO specification, batch_norm_inference, batch_norm_training and batch_norm_grad.
#pragma once

#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

// Operations that are not valid, and those on arrays whose sizes are known only at run time, stay as they
// are.
HloModule written_out(HloModule module);

}  // namespace tileproof::spec

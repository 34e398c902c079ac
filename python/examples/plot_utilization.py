# SPDX-License-Identifier: Apache-2.0
"""Plot how much of its operands each instruction of a model reads."""

import tileproof as tp

MODEL = """
HloModule embedding
ENTRY main {
  table = f32[1000,64] parameter(0)
  rows = s32[8,1] parameter(1)
  x = f32[8,64] gather(table, rows), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}
  s = f32[8,16] slice(x), slice={[0:8], [0:64:4]}
  ROOT t = f32[16,8] transpose(s), dimensions={1,0}
}
"""

for use in tp.utilization(MODEL):
    for read in use.read:
        share = (read.most or 0) / read.elements
        bar = "#" * round(40 * share)
        print(f"{use.instruction:6} operand {read.operand}  {bar:40} {share:6.1%}")

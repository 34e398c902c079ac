# SPDX-License-Identifier: Apache-2.0
"""Debug a layout: a buffer looks scrambled. In which layout was it written?"""

import numpy as np

import tileproof as tp

shape = (16, 256)
values = np.arange(16 * 256, dtype=np.float32).reshape(shape)
buffer = tp.Layout("f32[16,256]{1,0:T(8,128)}").tile(values)  # what the device returned

# Read as rows, element (1, 0) is not 256 but 128: the first wrong element says where to look.
as_rows = buffer.reshape(shape)
wrong = np.argwhere(as_rows != values)[0]
print(f"read as rows, element {tuple(wrong.tolist())} is {as_rows[tuple(wrong)]:.0f}")

candidates = ["f32[16,256]{1,0}", "f32[16,256]{0,1}", "f32[16,256]{1,0:T(8,128)}"]
for text in candidates:
    layout = tp.Layout(text)
    if len(buffer) == layout.elements and (layout.untile(buffer) == values).all():
        print(f"written in {layout}: offset = {layout.formula}")
        for step in layout.explain((9, 200))["steps"]:
            print(f"  {step['step']:40} {step['index']}")
        assert text == candidates[-1]

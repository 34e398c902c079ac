# SPDX-License-Identifier: Apache-2.0
"""Compare the data flow of a function before and after a change of the compiler.

With JAX installed, the modules are those of XLA before and after its passes; without it, two small
modules stand for them.
"""

import tileproof as tp

try:
    import jax
    import jax.numpy as jnp

    lowered = jax.jit(lambda x: jnp.transpose(x)[2:5].reshape(-1)).lower(jnp.zeros((4, 8)))
    before, after = lowered, lowered.compile()
except ImportError:
    print("JAX is not installed; two modules written by hand")
    before = """
HloModule before
ENTRY main {
  x = f32[4,8] parameter(0)
  t = f32[8,4] transpose(x), dimensions={1,0}
  s = f32[3,4] slice(t), slice={[2:5], [0:4]}
  ROOT r = f32[12] reshape(s)
}
"""
    after = """
HloModule after
ENTRY main {
  x = f32[4,8] parameter(0)
  s = f32[4,3] slice(x), slice={[0:4], [2:5]}
  t = f32[3,4] transpose(s), dimensions={1,0}
  ROOT r = f32[12] bitcast(t)
}
"""

for name, source in [("before", before), ("after", after)]:
    verdicts = [i.verdict for i in tp.verify(source)]
    print(f"{name}: {len(verdicts)} instructions, {verdicts.count('proven')} maps proven")
    assert "refuted" not in verdicts

# SPDX-License-Identifier: Apache-2.0
"""The memory of `tileproof map` is at most 40 times the file. cli/memory_test.py PROGRAM

The module has many small layers, as a training step has: each reads its row of the weights, mixes all elements, and
adds the result to what went in.
"""
import os
import subprocess
import sys
import tempfile

MOST_TIMES = 40
LAYERS = 3000


def layer(k):
    x = f"x{k}"
    return f"""  zero{k} = s32[] constant(0), metadata={{op_name="jit(step)/layer_{k}/zero" source_file="model.py"}}
  row{k} = f32[1,64,64] dynamic-slice(weights, i, zero{k}, zero{k}), dynamic_slice_sizes={{1,64,64}}
  w{k} = f32[64,64] reshape(row{k}), metadata={{op_name="jit(step)/layer_{k}/reshape" source_file="model.py"}}
  d{k} = f32[32,64] dot({x}, w{k}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  t{k} = f32[32,64] tanh(d{k}), metadata={{op_name="jit(step)/layer_{k}/tanh" source_file="model.py"}}
  x{k + 1} = f32[32,64] add({x}, t{k}), metadata={{op_name="jit(step)/layer_{k}/add" source_file="model.py"}}
"""


def main():
    text = "HloModule step\n\nENTRY main {\n  x0 = f32[32,64] parameter(0)\n  weights = f32[48,64,64] parameter(1)\n"
    text += "  i = s32[] parameter(2)\n" + "".join(layer(k) for k in range(LAYERS))
    text += f"  ROOT r = f32[32,64] negate(x{LAYERS})\n}}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
        file.write(text)
        file.flush()
        for words in (["--summary"], [], ["--json"]):
            process = subprocess.Popen([sys.argv[1], "map", file.name, *words], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            times = used.ru_maxrss * 1024 / len(text)
            print(f"map {' '.join(words)}: {times:.1f} times the file")
            if status != 0 or times > MOST_TIMES:
                sys.exit(f"FAILED: expected status 0 and at most {MOST_TIMES} times, found status {status}")


main()

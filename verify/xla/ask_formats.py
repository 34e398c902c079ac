# SPDX-License-Identifier: Apache-2.0
"""Asks XLA for other forms of modules: StableHLO, with its short form of operations and with all attributes by name, and a
proto. Reads answers of ask_xla.py and writes them with these forms, for `xla_judge` and the test of recorded answers:

    {.. as in judge.h, "stablehlo": TEXT, "generic": TEXT, "proto": BASE64}

    python ask_formats.py COUNT < operations.jsonl > formats.jsonl

Takes the first COUNT modules. One that XLA cannot express as StableHLO has its message as `unconverted` instead; one that ends
XLA's process is left out.
"""

import base64
import json
import os
import re
import subprocess
import sys


def with_functions(text):
    """The generic form of operations, with the usual form of the module, its functions and calls."""
    text = re.sub(r'"builtin\.module"\(\) (<\{.*?\}> )?\(\{', "module {", text)
    text = re.sub(r'"func\.func"\(\) <\{.*?sym_name = "([^"]+)".*?\}> \(\{\n *\^bb0\((.*)\):', r"func.func @\1(\2) {", text)
    text = re.sub(r'"func\.func"\(\) <\{.*?sym_name = "([^"]+)".*?\}> \(\{', r"func.func @\1() {", text)
    text = re.sub(r'"func\.call"\((.*?)\) <\{callee = @([\w.]+)\}>', r"func.call @\2(\1)", text)
    return re.sub(r"^( *)\}\) (\{.*\} )?: \(\) -> \(\)$", r"\1}", text, flags=re.M)


def forms(text):
    from jax._src.interpreters import mlir
    from jaxlib import _hlo, _jax
    from jaxlib.mlir import ir

    proto = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    answer = {"proto": base64.b64encode(proto).decode()}
    with mlir.make_ir_context() as context:
        try:
            module = ir.Module.parse(_jax.mlir.hlo_to_stablehlo(proto), context)
        except Exception as error:
            return {**answer, "unconverted": str(error).strip().split("\n")[0][:160]}
        generic = module.operation.get_asm(enable_debug_info=False, print_generic_op_form=True)
        return {**answer, "stablehlo": module.operation.get_asm(enable_debug_info=False), "generic": with_functions(generic)}


def work():
    for line in sys.stdin:
        try:
            answer = forms(json.loads(line)["text"])
        except Exception as error:
            answer = {"why": str(error).strip().split("\n")[0][:160]}
        print(json.dumps(answer), flush=True)


def worker():
    return subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def main(count):
    process, left_out = worker(), {}
    print(sys.stdin.readline().strip())  # the versions
    for line in sys.stdin:
        answer = json.loads(line)
        if "answer" not in answer:
            continue
        process.stdin.write(line)
        process.stdin.flush()
        said = process.stdout.readline()
        if not said:
            process = worker()
        form = json.loads(said) if said else {"why": "ends the process"}
        if "why" in form:
            left_out[form["why"]] = left_out.get(form["why"], 0) + 1
            continue
        print(json.dumps({**answer, **form}))
        count -= 1
        if count == 0:
            break
    for why, number in sorted(left_out.items()):
        print(f"left out {number}: {why}", file=sys.stderr)


os.environ["JAX_PLATFORMS"] = "cpu"
work() if "--work" in sys.argv else main(int(sys.argv[1]))

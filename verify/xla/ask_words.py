# SPDX-License-Identifier: Apache-2.0
"""Asks the installed XLA for the words of its parser, and its StableHLO and Shardy for their operations. Prints, in order,

    jaxlib 0.12.0.1
    opcode slice: backend_config control-predecessors .. slice ..       every attribute that the parser allows
    type bf16
    operation stablehlo.add

XLA has no list of attributes to ask for, but the error for an unknown one names all that are allowed. answers_test compares the
recorded answers, corpus/xla/words.txt, with our tables. verify/xla/words asks again.

`python ask_words.py --work` is the process that calls XLA; it is restarted whenever a text ends it.
"""

import re
import subprocess
import sys

# Names of HloOpcode that are not the opcode of the text.
OTHER_NAMES = {
    "kClz": "count-leading-zeros", "kCos": "cosine", "kExp": "exponential", "kExpm1": "exponential-minus-one",
    "kLog1p": "log-plus-one", "kOptimizationBarrier": "opt-barrier", "kPopulationCount": "popcnt", "kSin": "sine", "kTopK": "topk",
}  # fmt: skip
UNKNOWN = ", no_such_attribute=1"
PARAMETERS = "".join(f"p{k} = f32[2] parameter({k})\n" for k in range(5))

# Operations whose operands or result must have a shape of their own.
TEXTS = {
    "async-start": "ROOT r = ((f32[2]), f32[2], u32[]) async-start(p0)",
    "async-update": "s = ((f32[2]), f32[2], u32[]) async-start(p0), calls={ q = f32[2] parameter(0) ROOT n = f32[2] negate(q) }\n"
    "ROOT r = ((f32[2]), f32[2], u32[]) async-update(s)",
    "conditional": "i = s32[] parameter(5)\nROOT r = f32[2] conditional(i, p0, p1)",
    "constant": "ROOT r = f32[] constant(1)",
    "parameter": "ROOT r = f32[] parameter(5)",
    "tuple": "ROOT r = (f32[2], f32[2]) tuple(p0, p1)",
}


def opcode_of(name):
    return OTHER_NAMES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "-", name[1:]).lower()


def texts_of(opcode):
    if opcode in TEXTS:
        return [TEXTS[opcode]]
    return [f"ROOT r = f32[2] {opcode}({', '.join(f'p{k}' for k in range(n))})" for n in (1, 2, 3, 0, 5)]


def work():
    from jaxlib import _hlo

    for line in sys.stdin:
        try:
            _hlo.hlo_module_from_text(line.replace("\0", "\n"))
            print("read", flush=True)
        except Exception as error:
            print(re.sub(r"\s+", " ", str(error)), flush=True)


class Worker:
    process = None

    def ask(self, text):
        """Returns XLA's message; "" if the text ends the process."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(text.replace("\n", "\0") + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.process.wait()
        return answer


def attributes_of(worker, opcode):
    for text in texts_of(opcode):
        allowed = re.search(r"Allowed attributes: ([\w-]+(?:, [\w-]+)*)", worker.ask(f"ENTRY e {{ {PARAMETERS}{text}{UNKNOWN}\n}}"))
        if allowed:
            return " ".join(sorted(allowed[1].split(", ")))
    raise SystemExit(f"XLA names no attributes of {opcode}")


def operations():
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    for dialect in (chlo, sdy, stablehlo):
        for value in vars(dialect).values():
            name = getattr(value, "OPERATION_NAME", None)
            if isinstance(name, str):
                yield name


def main():
    import jaxlib
    from jaxlib import _hlo

    print("jaxlib", jaxlib.__version__)
    worker = Worker()
    for opcode in sorted(opcode_of(name) for name in _hlo.HloOpcode.__members__):
        print(f"opcode {opcode}: {attributes_of(worker, opcode)}", flush=True)
    for name in sorted(name.lower() for name in _hlo.PrimitiveType.__members__):
        name = name.replace("opaque_type", "opaque")
        if name not in ("primitive_type_invalid", "tuple") and worker.ask(f"ENTRY e {{ ROOT r = {name}[] parameter(0) }}") == "read\n":
            print("type", name)
    for name in sorted(set(operations())):
        print("operation", name)


work() if "--work" in sys.argv else main()

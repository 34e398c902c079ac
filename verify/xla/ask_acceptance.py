# SPDX-License-Identifier: Apache-2.0
"""Asks XLA whether it accepts modules, and which shape it infers for the root. Reads questions of `xla_questions acceptance`, one
JSON object a line, and writes answers for `xla_judge acceptance`:

    {"text": HLO,
     "parser": "" or its message,                 the text as it is
     "inferred": shape, or "inference": message   the text without the shape of the root, which the parser then infers
     "verifier": "" or its message,               the module as StableHLO and MHLO, verified and turned into HLO again
     "converter": message}                        if StableHLO and MHLO cannot express the module

    xla_questions acceptance acceptance_seeds.hlo 4000 | python ask_acceptance.py | xla_judge acceptance

`python ask_acceptance.py --work` is the process that calls XLA; it is restarted whenever a question ends it. What the process
said last is then the message of the stage.
"""

import json
import os
import re
import subprocess
import sys
import tempfile


def short(error):
    """Returns XLA's message in one line, without positions in the text and copies of it."""
    text = re.sub(r"\s+", " ", str(error))
    text = re.sub(r'<unknown>:0: \w+: |loc\("[^"]*"\): ', "", text)
    text = re.sub(r" (see current operation|in bytecode version|ROOT)\b.*| \} \^.*", "", text)
    text = re.sub(r"^.*was parsing [\d:]+: error: |^.*failed to infer shape for opcode: [\w-]+, error: |^[A-Z_]+: ", "", text)
    return text.strip()[:160] or "no message"


def stages(question):
    from jaxlib import _hlo, _jax

    try:
        module = _hlo.hlo_module_from_text(question["text"])
        yield {"parser": ""}
    except Exception as error:
        yield {"parser": short(error)}
        return
    try:
        printed = _hlo.hlo_module_from_text(question["bare"]).to_string()
        (root,) = re.findall(r"ENTRY .*?ROOT [^=]+ = (\(.*?\)|\S+) [\w-]+\(", printed, re.DOTALL)
        yield {"inferred": re.sub(r"\{[^}]*\}|/\*.*?\*/", "", root)}
    except Exception as error:
        if not re.search("cannot infer shape for opcode|Unknown operation for unary", str(error)):
            yield {"inference": short(error)}
    try:
        converted = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    except Exception as error:
        # A failed check of a constructor of instructions is XLA's own.
        yield {"verifier" if "RET_CHECK" in str(error) else "converter": short(error)}
        return
    try:
        _jax.mlir.mlir_module_to_xla_computation(converted)
        yield {"verifier": ""}
    except Exception as error:
        # A result that a function cannot return is not about the instruction.
        unexpressed = "'func.return' op has" in str(error)
        yield {"converter" if unexpressed else "verifier": short(error)}


def work():
    for line in sys.stdin:
        for stage in stages(json.loads(line)):
            print(json.dumps(stage), flush=True)
        print("{}", flush=True)


class Worker:
    def __init__(self):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)

    def ask(self, question):
        """Returns the answers of the stages. A stage that ends the process is the one after the last answer."""
        answer = {}
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        while line := self.process.stdout.readline():
            stage = json.loads(line)
            if not stage:
                return answer
            answer.update(stage)
        after = "parser" if not answer else "inference" if len(answer) == 1 else "verifier"
        return {**answer, after: "ends the process: " + self.last_words(), "ended": True}

    def last_words(self):
        self.process.wait()
        self.errors.seek(0)
        said = [re.sub(r"^F.*?\] ", "", text).strip() for text in self.errors if re.match(r"F\d{4} ", text)]
        return short(said[0]) if said else f"status {self.process.returncode}"


def main():
    import jaxlib

    print(json.dumps({"jaxlib": jaxlib.__version__}))
    worker = Worker()
    for line in sys.stdin:
        question = json.loads(line)
        answer = worker.ask(question)
        if answer.pop("ended", False):
            worker = Worker()
        print(json.dumps({"text": question["text"], **answer}), flush=True)


os.environ["JAX_PLATFORMS"] = "cpu"
work() if "--work" in sys.argv else main()

# SPDX-License-Identifier: Apache-2.0
"""Asks XLA which elements each result depends on. Reads questions of xla_questions, one JSON object a line, and writes
answers for xla_judge (judge.h describes the line).

    xla_questions operations 1000 | python ask_xla.py | xla_judge

XLA is that of JAX's CPU package; the first line of the answers has its version and flags. Many questions are compiled as
one module: each is a computation that the entry calls. If XLA refuses a module or ends the process, the module is halved
until the question is found; its answer is then {"refused": XLA's message}.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

FLAGS = "--xla_force_host_platform_device_count=16"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = FLAGS

import jax  # noqa: E402
import jaxlib  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from jaxlib import _hlo, _jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
DEVICES = jax.devices("cpu")
CLIENT = DEVICES[0].client
TYPES = {"pred": np.bool_, "u8": np.uint8, "s16": np.int16, "s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64,
         "f32": np.float32, "c64": np.complex64}
MOST = 10_000  # total random inputs in the encoding of changes
CHOICES = ("sort", "topk", "select-and-scatter")


def type_and_dims(shape):
    name, dims = re.fullmatch(r"(\w+)\[([\d,]*)\]", shape).groups()
    return TYPES[name], tuple(int(d) for d in dims.split(",") if d)


def size_of(dims):
    return int(np.prod(dims, dtype=np.int64))


# ---- Compiling


def module_of(questions):
    """Returns one HLO module whose entry calls the surrogate of every question."""
    lines, parameters, results = [], 0, []
    for q in questions:
        arguments = []
        for array in q["inputs"]:
            lines.append(f"  a{parameters} = {array['shape']} parameter({parameters})")
            arguments.append(f"a{parameters}")
            parameters += 1
        call = f"c{q['id']}"
        shape = f"({', '.join(q['outputs'])})" if q["tuple"] else q["outputs"][0]
        lines.append(f"  {call} = {shape} call({', '.join(arguments)}), to_apply={q['id']}")
        if not q["tuple"]:
            results.append((q["outputs"][0], call))
        for k, part in enumerate(q["outputs"] if q["tuple"] else []):
            lines.append(f"  {call}_{k} = {part} get-tuple-element({call}), index={k}")
            results.append((part, f"{call}_{k}"))
    shapes = ", ".join(shape for shape, _ in results)
    names = ", ".join(name for _, name in results)
    lines.append(f"  ROOT result = ({shapes}) tuple({names})")
    return "HloModule asked\n" + "".join(q["xla"] for q in questions) + "ENTRY main {\n" + "\n".join(lines) + "\n}\n"


def options_for(replicas, disabled=""):
    options = _jax.CompileOptions()
    options.executable_build_options.debug_options.xla_disable_hlo_passes = disabled
    options.num_replicas = replicas
    options.device_assignment = _jax.DeviceAssignment.create(np.arange(replicas, dtype=np.int32).reshape(replicas, 1))
    return options


def compile_text(text, options, replicas=1):
    return CLIENT.compile_and_load(to_stablehlo(text), _jax.DeviceList(tuple(DEVICES[:replicas])), options)


def complaint(error):
    """Returns XLA's message without the names and numbers of this module."""
    text = re.sub(r"\s+", " ", str(error))
    text = re.sub(r'loc\(.*?\): |%[\w.#]+|<unknown>:\d+: ', "", text)
    return text[:200]


def to_stablehlo(text):
    return _jax.mlir.hlo_to_stablehlo(_hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())


class Executable:
    def __init__(self, text, replicas, options):
        self.loaded = compile_text(text, options, replicas)
        self.sharding = NamedSharding(Mesh(np.array(DEVICES[:replicas]), ("replica",)), PartitionSpec())
        self.replicas = replicas

    def put(self, arrays):
        """Moves arrays to the device, except those already there."""
        new = [k for k, array in enumerate(arrays) if isinstance(array, np.ndarray)]
        result = list(arrays)
        for k, array in zip(new, jax.device_put([arrays[k] for k in new], DEVICES[0])):
            result[k] = array
        return result

    def run(self, arrays):
        """Returns the results on each replica: a list of lists of arrays. Every replica gets the same inputs."""
        if self.replicas == 1:
            return [[np.asarray(x) for x in self.loaded.execute(self.put(arrays))]]
        results = self.loaded.execute_sharded(jax.device_put(arrays, self.sharding))
        parts = results.disassemble_into_single_device_arrays()
        return [[np.asarray(part[r]) for part in parts] for r in range(self.replicas)]


# ---- Bits


def sources_of(q):
    return max((a["first"] + size_of(type_and_dims(a["shape"])[1]) for a in q["inputs"]), default=0)


def bit_inputs(q, run, fields):
    """Returns the inputs of a question; the sources of this run have a bit, all others none."""
    arrays = []
    for a in q["inputs"]:
        dtype, dims = type_and_dims(a["shape"])
        if "values" in a:
            arrays.append(np.array(a["values"], dtype).reshape(dims))
            continue
        numbers = np.arange(a["first"], a["first"] + size_of(dims), dtype=np.int64)
        a_run, bit = (numbers // 4, numbers % 4 * 16) if fields else (numbers // 64, numbers % 64)
        bits = np.where(a_run == run, np.uint64(1) << bit.astype(np.uint64), np.uint64(0))
        arrays.append(bits.reshape(dims))
    return arrays


def add_bits(sets, array, run, fields):
    """Adds the sources whose bits are set to each element's set."""
    flat = np.ascontiguousarray(array).reshape(-1)
    bits = np.unpackbits(flat.view(np.uint8).reshape(flat.size, 8), axis=1, bitorder="little")
    for element, bit in zip(*np.nonzero(bits)):
        if fields and bit % 16:
            raise ValueError("a field is more than 1")
        sets[element].add(int(run * 4 + bit // 16 if fields else run * 64 + bit))


def answer_by_bits(executable, questions):
    fields = questions[0]["way"] == "fields"
    answers = [[[set() for _ in range(size_of(type_and_dims(s)[1]))] for s in q["outputs"]] for q in questions]
    runs = max(-(-sources_of(q) // (4 if fields else 64)) for q in questions)
    for run in range(max(runs, 1)):
        inputs = [array for q in questions for array in bit_inputs(q, run, fields)]
        for results in executable.run(inputs):
            k = 0
            for q, answer in zip(questions, answers):
                for shape, sets in zip(q["outputs"], answer):
                    if results[k].shape != type_and_dims(shape)[1]:
                        raise ValueError(f"XLA's result has the shape {results[k].shape}, not {shape}")
                    add_bits(sets, results[k], run, fields)
                    k += 1
    return answers


# ---- Changes


def random_values(a, count, random, reach=100, likely=0.5):
    """Returns random values of an input's type: in [-reach, reach], or true with probability `likely`. Offsets have about the size
    of the array."""
    dtype, _ = type_and_dims(a["shape"])
    if dtype == np.bool_:
        return random.random(count) < likely
    if dtype == np.complex64:
        return (random.uniform(-1, 1, count) + 1j * random.uniform(-1, 1, count)).astype(dtype)
    if dtype == np.float32:  # infinite now and then
        values = random.uniform(-reach, reach, count).astype(dtype)
        return np.where(random.random(count) < 0.1, dtype(np.inf), values)
    info = np.iinfo(dtype)
    low, high = (-2, 2 * a["near"] + 2) if "values" in a else (-reach, reach)
    return random.integers(max(low, info.min), min(high, info.max) + 1, count).astype(dtype)


def differing(before, after):
    """Returns the positions of elements whose bits differ."""
    if before.size == 0:
        return []
    pairs = [np.ascontiguousarray(x).reshape(-1).view(np.uint8).reshape(x.size, -1) for x in (before, after)]
    return np.flatnonzero((pairs[0] != pairs[1]).any(axis=1))


def another(a, value, random):
    for _ in range(1000):
        new = random_values(a, 1, random, random.choice([1, 3, 100]))[0]
        if new != value:
            return new
    raise ValueError("no other value")


def answer_by_changes(executable, questions, settings):
    random = np.random.default_rng(settings["seed"])
    answers = [[[set() for _ in range(size_of(type_and_dims(s)[1]))] for s in q["outputs"]] for q in questions]
    arrays = [(q, a) for q in questions for a in q["inputs"]]
    where = []  # for each question its sources: place of the array, and of the element in it
    for q in questions:
        where.append([(k, e) for k, (owner, a) in enumerate(arrays) if owner is q for e in range(size_of(type_and_dims(a["shape"])[1]))])
    for q, a in arrays:
        a["near"] = q["near"]
    patience = settings["fruitless"] * (2 if any(q["kind"] in CHOICES for q in questions) else 1)
    fruitless = shown = 0
    for _ in range(MOST):
        reach, likely, base = random.choice([1, 3, 100]), random.random(), []
        for _, a in arrays:
            dtype, dims = type_and_dims(a["shape"])
            values = np.array(a["values"], dtype) if "values" in a else random_values(a, size_of(dims), random, reach, likely)
            base.append(values.reshape(dims))
        buffers = executable.put(base)
        before = executable.run(buffers)[0]
        for s in range(max(len(sources) for sources in where)):
            changed = list(buffers)
            for sources in where:
                if s < len(sources):
                    k, e = sources[s]
                    array = base[k].copy()
                    array.reshape(-1)[e] = another(arrays[k][1], array.reshape(-1)[e], random)
                    changed[k] = array
            after = executable.run(changed)[0]
            k = 0
            for sources, answer in zip(where, answers):
                for sets in answer:
                    if s < len(sources):
                        for e in differing(before[k], after[k]):
                            sets[e].add(s)
                    k += 1
        before_this, shown = shown, sum(len(sets) for answer in answers for part in answer for sets in part)
        fruitless = fruitless + 1 if shown == before_this else 0
        if fruitless == patience:
            break
    return answers


# ---- Compiled modules


def in_layout(array, order):
    """Returns an array whose row-major bytes are those of `array` in a layout, given minor to major."""
    return np.ascontiguousarray(array.transpose(order[::-1])).reshape(array.shape)


def shape_with_layout(shape, order):
    return _hlo.Shape(shape + "{" + ",".join(map(str, order)) + "}" if order else shape)


def answer_compiled(q, settings):
    """Compiles with layouts of parameters and result. The answer is about the module that XLA's compiler made."""
    options = options_for(1, settings["disable"])
    options.argument_layouts = [shape_with_layout(a["shape"], a["layout"]) for a in q["inputs"]]
    options.executable_build_options.result_layout = shape_with_layout(q["outputs"][0], q["layout"])
    text = module_of([q]).replace(f"ROOT result = ({q['outputs'][0]}) tuple(c{q['id']})", f"ROOT result = {q['outputs'][0]} copy(c{q['id']})")
    executable = Executable(text, 1, options)
    (sets,) = answer = [[set() for _ in range(size_of(type_and_dims(q["outputs"][0])[1]))]]
    for run in range(max(1, -(-sources_of(q) // 64))):
        inputs = [in_layout(x, a["layout"]) for x, a in zip(bit_inputs(q, run, False), q["inputs"])]
        add_bits(sets, executable.run(inputs)[0][0], run, False)
    return answer, executable.loaded.hlo_modules()[0].to_string()


# ---- One batch, in a separate process, because XLA may end it


def text_of(answer):
    return ["|".join(" ".join(map(str, sorted(s))) for s in sets) for sets in answer]


def answer_line(q, **more):
    kept = {key: q[key] for key in ("id", "kind", "way", "text", "offsets")}
    return {**kept, **more}


def answer_batch(questions, settings):
    """Returns the answers, or None if XLA refused a batch of several."""
    try:
        if questions[0]["way"] == "compiled":
            answer, text = answer_compiled(questions[0], settings)
            return [answer_line({**questions[0], "text": text}, answer=text_of(answer))]
        replicas = questions[0]["replicas"]
        executable = Executable(module_of(questions), replicas, options_for(replicas, settings["disable"]))
        if questions[0]["way"] == "changes":
            answers = answer_by_changes(executable, questions, settings)
        else:
            answers = answer_by_bits(executable, questions)
        return [answer_line(q, answer=text_of(answer)) for q, answer in zip(questions, answers)]
    except Exception as error:  # whatever XLA throws
        return None if len(questions) > 1 else [answer_line(questions[0], refused=complaint(error))]


def refused_at_once(q):
    """Returns XLA's error about the question or about its surrogate, or nothing."""
    try:
        to_stablehlo(q["text"])
        to_stablehlo(module_of([q]))
    except Exception as error:
        return complaint(error)


def work():
    for line in sys.stdin:
        request = json.loads(line)
        refused, asked = [], []
        for q in request["questions"]:
            why = refused_at_once(q)
            (refused if why else asked).append(answer_line(q, refused=why) if why else q)
        answers = answer_batch(asked, request["settings"]) if asked else []
        print(json.dumps(None if answers is None else refused + answers), flush=True)


# ---- All questions


class Worker:
    """A process that answers batches; it is restarted after it ends."""

    def __init__(self, settings):
        self.settings, self.process = settings, None

    def ask(self, questions):
        if self.process is None:
            self.errors = tempfile.TemporaryFile("w+")
            self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=self.errors, text=True)
        try:
            self.process.stdin.write(json.dumps({"questions": questions, "settings": self.settings}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.process = None
        if len(questions) > 1:
            return None
        self.errors.seek(0)
        said = [text for text in self.errors if re.match(r"F\d{4} ", text)]
        why = re.sub(r"^F.*?\] ", "", said[0]).strip() if said else ""
        return [answer_line(questions[0], refused=f"the process ended with status {status}: {complaint(why)}")]

    def print_answers(self, questions):
        """Halves the refused batch until the question is found."""
        answers = self.ask(questions)
        if answers is not None:
            for answer in answers:
                print(json.dumps(answer))
            return
        half = len(questions) // 2
        self.print_answers(questions[:half])
        self.print_answers(questions[half:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=60, help="questions in a module")
    parser.add_argument("--seed", type=int, default=1, help="of random inputs")
    parser.add_argument("--fruitless", type=int, default=20, help="changes: random inputs in turn that may show nothing new")
    parser.add_argument("--disable", default="", help="passes of XLA's compiler to leave out, comma-separated")
    parser.add_argument("--work", action="store_true", help="answer batches on standard input (for this program's own use)")
    arguments = parser.parse_args()
    if arguments.work:
        work()
        return
    settings = {name: getattr(arguments, name) for name in ("seed", "fruitless", "disable")}
    print(json.dumps({"jax": jax.__version__, "jaxlib": jaxlib.__version__, "XLA_FLAGS": FLAGS, **settings}))
    worker = Worker(settings)
    waiting = {}  # questions by what must be the same in a batch
    for n, line in enumerate(sys.stdin):
        q = json.loads(line)
        if "unasked" in q:
            print(json.dumps(q))
            continue
        key = (q["way"], q["replicas"], q["way"] == "changes" and q["kind"] in CHOICES)
        waiting.setdefault(key, []).append(q)
        if len(waiting[key]) == (1 if q["way"] == "compiled" else arguments.batch):
            worker.print_answers(sorted(waiting.pop(key), key=sources_of))
        if n % 100 == 99:
            print(f"\r{n + 1} questions", end="", file=sys.stderr)
    for questions in waiting.values():
        worker.print_answers(questions)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()

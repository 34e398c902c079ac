"""Writes the HLO of every program of programs.py into a folder, and of two of three StableHLO and
binary protos into the folder `forms` beside it. Called by make_dumps."""

import pathlib
import re
import sys

import jax
from jax import export
from jax._src.lib import xla_client

import programs

FOLDERS = re.compile(r'(?m)(^\d+ |source_file=)"[^"\n]*/([^"/\n]+)"')


def without_folders(text):
    """File names without the folders of this machine, in FileNames and in metadata."""
    return FOLDERS.sub(r'\1"\2"', text)


OPEN_SIZES = re.compile(r"tensor<([0-9?x]*\?[0-9?x]*x[a-z0-9]+)>")


def with_bounds(match):
    """tensor<?x6xf32>: tensor<?x6xf32, #stablehlo.bounds<8, ?>>"""
    sizes = match[1].split("x")[:-1]
    bounds = ", ".join(str(programs.MOST_ROWS) if size == "?" else "?" for size in sizes)
    return f"tensor<{match[1]}, #stablehlo.bounds<{bounds}>>"


def bounded_hlo(function, arguments):
    """The module before XLA's passes. Its CPU compiler has no PadToStatic, so there is none after them."""
    text = OPEN_SIZES.sub(with_bounds, export.export(jax.jit(function))(*arguments).mlir_module())
    to_hlo = xla_client._xla.mlir.mlir_module_to_xla_computation
    return to_hlo(text, use_tuple_args=False, return_tuple=False).as_hlo_text()


def write_forms(folder, name, lowered, compiled):
    (folder / f"{name}.mlir").write_text(lowered.as_text())
    before = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
    (folder / f"{name}.before.pb").write_bytes(before)
    (after,) = compiled.runtime_executable().hlo_modules()
    (folder / f"{name}.after.pb").write_bytes(after.as_serialized_hlo_module_proto())


def main(folder):
    folder = pathlib.Path(folder)
    forms = folder.parent / "forms"
    for one in (folder, forms):
        one.mkdir(parents=True)
    for number, (name, function, arguments) in enumerate(programs.PROGRAMS):
        lowered = jax.jit(function).lower(*arguments)
        compiled = lowered.compile()
        if number % 3 < 2:
            write_forms(forms, name, lowered, compiled)
        texts = {"before": lowered.as_text(dialect="hlo"), "after": compiled.as_text()}
        for when, text in texts.items():
            (folder / f"{name}.{when}.hlo").write_text(without_folders(text))
    for name, function, arguments in programs.BOUNDED:
        (folder / f"{name}.before.hlo").write_text(without_folders(bounded_hlo(function, arguments)))
    print(f"{len(programs.PROGRAMS) + len(programs.BOUNDED)} programs", file=sys.stderr)


main(sys.argv[1])

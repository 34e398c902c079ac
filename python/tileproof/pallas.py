# SPDX-License-Identifier: Apache-2.0
"""Checks the tiles of Pallas kernels before they run: the grid, the block shapes and the index maps
of each `pallas_call` that a function makes.

    import tileproof.pallas
    assert tileproof.pallas.check(matmul, x, y), "a block that nobody writes, or a race"

JAX traces the function and runs nothing. `tileproof grid` decides; spec/access/grid.h says what
each fact means. Source: Pallas, "Grids and BlockSpecs".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ._errors import Error
from .facts import Fact, check_grid
from .symbolic_index import Indices, Read


@dataclass(frozen=True)
class Call:
    """One `pallas_call`. It is true if and only if every fact is proven."""

    name: str
    facts: dict[str, Fact]  # inside, covered, once, races; aliases, if there are some
    grid: dict[str, Any]  # what was asked: the file of `tileproof grid`
    notes: tuple[str, ...] = ()  # operands that were left out

    def __bool__(self) -> bool:
        return all(self.facts.values())

    def __str__(self) -> str:
        lines = [f"{self.name}: grid {tuple(self.grid['grid'])}"]
        lines += [f"  {name}: {fact.why or fact.holds}" for name, fact in self.facts.items()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


@dataclass(frozen=True)
class Check:
    """The answer of `check`. It is true if and only if each call is."""

    calls: tuple[Call, ...]

    def __bool__(self) -> bool:
        return all(self.calls)

    def __str__(self) -> str:
        return "\n".join(str(call) for call in self.calls)


def check(
    function: Callable[..., Any],
    *arguments: Any,
    scalars: Sequence[tuple[int, int]] = (),
    timeout: float = 5.0,
) -> Check:
    """Checks each `pallas_call` that `function(*arguments)` makes. Arguments are arrays, or
    jax.ShapeDtypeStruct, as nothing is computed.

    `scalars` bounds the values of the scalar prefetch operands, in their order, each as (least,
    greatest). Without it they have all values of their type.

    Raises Error if there is no call, or a call has what is no map of the grid: a dynamic grid, an
    index map with floating point.
    """
    import jax

    closed = jax.make_jaxpr(function)(*arguments)
    calls = [_checked(one, scalars, timeout) for one in _calls_in(closed.jaxpr)]
    if not calls:
        raise Error("expected a function that calls pallas_call")
    return Check(tuple(calls))


def _calls_in(jaxpr: Any) -> list[dict[str, Any]]:
    """The parameters of each call, also in functions, loops and branches."""
    found = []
    for equation in jaxpr.eqns:
        if equation.primitive.name == "pallas_call":
            found.append(equation.params)
            continue
        for value in equation.params.values():
            for part in value if isinstance(value, list | tuple) else (value,):
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    found += _calls_in(inner)
    return found


def _checked(
    parameters: dict[str, Any], scalars: Sequence[tuple[int, int]], timeout: float
) -> Call:
    grid, notes = _grid(parameters, scalars)
    name = str(parameters.get("name") or getattr(parameters["jaxpr"].debug_info, "func_name", ""))
    return Call(name or "pallas_call", check_grid(grid, timeout=timeout), grid, notes)


def _grid(
    parameters: dict[str, Any], scalars: Sequence[tuple[int, int]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    mapping = parameters["grid_mapping"]
    if mapping.num_dynamic_grid_bounds:
        raise Error("expected a grid of fixed sizes, found one that is known at run time")
    sizes = [int(size) for size in mapping.grid]
    aliases = {int(i) - mapping.num_index_operands: int(o) for i, o in _aliases(parameters)}
    names = _names(mapping)
    asked, operands, notes = [], [], []
    for position, block in enumerate(mapping.block_mappings):
        if "any" in str(getattr(block.ref_aval, "memory_space", "")).lower():
            notes.append(f"{names[position]} is left out: the kernel itself moves its parts")
            continue
        index = Indices(sizes, scalars)
        results = index.evaluate(block.index_map_jaxpr)
        asked += index.reads
        operands.append(
            {
                "name": names[position],
                "kind": "in" if position < mapping.num_inputs else "out",
                "shape": [int(size) for size in block.array_aval.shape],
                "block": [_dimension(one) for one in block.block_shape],
                "index_map": index.map_text(results),
                **_alias(position, aliases, names, mapping.num_inputs),
            }
        )
    grid = {
        "grid": sizes,
        "semantics": _semantics(parameters, len(sizes)),
        "operands": operands,
        "scalars": [{"name": read.name, "bounds": list(read.bounds)} for read in _unique(asked)],
    }
    return grid, tuple(notes)


def _unique(reads: list[Read]) -> list[Read]:
    return list({read.name: read for read in reads}.values())


def _names(mapping: Any) -> list[str]:
    """The names that JAX gives to the operands, each one once."""
    names: list[str] = []
    for position, block in enumerate(mapping.block_mappings):
        name = str(block.origin) or f"operand {position}"
        names.append(name if name not in names else f"{name} ({position})")
    return names


def _aliases(parameters: dict[str, Any]) -> Any:
    aliases = parameters.get("input_output_aliases") or ()
    return aliases.items() if isinstance(aliases, dict) else aliases


def _alias(position: int, aliases: dict[int, int], names: list[str], inputs: int) -> dict[str, str]:
    return {"alias": names[inputs + aliases[position]]} if position in aliases else {}


def _dimension(block: Any) -> Any:
    """A block along a dimension. Versions of JAX keep the names of its classes, not the place."""
    kind = type(block).__name__
    if block is None or kind in ("Squeezed", "Mapped"):
        return None
    if isinstance(block, int):
        return block
    if kind == "Blocked":
        return int(block.block_size)
    if kind == "Element":
        return {"element": int(block.block_size), "padding": [int(size) for size in block.padding]}
    raise Error(f"expected a block of fixed size, found {kind}")


def _semantics(parameters: dict[str, Any], rank: int) -> list[str]:
    """A GPU runs all steps at once; a TPU one after the other, if nothing else is said."""
    compiler = parameters.get("compiler_params")
    if isinstance(compiler, dict):  # older versions: {"mosaic": {..}}
        compiler = next(iter(compiler.values()), None)
    said = (
        compiler.get("dimension_semantics")
        if isinstance(compiler, dict)
        else getattr(compiler, "dimension_semantics", None)
    )
    if said is None:
        on_gpu = "triton" in type(compiler).__module__ or "mosaic_gpu" in type(compiler).__module__
        return ["parallel" if on_gpu else "arbitrary"] * rank
    words = [str(getattr(word, "value", word)).lower() for word in said]
    return ["parallel" if "parallel" in word else "arbitrary" for word in words]

# SPDX-License-Identifier: Apache-2.0
"""HLO modules, equivalence of layouts, the program."""

import dataclasses
import os
import subprocess
import sys
import types
import urllib.request
from pathlib import Path

import pytest
from hypothesis import given, settings

import tileproof as tp
from tileproof import _program, strategies
from tileproof.equivalence import _placement

TRANSPOSE = "t = f32[16,8] transpose(f32[8,16] p), dimensions={1,0}"
GATHER = """HloModule m
ENTRY e {
  p = f32[300] parameter(0)
  i = u8[300,1] iota(), iota_dimension=0
  ROOT g = f32[300] gather(p, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1}
}
"""


def test_maps_of_instructions():
    transpose = tp.indexing(TRANSPOSE)[-1]
    assert (transpose.name, transpose.opcode, transpose.kind) == ("t", "transpose", "mapped")
    assert transpose.operands[0].maps[0](3, 5) == (5, 3)
    back = tp.HloModule(TRANSPOSE).indexing(direction="input_to_output")[-1]
    assert back.operands[0].maps[0](5, 3) == (3, 5)
    gather = tp.indexing(GATHER)[-1]
    assert gather.operands[0].runtime[0][0].instruction == "i"
    assert not gather.inexact
    with pytest.raises(tp.Error, match="output_to_input"):
        tp.indexing(GATHER, direction="sideways")


def test_what_is_conservative_says_why():
    unknown = tp.indexing('c = f32[4] custom-call(f32[4] p), custom_call_target="mine"')[-1]
    assert unknown.kind == "conservative"
    assert unknown.inexact
    assert "opaque" in unknown.reason


def test_verify_and_utilization():
    assert [i.verdict for i in tp.verify(GATHER)] == ["no data flow", "no data flow", "proven"]
    assert tp.HloModule(GATHER).verify()[-1].verdict == "proven"
    (read,) = tp.HloModule(GATHER).utilization()
    assert (read.read[0].least, read.read[0].most, read.read[0].elements) == (1, 256, 300)
    assert tp.utilization(TRANSPOSE)[0].read[0].least == 128


def test_tiles_of_operands():
    found = tp.HloModule(TRANSPOSE).tile([(4, 4), (0, 4, 2)], instruction="t")
    assert found == tp.TileReads("t", (tp.OperandTile(0, 0, ((0, 4, 2), (4, 4, 1))),))
    assert tp.tile_of(TRANSPOSE, [(0, 2), (1, 3)]).needs[0].tile == ((1, 3, 1), (0, 2, 1))
    with pytest.raises(tp.Error):
        tp.tile_of(TRANSPOSE, [(0, 17), (0, 1)])


def test_tiles_whose_offset_is_known_at_run_time():
    text = "r = f32[2] dynamic-slice(f32[8] p, s32[] i), dynamic_slice_sizes={2}"
    first, second = tp.tile_of(text, [(1, 1)]).needs
    assert first.tile == ((1, 1, 1),)
    assert first.moved == ((tp.TileOffset("i", (), 1, 0, 6),),)
    assert (second.operand, second.tile) == (1, ())


def test_what_has_no_tile_says_why():
    (read,) = tp.tile_of("r = f32[8] reshape(f32[2,4] p)", [(1, 4)]).needs
    assert (read.tile, read.why) == (None, "not all combinations of its indices")
    unread, _ = tp.tile_of("r = f32[8] pad(f32[2] p, f32[] z), padding=0_6", [(4, 2)]).needs
    assert (unread.tile, unread.why) == (None, "nothing is read")


def test_transactions():
    threads = "(th_x, bl_x) -> (bl_x, th_x), domain: th_x in [0, 7], bl_x in [0, 15]"
    found = tp.coalescing(TRANSPOSE, threads, instruction="t")
    assert (found.instruction, found.warp, found.width) == ("t", 32, 32)
    result, operand = found.arrays
    assert result == tp.Traffic("result", 128, 32, accesses=16, transactions=16, most=1)
    assert (operand.array, operand.transactions, operand.most) == ("operand 0, p", 128, 8)


def test_tables():
    pandas = pytest.importorskip("pandas")
    table = tp.indexing(GATHER).to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table["name"]) == ["p", "i", "g"]


def test_tables_have_a_row_for_each_item(monkeypatch):
    """Without pandas: what it is given."""
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=list))
    rows = tp.indexing(GATHER).to_pandas()
    assert [row["name"] for row in rows] == ["p", "i", "g"]


def test_modules_are_values():
    m = tp.HloModule(TRANSPOSE)
    assert m == tp.HloModule(TRANSPOSE)
    assert m != TRANSPOSE
    assert hash(m) == hash(tp.HloModule(TRANSPOSE))
    assert eval(repr(m), {"HloModule": tp.HloModule}) == m
    assert m._repr_html_().startswith("<pre>")
    assert str(m) == TRANSPOSE
    assert dataclasses.is_dataclass(tp.indexing(m)[-1])


ADDS = """HloModule adds
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  s = f32[4] add(p, q)
  n = f32[4] negate(s)
  ROOT t = (f32[4], f32[4]) tuple(n, s)
}
"""


def test_modules_compute_the_same_values():
    answer = tp.equivalent(ADDS, ADDS.replace("add(p, q)", "add(q, p)"))
    assert answer and [result.verdict for result in answer.results] == ["equal", "equal"]
    assert str(answer) == "result 0: equal\nresult 1: equal"


def test_modules_whose_arrays_lie_otherwise_in_memory_say_so():
    rows = """ENTRY e { q = (f32[3], f32[2,3]{1,0}) parameter(0)
  p = f32[2,3]{1,0} parameter(1)
  ROOT r = f32[2,3]{1,0} get-tuple-element(q), index=1 }"""
    answer = tp.equivalent(rows, rows.replace("{1,0}", "{0,1}"))
    assert answer.equal
    assert answer.notes == tuple(
        f"layout of {what}: {{1,0}} in LEFT, {{0,1}} in RIGHT"
        for what in ("parameter 0, array 1", "parameter 1", "result 0")
    )


def test_modules_that_differ_show_where():
    answer = tp.equivalent(ADDS, ADDS.replace("negate(s)", "negate(q)"))
    assert not answer and answer.equal is False
    first, second = answer.results
    assert second and not first and first.at == (0,) == answer.at
    assert [step.instruction for step in first.left] == ["t", "n", "s"]
    assert [step.opcode for step in first.right] == ["tuple", "negate", "parameter"]
    message = r"(?s)different at \[0\].*s\[0\] = .*: add of .*, at .*5:3"
    with pytest.raises(AssertionError, match=message):
        tp.assert_equivalent(ADDS, ADDS.replace("negate(s)", "negate(q)"))
    tp.assert_equivalent(ADDS, ADDS)


def test_laws_that_a_proof_may_use():
    half = """ENTRY e {
      p = f32[] parameter(0)
      q = f32[] parameter(1)
      c = f32[] constant(3)
      r = f32[] divide(p, c)
      ROOT s = f32[] add(r, q)
    }"""
    times = half.replace("constant(3)", "constant(0.333333343)").replace("divide", "multiply")
    assert tp.equivalent(half, times).equal is not True
    allowed = tp.equivalent(half, times, laws=["real"])
    assert allowed and allowed.results[0].laws
    with pytest.raises(tp.Error, match="expected a law"):
        tp.equivalent(half, times, laws=["rial"])


def test_a_partitioned_module():
    whole = "ENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }"
    part = "HloModule m, num_partitions=2\n" + whole.replace("[4]", "[2]")
    sharding = {
        "devices": 2,
        "mesh": {"axes": ["x"], "shape": [2]},
        "parameters": [[["x"]]],
        "results": [[["x"]]],
    }
    assert tp.equivalent(whole, part, sharding=sharding)
    wrong = tp.equivalent(whole, part.replace("negate", "cosine"), sharding=sharding)
    assert wrong.results[0].device == 0 and wrong.at == wrong.results[0].at == (0,)
    assert wrong.results[0].local == (0,)


PARTITIONED = """
import jax
import jax.numpy as jnp
import tileproof as tp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))

def f(a, unused, b):
    return a @ b, a.sum(1)

cut = NamedSharding(mesh, P(None, "x")), NamedSharding(mesh, P()), NamedSharding(mesh, P("x"))
x, w = jnp.ones((2, 8)), jnp.ones((8, 4))
lowered = jax.jit(f, in_shardings=cut).lower(x, x, w)
compiled = lowered.compile()
assert tp.equivalent(lowered, compiled)
assert tp.equivalent(jax.jit(f).lower(x, x, w), compiled)
other = tp.equivalent(jax.jit(lambda a, c, b: (a @ -b, a.sum(1))).lower(x, x, w), compiled)
assert [one.verdict for one in other.results] == ["different", "equal"]
assert other.results[0].device == 0

ring = jax.jit(jax.shard_map(lambda a: jax.lax.ppermute(a, "x", [(0, 1), (1, 2), (2, 3), (3, 0)]),
                             mesh=mesh, in_specs=P("x"), out_specs=P("x")))
assert tp.equivalent(ring, jax.jit(lambda a: jnp.roll(a, 2, 0)), args=(w,))
assert tp.equivalent(ring.lower(w), ring.lower(w).compile())
"""


def test_functions_of_jax_before_and_after_partitioning():
    pytest.importorskip("jax")
    environment = dict(os.environ, XLA_FLAGS="--xla_force_host_platform_device_count=4")
    subprocess.run([sys.executable, "-c", PARTITIONED], check=True, env=environment)


def test_functions_of_jax_before_and_after():
    jax = pytest.importorskip("jax")
    x = jax.numpy.ones((4, 8))
    assert tp.equivalent(lambda a: a + 2 * a, jax.jit(lambda a: 2 * a + a), args=(x,))
    assert not tp.equivalent(lambda a: a.T[1], lambda a: a[:, 2], args=(x,))
    lowered = jax.jit(lambda a: a.sum() * 2).lower(x)
    assert tp.equivalent(lowered, lowered.compile())
    with pytest.raises(TypeError, match="expected a function beside args"):
        tp.equivalent(ADDS, ADDS, args=(x,))


def test_texts_and_protos_of_one_program_are_equal(tmp_path):
    jax = pytest.importorskip("jax")
    jnp, lax = jax.numpy, jax.lax
    matrix = jnp.ones((3, 3))
    programs = {
        "fft": (jnp.fft.fft, jnp.ones(8)),
        "ifft": (jnp.fft.ifft, jnp.ones(8)),
        "sort": (lambda x: lax.sort(x, is_stable=True), jnp.ones(5)),
        "unstable": (lambda x: lax.sort(x, is_stable=False), jnp.ones(5)),
        "solve": (lambda x: lax.linalg.triangular_solve(x, x, lower=True), matrix),
        "upper": (lambda x: lax.linalg.triangular_solve(x, x, lower=False), matrix),
        "cholesky": (jnp.linalg.cholesky, matrix),
        "precise": (lambda x: lax.dot(x, x, precision="highest"), matrix),
        "imprecise": (lambda x: lax.dot(x, x, precision="default"), matrix),
        "halves": (lambda x: x.astype("float16") * jnp.float16(0.1), matrix),
        "complex": (lambda x: x * jnp.complex64(1 + 2j), matrix),
    }
    protos = {}
    for name, (function, argument) in programs.items():
        lowered = jax.jit(function).lower(argument)
        protos[name] = tmp_path / f"{name}.pb"
        module = lowered.compiler_ir("hlo")
        protos[name].write_bytes(module.as_serialized_hlo_module_proto())
        assert tp.equivalent(protos[name], module.as_hlo_text()), name
        assert tp.equivalent(lowered.as_text(), module.as_hlo_text()), name
    for left, right in [
        ("fft", "ifft"),
        ("sort", "unstable"),
        ("solve", "upper"),
        ("precise", "imprecise"),
    ]:
        assert not tp.equivalent(protos[left], protos[right]), left


def test_what_jax_lowers():
    class Hlo:
        def as_hlo_text(self):
            return TRANSPOSE

    class Lowered:
        def compiler_ir(self, dialect):
            assert dialect == "hlo"
            return Hlo()

    class Compiled:
        def as_text(self):
            return TRANSPOSE

    assert tp.indexing(Lowered())[-1].name == "t"
    assert tp.indexing(Compiled())[-1].name == "t"
    with pytest.raises(TypeError):
        tp.indexing(7)


def test_a_function_of_jax():
    jax = pytest.importorskip("jax")
    lowered = jax.jit(lambda x: x.T[2:5]).lower(jax.numpy.zeros((4, 8)))
    names = [i.opcode for i in tp.indexing(lowered)]
    assert "transpose" in names


@settings(max_examples=10, deadline=None)
@given(strategies.hlo_modules())
def test_random_modules_are_proven(m):
    assert all(i.verdict not in ("refuted",) for i in m.verify())


def test_equivalence_of_layouts():
    same = tp.equivalent("f16[64,96]{0,1:T(16,16)(16,1)}", "zN:f16[64,96]")
    assert same
    assert same.equal is True
    v = tp.equivalent(tp.Layout("f32[128,256]{1,0:T(8,128)}"), tp.Layout("f32[128,256]{1,0}"))
    assert not v
    assert v.equal is False
    assert v.at == (1, 0)
    assert (v.left, v.right) == (128, 256)
    assert "undecided" not in repr(v)
    with pytest.raises(tp.Error):
        tp.equivalent("f32[3]", "f32[4]")


def test_bad_modules_are_errors_with_a_place():
    with pytest.raises(tp.Error) as caught:
        tp.HloModule("t = f32[16,8] transpsoe(f32[8,16] p), dimensions={1,0}")
    assert "transpose" in str(caught.value)


def test_the_program_of_the_package():
    done = subprocess.run(
        [sys.executable, "-c", "from tileproof._program import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert tp.__version__ in done.stdout


def test_explore_serves_the_page_or_says_that_there_is_none():
    program = Path(_program.path())
    pages = ("../share/tileproof/explorer.html", "../../explorer/page/index.html")
    server = subprocess.Popen(
        [program, "explore", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout
    address = server.stdout.readline().strip()
    if any((program.parent / page).exists() for page in pages):
        with urllib.request.urlopen(address, timeout=60) as reply:
            assert b"<title>" in reply.read()
        server.terminate()
        server.communicate()
    else:
        _, errors = server.communicate()
        assert (address, errors.count("\n")) == ("", 1)
        assert "tools/explorer" in errors


def test_a_missing_program_is_named(monkeypatch):
    monkeypatch.setenv("TILEPROOF_PROGRAM", "/nowhere/tileproof")
    with pytest.raises(tp.ProgramError, match="/nowhere/tileproof"):
        tp.equivalent("f32[3]", "f32[3]")
    with pytest.raises(SystemExit, match="cannot start"):
        _program.main()


def test_placements_of_a_compiled_function(monkeypatch):
    class Sharding:
        device_set = (0, 1)

        def _to_xla_hlo_sharding(self, rank):
            return f"{{devices=[2{',1' * (rank - 1)}]<=[2]}}"

    class Array:
        shape = (4, 2)
        sharding = Sharding()

    def leaves(tree, is_leaf=None):
        return tree

    def compiled(shardings):
        array = Array()
        return types.SimpleNamespace(
            in_avals=[array] * len(shardings), input_shardings=shardings, out_info=[array]
        )

    jax = types.SimpleNamespace(tree=types.SimpleNamespace(leaves=leaves))
    monkeypatch.setitem(sys.modules, "jax", jax)
    text = "{devices=[2,1]<=[2]}"
    # An argument that the function does not use has none.
    assert _placement(compiled([Sharding(), None])) == {
        "devices": 2,
        "padded": True,
        "parameters": [text],
        "results": [text],
    }
    monkeypatch.setattr(Sharding, "device_set", (0,))
    assert _placement(compiled([Sharding()])) is None
    assert _placement("a text") is None

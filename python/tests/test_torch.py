# SPDX-License-Identifier: Apache-2.0
"""PyTorch itself: strides, and its tensors as arrays. Skipped without it."""

import numpy as np
import pytest

import tileproof as tp

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.t(),
        lambda x: x[:, ::2],
        lambda x: x[1:, 2:],
        lambda x: x.reshape(2, 2, 6).permute(2, 0, 1),
        lambda x: x[:1].expand(5, 6),
    ],
)
def test_strides_become_a_layout_and_tensors_again(make):
    x = torch.arange(24, dtype=torch.int32).reshape(4, 6)
    view = make(x)
    layout = tp.Layout.from_array(view)
    assert layout.dims == tuple(view.shape)
    # The offset of each element, from the first one of the view.
    memory = torch.arange(24, dtype=torch.int32)
    offsets = torch.as_tensor(layout.offsets()) + view.storage_offset()
    assert torch.equal(memory[offsets], view)
    # Back: PyTorch's own view of memory with these strides.
    steps = [
        layout.offset(*([0] * d + [1] + [0] * (view.dim() - d - 1))) for d in range(view.dim())
    ]
    again = torch.as_strided(memory, layout.dims, steps, view.storage_offset())
    assert torch.equal(again, view)


KINDS = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool",
         "complex128"]  # fmt: skip
NEW = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]  # NumPy has none of them


def bits(x):
    return x.view(torch.int16 if x.element_size() == 2 else torch.uint8)


@pytest.mark.parametrize("kind", [kind for kind in KINDS + NEW if hasattr(torch, kind)])
def test_tensors_are_tiled_and_untiled(kind):
    x = torch.arange(15).reshape(3, 5).to(getattr(torch, kind))
    layout = tp.Layout("f32[3,5]{1,0:T(2,2)}")
    memory = layout.tile(x)
    assert isinstance(memory, torch.Tensor) and memory.dtype == x.dtype
    same = torch.equal if kind in KINDS else lambda a, b: torch.equal(bits(a), bits(b))
    assert same(memory[torch.as_tensor(layout.offsets())], x)
    assert same(layout.untile(memory), x)
    assert same(layout.untile(tp.relayout(memory, layout, layout)), x)
    transposed = tp.Layout("f32[5,3]{0,1:T(2,2)}")
    assert same(transposed.untile(transposed.tile(x.t())), x.t())
    if kind in KINDS:
        out = torch.zeros(24, dtype=x.dtype)
        layout.tile(x, out=out.numpy())  # the same memory
        assert torch.equal(out, memory)


def test_types_of_tensors_name_elements():
    assert tp.Layout.of(torch.bfloat16, (3, 5)).text == "bf16[3,5]{1,0}"
    assert tp.Layout("f16[64,64]{1,0}").banks("ldmatrix", element_type=None).ways == 8
    assert tp.layout(torch.zeros(3, 5).t()).text == "(5,3):(1,5)"


def test_tensors_are_shared_by_dlpack():
    class Shared:  # DLPack alone
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__()

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    x = torch.arange(15, dtype=torch.float32).reshape(3, 5)
    layout = tp.Layout("f32[3,5]{1,0:T(2,2)}")
    shared = layout.tile(Shared(x))
    assert torch.equal(torch.as_tensor(shared), layout.tile(x))
    back = torch.from_dlpack(layout.untile(Shared(torch.as_tensor(layout.tile(x)))))
    assert torch.equal(back, x)


def test_offsets_at_tensors_of_indices():
    layout = tp.Layout("f32[3,5]{1,0:T(2,2)}")
    i, j = torch.tensor([0, 2]), torch.tensor([1, 3])
    assert np.asarray(layout.offset(i, j)).tolist() == [1, 17]


def test_what_has_a_gradient_is_refused():
    with pytest.raises((tp.Error, TypeError, RuntimeError)):
        tp.Layout("f32[3,5]").tile(torch.zeros(3, 5, requires_grad=True))


def test_small_integers_are_packed():
    layout = tp.Layout("s4[3,5]{1,0:T(2,2)E(4)}")
    x = torch.arange(15, dtype=torch.int8).reshape(3, 5) - 8
    packed = layout.tile(x, packed=True)
    assert packed.dtype == torch.uint8 and packed.numel() == 12
    assert torch.equal(layout.untile(packed, packed=True), x)

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


@pytest.mark.parametrize(
    "kind", ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"]
)
def test_tensors_are_tiled_and_untiled(kind):
    x = torch.arange(15).reshape(3, 5).to(getattr(torch, kind))
    layout = tp.Layout("f32[3,5]{1,0:T(2,2)}")
    memory = layout.tile(x)
    assert torch.equal(torch.as_tensor(memory)[torch.as_tensor(layout.offsets())], x)
    assert torch.equal(torch.as_tensor(layout.untile(torch.as_tensor(memory))), x)
    transposed = tp.Layout("f32[5,3]{0,1:T(2,2)}")
    assert torch.equal(torch.as_tensor(transposed.untile(transposed.tile(x.t()))), x.t())
    out = torch.zeros(24, dtype=x.dtype)
    layout.tile(x, out=out.numpy())  # the same memory
    assert torch.equal(out, torch.as_tensor(memory))


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
    assert (layout.tile(Shared(x)) == layout.tile(x)).all()
    back = torch.from_dlpack(layout.untile(Shared(torch.as_tensor(layout.tile(x)))))
    assert torch.equal(back, x)


def test_offsets_at_tensors_of_indices():
    layout = tp.Layout("f32[3,5]{1,0:T(2,2)}")
    i, j = torch.tensor([0, 2]), torch.tensor([1, 3])
    assert np.asarray(layout.offset(i, j)).tolist() == [1, 17]


def test_what_numpy_does_not_know_is_refused():
    layout = tp.Layout("bf16[3,5]{1,0:T(2,2)}")
    with pytest.raises((tp.Error, TypeError)):
        layout.tile(torch.zeros(3, 5, dtype=torch.bfloat16))
    x = torch.arange(15, dtype=torch.float32).to(torch.bfloat16).reshape(3, 5)
    memory = layout.tile(x.view(torch.int16))  # its bits
    back = torch.as_tensor(layout.untile(memory)).view(torch.bfloat16)
    assert torch.equal(back, x)
    with pytest.raises((tp.Error, TypeError, RuntimeError)):
        layout.tile(torch.zeros(3, 5, requires_grad=True))

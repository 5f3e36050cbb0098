"""Sequences of different lengths in one tensor: padded, or packed step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import _core
from ..._array.create import arange
from ..._array.device import beside
from ..._array.pick import argsort, index_select
from ..._array.shape import as_tensor, expand_dims, stack, swapaxes
from ..._core import Tensor
from .._value_checks import want_all
from ..functional._layers import pad

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

Op = Callable[..., Tensor]
_minimum: Op = _core.op_function("Minimum")
_where: Op = _core.op_function("Select")


class PackedSequence(NamedTuple):
    """Sequences step by step: `data` holds the first elements of all, then the
    second ones of those that have one, and so on; `batch_sizes` says how many each
    step has. Sequences lie longest first; `sorted_indices` says which they were."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With data of another type or on another device."""
        return self._replace(data=self.data.to(*args, **kwargs))

    def float(self) -> PackedSequence:
        """With data of type float32."""
        return self.to(_core.float32)

    def double(self) -> PackedSequence:
        """With data of type float64."""
        return self.to(_core.float64)

    def cpu(self) -> PackedSequence:
        """With data in the memory of the processor."""
        return self.to("cpu")

    @property
    def is_cuda(self) -> bool:
        """Whether data is in the memory of a GPU."""
        return bool(self.data.is_cuda)


def invert_permutation(permutation: Any) -> Any:
    """Where each index went; None of None."""
    if permutation is None:
        return None
    return _core.op_function("InvertPermutation")(as_tensor(permutation))


def pad_sequence(
    sequences: Sequence[Tensor] | Tensor,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences [length, ...] side by side, as [longest, batch, ...] with a value
    behind (or before) those that are shorter; batch_first: [batch, longest, ...]."""
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side is {padding_side!r}; wanted left or right")
    parts = [as_tensor(s) for s in sequences]
    if not parts:
        raise ValueError("pad_sequence(): no sequences; wanted one or more")
    if any(p.ndim == 0 for p in parts):
        raise ValueError("pad_sequence(): a sequence has no axes; wanted 1 or more")
    longest = parts[0].shape[0]
    for part in parts[1:]:
        longest = max(longest, part.shape[0])
    made = []
    for part in parts:
        missing = longest - part.shape[0]
        widths = [missing, 0] if padding_side == "left" else [0, missing]
        made.append(pad(part, [0, 0] * (part.ndim - 1) + widths, value=padding_value))
    return stack(made, 0 if batch_first else 1)


def _lengths(lengths: Any) -> Tensor:
    found = as_tensor(lengths)
    if found.ndim != 1 or found.dtype.is_floating_point:
        raise ValueError(
            f"lengths are {found.dtype.name} with {found.ndim} axes; wanted a vector "
            "of integers"
        )
    return found.to(_core.int64)


def unpad_sequence(
    padded_sequences: Any, lengths: Any, batch_first: bool = False
) -> list[Tensor]:
    """The sequences that pad_sequence made one tensor of."""
    x, ends = as_tensor(padded_sequences), _lengths(lengths)
    x = x if batch_first else swapaxes(x, 0, 1)
    steps = x.shape[1]
    want_all(
        (ends >= 0) & (ends <= steps),
        "unpad_sequence(): a length is not one of 0 to the number of steps",
    )
    if not ends.symbolic:
        return [part[:end] for part, end in zip(x.unbind(0), ends.tolist())]
    pairs = zip(x.unbind(0), ends.unbind(0))
    return [index_select(part, 0, arange(end)) for part, end in pairs]


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences [steps, batch, ...] of these lengths without the padding.

    They lie longest first already, unless enforce_sorted=False.
    """
    x, ends = as_tensor(input), _lengths(lengths)
    if x.ndim < 2:
        raise ValueError(f"input has {x.ndim} axes; wanted [steps, batch, ...]")
    x = swapaxes(x, 0, 1) if batch_first else x
    steps, batch = x.shape[0], x.shape[1]
    if ends.shape[0] != batch:
        raise ValueError(
            f"there are {int(ends.shape[0])} lengths for {int(batch)} sequences"
        )
    want_all(
        (ends > 0) & (ends <= steps),
        "pack_padded_sequence(): a length is not one of 1 to the number of steps",
    )
    order = back = None
    if enforce_sorted:
        want_all(
            ends[1:] <= ends[:-1],
            "pack_padded_sequence(): lengths are not in falling order; wanted them so, "
            "or enforce_sorted=False",
        )
    else:
        order = argsort(ends, 0, descending=True)
        back = invert_permutation(order)
        ends = index_select(ends, 0, order)
        x = index_select(x, 1, beside(x, order))
    there = expand_dims(arange(steps), 1) < expand_dims(ends, 0)
    sizes = there.to(_core.int64).sum(1)
    most = ends.max()
    used = index_select(sizes, 0, arange(most if most.symbolic else int(most)))
    data = x[beside(x, there)]
    if order is not None:
        order, back = beside(x, order), beside(x, back)
    return PackedSequence(data, used, order, back)


def pack_sequence(
    sequences: Sequence[Tensor], enforce_sorted: bool = True
) -> PackedSequence:
    """Sequences [length, ...] packed; longest first, unless enforce_sorted=False."""
    lengths = stack([as_tensor(s.shape[0]) for s in sequences])
    return pack_padded_sequence(
        pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted
    )


def _up_to(sizes: Tensor, total: int) -> Tensor:
    """Batch sizes with zeros behind them until there are so many."""
    steps = as_tensor(sizes.shape[0])
    want_all(
        steps <= total,
        f"pad_packed_sequence(): total_length is {total}; wanted the steps of the "
        "longest sequence or more",
    )
    at = arange(total)
    return _where(at < steps, sizes[_minimum(at, steps - 1)], as_tensor(0))


def padded_sorted(
    sequence: PackedSequence, value: Any = 0.0, total: int | None = None
) -> tuple[Tensor, Tensor]:
    """[steps, batch, ...] and lengths of what was packed, longest first."""
    data, sizes = sequence.data, sequence.batch_sizes
    if total is not None:
        sizes = _up_to(sizes, total)
    if sequence.sorted_indices is not None:
        batch = sequence.sorted_indices.shape[0]
    else:
        batch = sizes[0] if sizes.symbolic else int(sizes[0])
    there = expand_dims(arange(batch), 0) < expand_dims(sizes, 1)
    first = expand_dims(sizes.cumsum(0) - sizes, 1)
    places = first + expand_dims(arange(batch), 0)
    places = _where(there, places, as_tensor(0))
    rows = beside(data, places)
    x = data[rows]
    mask = beside(data, there)
    for _ in range(data.ndim - 1):
        mask = expand_dims(mask, -1)
    filler = beside(data, as_tensor(value).to(data.dtype))
    return _where(mask, x, filler), there.to(_core.int64).sum(0)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Packed sequences as [steps, batch, ...] in their first order, and lengths.

    total_length: how many steps, of which each sequence may have fewer.
    """
    x, lengths = padded_sorted(sequence, padding_value, total_length)
    back = sequence.unsorted_indices
    if back is not None:
        x = index_select(x, 1, back)
        lengths = index_select(lengths, 0, back.to("cpu") if back.is_cuda else back)
    return (swapaxes(x, 0, 1) if batch_first else x), lengths


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that pack_sequence packed."""
    x, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(x, lengths, batch_first=True)

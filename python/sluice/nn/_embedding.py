"""Tables of rows by number."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter, new_parameter

__all__ = [
    "Embedding",
    "EmbeddingBag",
]


def _unsupported(scale_grad_by_freq: bool) -> None:
    if scale_grad_by_freq:
        raise NotImplementedError("scale_grad_by_freq=True is not supported")


def _table(
    rows: int, size: int, weight: Any, freeze: bool, device: Any, dtype: Any
) -> Parameter:
    if weight is None:
        return new_parameter((rows, size), device, dtype)
    table = weight if isinstance(weight, Parameter) else Parameter(weight, not freeze)
    if table.shape != (rows, size):
        raise ValueError(
            f"the weight is {list(table.shape or ())}; wanted {[rows, size]}"
        )
    return table


def _row(padding_idx: int, rows: int) -> int:
    if not -rows <= padding_idx < rows:
        raise ValueError(f"padding_idx is {padding_idx}; wanted a row of {rows}")
    return padding_idx % rows


def _begin_again(table: Tensor, padding_idx: int | None) -> None:
    init.normal_(table)
    if padding_idx is not None:
        _core.nn_zero_row(table, padding_idx)


class Embedding(Module):
    """Rows of a table [num_embeddings, embedding_dim] by their numbers.

    The row padding_idx is zeros at first and has no gradient. With sparse=True
    gradients hold only the rows that were used.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _unsupported(scale_grad_by_freq)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            padding_idx = _row(padding_idx, num_embeddings)
        self.padding_idx, self.sparse = padding_idx, sparse
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = _table(
            num_embeddings, embedding_dim, _weight, _freeze, device, dtype
        )
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: a normal distribution, the row of padding zeros."""
        _begin_again(self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A layer with this table, which does not learn unless freeze=False."""
        table = Parameter(embeddings, not freeze)
        if len(table.shape or ()) != 2:
            raise ValueError(f"embeddings are {table.shape}; wanted a matrix")
        rows, size = table.shape
        return cls(
            rows,
            size,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=table,
        )

    def forward(self, input: Any) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            sparse=self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        return text + (", sparse=True" if self.sparse else "")


class EmbeddingBag(Module):
    """Sums, means or maxima of rows of a table: of every row of a matrix of numbers,
    or of a vector from one offset to the next."""

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _unsupported(scale_grad_by_freq)
        if mode not in ("mean", "sum", "max"):
            raise ValueError(f"mode is {mode!r}; wanted mean, sum or max")
        if padding_idx is not None:
            padding_idx = _row(padding_idx, num_embeddings)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.mode, self.sparse = mode, sparse
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.include_last_offset, self.padding_idx = include_last_offset, padding_idx
        self.weight = _table(
            num_embeddings, embedding_dim, _weight, False, device, dtype
        )
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: a normal distribution, the row of padding zeros."""
        _begin_again(self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A layer with this table, which does not learn unless freeze=False."""
        table = Parameter(embeddings, not freeze)
        if len(table.shape or ()) != 2:
            raise ValueError(f"embeddings are {table.shape}; wanted a matrix")
        rows, size = table.shape
        return cls(
            rows, size, max_norm, norm_type, scale_grad_by_freq, mode, sparse,
            table, include_last_offset, padding_idx,
        )  # fmt: skip

    def forward(
        self, input: Any, offsets: Any = None, per_sample_weights: Any = None
    ) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            mode=self.mode,
            sparse=self.sparse,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text

"""Normalizes results that have several correct values, so that they are comparable.

Vectors of a decomposition are right with either sign: their absolute values are
compared. Equal elements may be put in order either way: their indices are not.
"""

from __future__ import annotations

from typing import Any


def _svd(made: Any) -> Any:
    u, s, vh = made
    k = s.shape[-1]
    return [abs(u[..., :, :k]), s, abs(vh[..., :k, :])]


def _old_svd(made: Any) -> Any:
    u, s, v = made
    k = s.shape[-1]
    return [abs(u[..., :, :k]), s, abs(v[..., :, :k])]


def _qr(made: Any) -> Any:
    q, r = made
    if q.ndim == 1:  # mode="r": nothing
        return [q, abs(r)]
    k = min(r.shape[-2], r.shape[-1])
    return [abs(q[..., :, :k]), abs(r)]


def _eigh(made: Any) -> Any:
    values, vectors = made
    return [values, abs(vectors)]


def _eig(made: Any) -> Any:
    """In an order of our own: by the values' parts."""
    values, vectors = made
    return [_by_parts(values), abs(vectors).sum((-2, -1))]


def _by_parts(values: Any) -> Any:
    """Sums that do not depend on the order."""
    return [values.sum(-1), (values * values).sum(-1), abs(values).sort(-1)[0]]


def _values(made: Any) -> Any:
    """Of equal elements either may come first: where they are is free."""
    return [made[0]]


def _order(made: Any) -> Any:
    flat = made.reshape(-1)
    return flat.sort()[0]


_SETTLE = {
    "sort": _values,
    "topk": _values,
    "kthvalue": _values,
    "mode": _values,
    "argsort": _order,
    "linalg.svd": _svd,
    "svd": _old_svd,
    "svd_lowrank": _old_svd,
    "pca_lowrank": _old_svd,
    "linalg.qr": _qr,
    "qr": _qr,
    "linalg.eigh": _eigh,
    "linalg.eig": _eig,
    "linalg.eigvals": _by_parts,
}


def settled(name: str, made: Any) -> Any:
    """The result of an operator, of either side, without what is free in it."""
    return _SETTLE[name](made) if name in _SETTLE else made

"""Functions that turn draws of one distribution into those of another, by the names
of torch.distributions.transforms."""

from __future__ import annotations

import math
from typing import Any

from .. import _ops
from .._array.layers import softmax
from .._array.shape import as_tensor
from .._core import Tensor
from ._base import Distribution, sum_last

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ComposeTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
]


class Transform:
    """y = t(x), its inverse t.inv(y), and the logarithm of |dy / dx|."""

    bijective = True
    sign: Any = 1
    event_dim = 0

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size

    def __call__(self, x: Any) -> Tensor:
        return self._call(as_tensor(x))

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no inverse")

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log |dy / dx|, of a whole event."""
        raise NotImplementedError(f"{type(self).__name__} has no Jacobian")

    @property
    def inv(self) -> Transform:
        """The inverse."""
        return _Inverse(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _Inverse(Transform):
    def __init__(self, of: Transform) -> None:
        super().__init__()
        self._of, self.event_dim = of, of.event_dim
        self.bijective, self.sign = of.bijective, of.sign

    def _call(self, x: Tensor) -> Tensor:
        return self._of._inverse(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._of._call(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log |dy / dx|, of a whole event."""
        return -self._of.log_abs_det_jacobian(y, x)

    @property
    def inv(self) -> Transform:
        """The transform this is the inverse of."""
        return self._of


class AffineTransform(Transform):
    """loc + scale x."""

    def __init__(
        self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    @property
    def sign(self) -> Any:  # type: ignore[override]
        """The sign of the slope."""
        return _ops.sign(as_tensor(self.scale))

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + x * self.scale

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log |scale| for every element of an event."""
        size = _ops.log(_ops.abs(as_tensor(self.scale) + 0.0))
        return sum_last(_ops.broadcast_to(size, as_tensor(x).shape), self.event_dim)


class ExpTransform(Transform):
    """e^x."""

    def _call(self, x: Tensor) -> Tensor:
        return _ops.exp(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return _ops.log(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """x."""
        return as_tensor(x)


class PowerTransform(Transform):
    """x to a power, for positive x."""

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = as_tensor(exponent)

    def _call(self, x: Tensor) -> Tensor:
        return x**self.exponent

    def _inverse(self, y: Tensor) -> Tensor:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log |exponent y / x|."""
        return _ops.log(_ops.abs(self.exponent * as_tensor(y) / as_tensor(x)))


class SigmoidTransform(Transform):
    """1 / (1 + e^-x)."""

    def _call(self, x: Tensor) -> Tensor:
        return _ops.sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return _ops.log(y) - _ops.log1p(-y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log of y (1 - y)."""
        x = as_tensor(x)
        return -_ops.abs(x) - 2 * _ops.log1p(_ops.exp(-_ops.abs(x)))


class SoftplusTransform(Transform):
    """log(1 + e^x)."""

    def _call(self, x: Tensor) -> Tensor:
        return _ops.maximum(x, 0.0) + _ops.log1p(_ops.exp(-_ops.abs(x)))

    def _inverse(self, y: Tensor) -> Tensor:
        return y + _ops.log(-_ops.expm1(-y))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log of the sigmoid of x."""
        return -self._call(-as_tensor(x))


class TanhTransform(Transform):
    """The hyperbolic tangent."""

    def _call(self, x: Tensor) -> Tensor:
        return _ops.tanh(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return _ops.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log(1 - y^2), from x."""
        x = as_tensor(x)
        fade = SoftplusTransform()(-2 * x)
        return 2 * (math.log(2) - x - fade)


class AbsTransform(Transform):
    """|x|, of which both signs may come."""

    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        return _ops.abs(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class SoftmaxTransform(Transform):
    """Shares along the last axis."""

    bijective = False
    event_dim = 1

    def _call(self, x: Tensor) -> Tensor:
        return softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return _ops.log(y)


class ComposeTransform(Transform):
    """Several, one after the other."""

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = list(parts)
        self.event_dim = max((t.event_dim for t in self.parts), default=0)
        self.bijective = all(t.bijective for t in self.parts)

    @property
    def sign(self) -> Any:  # type: ignore[override]
        """The sign of the slope."""
        made: Any = 1
        for t in self.parts:
            made = made * t.sign
        return made

    def _call(self, x: Tensor) -> Tensor:
        for t in self.parts:
            x = t(x)
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        for t in reversed(self.parts):
            y = t._inverse(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """The sum of those of all."""
        x = as_tensor(x)
        total: Any = sum_last(_ops.zeros_like(x), self.event_dim)
        for t in self.parts:
            next_x = t(x)
            found = t.log_abs_det_jacobian(x, next_x)
            total = total + sum_last(found, self.event_dim - t.event_dim)
            x = next_x
        made: Tensor = total
        return made


class TransformedDistribution(Distribution):
    """What transforms make of the draws of a distribution."""

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Any,
        validate_args: Any = None,
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        self.base_dist, self.transforms = base_distribution, list(transforms)
        deepest = max((t.event_dim for t in self.transforms), default=0)
        base = base_distribution
        whole = (*base.batch_shape, *base.event_shape)
        event = max(len(base.event_shape), deepest)
        cut = len(whole) - event
        super().__init__(whole[:cut], whole[cut:], validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether rsample has gradients."""
        return self.base_dist.has_rsample

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        x = self.base_dist.sample(sample_shape)
        for t in self.transforms:
            x = t(x)
        return x.detach()

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        x = self.base_dist.rsample(sample_shape)
        for t in self.transforms:
            x = t(x)
        return x

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        y = as_tensor(value)
        event = len(self.event_shape)
        total: Any = 0.0
        for t in reversed(self.transforms):
            if not t.bijective:
                raise NotImplementedError(
                    f"TransformedDistribution: {t} has no inverse; wanted one for "
                    "log_prob()"
                )
            x = t._inverse(y)
            found = t.log_abs_det_jacobian(x, y)
            total = total - sum_last(found, event - t.event_dim)
            y = x
        base = self.base_dist
        inner = sum_last(base.log_prob(y), event - len(base.event_shape))
        made: Tensor = total + inner
        return made

    def _flipped(self) -> Any:
        sign: Any = 1
        for t in self.transforms:
            sign = sign * t.sign
        return sign

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        y = as_tensor(value)
        for t in reversed(self.transforms):
            y = t._inverse(y)
        made = self.base_dist.cdf(y)
        return self._flipped() * (made - 0.5) + 0.5

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        x = self.base_dist.icdf(self._flipped() * (as_tensor(value) - 0.5) + 0.5)
        for t in self.transforms:
            x = t(x)
        return x

"""kl_divergence: how far one distribution is from another."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _ops
from .._core import Tensor
from . import _continuous as r, _discrete as d, _multivariate as m, _positive as pos
from ._base import Distribution, Independent, sum_last
from ._discrete import _Classes

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Tensor]
_rules: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """A decorator for the function of p and q that kl_divergence calls for these
    classes and what derives from them."""

    def register(rule: Rule) -> Rule:
        _rules[type_p, type_q] = rule
        return rule

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean, over draws of p, of log p - log q."""
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            rule = _rules.get((a, b))
            if rule is not None:
                return rule(p, q)
    raise NotImplementedError(
        f"kl_divergence(): of {type(p).__name__} from {type(q).__name__}; wanted "
        "register_kl for these, or the mean of p.log_prob(x) - q.log_prob(x) over draws"
    )


@register_kl(r.Normal, r.Normal)
def _normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    far = ((p.loc - q.loc) / q.scale) ** 2
    return (ratio + far - 1 - _ops.log(ratio)) / 2


@register_kl(r.Laplace, r.Laplace)
def _laplace(p: Any, q: Any) -> Tensor:
    ratio, far = p.scale / q.scale, _ops.abs(p.loc - q.loc)
    near = ratio * _ops.exp(-far / p.scale)
    return -_ops.log(ratio) + far / q.scale + near - 1


@register_kl(r.Gumbel, r.Gumbel)
def _gumbel(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    u, v = p.loc / q.scale, q.loc / q.scale
    tail = _ops.exp(v - u + _ops.lgamma(1 + ratio)) - 1
    return -_ops.log(ratio) - v + u + ratio * r._EULER + tail - r._EULER


@register_kl(r.HalfNormal, r.HalfNormal)
def _half_normal(p: Any, q: Any) -> Tensor:
    return _normal(p._base, q._base)


@register_kl(r.Uniform, r.Uniform)
def _uniform(p: Any, q: Any) -> Tensor:
    made = _ops.log((q.high - q.low) / (p.high - p.low))
    outside = _ops.logical_or(q.low > p.low, q.high < p.high)
    return _ops.where(outside, math.inf, made)


@register_kl(pos.Exponential, pos.Exponential)
def _exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - 1 - _ops.log(ratio)


@register_kl(pos.Gamma, pos.Gamma)
def _gamma(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    return (b * _ops.log(p.rate / q.rate) + _ops.lgamma(b) - _ops.lgamma(a)
            + (a - b) * _ops.digamma(a)
            + (q.rate - p.rate) * (a / p.rate))  # fmt: skip


@register_kl(pos.Beta, pos.Beta)
def _beta(p: Any, q: Any) -> Tensor:
    digamma = _ops.digamma
    return (q._log_norm() - p._log_norm()
            + (p.concentration1 - q.concentration1) * digamma(p.concentration1)
            + (p.concentration0 - q.concentration0) * digamma(p.concentration0)
            + (q._total() - p._total()) * digamma(p._total()))  # fmt: skip


@register_kl(m.Dirichlet, m.Dirichlet)
def _dirichlet(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    rise = _ops.digamma(a) - _ops.digamma(p._total(True))
    logs = _ops.sum(_ops.lgamma(b) - _ops.lgamma(a), (-1,))
    return (_ops.lgamma(p._total()) - _ops.lgamma(q._total()) + logs
            + _ops.sum((a - b) * rise, (-1,)))  # fmt: skip


@register_kl(m.MultivariateNormal, m.MultivariateNormal)
def _vectors(p: Any, q: Any) -> Tensor:
    def solved(x: Tensor) -> Tensor:
        tril = _ops.broadcast_to(q.scale_tril,
                                 (*x.shape[:-2], *q.scale_tril.shape[-2:]))
        return _ops.triangular_solve(tril, x, left=True, lower=True,
                                     unit_diagonal=False)  # fmt: skip

    spread = _ops.sum(solved(p.scale_tril) ** 2, (-2, -1))
    off = _ops.sum(solved((p.loc - q.loc)[..., None]) ** 2, (-2, -1))
    n = int(p.event_shape[0])
    return q._half_log_det() - p._half_log_det() + (spread + off - n) / 2


@register_kl(d.Bernoulli, d.Bernoulli)
def _bernoulli(p: Any, q: Any) -> Tensor:
    yes, no = q._log_chances()
    made = -(p.probs * yes + (1 - p.probs) * no)
    return made - p.entropy()


@register_kl(d.Binomial, d.Binomial)
def _binomial(p: Any, q: Any) -> Tensor:
    made = p.total_count * (p.probs * (p.logits - q.logits)
                            + _ops.log1p(-p.probs) - _ops.log1p(-q.probs))  # fmt: skip
    return _ops.where(p.total_count > q.total_count, math.inf, made)


@register_kl(d.Geometric, d.Geometric)
def _geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - _ops.log1p(-q.probs) / p.probs - q.logits


@register_kl(d.Poisson, d.Poisson)
def _poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (_ops.log(p.rate) - _ops.log(q.rate)) - (p.rate - q.rate)


@register_kl(_Classes, _Classes)
def _classes(p: Any, q: Any) -> Tensor:
    if isinstance(p, d.Multinomial) or isinstance(q, d.Multinomial):
        raise NotImplementedError("kl_divergence(): of Multinomial; wanted Categorical")
    parts = p.probs * (p.logits - q.logits)
    parts = _ops.where(_ops.equal(q.probs, 0), math.inf, parts)
    return _ops.sum(_ops.where(_ops.equal(p.probs, 0), 0.0, parts), (-1,))


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError(
            f"kl_divergence(): {p.reinterpreted_batch_ndims} and "
            f"{q.reinterpreted_batch_ndims} axes of an event; wanted as many"
        )
    return sum_last(kl_divergence(p.base_dist, q.base_dist),
                    p.reinterpreted_batch_ndims)  # fmt: skip

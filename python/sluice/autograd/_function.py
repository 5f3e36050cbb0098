"""autograd.Function: an op of the user's own, with its backward."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._flat import Held, called, carries_gradient, is_array, to_tensor, zeros_like

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What `forward` leaves for `backward`; any attribute may be set on it."""

    def __init__(self) -> None:
        self._saved: list[Any] = []
        self._versions: list[int | None] = []
        self._still: list[Any] = []
        self.needs_input_grad: tuple[bool, ...] = ()
        self.materialize_grads = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors (or None) for `saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, _core.Tensor):
                raise TypeError(
                    f"save_for_backward: got a {type(t).__name__}; wanted tensors "
                    "(other things are kept as attributes of ctx)"
                )
        self._saved = list(tensors)
        self._versions = [None if t is None else t._version for t in tensors]

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward was given.

        A tensor that was written in place since is an error, as for the library's own
        operators.
        """
        for i, (t, version) in enumerate(zip(self._saved, self._versions)):
            if t is not None and t._version != version:
                raise RuntimeError(
                    f"saved_tensors: tensor {i} is needed for the gradient, but was "
                    "overwritten in place; wanted it as it was at save_for_backward(): "
                    "write out of place, or to a clone()"
                )
        return tuple(self._saved)

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """Says that these results of `forward` have no gradient."""
        self._still = list(outputs)

    def set_materialize_grads(self, value: bool) -> None:
        """False: `backward` gets None, not zeros, where nothing flows in."""
        self.materialize_grads = bool(value)

    def mark_dirty(self, *tensors: Any) -> None:
        """Not supported: results are tensors of their own."""
        raise NotImplementedError(
            "mark_dirty: a Function cannot write over its inputs; wanted new results"
        )


class Function:
    """An op with a gradient of its own.

        class Exp(sl.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = sl.exp(x)
                ctx.save_for_backward(y)
                return y

            @staticmethod
            def backward(ctx, dy):
                (y,) = ctx.saved_tensors
                return dy * y

        y = Exp.apply(x)

    `backward` returns one gradient, or None, for each argument of `forward`. It may
    be differentiated itself as far as it uses inputs and results.
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """The result, a tensor or a tuple of them."""
        raise NotImplementedError("a Function needs a static method forward")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients of the arguments from those of the results."""
        raise NotImplementedError("a Function needs a static method backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Calls `forward`, recorded."""
        return _Call(cls, args).run()


def once_differentiable(backward: Any) -> Any:
    """For a `backward` whose own gradient must not be asked for."""

    def alone(ctx: Any, *grads: Any) -> Any:
        with _no_grad():
            return called(backward)(ctx, *grads)

    return alone


def _no_grad() -> Any:
    from .._autograd import no_grad

    return no_grad()


class _Call:
    """One call of a Function."""

    def __init__(self, cls: type[Function], args: tuple[Any, ...]) -> None:
        self.cls = cls
        self.args = list(args)
        self.places = [i for i, arg in enumerate(args) if is_array(arg)]
        for i in self.places:
            self.args[i] = to_tensor(self.args[i])
        self.ctx = FunctionCtx()
        self.single = True
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.autocast: Any = None  # the type of mixed precision around the call
        self.held: Any = None  # of a call in a graph: those, and what is in ctx

    def run(self) -> Any:
        tensors = [self.args[i] for i in self.places]
        if not tensors:
            raise TypeError(f"{self.cls.__name__}.apply: no argument is a tensor")
        self.ctx.needs_input_grad = tuple(
            i in self.places
            and carries_gradient(arg)
            and (arg._deferred or arg._tracked)
            for i, arg in enumerate(self.args)
        )
        results = _core.custom_gradient(self.forward, self.backward, tensors)
        results = [
            r.detach() if self._is_still(made) else r
            for r, made in zip(results, self.outputs)
        ]
        for i in self.places:
            self.args[i] = None  # those that gradients are asked for are told then
        if any(r.symbolic for r in results):
            self._hold()
        return results[0] if self.single else tuple(results)

    def _hold(self) -> None:
        """The graph keeps this call: what it has of the graph must not keep that."""
        self.held = Held((self.inputs, self.outputs, vars(self.ctx)))
        self.inputs, self.outputs = [], []
        vars(self.ctx).clear()

    def _take(self) -> None:
        self.inputs, self.outputs, attributes = self.held.get()
        vars(self.ctx).update(attributes)

    def _is_still(self, made: Any) -> bool:
        return any(_core.same_tensor(made, t) for t in self.ctx._still)

    def _forward(self, ctx: FunctionCtx, tensors: list[Any]) -> list[Any]:
        args = list(self.args)
        for i, tensor in zip(self.places, tensors):
            args[i] = tensor
        setup = getattr(self.cls, "setup_context", None)
        if setup is None:
            out = called(self.cls.forward)(ctx, *args)
        else:
            out = called(self.cls.forward)(*args)
            called(setup)(ctx, tuple(args), out)
        self.single = not isinstance(out, (tuple, list))
        outputs = [out] if self.single else list(out)
        for value in outputs:
            if not isinstance(value, _core.Tensor):
                raise TypeError(
                    f"{self.cls.__name__}.forward returned a {type(value).__name__}; "
                    "wanted a tensor, or a tuple of tensors"
                )
        return outputs

    def forward(self, tensors: list[Any]) -> list[Any]:
        self.inputs = tensors
        self.autocast = _core.exchange_autocast(None)
        _core.exchange_autocast(self.autocast)
        self.outputs = self._forward(self.ctx, tensors)
        return self.outputs

    def _place(self, tensor: Any, among: list[Any]) -> int:
        for i, other in enumerate(among):
            if _core.same_tensor(tensor, other):
                return i
        return -1

    def _restore(self, xs: list[Any], ys: list[Any]) -> None:
        """Saved inputs and results as gradients know them."""
        saved = self.ctx._saved
        for i, tensor in enumerate(saved):
            if tensor is None:
                continue
            if (place := self._place(tensor, self.inputs)) >= 0:
                saved[i] = xs[place]
            elif (place := self._place(tensor, self.outputs)) >= 0:
                saved[i] = ys[place]
        self.inputs, self.outputs = xs, ys

    def _known(self, tensor: Any) -> bool:
        return (
            tensor is None
            or self._place(tensor, self.inputs) >= 0
            or self._place(tensor, self.outputs) >= 0
        )

    def backward(self, xs: list[Any], ys: list[Any], gs: list[Any]) -> list[Any]:
        if self.held is None:
            return self._backward(xs, ys, gs)
        self._take()
        try:
            return self._backward(xs, ys, gs)
        finally:
            self._hold()

    def _backward(self, xs: list[Any], ys: list[Any], gs: list[Any]) -> list[Any]:
        ctx = self.ctx
        if ctx.materialize_grads:
            gs = [zeros_like(y) if g is None else g for g, y in zip(gs, ys)]
        in_graph = any(x.symbolic for x in xs)
        if in_graph and not all(self._known(t) for t in ctx._saved):
            # What else was saved may belong to another part of the graph.
            fresh = FunctionCtx()
            fresh.needs_input_grad = ctx.needs_input_grad
            now = _core.exchange_autocast(self.autocast)
            try:
                self._forward(fresh, xs)
            finally:
                _core.exchange_autocast(now)
            ctx = fresh
        else:
            before = self.inputs, self.outputs, list(ctx._saved)
            self._restore(xs, ys)
        try:
            found = called(self.cls.backward)(ctx, *gs)
        finally:
            if ctx is self.ctx:
                self.inputs, self.outputs, ctx._saved = before
        if not isinstance(found, (tuple, list)):
            found = (found,)
        if len(found) != len(self.args):
            raise RuntimeError(
                f"{self.cls.__name__}.backward returned {len(found)} gradients; "
                f"wanted {len(self.args)}, one for each argument of forward"
            )
        for i, g in enumerate(found):
            if g is not None and i not in self.places:
                raise RuntimeError(
                    f"{self.cls.__name__}.backward returned a gradient for argument "
                    f"{i}, which is no tensor; wanted None"
                )
        return [
            None if found[i] is None else _as_of(to_tensor(found[i]), x)
            for i, x in zip(self.places, xs)
        ]


def _as_of(gradient: Any, x: Any) -> Any:
    """A gradient in the type of its input: backward may compute in another."""
    floats = gradient.dtype.is_floating_point and x.dtype.is_floating_point
    if not floats or gradient.dtype == x.dtype:
        return gradient
    return _core.op_function("Cast")(gradient, dtype=x.dtype)

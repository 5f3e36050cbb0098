"""Parameter: a tensor that a module learns."""

from __future__ import annotations

from typing import Any, cast

from .. import _core
from .._array.axes import whole
from .._array.device import check_device
from .._core import Tensor
from .._recorded import refuse


class Parameter(Tensor):
    """A tensor that is a parameter of the module it is assigned to.

    It shares the elements of `data` and requires gradients unless told not to.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = _core.nn_zeros([0], _core.default_float())
        if isinstance(data, Tensor) and data.symbolic and _core.recorder() is not None:
            refuse(
                f"{cls.__name__}() of a tensor that the function computes",
                "wanted parameters made outside of the function, and written by "
                "copy_() under no_grad",
            )
        return cast(Parameter, _core.nn_parameter(cls, data, requires_grad))

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), _core.nn_detached(self), self.requires_grad)

    def __reduce_ex__(self, protocol: Any = 2) -> Any:
        return self.__reduce__()

    def __copy__(self) -> Parameter:
        """One with elements of its own, as copies of tensors have."""
        made: Parameter = self.__deepcopy__({})
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            data = _core.nn_converted(self, self.dtype, copy=True)
            memo[id(self)] = type(self)(data, self.requires_grad)
        made: Parameter = memo[id(self)]
        return made


_core.close_attributes(Parameter)


def _rebuild(cls: type[Parameter], data: Tensor, requires_grad: bool) -> Parameter:
    return cls(data, requires_grad)


def new_parameter(
    shape: tuple[int, ...], device: Any = None, dtype: Any = None
) -> Parameter:
    """A parameter of zeros, for a layer to fill."""
    return Parameter(new_tensor(shape, device, dtype))


def new_tensor(shape: tuple[int, ...], device: Any = None, dtype: Any = None) -> Tensor:
    """Zeros, for a layer to fill."""
    name = check_device(device)
    made: Tensor = _core.nn_zeros(
        [whole(size, "a size") for size in shape],
        _core.default_float() if dtype is None else dtype,
    )
    return made if name is None else _core.tensor_to(made, name)

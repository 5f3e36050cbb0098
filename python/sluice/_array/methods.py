"""Functions as methods of Tensor, by the names PyTorch and numpy give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from . import bessel, complex_parts, copies, decompositions, diagonals, divisors
from . import error_functions, factors, intervals, layers, listed, math
from . import matrix, observations, order, pick, pieces, products, reduce, replaced
from . import runs, scalars, shape, spectra, spread, sums, types, windows
from .._symbols.numbers import Symbol, SymInt
from .device import CPU, Device, beside, check_device

__all__: list[str] = []

# The functions of the files beside, where the method is the same function.
_FUNCTIONS: dict[Any, str] = {
    math: """
        abs absolute addcdiv addcmul allclose arccos arccosh arcsin arcsinh arctan
        arctan2 arctanh baddbmm bincount bitwise_left_shift bitwise_right_shift
        bmm ceil clamp clip conj copysign cross diag
        diagonal div divide eq floor floor_divide ge gt isclose isneginf isposinf le
        logaddexp logical_and logical_not logical_or logical_xor lt matmul mm
        multiply mv nan_to_num ne negative nextafter
        positive power remainder round signbit
        trace tril triu true_divide trunc vecdot""",
    reduce: """
        all amax amin any argmax argmin count_nonzero cumprod cumsum logsumexp max
        mean min prod ptp sum""",
    spectra: "istft stft",
    spread: "median nanmean nanmedian nansum norm std var",
    shape: """
        broadcast_to chunk expand flatten flip fliplr flipud moveaxis movedim narrow
        permute ravel repeat_interleave reshape roll select split squeeze swapaxes
        rot90 swapdims tile transpose unbind unflatten unsqueeze""",
    pick: """
        argsort argwhere gather index_select masked_fill masked_select nonzero scatter
        scatter_add sort take take_along_dim topk unique""",
    types: "astype",
    layers: "index_add index_copy log_softmax softmax",
    matrix: "cholesky cholesky_solve qr svd",
    diagonals: "adjoint diag_embed diagflat t",
    intervals: "diff",
    order: """
        aminmax bucketize cummax cummin histc isin kthvalue logcumsumexp msort
        nanquantile quantile""",
    observations: "corrcoef cov",
    runs: "mode",
    pieces: "dsplit hsplit tensor_split vsplit",
    products: "addbmm addmm addmv addr dist ger inner kron logdet vdot",
    replaced: """
        diagonal_scatter fill_diagonal_ index_fill index_put index_put_ index_reduce
        scatter_reduce select_scatter slice_scatter""",
    scalars: """
        clamp_max clamp_min deg2rad fix float_power fmax fmin frac logit rad2deg sgn
        sinc""",
    bessel: "i0",
    complex_parts: "angle",
    copies: """
        conj_physical resolve_conj resolve_neg split_with_sizes unsafe_chunk
        unsafe_split""",
    divisors: "frexp gcd isreal lcm ldexp logaddexp2",
    factors: "cholesky_inverse lu_solve pinverse",
    listed: "nonzero_static sum_to_size unique_consecutive",
    decompositions: "matrix_exp",
    error_functions: "erfinv mvlgamma",
    sums: "add sub subtract",
    windows: "put renorm unfold",
}

for _name in _core.op_methods():
    setattr(Tensor, _name, _core.method(getattr(_ops, _name)))
for _module, _names in _FUNCTIONS.items():
    for _name in _names.split():
        setattr(Tensor, _name, _core.method(getattr(_module, _name)))

# Written in place: t.relu_() puts the result where t's elements are.
_IN_PLACE = """
abs acos asin atan ceil clamp clip cos cosh cumprod cumsum digamma div erf erfc exp
exp2 expm1 floor floor_divide fmod index_add index_copy index_fill lerp lgamma log
log10 log1p log2 logical_and logical_not logical_or masked_fill masked_scatter neg pow
reciprocal relu remainder round rsqrt scatter scatter_add scatter_reduce sigmoid sign
sin sinh sqrt square tan tanh tril triu trunc addcmul addcdiv nan_to_num addbmm addmm
addmv addr clamp_max clamp_min deg2rad fix float_power frac logit rad2deg sgn sinc
erfinv mvlgamma put renorm conj_physical gcd i0 index_reduce lcm ldexp
absolute acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asinh atan2 atanh
baddbmm bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor copysign divide eq ge greater greater_equal gt hypot le less less_equal
logical_xor lt multiply ne negative nextafter not_equal polygamma subtract true_divide
xlogy
""".split()


def _in_place(name: str) -> Callable[..., Tensor]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        # Gradients may need the elements as they were.
        recorded = _core.is_grad_enabled() and (
            self.requires_grad
            or any(isinstance(a, Tensor) and a.requires_grad for a in args)
        )
        source = self.clone() if recorded else self
        return self.copy_(getattr(Tensor, name)(source, *args, **kwargs))

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"{name}() written over the elements of this tensor."
    return method


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Sets a function on the class, by its own name."""
    setattr(Tensor, function.__name__, function)
    return function


def _device(self: Tensor) -> Device:
    """Where the elements are."""
    name = _core.tensor_device(self)
    return CPU if name == "cpu" else Device(name)


class Count(int):
    """A number of elements that can also be called, as PyTorch's size()."""

    _shape: tuple[int | None, ...]

    def __call__(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis."""
        return self._shape if dim is None else self._shape[dim]


class SymCount(SymInt):
    """The same in a function being recorded."""

    __slots__ = ("_shape",)

    def __call__(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis."""
        return self._shape if dim is None else self._shape[dim]


def _size(self: Tensor) -> Any:
    """The number of elements; called, t.size(0), the size of an axis."""
    count = self.numel()
    if count is None:
        return None
    if isinstance(count, Symbol):
        open_count = SymCount(count.expr)
        open_count._shape = self.shape
        return open_count
    made = Count(count)
    made._shape = self.shape
    return made


@_method
def __iter__(self: Tensor) -> Iterator[Tensor]:
    return map(self.__getitem__, range(len(self)))


@_method
def __reversed__(self: Tensor) -> Tensor:
    """reversed(t): t in reverse order along the first axis."""
    return shape.flip(self, 0) if self.ndim else self


@_method
def __contains__(self: Tensor, value: Any) -> bool:
    return bool(_ops.any_of(self == value))


@_method
def __round__(self: Tensor, decimals: int | None = None) -> Tensor:
    return math.round(self, decimals or 0)


@_method
def __floor__(self: Tensor) -> Tensor:
    return math.floor(self)


@_method
def __ceil__(self: Tensor) -> Tensor:
    return math.ceil(self)


@_method
def __trunc__(self: Tensor) -> Tensor:
    return math.trunc(self)


@_method
def repeat(self: Tensor, *sizes: Any, axis: Any = None) -> Tensor:
    """Repeated as a whole, as PyTorch's; with axis= every slice, as numpy's."""
    if axis is not None:
        return shape.repeat(self, sizes[0], axis)
    return shape.tile(self, *sizes)


@_method
def view(self: Tensor, *shape_or_dtype: Any, size: Any = None) -> Tensor:
    """The same elements under another shape."""
    if size is not None and not shape_or_dtype:
        shape_or_dtype = (size,)
    first = shape_or_dtype[0] if shape_or_dtype else ()
    if isinstance(first, _core.dtype):
        raise TypeError("view(): a dtype; wanted a shape, or astype() for a type")
    return shape.reshape(self, *shape_or_dtype)


@_method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """The same elements under the shape of another tensor."""
    return _ops.reshape(self, other.shape if not other.symbolic else _ops.shape(other))


setattr(Tensor, "reshape_as", view_as)


@_method
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Stretched to the shape of another tensor."""
    sizes = other.shape if not other.symbolic else _ops.shape(other)
    return _ops.broadcast_to(self, sizes)


@_method
def polygamma(self: Tensor, n: int) -> Tensor:
    """The n-th derivative of digamma, elementwise."""
    return math.polygamma(n, self)


@_method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """As the type of another tensor."""
    return _ops.cast(self, other.dtype)


@_method
def where(self: Tensor, condition: Any, other: Any) -> Tensor:
    """These elements where the condition is true, else those of other."""
    return pick.where(condition, self, other)


@_method
def masked_scatter(self: Tensor, mask: Any, source: Any) -> Tensor:
    """With the elements where the mask is true set to those of source, in order."""
    mask = shape.as_tensor(mask)
    sizes = shape.broadcast_shapes(self.shape, mask.shape)
    x, there = _ops.broadcast_to(self, sizes), _ops.broadcast_to(mask, sizes)
    count = _ops.size(_ops.masked_select(x, there)).item()
    return _core.with_item(x, there, shape.ravel(source)[:count])


@_method
def to(
    self: Tensor,
    target: Any = None,
    *more: Any,
    dtype: Any = None,
    device: Any = None,
    copy: bool = False,
    non_blocking: bool = False,
) -> Tensor:
    """As another type or on another device: to(sl.float64), to("cpu"), to(other)."""
    for given in (target, *more):
        if given is None or isinstance(given, bool):
            continue
        if isinstance(given, Tensor):
            dtype, device = given.dtype, _device(given)
        elif isinstance(given, str) and _names_a_device(given):
            device = given
        else:
            dtype = given
    name = check_device(device)
    moved = self if name is None else _moved(self, name)
    if dtype is not None:
        return types.astype(moved, dtype, copy=copy and moved is self)
    return moved.clone() if copy and moved is self else moved


def _moved(self: Tensor, device: str) -> Tensor:
    """Itself where it is there."""
    # Where a recorded function's tensors are is known; those of other graphs are not.
    known = not self.symbolic or _core.recorded_here(self)
    there = known and _core.tensor_device(self) == device
    return self if there else _core.tensor_to(self, device)


def _names_a_device(text: str) -> bool:
    name = text.strip("/").partition(":")[0].lower()
    return name in ("cpu", "cuda", "gpu", "sim", "mps", "xla", "meta")


@_method
def cpu(self: Tensor) -> Tensor:
    """On the host: this tensor, where its elements are there already."""
    return _moved(self, "cpu")


@_method
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """On a GPU: this tensor, where its elements are there already."""
    name = check_device("cuda" if device is None else device)
    return _moved(self, str(name))


@_method
def type(self: Tensor, dtype: Any = None) -> Any:
    """Its type, or itself as another one."""
    return self.dtype if dtype is None else types.astype(self, dtype, copy=False)


@_method
def contiguous(self: Tensor) -> Tensor:
    """This tensor, or a copy with its elements in row-major order."""
    return self if self._deferred or self.is_contiguous() else self.clone()


@_method
def copy(self: Tensor) -> Tensor:
    """A tensor of its own with the same elements."""
    return self.clone()


def _typed(name: str, dtype: Any) -> None:
    def method(self: Tensor) -> Tensor:
        return self if self.dtype == dtype else _ops.cast(self, dtype)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As {dtype.name}."
    setattr(Tensor, name, method)


for _name, _dtype in {
    "float": _core.float32,
    "double": _core.float64,
    "half": _core.float16,
    "bfloat16": _core.bfloat16,
    "long": _core.int64,
    "int": _core.int32,
    "short": _core.int16,
    "char": _core.int8,
    "byte": _core.uint8,
    "bool": _core.bool,
    "cfloat": _core.complex64,
}.items():
    _typed(_name, _dtype)


def _new(name: str) -> None:
    from . import create
    from .device import device_like, placed

    function = placed(getattr(create, name))

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        kwargs.setdefault("dtype", self.dtype)
        device = device_like(self, kwargs.pop("device", None))
        if device is not None:
            kwargs["device"] = device
        return function(*args, **kwargs)

    method.__name__ = method.__qualname__ = "new_" + name
    method.__doc__ = f"{name}() of this tensor's type, where it is."
    setattr(Tensor, "new_" + name, method)


for _name in ("zeros", "ones", "empty", "full", "tensor"):
    _new(_name)


for _name in _IN_PLACE:
    if not hasattr(Tensor, _name + "_"):
        setattr(Tensor, _name + "_", _in_place(_name))


def _is_cuda(self: Tensor) -> bool:
    """Whether the elements are on a GPU."""
    return _core.tensor_device(self).startswith("cuda")


def _is_cpu(self: Tensor) -> bool:
    """Whether the elements are on the host."""
    return _core.tensor_device(self).startswith("cpu")


def _reversed_axes(self: Tensor) -> Tensor:
    """The axes in reverse order."""
    return _ops.transpose(self)


def _adjoint(self: Tensor) -> Tensor:
    """The last two axes swapped, complex numbers conjugated."""
    return shape.matrix_transpose(_ops.conj(self) if self.is_complex() else self)


for _name, _getter in {
    "device": _device,
    "is_cuda": _is_cuda,
    "size": _size,
    "T": _reversed_axes,
    "mT": shape.matrix_transpose,
    "H": _adjoint,
    "imag": _ops.imag,
    "is_cpu": _is_cpu,
    "real": complex_parts.real,
}.items():
    setattr(Tensor, _name, property(_getter))

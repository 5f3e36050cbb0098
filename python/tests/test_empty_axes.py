"""axis=() and dim=() of every public function: what goes over no axis, what over all,
and that all others refuse it. They took it for all axes, or for the first."""

import inspect
import itertools

import pytest

import sluice as sl
import sluice.array_api
import sluice.fft
import sluice.masked
import sluice.nn.functional
import sluice.numpy
import sluice.special

X = sl.tensor([[0.0, -1.0, 2.0], [3.0, 4.0, 5.0]])
PLACES = {
    "sl": sl,
    "Tensor": sl.Tensor,
    "linalg": sl.linalg,
    "masked": sl.masked,
    "special": sl.special,
    "fft": sl.fft,
    "F": sl.nn.functional,
    "numpy": sl.numpy,
    "numpy.linalg": sl.numpy.linalg,
    "numpy.fft": sl.numpy.fft,
    "array_api": sl.array_api,
    "array_api.linalg": sl.array_api.linalg,
}
NAMES = ("axis", "dim", "dims", "axes")
FILLS = (1, 0.5, X, sl.tensor([0, 1]), sl.tensor([[0, 1, 0]]), (1,), "sum", "amax")

# By PyTorch's name dim: over all axes, as in PyTorch (logsumexp is an error there).
ALL = """amax amin count_nonzero logsumexp mean nanmean nansum norm std std_mean sum var
var_mean vector_norm normalize prod"""
# By either name: nothing is reduced, turned or put in.
NONE = """all any expand_dims fft2 fftn fftshift flip gradient ifft2 ifftn ifftshift
roll squeeze squeeze_copy tile"""
# By numpy's name axis: the elements, each by itself.
EACH = """amax amin average count_nonzero logsumexp max mean median min nanmax nanmean
nanmedian nanmin nanpercentile nanquantile nanstd nansum nanvar percentile prod ptp
quantile std sum var vector_norm"""


def listed():
    for place, names in PLACES.items():
        for name in sorted(set(getattr(names, "__all__", dir(names)))):
            f = getattr(names, name)
            if name.startswith("_") or not callable(f) or inspect.isclass(f):
                continue
            try:
                has = inspect.signature(f).parameters
            except (TypeError, ValueError):  # an op: its axis is of C++
                continue
            for word in NAMES:
                if word in has:
                    yield pytest.param(f, name, word, id=f"{place}.{name}-{word}")


def with_nothing(f, word):
    """f with () for the axis and some arguments that it takes, or what it raised."""
    given = inspect.signature(f).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    wanted = [p for p in given if p.default is p.empty and p.kind in kinds]
    wanted = [p for p in wanted if p.name != word][1:]
    refused = []
    for fill in itertools.product(FILLS, repeat=len(wanted)):
        by_place = [v for p, v in zip(wanted, fill) if p.kind is p.POSITIONAL_ONLY]
        by_name = {p.name: v for p, v in zip(wanted, fill)
                   if p.kind is not p.POSITIONAL_ONLY}  # fmt: skip
        try:
            return f(X, *by_place, **by_name, **{word: ()})
        except (TypeError, ValueError, IndexError, RuntimeError) as error:
            refused.append(error)
    assert refused
    return None


def may_take(name, word):
    if name in NONE.split():
        return True
    return name in (ALL if word == "dim" else EACH).split()


@pytest.mark.parametrize(("f", "name", "word"), list(listed()))
def test_no_axes_are_refused_where_they_mean_nothing(f, name, word):
    made = with_nothing(f, word)
    assert made is None or may_take(name, word), f"{name}({word}=()) is {made}"


@pytest.mark.parametrize("name", "amax amin mean nansum norm sum var".split())
def test_no_dims_are_all_of_them_as_in_pytorch(name):
    f = getattr(sl, name)
    assert f(X, dim=()).tolist() == f(X).tolist()
    assert getattr(X, name)(dim=()).tolist() == f(X).tolist()


@pytest.mark.parametrize("name", ["amax", "max", "median", "min", "nanmedian", "sum"])
def test_no_axes_leave_the_elements_as_in_numpy(name):
    assert getattr(sl, name)(X, axis=()).tolist() == X.tolist()


def test_all_and_any_of_no_dims_are_of_each_element_as_in_pytorch():
    there = [[False, True, True], [True, True, True]]
    assert sl.all(X, dim=()).tolist() == there
    assert sl.any(X, dim=()).tolist() == there
    assert X.all(dim=()).tolist() == there


def test_a_range_over_no_axes_is_0():
    assert sl.ptp(X, axis=()).tolist() == sl.zeros(2, 3).tolist()


def test_norms_of_vectors_of_one_are_sizes():
    assert sl.linalg.vector_norm(X, axis=()).tolist() == X.abs().tolist()
    zero_or_one = sl.linalg.vector_norm(X, 0, axis=()).tolist()
    assert zero_or_one == [[0, 1, 1], [1, 1, 1]]


def test_roll_over_no_dims_is_of_all_elements_and_over_no_axes_none():
    flat = [[5.0, 0.0, -1.0], [2.0, 3.0, 4.0]]
    assert sl.roll(X, 1, dims=()).tolist() == flat
    assert sl.roll(X, 1, axis=()).tolist() == X.tolist()


@pytest.mark.parametrize("call", [
    lambda: sl.argmax(X, dim=()),
    lambda: sl.cumsum(X, axis=()),
    lambda: sl.median(X, dim=()),
    lambda: sl.prod(X, dim=()),
    lambda: sl.max(X, dim=()),
    lambda: sl.kthvalue(X, 1, dim=()),
    lambda: sl.mode(X, (0, 1)),
    lambda: sl.aminmax(X, dim=()),
    lambda: X.argmin(axis=(0,)),
    lambda: sl.numpy.nanargmax(X, axis=()),
    lambda: sl.masked.cumsum(X, ()),
])  # fmt: skip
def test_several_axes_where_one_is_wanted(call):
    with pytest.raises(TypeError, match="wanted an"):
        call()


@pytest.mark.parametrize("call", [
    lambda: sl.permute(X, ()),
    lambda: X.permute(),
    lambda: sl.permute_dims(X, ()),
    lambda: sl.transpose(X, axes=()),
    lambda: sl.array_api.permute_dims(X, ()),
])  # fmt: skip
def test_an_order_of_no_axes_is_not_the_reverse(call):
    with pytest.raises(ValueError, match="wanted all of them"):
        call()
    assert sl.permute(sl.tensor(1.0), ()).tolist() == 1.0


@pytest.mark.parametrize("f", [
    lambda index: sl.gather(X, 0, index),
    lambda index: sl.scatter(X, 0, index, 1.0),
    lambda index: sl.scatter_add(X, 0, index, X),
])  # fmt: skip
def test_an_index_without_axes_is_none_of_a_matrix(f):
    with pytest.raises(ValueError, match="wanted as many axes"):
        f(sl.tensor(0))


@pytest.mark.parametrize("name", ["sum", "prod", "all", "any"])
def test_over_no_axis_it_is_a_copy(name):
    x = sl.tensor([True, False])
    x = x if name in ("all", "any") else x.to(sl.float32)
    y = getattr(sl, name)(x, axis=())
    y.fill_(1)
    assert x.tolist() == [1, 0]

"""numpy's arguments by place and by name, and its answers at the edges."""

import importlib
import warnings

import everyday_run
import numpy
import pytest

ours = importlib.import_module("sluice.numpy")

# A line gives the same there and here. What it once gave instead, in brackets.
SAME = """
## places that PyTorch has other arguments at
np.sum(np.arange(6.).reshape(2, 3), 0, float)  # [the sums with their axis kept]
np.prod(np.arange(6.).reshape(2, 3), 1, float)
np.mean(np.arange(6.).reshape(2, 3), 0, np.float64)
np.max(np.arange(6.).reshape(2, 3), 0, None, True)
np.any(np.array([[0, 1], [0, 0]]), 1, None, True)
np.argsort([[3, 1, 2], [3, 1, 2]], -1, "stable")  # [in falling order]
np.logspace(0, 2, 3, False)  # [powers of 0]
np.logspace(0, 2, 5, True, 2.0)
np.nan_to_num(np.array([np.nan, 2.], np.float32), True, 3.0)  # [1 for NaN]
np.unwrap(np.array([[0., 4., 8.], [1., 9., 2.]]), 1)  # [along axis 1 for a jump of 1]
np.linspace(0., 1., 3, True, True)
np.trapezoid([1., 2., 3.], None, 2.0, 0)
np.zeros((2, 3), int)
np.ones(2, bool)
np.full((2,), 7, float)
np.eye(2, 3, 1, int)
np.searchsorted([1, 3, 5], [3, 4], "right")
np.diagonal(np.arange(8).reshape(2, 2, 2), 0, 1, 2)
np.reshape(np.arange(6), (2, 3), "F")
np.ravel(np.arange(6).reshape(2, 3), "F")

## axes
np.sum(np.arange(6.).reshape(2, 3), ())  # [the sum of all]
np.max(np.arange(6.).reshape(2, 3), ())
np.cross([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]], [[3., 1., 2.]] * 3)  # [columns]
np.cross([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]], [[3., 1., 2.]] * 3, axisc=0)
np.trace(np.arange(27).reshape(3, 3, 3))  # [of the last two axes]
np.trace(np.arange(6).reshape(2, 3), 1)
np.average(np.arange(9.).reshape(3, 3), 0, [1., 2., 5.])  # [weights along the rows]
np.average(np.arange(6.).reshape(2, 3), axis=1, weights=[1., 2., 5.], returned=True)
np.average(np.arange(6.).reshape(2, 3), (1, 0), np.arange(1., 7.).reshape(3, 2))
np.median(np.arange(24.).reshape(2, 3, 4), axis=(0, 2), keepdims=True)
np.percentile(np.arange(24).reshape(2, 3, 4), [20, 70], axis=(1, 2))
np.atleast_1d([np.array([1]), np.array([2])])  # [a tuple]
np.apply_along_axis(lambda v: v[:, None] * v, 0, np.arange(6.).reshape(3, 2))
np.apply_along_axis(lambda v, k: v * k, 0, np.arange(6.).reshape(3, 2), 3.0)
np.block([np.ones((2, 2)), np.ones((2, 1))])
np.take_along_axis(np.arange(6).reshape(2, 3), np.array([[1]]), 1)

## what lies between
np.arange(0, 2.5, dtype=int)  # [0, 1]
np.arange(-2.5, 2.5, dtype=int)
np.linspace(-2, 2, 4, dtype=int)  # [-2, 0, 0, 2]
np.linspace([0., 1.], [2., 5.], 3)  # [refused; of as many as there are numbers, wrong]
np.linspace(np.array([0., 1., 2.]), np.array([1., 3., 5.]), 3)
np.geomspace(-1, -8, 4)
np.interp([1., 2., 2.5, 3., 4.], [1, 2, 3, 4], [1, 2, np.inf, 4])  # [NaN at 2, 3, 4]
np.interp(0.5, [-np.inf, 1], [0., 10.])
np.digitize([-2., 0.5, 9.], [5, 2, -2, -5])  # [as if they grew]
np.digitize([-2., 0.5, 9.], [5, 2, -2, -5], right=True)
np.correlate([1., 2.], [1., 2., 3.], "full")  # [from the other end]
np.correlate([1., 2.], [1., 2., 3., 4.], "same")
np.convolve([np.inf, 1.], [1., 2., 3.])  # [NaN where nothing lies]
np.gradient(np.array([1., np.inf, 5., 2.]))  # [NaN beside infinity]
np.gradient(np.array([0, 2, 4]), np.array([3, 2, 1], np.uint8))
np.modf([np.inf, -2.0, 1.5])  # [NaN]
np.signbit(np.modf([-2.0])[0])
np.angle(np.array([-0.0, -1.0]), True)
np.reciprocal(np.array([1, -1, 2]))
np.rint([1, 2]).dtype == np.array([1.5]).dtype
np.heaviside([1, 0], 2)
np.nan_to_num([np.nan, np.inf], nan=np.inf, posinf=9.0)  # [9 for NaN]
np.polyval(np.array([-1, 4, 1]), np.array([6, 3], np.uint8))
np.vander(np.array([6, 3], np.uint8), 5)
np.poly1d([0, 0, 2, 1]).order

## statistics
np.var([1., 2., 4.], ddof=4)
np.median([np.inf, np.inf, 1.])  # [NaN]
np.quantile([1.25, np.inf, 0.], 1)
np.nanmax([[np.nan, 1.], [np.nan, np.nan]], axis=1)  # [minus infinity]
np.nanmin([[np.nan, 1.], [np.nan, np.nan]], axis=1)
np.nanvar([1., np.nan], ddof=1)
np.nanmax([1, 2])
np.percentile(np.arange(5), 50, method="lower")
np.cov([[1., 2., 4.], [2., 1., 7.]], [[1., 3., 2.]])  # [all as two variables]
np.cov([[1., 2., 4.], [2., 1., 7.]], rowvar=False)
np.cov([[1., 2., 4.], [2., 1., 7.]], bias=True)
np.corrcoef([1., 2., 4.], [2., 1., 7.])
np.histogram(np.array([0.7, 0.1, 0.3]), 3)[0]  # [the largest is not counted]
np.histogram([1., 2., 2., 5.], 4, density=True)[0]
np.histogram([1, 2, 2, 5], 4, weights=[1, 2, 3, 4])[0]
np.histogram([16777216, 16777217, 16777219], [16777216, 16777217, 16777220])[0]

## elements
np.insert(np.arange(6).reshape(2, 3), 1, [[7, 8]], axis=1)
np.insert(np.arange(4), [1, 3], [7, 8])
np.insert(np.arange(6).reshape(3, 2), 1, [[7, 8], [9, 6]], axis=0)
np.pad(np.arange(4), 2, mode="symmetric")
np.pad(np.ones((2, 2)), 1, constant_values=((1, 2), (3, 4)))
np.pad(np.arange(2), 1, constant_values=1.7)
np.unravel_index([1, 5], (2, 3))
np.ravel_multi_index(([0, 9], [1, -2]), (2, 3), mode=("clip", "wrap"))
np.choose([0, 3, -1], [1, 2], mode="wrap")
np.intersect1d([1, 2, 3], [2.0, 9.0])
np.lexsort(np.array([[2, 1, 2], [0, 1, 0]]))
np.meshgrid(np.array([True, False]), [1, 2])
np.c_[1, 2, 3]
np.ix_([], [0])[0].dtype == np.array([1]).dtype
np.isscalar(np.array([1.5])[0].item())

## matrices
np.linalg.solve(np.eye(3)[None] * [[[2.]], [[4.]]], np.arange(6.).reshape(3, 2))
np.linalg.solve(np.stack([np.eye(3), 2 * np.eye(3), 4 * np.eye(3)]), np.eye(3))
np.abs(np.linalg.qr(np.array([[1., 2.], [3., 4.]]), "r"))  # [a pair]
np.linalg.matrix_rank(np.diag([1., 0.5, 0.1]), 0.2)
np.linalg.matrix_rank(np.diag([5., 0.5, 0.1]), 0.2)  # [1: the bound taken as a share]
np.linalg.lstsq(np.diag([1., 0.1]), np.array([1., 1.]), rcond=0.5)[2]
np.linalg.cond(np.zeros((2, 2)))
np.linalg.matrix_power(np.array([[3, 1], [1, 2]]), 45)
np.linalg.matrix_power(np.array([[3, 1], [1, 2]]), 0)
"""

REFUSED = {
    "np.sum([1.], 0, None, np.array([0.]))": "out is a",
    "np.linalg.norm(np.ones((2, 2, 2)), 1)": "3 axes",
    "np.linalg.matrix_rank(np.eye(2), 0.1, rtol=0.1)": "one of them",
    "np.array([1., 2.], copy=False)": "cannot be shared",
    "np.average([[1., 2.], [3., 4.]], weights=[1., 2.])": "wanted one shape",
    "np.average([1., 2.], weights=[1., -1.])": "add up to 0",
    "np.fromiter(range(2), int, 5)": "2 elements; wanted 5",
    "np.select([np.array([True])], [1, 2])": "1 conditions and 2 choices",
    "np.choose([0, 5], [1, 2])": "wanted 0 to 1",
    "np.ravel_multi_index(([5], [1]), (2, 3))": "wanted 0 to 1",
    "np.ravel_multi_index(([1],), (2, 3))": "1 indices for 2 axes",
    "np.unravel_index(9, (2, 3))": "wanted 0 to 5",
    "np.compress([[True, False]], [1, 2])": "2 axes; wanted 1",
    "np.squeeze(np.ones((2, 1)), 0)": "size 2; wanted 1",
    "np.delete(np.arange(3), [True])": "a mask of 1 for 3",
    "np.pad(np.arange(3), -1)": "wanted 0 or more",
    "np.pad(np.arange(3), (1, 2, 3))": "a pair",
    "np.pad(np.arange(3), 1, 'edge', constant_values=0)": "wanted constant",
    "np.trim_zeros(np.eye(2))": "wanted a vector",
    "np.partition([3, 1, 2], 7)": "wanted -3 to 2",
    "np.histogram([1., 2.], 0)": "wanted 1 or more",
    "np.histogram([1., np.nan])": "wanted finite",
    "np.histogram([1.], [3, 2, 1])": "wanted borders that grow",
    "np.interp(1., [], [])": "wanted two vectors",
    "np.fabs([1j])": "wanted real numbers",
    "np.polyfit([0., 1.], [1j, 2j], 1)": "wanted real numbers",
    "np.float_power(2., 1j)": "complex",
    "np.gradient(np.ones((3, 3)), np.arange(3.))": "coordinates of one axis",
    "np.cov([[1., 2.]], fweights=[1.5, 2.5])": "integers",
    "np.take([1, 2], [0], -2)": "axis -2",
    "np.bincount([[1, 2]])": "wanted a vector",
    "np.nanargmax([np.nan, np.nan])": "all elements are NaN",
    "np.nan_to_num([1.], False)": "results are new",
    "np.fft.irfftn(np.array([1., 2.], np.float32), axes=())": "no axes",
    "np.random.choice(3, p=[0.5, 0.5, 0.5])": "add up to 1",
    "np.random.choice(3, p=[0.5, 0.5])": "wanted 3 chances",
    "np.random.normal(0, -1.0)": "0 or more",
    "np.random.binomial(3, 1.5)": "from 0 to 1",
    "np.random.randint(5, 5)": "low < high",
    "np.random.normal(np.zeros(3), 1.0, 2)": "broadcast",
}


@pytest.mark.parametrize(
    "line", [x for x in SAME.splitlines() if x.startswith("np.")],
    ids=lambda x: x.partition("  #")[0],
)  # fmt: skip
def test_line_gives_what_numpy_gives(line):
    text = line.partition("  #")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = everyday_run.value(text, {"np": numpy})
        made = everyday_run.value(text, {"np": ours})
    assert everyday_run.difference(made, wanted) is None


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_what_was_wanted(text):
    kinds = (TypeError, ValueError, IndexError, ZeroDivisionError)
    with pytest.raises(kinds, match=REFUSED[text].replace("[", r"\[")):
        everyday_run.value(text, {"np": ours})


def test_draws_with_arrays_for_parameters_are_one_for_each():
    # One draw was shared by all of them.
    ours.random.seed(0)
    for made in (
        ours.random.normal(ours.zeros(1000), 1.0),
        ours.random.uniform(ours.zeros(1000), ours.ones(1000)),
        ours.random.exponential(ours.ones(1000)),
        ours.random.normal(0.0, [1.0] * 1000, (2, 1000)),
    ):
        assert len(numpy.unique(made.numpy())) > 0.99 * made.numel()
    assert ours.random.binomial(9, [0.0, 1.0]).tolist() == [0, 9]
    assert ours.random.poisson([0.0, 0.0]).tolist() == [0, 0]


def test_array_without_a_copy_shares_its_elements():
    a = ours.arange(3)
    assert ours.array(a, copy=False) is a
    assert ours.array(a, copy=None) is a
    assert ours.array(a) is not a


def test_numpys_own_numbers_are_scalars():
    for value in (numpy.float32(1), numpy.bool_(True), 1j, "text"):
        assert ours.isscalar(value)
    assert not ours.isscalar(numpy.array(1)) and not ours.isscalar(ours.array(1))

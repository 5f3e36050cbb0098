"""Single numbers of numpy are in captured code what they are at once."""

import numpy as np
import pytest

import sluice as sl

SCALARS = {
    "f64": [np.float64(2.0), np.float64(-0.0), np.float64(3.5), np.float64(2.0)],
    "f32": [np.float32(2.0), np.float32(0.1), np.float32(2.0)],
    "i64": [np.int64(2), np.int64(3), np.int64(2)],
    "u8": [np.uint8(2), np.uint8(3), np.uint8(2)],
    "bool": [np.bool_(True), np.bool_(False), np.bool_(True)],
}
USES = {
    "itself": lambda s, x: s,
    "a product": lambda s, x: x * s,
    "its own arithmetic": lambda s, x: (s + s, x + (s + s)),
    "its class": lambda s, x: (isinstance(s, float), isinstance(s, np.generic)),
    "a condition": lambda s, x: x if s > 2 else -x,
    "a text": lambda s, x: (f"{s}", str(s.dtype), s.item()),
    "a tensor": lambda s, x: sl.tensor(s),
    "a function": lambda s, x: sl.exp(s),
}


def shown(value):
    if isinstance(value, sl.Tensor):
        return value.dtype, value.tolist()
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    return type(value), repr(value)


class Box:
    value = None


@pytest.mark.parametrize("kind", SCALARS)
@pytest.mark.parametrize("use", USES)
def test_a_scalar_that_is_an_argument_or_an_attribute(use, kind):
    body, x, box = USES[use], sl.tensor([0.5, 2.0]), Box()

    def given(s, x):
        return body(s, x)

    def kept(x):
        return body(box.value, x)

    given_captured, kept_captured = sl.function(given), sl.function(kept)
    for scalar in SCALARS[kind]:
        box.value = scalar
        wanted = shown(given(scalar, x))
        assert shown(given_captured(scalar, x)) == wanted
        assert shown(kept_captured(x)) == wanted


def test_an_equal_scalar_makes_no_other_recording():
    box = Box()
    f = sl.function(lambda s, x: x * s + box.value)
    for _ in range(3):
        box.value = np.float64("nan")
        f(np.float32(2.0), sl.ones(2))
    assert len(f.traces()) == 1
    f(np.float64(2.0), sl.ones(2))
    assert len(f.traces()) == 2

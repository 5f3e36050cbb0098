"""dim=() beside PyTorch: the same result, or an error on both sides."""

import inspect

import pytest

import sluice as sl

torch = pytest.importorskip("torch")

VALUES = [[0.0, -1.0, 2.0], [3.0, 4.0, 5.0]]
# Here over all axes, as sum(); PyTorch fails within.
MORE = {"logsumexp"}


def both():
    for name in sorted(set(dir(sl)) & set(dir(torch))):
        try:
            has = inspect.signature(getattr(sl, name)).parameters
        except (TypeError, ValueError):
            continue
        wanted = [p for p in has.values() if p.default is p.empty and p.name != "dim"]
        if "dim" in has and len(wanted) == 1 and name not in MORE:
            yield name


def parts(made):
    return list(made) if isinstance(made, tuple) else [made]


@pytest.mark.parametrize("name", list(both()))
@pytest.mark.parametrize("method", [False, True])
def test_no_dims_are_what_they_are_in_pytorch(name, method):
    def call(module, x):
        f = getattr(x, name) if method else getattr(module, name)
        return parts(f(dim=()) if method else f(x, dim=()))

    if method and not (hasattr(torch.Tensor, name) and hasattr(sl.Tensor, name)):
        pytest.skip("no method")
    try:
        wanted = call(torch, torch.tensor(VALUES))
    except (TypeError, RuntimeError):
        with pytest.raises((TypeError, ValueError)):
            call(sl, sl.tensor(VALUES))
        return
    got = call(sl, sl.tensor(VALUES))
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted):
        assert list(a.shape) == list(b.shape)
        assert a.tolist() == pytest.approx(b.tolist()) if a.ndim == 0 else (
            torch.allclose(torch.tensor(a.tolist()), b))  # fmt: skip

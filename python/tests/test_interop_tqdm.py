"""tqdm over our loaders: it finds their length, and changes nothing."""

import io

import numpy as np
import pytest

from sluice import data

tqdm = pytest.importorskip("tqdm")


def bar_over(source, **options):
    out = io.StringIO()
    return tqdm.tqdm(source, file=out, mininterval=0, **options), out


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders(workers):
    loader = data.DataLoader(list(range(10)), batch_size=3, num_workers=workers)
    bar, out = bar_over(loader)
    assert bar.total == 4
    assert [np.asarray(b).tolist() for b in bar][-1] == [9]
    assert bar.n == 4 and "4/4" in out.getvalue()


def test_pipelines():
    bar, out = bar_over(data.range(10).batch(4))
    assert bar.total == 3 and len(list(bar)) == 3
    assert "3/3" in out.getvalue()
    bar, _ = bar_over(data.range(10).filter(lambda t: int(t) > 3))
    assert bar.total is None and len(list(bar)) == 6


def test_datasets_without_a_length():
    class Letters(data.IterableDataset):
        def __iter__(self):
            return iter("abcde")

    bar, out = bar_over(data.DataLoader(Letters(), batch_size=2))
    assert bar.total is None and list(bar) == [["a", "b"], ["c", "d"], ["e"]]
    assert "3it" in out.getvalue()


def test_positions_count_what_the_bar_has_seen():
    loader = data.DataLoader(list(range(10)), batch_size=2)
    bar, _ = bar_over(loader)
    for i, _batch in enumerate(bar):
        if i == 1:
            break
    assert loader.state_dict()["taken"] == 2

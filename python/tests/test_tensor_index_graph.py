"""Indexing by tensors that have no elements yet."""

import sluice as sl


def test_index_by_a_symbolic_scalar_asked_for_an_op_that_was_not_there():
    @sl.function
    def pick(x, i):
        return x[i]

    x = sl.tensor([10.0, 20.0, 30.0])
    assert pick(x, sl.tensor(1)).item() == 20.0
    assert pick(x, sl.tensor(-1)).item() == 30.0


def test_index_by_symbolic_places_counts_from_the_end():
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, [None, 2])
        at = sl.placeholder(sl.int64, [None])
        rows = x[at]
    session = sl.Session(graph)
    found = session.run(rows, {x: [[1.0, 2.0], [3.0, 4.0]], at: [-1, 0]})
    assert found.tolist() == [[3.0, 4.0], [1.0, 2.0]]

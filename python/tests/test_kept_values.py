"""A graph keeps the values it was given; what else outlives its sources."""

import threading

import numpy as np
import pytest

import sluice as sl
from sluice import data, optim, train


@pytest.mark.parametrize("size", [3, 2000], ids=["small", "large"])
def test_written_tensors_do_not_change_a_graph(size):
    x, a = sl.arange(float(size)), np.arange(size, dtype=np.float32)
    over = sl.from_numpy(a)
    with sl.Graph() as graph:
        p = sl.placeholder(sl.float32, [])
        values = {
            "op": x * 2,
            "folded": (x + 1) * 2,
            "not folded": x * p,
            "numpy": sl.as_tensor(a) * 2,
            "constant": sl.constant(a) * 2,
            "constant of a tensor": sl.constant(x) * 2,
            "shared": over * p,
            "array": p * a,
            "concat": sl.concat([x, over]),
        }
    fetches = list(values.values())
    feeds = {p: 3.0}
    early = sl.Session(graph)
    wanted = [t.tolist() for t in early.run(fetches, feeds)]
    text = str(graph)
    x.mul_(10.0)
    a *= 10
    late = sl.Session(graph)
    for session in (early, late, sl.Session(graph)):
        assert [t.tolist() for t in session.run(fetches, feeds)] == wanted
        # Planned each by itself.
        for (name, fetch), value in zip(values.items(), wanted, strict=True):
            assert session.run(fetch, feeds).tolist() == value, name
    assert str(graph) == text


def test_variables_begin_with_the_value_they_were_given():
    x = sl.tensor([1.0, 2.0])
    with sl.Graph() as graph:
        v = sl.Variable(x, name="v")
        init = sl.initialize_variables()
    x.mul_(10.0)
    with sl.Session(graph) as session:
        session.run(init)
        assert session.run(v * 1).tolist() == [1.0, 2.0]


def test_what_is_written_between_two_uses_is_two_values():
    x = sl.arange(2000.0)
    with sl.Graph() as graph:
        first = x * 1
    x.add_(1.0)
    with graph:
        second = x * 1
    with sl.Session(graph) as session:
        a, b = session.run([first, second])
    assert (b - a).tolist() == [1.0] * 2000


def test_stacks_keep_what_they_were_given():
    x = sl.tensor([1.0])
    with sl.Graph() as graph:
        y = sl.stack([x, x])
    x.mul_(5.0)
    with sl.Session(graph) as session:
        assert session.run(y).tolist() == [[1.0], [1.0]]


# ---- Feeds ----


def test_fed_placeholder_that_is_only_a_control_dependency():
    with sl.Graph() as graph:
        p = sl.placeholder(sl.float32, [2])
        with sl.control_dependencies([p]):
            y = sl.constant(1.0) * 2
    with sl.Session(graph) as session:
        assert session.run(y, {p: [1.0, 2.0]}).item() == 2.0
        with pytest.raises(ValueError, match="was not fed"):
            session.run(y)


# ---- Iterators and runs that are over ----


def test_closed_pipeline_iterator_does_not_begin_again():
    it = data.range(5).iterator()
    assert next(it).item() == 0
    it.close()
    assert list(it) == []
    it.close()
    with pytest.raises(StopIteration):
        next(it)
    it.start(0)
    assert [t.item() for t in it] == [0, 1, 2, 3, 4]


def test_closed_pipeline_with_threads_does_not_begin_again():
    it = data.range(100).map(lambda x: x + 1, threads=2).prefetch(4).iterator()
    state = it.state()
    next(it)
    it.close()
    assert list(it) == []
    it.restore(state)
    assert len(list(it)) == 100


def fit(folder, epochs, loader=None, **options):
    sl.manual_seed(0)
    w = sl.nn.Linear(2, 1)
    x = sl.arange(16.0).reshape(8, 2) / 16
    loader = loader or data.DataLoader(data.TensorDataset(x, x.sum(1)), batch_size=4)
    trainer = train.Trainer(
        w, optim.SGD(w.parameters(), lr=0.1),
        lambda batch: ((w(batch[0])[:, 0] - batch[1]) ** 2).mean(),
        epochs=epochs, dir=folder, show_progress=False, **options)
    return trainer, loader


def test_finished_trainer_run_again_says_so(tmp_path):
    trainer, loader = fit(tmp_path, 2)
    assert trainer.fit(loader).end == "done"
    trainer, loader = fit(tmp_path, 2)
    with pytest.warns(UserWarning, match="2 of 2 epochs in .*; wanted more") as told:
        again = trainer.fit(loader)
    assert again.end == "nothing" and again.steps == 4
    assert told[0].filename == __file__
    trainer, loader = fit(tmp_path, 3)
    assert trainer.fit(loader).steps == 6


def test_finished_trainer_with_the_same_loader_says_so():
    trainer, loader = fit(None, 1)
    trainer.fit(loader)
    with pytest.warns(UserWarning, match="nothing is trained: the loader has had 1 of"):
        assert trainer.fit(loader).end == "nothing"
    trainer, loader = fit(None, 5, max_steps=1)
    assert trainer.fit(loader).end == "done"


# ---- Threads ----


@pytest.mark.parametrize("size", [10, 50_000], ids=["small", "large"])
def test_concurrent_backward_to_a_shared_leaf(size):
    w = sl.ones(size, requires_grad=True)
    x = sl.full((size,), 2.0)
    threads, steps, errors = 4, 20, []

    def work():
        try:
            for _ in range(steps):
                (w * x + w).sum().backward()
                assert w.grad is not None
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert errors == []
    assert set(w.grad.tolist()) == {3.0 * threads * steps}


def test_one_call_on_two_threads_is_refused_with_the_reason():
    w = sl.ones(2, requires_grad=True)
    y = w * 2
    inside, go_on = threading.Event(), threading.Event()

    def hold(_):
        inside.set()
        go_on.wait(60)

    y.register_hook(hold)
    first = threading.Thread(target=lambda: y.sum().backward())
    first.start()
    assert inside.wait(60)
    with pytest.raises(RuntimeError, match="the same call of Mul now"):
        (y * 3).sum().backward()
    go_on.set()
    first.join()
    assert w.grad.tolist() == [2.0, 2.0]

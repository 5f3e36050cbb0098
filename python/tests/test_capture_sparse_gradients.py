"""Gradients of rows of a table are sparse after a captured forward, too."""

import pytest

import sluice as sl
from sluice import nn, optim

BATCHES = [sl.tensor(v) for v in ([1, 2, 1], [0, 5], [3, 3, 4], [1])]
OPTIMIZERS = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p: optim.Adam(p, lr=0.1),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1),
    "Adagrad": lambda p: optim.Adagrad(p, lr=0.1),
}
def branches(table, i):
    if i.sum() > 4:
        return (table(i) ** 2).sum()
    return (table(i) ** 3).sum()


def branches_inside(table, i):
    if i.sum() > 3:
        if i[0] > 2:
            return (table(i) ** 2).sum()
        return (table(i[:1]) ** 3).sum()
    return table(i).sum()


USES = {
    "branches": branches,
    "branches inside": branches_inside,
    "rows": lambda table, i: (table(i) ** 2).sum(),
    "twice": lambda table, i: (table(i) * table(i + 0)).sum(),
    "rows and all": lambda table, i: (table(i) ** 2).sum() + table.weight.sum(),
    "handed out": lambda table, i: table(i),
}


def tables():
    sl.manual_seed(0)
    return nn.Embedding(6, 3, sparse=True)


def look(gradient):
    if not gradient.is_sparse:
        return gradient.tolist()
    parts = gradient.coalesce()
    return parts.indices().tolist(), parts.values().tolist()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_gets_the_rows(name, use):
    def run(wrap):
        table = tables()
        optimizer = OPTIMIZERS[name](table.parameters())
        forward = wrap(lambda i: USES[use](table, i))
        for batch in BATCHES:
            optimizer.zero_grad()
            forward(batch).sum().backward()
            yield look(table.weight.grad)
            optimizer.step()
            yield table.weight.tolist()

    assert list(run(sl.function)) == list(run(lambda f: f))


def test_rows_add_up_and_have_gradients_of_their_own():
    def run(wrap):
        table = tables()
        forward = wrap(lambda i: (table(i) ** 3).sum())
        for batch in BATCHES[:2]:
            forward(batch).backward()
        yield look(table.weight.grad)
        (first,) = sl.autograd.grad(
            forward(BATCHES[0]), [table.weight], create_graph=True
        )
        (second,) = sl.autograd.grad((first.values() ** 2).sum(), [table.weight])
        yield look(first), look(second)

    assert list(run(sl.function)) == list(run(lambda f: f))


def rows_or_all(table, i):
    if i.sum() > 4:
        return (table(i) ** 2).sum()
    return (table.weight**2).sum()


def rows_and_perhaps_all(table, i):
    y = (table(i) ** 2).sum()
    if i.sum() > 4:
        y = y + table.weight.sum()
    return y


def rows_or_all_inside(table, i):
    if i.sum() > 3:
        if i[0] > 2:
            return (table(i) ** 2).sum()
        return (table.weight**2).sum()
    return table(i).sum()


def rows_in_a_loop(table, i):
    y, n = sl.tensor(0.0), i.sum() * 0
    while n < 3:
        y = y + ((table(i) ** 2).sum() if n > 1 else table(i).sum())
        n = n + 1
    return y


def rows_or_all_and_all(table, i):
    return rows_or_all(table, i) + table.weight.sum()


@pytest.mark.parametrize("inside", [True, False], ids=["inside", "after"])
@pytest.mark.parametrize(
    "use",
    [
        rows_or_all,
        rows_and_perhaps_all,
        rows_or_all_inside,
        rows_in_a_loop,
        rows_or_all_and_all,
    ],
)
def test_sparse_on_the_ways_that_give_rows_alone(use, inside):
    def run(wrap):
        table = tables()
        optimizer = optim.SGD(table.parameters(), lr=0.1, momentum=0.9)

        @wrap
        def step(i):
            y = use(table, i)
            if inside:
                y.backward()
            return y

        for batch in BATCHES:
            optimizer.zero_grad()
            y = step(batch)
            if not inside:
                y.backward()
            # Sums may be taken in another order.
            gradient = table.weight.grad
            yield gradient.is_sparse, (gradient.to_dense() * 1e4).round().tolist()
            optimizer.step()

    assert list(run(sl.function)) == list(run(lambda f: f))


@pytest.mark.parametrize("inside", [True, False], ids=["inside", "after"])
def test_rows_on_one_way_alone_are_refused_in_one_graph(inside):
    table = tables()

    def step(i):
        y = rows_or_all(table, i)
        if inside:
            y.backward()
        return y

    with pytest.raises(NotImplementedError, match="is sparse depends on the branch"):
        sl.function(step, one_graph=True)(BATCHES[0])


def by_number(x):
    return x[int(x.argmax())]


def by_tensor(x):
    return x[x.argmax()] * 2


def in_a_branch(x):
    return x[x.argmax()] if x.sum() > 0 else x[0]


def in_a_loop(x):
    total, i = x.sum(), x.argmax() * 0
    while i < 3:
        total, i = total + x[i] * 2, i + 1
    return total


@pytest.mark.parametrize("program", [by_number, by_tensor, in_a_branch, in_a_loop])
@pytest.mark.parametrize("inside", [False, True])
def test_the_gradient_of_an_element_is_dense(program, inside):
    def run(wrap):
        x = sl.tensor([1.0, 5.0, 2.0]).requires_grad_()

        def step(x):
            y = program(x)
            if inside:
                y.backward()
            return y

        y = wrap(step)(x)
        if not inside:
            y.backward()
        return x.grad.is_sparse, x.grad.tolist()

    assert run(sl.function) == run(lambda f: f)
    assert run(sl.function)[0] is False

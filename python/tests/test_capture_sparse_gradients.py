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

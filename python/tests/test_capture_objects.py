"""Objects that captured code makes are new ones of each call, and one is one."""

import collections
import dataclasses

import sluice as sl


class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []
        if parent is not None:
            parent.children.append(self)

    def total(self):
        return self.value.sum() + sum(child.total() for child in self.children)

    def __repr__(self):
        return f"Node({self.value})"


class Kept:
    root = None
    method = None


def test_objects_that_refer_to_each_other_are_the_same_objects():
    kept = Kept()

    @sl.function
    def grow(x):
        root = Node(x)
        child = Node(x * 2, root)
        kept.root, kept.method = root, child.total
        return root, child, root.total()

    seen = []
    for v in (1.0, 2.0, 3.0):
        root, child, total = grow(sl.tensor([v]))
        assert kept.root is root and root.children[0] is child
        assert child.parent is root and kept.method.__self__ is child
        assert total.item() == root.total().item() == 3 * v
        assert root not in seen
        seen.append(root)


@dataclasses.dataclass
class State:
    h: object
    log: list


Pair = collections.namedtuple("Pair", "a b")


def test_a_list_from_outside_stays_one_in_a_new_dataclass():
    log = ["outside"]

    @sl.function
    def f(x):
        return State(x * 2, log), Pair(log, x), State(x, log).log is log

    state, pair, same = f(sl.ones(1))
    assert state.log is log and pair.a is log and same


def test_texts_of_objects_show_the_tensors_of_the_call(capsys):
    def f(x):
        node = Node(x.sum())
        print(node, [node], {"n": node})
        return repr(node), f"{[node]}", "%s" % node

    captured = sl.function(f)
    for v in (1.0, 2.0):
        x = sl.tensor([v])
        want = f(x), capsys.readouterr().out
        assert (captured(x), capsys.readouterr().out) == want


def test_a_list_that_grew_in_a_loop_of_the_graph_is_a_list():
    def rows(x):
        out, counts = [], 0
        while x.sum() < 20:
            x = x * 2
            out.append(x)
            counts += 1
        return out, counts

    def halves(x):
        return [row / 2 for row in x]

    def counts(n):
        made = []
        for i in range(n):
            made.append(i * i)
        return made

    for f, calls in (
        (rows, ([1.0, 2.0], [3.0], [1.0])),
        (halves, ([1.0] * 12, [2.0] * 3)),
        (counts, (4, 3, 0)),
    ):
        captured = sl.function(f)
        for given in calls:
            assert repr(captured(sl.tensor(given))) == repr(f(sl.tensor(given)))


def test_a_list_of_floats_that_grew_has_all_their_digits():
    def f(x):
        out = []
        while x > 1:
            x = x / 2
            out.append(0.1 * float(x))
        return out

    captured = sl.function(f)
    for v in (3.0, 9.0, 0.5):
        assert captured(sl.tensor(v)) == f(sl.tensor(v))


def test_a_list_is_repeated_by_an_element():
    def f(x):
        n = int(x.sum())
        return [0] * n, "ab" * n, n == "3", n == [3]

    captured = sl.function(f)
    for v in (2.0, 3.0):
        assert captured(sl.tensor([v])) == f(sl.tensor([v]))

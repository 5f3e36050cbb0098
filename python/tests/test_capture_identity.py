"""Objects that captured code returns and keeps: which are one, which are new, and in
what order they are."""

from __future__ import annotations

import collections
import dataclasses
import types

import numpy as np
import pytest

import sluice as sl


def agree(program):
    assert program(sl.function) == program(lambda f: f)


def test_containers_of_the_program_and_of_the_caller_are_returned_themselves():
    def ran(wrap):
        items, table = [sl.tensor(1.0)], {"a": 1}

        def code(x, own, inner):
            table["a"] += 1
            own.append(x * 2)
            return items, table, own, inner["x"]

        f, found = wrap(code), []
        for _ in range(3):
            own, inner = [], {"x": [sl.tensor(2.0)]}
            a, b, c, d = f(sl.tensor(1.0), own, inner)
            a.append(sl.tensor(3.0))
            found.append((a is items, b is table, c is own, d is inner["x"]))
            found.append((len(items), dict(table), len(own)))
        return found

    agree(ran)


def test_a_list_kept_twice_or_kept_and_returned_is_one_list():
    def ran(wrap):
        o = types.SimpleNamespace(a=None, b=None, old=[], last=None)
        one, two = {}, {}

        def code(x):
            made = [x * 2]
            o.a, o.b = made, made
            one["l"], two["l"] = made, made
            o.old.append(x)
            o.last = o.old
            return {"made": made, "again": (made, made)}

        f, found = wrap(code), []
        for _ in range(3):
            r = f(sl.tensor(1.0))
            found.append((o.a is o.b, one["l"] is two["l"], r["made"] is o.a))
            found.append((r["again"][0] is r["again"][1], o.last is o.old))
            found.append((len(o.old), o.a[0] is r["made"][0], o.a[0].item()))
        return found

    agree(ran)


def test_lists_that_change_places():
    def ran(wrap):
        o = types.SimpleNamespace(a=[sl.tensor(1.0)], b=[sl.tensor(2.0)])
        a, b = o.a, o.b

        def code(x):
            o.a, o.b = o.b, o.a
            o.a[0] = o.a[0] + x
            return o.a[0] * 1

        f, found = wrap(code), []
        for _ in range(4):
            y = f(sl.tensor(1.0)).item()
            found.append((y, o.a is a, o.b is b, a[0].item(), b[0].item()))
        return found

    agree(ran)


class Options:
    def __init__(self, k):
        self.k = k


def test_objects_that_code_makes_are_new_in_every_call():
    def ran(wrap):
        o = types.SimpleNamespace(kept=None)

        def code(x):
            o.kept = Options(3)
            made = Options(4), {1, 2}, np.zeros(2), collections.deque([1], maxlen=3)
            return (*made, collections.OrderedDict(b=x, a=x * 2))

        f, found, before = wrap(code), [], []
        for _ in range(3):
            made = f(sl.tensor(1.0))
            before += [*made, o.kept]
            found.append((made[0].k, sorted(made[1]), made[2].tolist(), o.kept.k))
            found.append((list(made[3]), made[3].maxlen, list(made[4])))
            made[0].k = o.kept.k = 9
            made[1].add(9)
            made[2][0] = 9.0
            made[3].append(9)
        return [*found, len({id(v) for v in before})]

    agree(ran)


@pytest.mark.parametrize(
    "made",
    [
        lambda x: iter([x]),
        lambda x: map(abs, [x]),
        lambda x: zip([x], [1]),
        lambda x: (t for t in [x]),
        lambda x: {"a": x}.values(),
        lambda x: iter([1]),
    ],
)
def test_iterators_are_no_results(made):
    with pytest.raises(TypeError, match="what it returns holds a"):
        sl.function(lambda x: made(x * 2))(sl.ones(2))
    o = types.SimpleNamespace(kept=None)

    def keep(x):
        o.kept = made(x * 2)

    with pytest.raises(TypeError, match="o.kept is left with a"):
        sl.function(keep)(sl.ones(2))


@dataclasses.dataclass
class Batch:
    x: object
    tags: list = dataclasses.field(default_factory=list)
    made: int = dataclasses.field(default=0, init=False)

    def __post_init__(self):
        self.x = self.x * 2
        self.made += 1


def test_a_dataclass_is_not_made_anew_by_its_post_init():
    def ran(wrap):
        def code(batch):
            batch.tags.append("seen")
            other = Batch(batch.x + 1, ["other"])
            return batch, other

        f, found = wrap(code), []
        for _ in range(2):
            batch = Batch(sl.tensor(1.0), ["a"])
            same, other = f(batch)
            found.append((same is batch, same.x.item(), same.made, batch.tags))
            found.append((other.x.item(), other.made, other.tags))
        return found

    agree(ran)


def test_dicts_with_a_default_among_arguments_and_results():
    def ran(wrap):
        def code(d, x):
            d["new"].append(x)
            made = collections.defaultdict(list, a=[x * 2])
            return made, len(d["new"])

        f, found = wrap(code), []
        for _ in range(2):
            d = collections.defaultdict(list)
            made, n = f(d, sl.tensor(1.0))
            found.append((n, len(d["new"]), made["a"][0].item(), made["other"]))
        return found

    agree(ran)


def test_dicts_are_followed_in_the_order_of_the_call():
    def ran(wrap):
        def code(d, **named):
            y = 0.0
            for v in [*d.values(), *named.values()]:
                y = y * 2 + v
            return y, list(d), list(named)

        f = wrap(code)
        a, b = sl.tensor(1.0), sl.tensor(5.0)
        calls = [
            f({"a": a, "b": b}, p=a, q=b),
            f({"b": b, "a": a}, p=a, q=b),
            f({"a": a, "b": b}, q=b, p=a),
            f({"a": a, "b": b}, p=a, q=b),
        ]
        return [(y.item(), *names) for y, *names in calls]

    agree(ran)


def test_one_tensor_given_twice_is_one_object():
    def ran(wrap):
        f = wrap(lambda x, y, z: (x is y, x is z[0], id(x) == id(y)))
        a, b = sl.ones(2), sl.ones(2)
        return [f(a, a, [a]), f(a, b, [a]), f(b, b, [a]), f(a, b, [b])]

    agree(ran)


def test_sizes_that_are_keys_are_numbers_afterwards():
    def ran(wrap):
        seen, table = set(), {}

        def code(x):
            n = x.shape[0]
            if n not in table:
                table[n] = sl.arange(n) * 1.0
            seen.add(n)
            return x + table[n]

        f = wrap(code)
        found = [f(sl.ones(n)).tolist() for n in (3, 3, 4, 5, 3)]
        return found, sorted(seen), sorted(table), {type(n) for n in [*seen, *table]}

    agree(ran)


def test_the_order_of_the_elements_of_an_argument_is_compared():
    def ran(wrap):
        f = wrap(lambda x: x * 2 if x.is_contiguous() else x * 3)
        a = sl.arange(6).reshape(2, 3)
        return [f(t).tolist() for t in (a, a.t(), a[:, ::2], a)]

    agree(ran)


def test_a_forward_that_an_object_gets_later_is_followed():
    from sluice import nn

    m = nn.Linear(2, 2)
    f = sl.function(lambda x: m(x))
    f(sl.ones(2))
    m.forward = lambda x: x * 7
    assert f(sl.ones(2)).tolist() == [7.0, 7.0]

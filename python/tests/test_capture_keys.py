"""Numbers taken from tensors as keys of dicts and elements of sets, however they come
there: values decide which they are."""

import collections
import inspect

import pytest

import sluice as sl


class Programs:
    """Each with the same result captured and not."""

    def set_update(k):
        e = {1}
        e.update([int(k[0])], (int(k[1]),))
        return sorted(e)

    def set_update_by_a_generator(k):
        e = {1}
        e.update(int(q) for q in k)
        return sorted(e)

    def set_of_a_generator(k):
        return sorted(set(int(q) for q in k))  # noqa: C401

    def set_of_a_list(k):
        return sorted(frozenset(k.tolist()))

    def union(k):
        return sorted({1, 2}.union([int(k[0])], (int(k[1]),)))

    def differences(k):
        e = {1, 2, 3}
        e.difference_update((int(k[0]),))
        e.symmetric_difference_update([int(k[1]), 7])
        return sorted(e), sorted(set(k.tolist()) - {1})

    def relations(k):
        return ({1, 2, 3}.isdisjoint([int(k[0])]), {1, 2}.issuperset(k.tolist()),
                sorted({1, 2}.intersection(k.tolist())), {1, 2} <= set(k.tolist()))

    def in_a_branch(k):
        e = {1}
        if k.sum() > 4:
            e.update([int(k[0])])
        return len(e)

    def dict_update(k):
        d = {}
        d.update([(int(k[0]), k[1])])
        d.update({int(k[2]): 5})
        return d

    def dict_of_pairs(k):
        return dict(zip(k.tolist(), range(3)))

    def dict_from_keys(k):
        return dict.fromkeys([int(k[0]), 2], 0)

    def looked_up_by_map(k):
        return list(map({1: 2}.get, k.tolist()))

    def counted(k):
        found = collections.Counter(k.tolist())
        found.update(k.tolist())
        return sorted(found.items())


PROGRAMS = [f for _, f in inspect.getmembers(Programs, inspect.isfunction)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_keys_are_numbers(program):
    captured = sl.function(program)
    for values in ([1, 2, 3], [2, 2, 1], [0, 1, 1], [1, 2, 3]):
        k = sl.tensor(values)
        assert repr(captured(k)) == repr(program(k))

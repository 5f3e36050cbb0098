"""Keys, ids and weak references: what captured code finds things by."""

import weakref

import pytest
import sluice as sl


def test_numbers_of_the_graph_are_keys_and_indices_to_store_by():
    found = []
    for capture in (lambda f: f, sl.function):
        kept, counts = {}, [0, 0, 0]

        @capture
        def f(x):
            i = x.argmax().item()
            own, items = {(i, "a"): 1}, [1, 2, 3]
            own[i] = x
            items[i] += 7
            del items[i]
            kept[i] = kept.get(i, 0) + 1
            counts[i] += 1
            return own, items

        given = ([1.0, 2.0], [3.0, 1.0], [1.0, 2.0, 3.0])
        made = [repr((f(sl.tensor(v)), kept, counts)) for v in given]
        found.append(made)
    assert found[0] == found[1]


def test_shapes_are_keys_of_what_outlives_the_call():
    found = []
    for capture in (lambda f: f, sl.function):
        kept, seen = {}, set()

        @capture
        def f(x):
            kept[x.shape] = x.shape[0] * 2
            seen.add((x.shape[0], "a"))
            return {tuple(x.shape): 1}

        made = [repr((f(sl.ones(n)), kept, len(seen))) for n in (2, 3, 2)]
        found.append(made)
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["get", "store", "contains", "id"])
def test_a_tensor_of_the_graph_is_no_key_of_a_dict_from_outside(name):
    kept = {}

    @sl.function
    def f(x):
        if name == "get":
            return kept.get(x)
        if name == "contains":
            return x in kept
        kept[x if name == "store" else id(x)] = 1
        return x

    with pytest.raises(TypeError, match="dict or set"):
        f(sl.ones(1))
    assert kept == {}


def test_ids_tell_tensors_apart_while_the_code_runs():
    def f(*tensors):
        seen, out = set(), []
        for t in tensors:
            if id(t) not in seen:
                seen.add(id(t))
                out.append(t * 2)
        return len(out)

    x, y = sl.ones(1), sl.ones(1)
    captured = sl.function(f)
    for given in ((x, y, x), (x, x, x)):
        assert captured(*given) == f(*given)
    with pytest.raises(TypeError, match=r"the id\(\) of an object"):
        sl.function(lambda x: id(x))(x)


def test_a_weak_reference_is_to_the_tensor_of_the_call():
    class Box:
        pass

    box = Box()

    @sl.function
    def f(x):
        box.ref = weakref.ref(x)
        return box.ref() is x

    for _ in range(2):
        x = sl.ones(1)
        assert f(x) and box.ref() is x

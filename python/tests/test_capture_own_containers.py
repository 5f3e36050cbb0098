"""Lists, dicts and sets that captured code makes itself and changes in a branch or
loop that a tensor decides: the change is that of the way taken."""

import collections

import pytest

import sluice as sl

LISTS = """reverse() insert(0,n) pop() remove(1) clear() extend([n]) sort() append(n)
__setitem__(0,n) __delitem__(0)""".split()
DICTS = """update(a=n) pop('a') setdefault('c',n) popitem() clear()
__setitem__('a',n)""".split()
SETS = "add(n) discard(1) update([8]) clear() remove(1)".split()
DEQUES = "append(n) appendleft(n) rotate(1) reverse() popleft()".split()
MADE = {
    "[1,2]": LISTS,
    "[1,x.sum()]": LISTS,
    "{'a':1,'b':x.sum()}": DICTS,
    "{1,2}": SETS,
    "collections.deque([1,2])": DEQUES,
}
WAYS = {
    "if": """
    if x.sum() > 1.5:
        {change}
""",
    "else, behind another name": """
    other = own
    if x.sum() > 1.5:
        pass
    else:
        {change_other}
""",
    "while": """
    i = x.sum() * 0
    while i < x.sum() and i < 1:
        {change}
        i = i + 1
""",
    "a conditional expression": """
    {change} if x.sum() > 1.5 else None
""",
    "and": """
    x.sum() > 1.5 and {change}
""",
    "a helper": """
    def helper(it):
        {change_it}

    if x.sum() > 1.5:
        helper(own)
""",
    "a part": """
    whole = (own, [own])
    if x.sum() > 1.5:
        whole[1][0].{method}
""",
}
CALLS = [([-1.5], 0), ([0.5], 1), ([5.0], 2), ([5.0], 7), ([-3.0], 7), ([0.0], 1)]


def program(tmp_path, made, method, way):
    text = f"import collections\n\n\ndef f(x, n):\n    own = {made}\n"
    text += WAYS[way].format(
        change=f"own.{method}",
        change_other=f"other.{method}",
        change_it=f"it.{method}",
        method=method,
    )
    path = tmp_path / "program.py"
    path.write_text(text + "    return own\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"]


def outcome(f, x, n):
    try:
        made = f(sl.tensor(x, dtype=sl.float64), n)
    except Exception as error:
        return type(error), str(error).splitlines()[0]
    return type(made), repr(made)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("made", MADE)
def test_a_change_is_that_of_the_way_taken(tmp_path, made, way):
    for method in MADE[made]:
        f = program(tmp_path, made, method, way)
        captured = sl.function(f)
        for x, n in CALLS:
            wanted = outcome(f, x, n)
            assert outcome(captured, x, n) == wanted, (method, x, n)


def test_as_one_graph_it_is_refused():
    def f(x):
        own = collections.deque([1, 2])
        if x.sum() > 1:
            own.rotate(1)
        return x * own[0]

    with pytest.raises(TypeError, match="changes a deque of the function's own"):
        sl.function(f, one_graph=True)(sl.tensor([2.0]))


KEYS = collections.defaultdict(list)


def test_a_key_that_comes_with_reading_on_a_way_that_is_not_taken():
    @sl.function
    def step(x):
        if x.sum() > 2:
            KEYS["large"].append(1)
        return x

    KEYS.clear()
    seen = []
    for value in (1.0, 3.0, 1.0, 5.0):
        step(sl.tensor([value]))
        seen.append({key: list(of) for key, of in KEYS.items()})
    assert seen == [{}, {"large": [1]}, {"large": [1]}, {"large": [1, 1]}]


def test_what_an_argument_is_and_a_tensor_from_outside():
    w = sl.tensor([1.0])

    @sl.function
    def step(x):
        return x * 10 if x is w else x

    for given in (w, sl.tensor([1.0])):
        with pytest.raises(Exception, match="`is` of a tensor that is given"):
            step(given)


TAKEN = []
ADD = TAKEN.append


@pytest.mark.parametrize("add", [
    lambda x: ADD(1), lambda x: list.append(TAKEN, 1), lambda x: TAKEN.__iadd__([1])])
def test_methods_of_a_list_outside_however_they_are_called(add):
    @sl.function
    def step(x):
        if x.sum() > 2:
            add(x)
        return x

    TAKEN.clear()
    sizes = []
    for value in (1.0, 3.0, 1.0, 5.0):
        step(sl.tensor([value]))
        sizes.append(len(TAKEN))
    assert sizes == [0, 1, 1, 2]

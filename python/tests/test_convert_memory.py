"""What the converter keeps of sources it has read."""

import linecache

import sluice as sl
from sluice._convert import source


def captured(name):
    """A captured function whose source is a file of its own, as a notebook's cell."""
    text = "def f(x):\n    if x.sum() > 0:\n        x = x + 1\n    return x\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    return sl.function(names["f"])


def test_trees_of_cells_without_end_are_not_all_kept():
    names = [f"<cell {i}>" for i in range(3 * source._MOST_FILES)]
    try:
        functions = [captured(name) for name in names]
        for f in functions:
            assert f(sl.tensor([1.0])).item() == 2
        assert len(source._files) <= source._MOST_FILES
        # The first one's is gone, and found again when it is needed.
        assert captured(names[0])(sl.tensor([-1.0])).item() == -1
    finally:
        for name in names:
            linecache.cache.pop(name, None)

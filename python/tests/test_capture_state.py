"""What captured code writes outside of itself is written by every call."""

from __future__ import annotations

import pytest

import sluice as sl
import sluice.nn as nn

COUNT = 0
LAST = None


def value(t):
    return float(t.item())


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = sl.tensor(0.0)

    def forward(self, x):
        self.h = self.h + x
        return self.h * 1


def test_a_state_that_is_an_attribute_goes_on():
    m = Cell()
    f = sl.function(m)
    assert [value(f(sl.tensor(3.0))) for _ in range(5)] == [3.0, 6.0, 9.0, 12.0, 15.0]
    assert value(m.h) == 15.0 and not m.h.symbolic
    assert len(f.traces()) == 2, "the second takes the state as an argument"
    assert f.traces()[1].why == "self.h is another tensor than in the last trace"
    m.h = sl.tensor(100.0)
    assert value(f(sl.tensor(1.0))) == 101.0
    assert len(f.traces()) == 2


def test_a_state_that_is_a_buffer_goes_on():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("h", sl.tensor(0.0))

        def forward(self, x):
            self.h = self.h + x
            return self.h

    m = Model()
    f = sl.function(m)
    seen = [f(sl.tensor(3.0)) for _ in range(4)]
    assert [value(t) for t in seen] == [3.0, 6.0, 9.0, 12.0]
    assert m.h is seen[-1], "what is returned is what is kept"
    assert value(m.state_dict()["h"]) == 12.0
    assert len(f.traces()) == 2


def test_gradients_flow_through_a_state():
    m = Cell()
    w = sl.tensor(2.0, requires_grad=True)
    f = sl.function(lambda x: m(x * w))
    out = None
    for _ in range(3):
        out = f(sl.tensor(5.0))
    out.backward()
    assert value(w.grad) == 15.0


def test_states_in_lists_and_dicts_go_on():
    class Model:
        def __init__(self):
            self.state = {"h": sl.tensor(0.0), "n": 0}
            self.rows = [sl.tensor(1.0), sl.tensor(2.0)]

        def forward(self, x):
            self.state["h"] = self.state["h"] + x
            self.rows[1] = self.rows[0] + self.rows[1]
            return self.state["h"] + self.rows[1]

    def run(captured):
        m = Model()
        f = sl.function(m.forward) if captured else m.forward
        seen = [value(f(sl.tensor(1.0))) for _ in range(4)]
        return seen, value(m.state["h"]), [value(t) for t in m.rows], m.state["n"]

    assert run(True) == run(False)


def test_globals_and_nonlocals_are_written_by_every_call():
    global COUNT, LAST
    COUNT, LAST = 0, sl.tensor(0.0)
    seen = 0
    last = None

    @sl.function
    def f(x):
        global COUNT, LAST
        nonlocal seen, last
        COUNT += 1
        LAST = LAST + x
        seen = seen + 2
        last = x * 2
        return LAST

    for i in range(1, 5):
        assert value(f(sl.tensor(1.5))) == 1.5 * i
        assert (COUNT, seen, value(LAST), value(last)) == (i, 2 * i, 1.5 * i, 3.0)
        assert not LAST.symbolic and not last.symbolic


def test_a_list_that_only_grows_is_appended_to_by_every_call():
    losses = []

    class Model:
        def __init__(self):
            self.history = []

        def forward(self, x):
            self.history.append(x * 2)
            losses.append(x * 3)
            return x

    m = Model()
    f = sl.function(m.forward)
    for i in range(4):
        f(sl.tensor(float(i)))
    assert [value(t) for t in m.history] == [0.0, 2.0, 4.0, 6.0]
    assert [value(t) for t in losses] == [0.0, 3.0, 6.0, 9.0]
    assert len(f.traces()) == 1


def test_methods_that_change_containers():
    def run(captured):
        state = {"a": sl.tensor(1.0)}
        items = [sl.tensor(1.0), sl.tensor(2.0)]
        names = {"x"}

        def f(x):
            state.update(b=x * 2)
            state.setdefault("c", x * 3)
            items.insert(0, x)
            items.pop()
            names.add("y")
            names.discard("x")
            return state["b"] + items[0]

        call = sl.function(f) if captured else f
        out = [value(call(sl.tensor(float(i)))) for i in range(3)]
        return (out, {k: value(v) for k, v in state.items()},
                [value(v) for v in items], names)

    assert run(True) == run(False)


def test_setattr_delattr_and_del():
    class Box:
        pass

    def run(captured):
        box = Box()
        box.old = 1
        table = {"gone": 1, "k": 2}

        def f(x):
            setattr(box, "h", x * 2)
            if hasattr(box, "old"):
                del box.old
            if "gone" in table:
                del table["gone"]
            return getattr(box, "h") + 1

        call = sl.function(f) if captured else f
        out = [value(call(sl.tensor(float(i)))) for i in range(3)]
        return out, value(box.h), hasattr(box, "old"), table

    assert run(True) == run(False)


def test_an_argument_that_is_kept_is_the_callers():
    class Box:
        last = None

        def forward(self, x):
            self.last = x
            return x

    b = Box()
    f = sl.function(b.forward)
    for _ in range(3):
        x = sl.tensor([1.0, 2.0])
        out = f(x)
        assert b.last is x and out is x


def test_a_container_that_is_an_argument_is_changed_for_the_caller():
    @sl.function
    def f(state, x):
        state["h"] = state["h"] + x
        state["seen"].append(x * 2)
        return state["h"]

    state = {"h": sl.tensor(0.0), "seen": []}
    for i in range(1, 4):
        assert value(f(state, sl.tensor(1.0))) == i
        assert value(state["h"]) == i and len(state["seen"]) == i
    assert not state["seen"][-1].symbolic


def test_values_that_are_no_tensors_are_written_too():
    class Model:
        mode = "first"
        pair = None

        def forward(self, x):
            self.mode = "second"
            self.pair = (x, "text", [x * 2, 3])
            return x

    m = Model()
    f = sl.function(m.forward)
    f(sl.tensor(1.0))
    m.mode = "first"
    f(sl.tensor(4.0))
    assert m.mode == "second"
    assert value(m.pair[0]) == 4.0 and value(m.pair[2][0]) == 8.0
    assert m.pair[1:2] == ("text",) and m.pair[2][1] == 3


def test_a_property_with_a_setter():
    class Model:
        def __init__(self):
            self._h = sl.tensor(0.0)

        @property
        def h(self):
            return self._h

        @h.setter
        def h(self, new):
            self._h = new

        def forward(self, x):
            self.h = self.h + x
            return self.h

    m = Model()
    f = sl.function(m.forward)
    assert [value(f(sl.tensor(2.0))) for _ in range(3)] == [2.0, 4.0, 6.0]


def test_augmented_assignments_of_every_place():
    global COUNT
    COUNT = 0

    class Model:
        def __init__(self):
            self.h = sl.tensor(0.0)
            self.table = {"h": sl.tensor(0.0)}
            self.items = [sl.tensor(1.0)]
            self.n = 0

        def forward(self, x):
            global COUNT
            self.h = self.h + x
            self.table["h"] = self.table["h"] * 2 + x
            self.n += 1
            COUNT += 2
            return self.h + self.table["h"]

    def run(captured):
        global COUNT
        COUNT = 0
        m = Model()
        f = sl.function(m.forward) if captured else m.forward
        return [value(f(sl.tensor(1.0))) for _ in range(4)], m.n, COUNT

    assert run(True) == run(False)


def test_writes_of_a_body_that_raises_are_kept():
    class Model:
        def __init__(self):
            self.h = sl.tensor(1.0)
            self.rows = [1]

        def forward(self, x):
            self.h = x * 2
            self.rows.append(x)
            raise KeyError("no")

    m = Model()
    f = sl.function(m.forward)
    x = sl.tensor(3.0)
    with pytest.raises(KeyError):
        f(x)
    assert m.h.item() == 6.0 and m.rows[0] == 1 and m.rows[1] is x
    assert f.traces() == []


def test_writes_in_a_branch_that_a_tensor_decides():
    class Model:
        def __init__(self):
            self.h = sl.tensor(0.0)
            self.n = 0
            self.table = {"k": sl.tensor(1.0)}

        def note(self, x):
            self.table["k"] = x

        def forward(self, x):
            if x > 0:
                self.h = self.h + x
                self.n = self.n + 1
                self.note(x * 10)
            else:
                self.h = self.h - 1
            return self.h

    def run(captured):
        m = Model()
        f = sl.function(m.forward) if captured else m.forward
        seen = []
        for v in (1.0, -2.0, 3.0, 4.0, -1.0):
            seen.append((value(f(sl.tensor(v))), int(m.n), value(m.table["k"])))
        return seen, type(m.n)

    assert run(True) == run(False)


def test_writes_in_loops_that_tensors_decide():
    total = sl.tensor(0.0)

    class Model:
        def __init__(self):
            self.h = sl.tensor(0.0)
            self.table = {"k": sl.tensor(0.0)}

        def forward(self, xs, limit):
            nonlocal total
            for x in xs:
                self.h = self.h + x
                self.table["k"] = self.table["k"] * 2 + x
                total = total + 1
            while self.h > limit:
                self.h = self.h / 2
            return self.h

    def run(captured):
        nonlocal total
        total = sl.tensor(0.0)
        m = Model()
        f = sl.function(m.forward) if captured else m.forward
        seen = []
        for n in (3, 2, 4):
            out = f(sl.arange(n).to(sl.float32), sl.tensor(2.0))
            seen.append((value(out), value(m.h), value(m.table["k"]), value(total)))
        return seen

    assert run(True) == run(False)


def test_globals_assigned_in_a_branch():
    global LAST
    LAST = sl.tensor(0.0)

    @sl.function
    def f(x):
        global LAST
        if x > 0:
            LAST = LAST + x
        return LAST * 1

    assert [value(f(sl.tensor(v))) for v in (1.0, -5.0, 2.0)] == [1.0, 1.0, 3.0]
    assert value(LAST) == 3.0


def test_a_branch_that_makes_a_text_of_an_attribute_is_no_one_graph():
    class Model:
        def __init__(self):
            self.mode = "a"

        def forward(self, x):
            if x > 0:
                self.mode = "b"
            return x

    m = Model()
    f = sl.function(m.forward, one_graph=True)
    with pytest.raises(TypeError, match=r"self.mode.*a graph chooses between tensors"):
        f(sl.tensor(1.0))
    assert m.mode == "a"


def test_a_container_that_is_an_argument_and_an_attribute():
    class Model:
        def __init__(self):
            self.items = [sl.tensor(1.0), sl.tensor(2.0)]

        def forward(self, x):
            self.items[0] = self.items[0] + x

    def run(captured):
        m = Model()

        def step(items, x):
            m.forward(x)
            items[1] = items[0] * 2
            return m.items[1] + len(items)

        call = sl.function(step) if captured else step
        other = [sl.tensor(5.0), sl.tensor(6.0)]
        seen = []
        for items in (m.items, m.items, other, m.items, other):
            seen.append(value(call(items, sl.tensor(1.0))))
        return seen, [value(t) for t in m.items], [value(t) for t in other]

    assert run(True) == run(False)


def test_a_captured_function_made_while_another_is_recorded():
    @sl.function
    def f(x):
        inner = sl.function(lambda y: x * y)
        return inner(x) + inner(sl.tensor(1.0))

    assert [value(f(sl.tensor(v))) for v in (2.0, 3.0)] == [6.0, 12.0]


def test_a_write_of_what_is_there_is_done_where_it_is_not():
    """Recorded while self.h was box.t already, it was no write at all."""

    class Holder:
        pass

    holder, box = Holder(), Holder()
    holder.h, box.t = sl.tensor([0.0]), sl.tensor([1.0])

    @sl.function
    def step(x, flag):
        holder.h = box.t
        return x

    x = sl.tensor([2.0])
    step(x, False)
    step(x, True)
    assert holder.h is box.t
    holder.h = sl.tensor([5.0])
    step(x, True)
    assert holder.h is box.t


# state:324067: a variable of the same name was made a list of the graph instead.
def test_an_append_in_a_branch_to_a_list_that_is_read_by_the_variables_name():
    class Net:
        def __init__(self):
            self.items = [0.25]

        def __call__(self, x):
            items = self.items
            if x > 0:
                items.append(x)

    def run(wrap):
        net = Net()
        items = net.items

        @wrap
        def step(x):
            net(x)
            return items[0] * x

        found = [step(sl.tensor(v)).item() for v in (2.0, -1.0, 3.0)]
        return found, len(items)

    assert run(sl.function) == run(lambda f: f)

"""Arguments, and state that was rebound, that look into other tensors of the call
which it writes: they are followed as views of those."""

import pytest
from both_ways import both

import sluice as sl


def seen(*tensors):
    return [(t.tolist(), t.requires_grad, t.is_leaf) for t in tensors]


class State:
    def __init__(self):
        self.t = sl.tensor([7.0, 8.0])


LOOKS = {
    "detach": lambda x: x.detach(),
    "whole": lambda x: x[:],
    "part": lambda x: x[1:2],
    "element": lambda x: x[-1],
    "of a view": lambda x: x.view(2, 1).T[0, 0:1],
    "of what is detached": lambda x: x.detach()[0:1],
}


@pytest.mark.parametrize("name", LOOKS)
def test_state_that_looks_into_an_argument(name):
    def run(wrap):
        state = State()
        traces = []

        @wrap
        def step(x):
            before = state.t.sum() * 1
            x.mul_(2)
            state.t.add_(1)
            after = state.t.sum() * 1
            state.t = LOOKS[name](x)
            return before, after

        x, found = sl.tensor([1.0, 2.0]), []
        for k in range(5):
            if k == 3:  # another one, into which the state does not look
                x = sl.tensor([5.0, 6.0])
            found.append([r.item() for r in step(x)])
            found.append(seen(x, state.t))
        if hasattr(step, "traces"):
            traces.append(len(step.traces()))
            for _ in range(5):
                step(x)
            assert traces == [len(step.traces())]
        return found

    both(run)


def test_views_among_the_arguments_and_their_gradients():
    def run(wrap):
        w = sl.tensor([3.0, 4.0]).requires_grad_()

        @wrap
        def step(x, part, look):
            x.mul_(w)
            part.add_(1)
            return (x * x).sum() + part.sum() + look.sum()

        found = []
        for _ in range(2):
            x = w * 2
            part, look = x[0:1], x.detach()
            step(x, part, look).backward()
            found.append((seen(x, part, look), w.grad.tolist()))
        return found

    both(run)


def test_a_recorded_write_to_an_argument_that_was_detached_from_another():
    def run(wrap):
        w = sl.tensor([3.0, 4.0]).requires_grad_()

        @wrap
        def step(x, look):
            look.mul_(w)
            x.add_(1)
            return (x * look).sum()

        found = []
        for _ in range(2):
            x = w * 2
            look = x.detach()
            y = step(x, look)
            found.append(seen(x, look))
            (y + look.sum()).backward()
            found.append(w.grad.tolist())
        return found

    both(run)


def test_an_argument_that_looks_into_a_tensor_around():
    def run(wrap):
        state = sl.tensor([1.0, 2.0])

        @wrap
        def step(part):
            state.mul_(3)
            part.add_(1)
            return part, part.sum() + state.sum()

        found = []
        for at in (0, 0, 1):
            part = state[at : at + 1]
            same, total = step(part)
            assert same is part
            found.append((state.tolist(), part.tolist(), total.item()))
        return found

    both(run)


def test_another_call_without_the_look():
    def run(wrap):
        @wrap
        def step(x, y):
            x.add_(1)
            return x.sum() + y.sum()

        found = []
        for look in (True, False, True, False):
            x = sl.tensor([1.0, 2.0])
            y = x[0:1] if look else sl.tensor([1.0])
            found.append(step(x, y).item())
            found.append(seen(x, y))
        return found

    both(run)


def test_state_that_looks_into_a_parameter():
    def run(wrap):
        w = sl.nn.Parameter(sl.tensor([2.0, 3.0]))
        state = State()

        @wrap
        def step(x):
            state.t[0] = x * 1
            y = (w * x).sum()
            state.t = w.detach()
            return y

        found = []
        for k in range(4):
            step(sl.tensor(float(k))).backward()
            found.append((seen(w, state.t), w.grad.tolist()))
        return found

    both(run)


def test_arguments_that_look_into_each_other():
    def run(wrap):
        w = sl.tensor([3.0, 4.0]).requires_grad_()

        @wrap
        def step(part, look, x):
            look.mul_(w)
            x.add_(1)
            return part * 1

        found = []
        for _ in range(2):
            x = sl.tensor([1.0, 2.0])
            look = x.detach()
            part = look[0:1]
            y = step(part, look, x)
            found.append(seen(x, look, part, y))
            (y.sum() + look.sum()).backward()
            found.append(w.grad.tolist())
        return found

    both(run)

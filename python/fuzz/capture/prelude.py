"""The parts of a program around the function under test: helpers, module, state."""

from __future__ import annotations

from .writer import Writer, indented, literal

HELPERS = '''\
import contextlib
import copy


def bump(t):
    t += 1
    return t * 0.5


def shrink(t):
    t.mul_(0.5)
    return t


def mix(t):
    if t.ndim == 1:
        return T.tanh(t) * 0.7
    return t


@T.no_grad()
def quiet(t):
    return t * 2


@contextlib.contextmanager
def frozen(p):
    before = p.requires_grad
    p.requires_grad_(False)
    try:
        yield p
    finally:
        p.requires_grad_(before)


def pieces(t):
    yield t * 0.5
    yield T.tanh(t)


class Own(Exception):
    """The program's: no refusal of the library is caught with it."""


class Box:
    def __init__(self, t):
        self.t = t
        self.n = 0

    def put(self, t):
        self.t = self.t + t
        self.n += 1
'''

# A gradient of the program's own, whose rule reads and writes the program around it.
RULES = '''\
RULE = {"scale": 0.5, "calls": 0, "seen": None}


class Bent(T.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return T.tanh(t) * 0.5

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        return g * RULE["scale"] + t * 0.125


class Counted(T.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t * 2

    @staticmethod
    def backward(ctx, g):
        RULE["calls"] += 1
        return g * 2


def halved(g):
    RULE["seen"] = g.detach() * 0.5
    return g * 0.5
'''

# Functions that assign what others read, called from anywhere.
SHARED = '''\
SH_F = 0.5
SH_N = 0
SH_V = None
SH_W = T.tensor([0.3, -0.2, 0.5], dtype=D)


def shift():
    global SH_F
    SH_F *= 0.9


def tally():
    global SH_N
    SH_N += 1
    return SH_N


def keep(t):
    global SH_V, SH_W
    SH_V = SH_W
    SH_W = t.detach() * 0.5


def recall():
    return SH_W * SH_F


def either(t, other):
    if t.sum() > 0.2:
        return t
    return other
'''
FIXED = '''\
def fixed(module):
    for i, p in enumerate(module.parameters()):
        with T.no_grad():
            p.copy_(T.sin(T.arange(p.numel(), dtype=D) + i).reshape(p.shape) * 0.5)
    return module
'''


def vector(w: Writer, *, extra: str = "") -> str:
    return f"T.tensor({literal(w.rng, [3])}, dtype=D{extra})"


def matrix(w: Writer, rows: int, *, extra: str = "") -> str:
    return f"T.tensor({literal(w.rng, [rows, 3])}, dtype=D{extra})"


def globals_(w: Writer) -> list[str]:
    if not w.has("globals"):
        return []
    return [f"G_V = {vector(w)}", "G_N = 1", f"G_F = {w.number(0.2, 1.2)}",
            f"G_L = [{vector(w)}, 2]"]


def module(w: Writer, forward: list[str]) -> list[str]:
    """class Net, with the state that the program's features use."""
    made = ["super().__init__()",
            f"self.w = T.nn.Parameter({vector(w)})",
            f"self.q = T.nn.Parameter({matrix(w, 3)})"]
    if w.has("attributes"):
        made += [f"self.h = {vector(w)}", "self.count = 0",
                 f"self.scale = {w.number(0.3, 0.9)}"]
    if w.has("buffers"):
        made += [f'self.register_buffer("run", {vector(w)})',
                 'self.register_buffer("steps", T.tensor(0))']
    if w.has("layers"):
        made += ["self.lin = fixed(T.nn.Linear(3, 3, dtype=D))"]
        if w.has("random"):
            made += ["self.drop = T.nn.Dropout(0.5)"]
        if w.has("norm"):
            made += ["self.norm = T.nn.BatchNorm1d(3, dtype=D)"]
    if w.has("lists"):
        made += [f"self.items = [{vector(w)}, {vector(w)}]"]
    return ["class Net(T.nn.Module):", "    def __init__(self):",
            *indented(indented(made)), "", *indented(forward)]


def names(w: Writer, *, forward: bool) -> None:
    """The names that the body of step, or of forward, finds around it."""
    scope, me = w.scope, "self" if forward else "net"
    if w.has("module"):
        scope.add(f"{me}.w", "V", leaf=True, assigned=False)
        if w.chance(0.5):
            scope.add(f"{me}.q", "Q", leaf=True, assigned=False)
        if w.has("attributes"):
            scope.add(f"{me}.h", "V")
            scope.add(f"{me}.count", "I")
            scope.add(f"{me}.scale", "F")
        if w.has("buffers"):
            scope.add(f"{me}.run", "V", assigned=False)
    if w.has("globals"):
        scope.add("G_V", "V")
        scope.add("G_N", "I")
        scope.add("G_F", "F")
        scope.add("G_L[0]", "V")
    if w.has("nonlocals") and not forward:
        scope.add("c_v", "V")
        scope.add("c_n", "I")
        scope.add("c_f", "F")
    if w.has("lists"):
        scope.add("items[0]", "V")
    if w.has("dicts") and not forward:
        scope.add('d["a"]', "V")
        scope.add('d["n"]', "I")
        scope.add('d["f"]', "F")
    if w.has("objects") and not forward:
        scope.add("box.t", "V")
        scope.add("box.n", "I")

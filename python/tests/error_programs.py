"""Programs that fail, one for each kind of message, and what they must say.

Each is (name, program, class, lines of the message). The program is run from a file
called model.py; a line that ends with `# here` is the one the message must name as
{here}, `# there` as {there}. Lines must appear in this order, each within one line
of the message; the first must begin it.
"""

PROGRAMS = [
    (
        "an op on shapes that do not fit",
        """
a = sl.zeros([64, 784])
b = sl.zeros([100, 10])
a.name, b.name = "fc1.out", "fc2.weight"
sl.matmul(a, b)  # here
""",
        ValueError,
        [
            "[MatMul] inner sizes differ: a is f32[64,784], b is f32[100,10]; wanted",
            'at {here}  a = "fc1.out" f32[64,784], b = "fc2.weight" f32[100,10]',
        ],
    ),
    (
        "an operator",
        """
sl.zeros([2, 3]) + sl.zeros([4])  # here
""",
        ValueError,
        ["[Add] shapes do not broadcast: a is f32[2,3], b is f32[4]", "at {here}"],
    ),
    (
        "an index",
        """
sl.gather(sl.zeros([3]), sl.tensor([0, 7]))  # here
""",
        IndexError,
        ["[Gather] indices[1] is 7; wanted 0 <= index < 3", "at {here}"],
    ),
    (
        "memory",
        """
sl.zeros([1 << 40])  # here
""",
        MemoryError,
        ["[Fill]", "at {here}"],
    ),
    (
        "a call several functions deep",
        """
class Net:
    def forward(self, x):
        return [sl.matmul(x, y) for y in [x]]  # here

def run(net):
    return net.forward(sl.zeros([2, 3]))

run(Net())
""",
        ValueError,
        ["[MatMul] inner sizes differ", "at {here}"],
    ),
    (
        "a lambda",
        """
fails = lambda x: sl.matmul(x, x)  # here
list(map(fails, [sl.zeros([2, 3])]))
""",
        ValueError,
        ["[MatMul]", "at {here}"],
    ),
    (
        "a generator",
        """
def rows():
    yield 1
    yield sl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3]))  # here

list(rows())
""",
        ValueError,
        ["[MatMul]", "at {here}"],
    ),
    (
        "another thread",
        """
import threading
seen = []

def work():
    try:
        sl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3]))  # here
    except ValueError as e:
        seen.append(e)

thread = threading.Thread(target=work)
thread.start()
thread.join()
raise seen[0]
""",
        ValueError,
        ["[MatMul]", "at {here}"],
    ),
    (
        "a step of a graph",
        """
with sl.Graph().as_default() as graph:
    x = sl.placeholder(sl.float32, [None, None], name="x")
    y = sl.placeholder(sl.float32, [None, None], name="y")
    z = sl.matmul(x, y)  # here
session = sl.Session(graph)
session.run(z, {x: np.zeros((2, 3), "f"), y: np.zeros((4, 5), "f")})
""",
        ValueError,
        [
            "[MatMul] inner sizes differ: a is f32[2,3], b is f32[4,5]",
            'at {here} (node "MatMul")  a = "x" f32[2,3], b = "y" f32[4,5]',
        ],
    ),
    (
        "building a graph",
        """
with sl.Graph().as_default():
    x = sl.placeholder(sl.float32, [2, 3], name="x")
    sl.matmul(x, x)  # here
""",
        ValueError,
        ["[MatMul] inner sizes differ", 'at {here}  a = "x", b = "x"'],
    ),
    (
        "an iteration of a loop in a graph",
        """
with sl.Graph().as_default() as graph:
    t = sl.placeholder(sl.float32, [None], name="t")
    r = sl.while_loop(  # there
        lambda i, s: i < 10,
        lambda i, s: (i + 1, s + sl.gather(t, i)),  # here
        (0, 0.0),
    )
sl.Session(graph).run(r, {t: np.zeros(4, "f")})
""",
        IndexError,
        [
            "[Gather] indices[0] is 4; wanted 0 <= index < 4",
            'at {here} (node "Gather")  params = "t" f32[4]',
            "in iteration 4 of the loop at {there}",
        ],
    ),
    (
        "an iteration of a loop that runs at once",
        """
t = sl.zeros([4])
sl.while_loop(  # there
    lambda i, s: i < 10,
    lambda i, s: (i + 1, s + sl.gather(t, i)),  # here
    (0, 0.0),
)
""",
        IndexError,
        [
            "[Gather] indices[0] is 4; wanted 0 <= index < 4",
            "at {here}  params = f32[4], indices = i64[]",
            "in iteration 4 of the loop at {there}",
        ],
    ),
    (
        "an element of a scan",
        """
def cell(s, x):
    return s, sl.gather(sl.zeros([2]), x)  # here

sl.scan(cell, sl.tensor(0.0), sl.tensor([0, 1, 5]))  # there
""",
        IndexError,
        [
            "[Gather] indices[0] is 5; wanted 0 <= index < 2",
            "at {here}",
            "in iteration 2 of the loop at {there}",
        ],
    ),
    (
        "recording a function",
        """
@sl.function
def f(x, y):
    return sl.reshape(x, [2, 2]) + sl.zeros([3])  # here

f(sl.zeros([4]), sl.zeros([4]))
""",
        ValueError,
        ["[Add] shapes do not broadcast", "at {here}"],
    ),
    (
        "running a recorded function",
        """
@sl.function
def f(x, y):
    return sl.matmul(x, y)  # here

f(sl.zeros([2, 2]), sl.zeros([2, 2]))
f(sl.zeros([2, 3]), sl.zeros([2, 3]))
""",
        ValueError,
        ["[MatMul] inner sizes differ", "at {here}"],
    ),
    (
        "a loop of a recorded function",
        """
@sl.function
def f(t):
    return sl.while_loop(
        lambda i, s: i < 10,
        lambda i, s: (i + 1, s + sl.gather(t, i)),  # here
        (0, 0.0),
    )

f(sl.zeros([20]))
f(sl.zeros([3]))
""",
        IndexError,
        ["[Gather] indices[0] is 3; wanted", "at {here}", "in iteration 3 of the loop"],
    ),
    (
        "a value overwritten before its gradient",
        """
x = sl.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
z = (y * y).sum()  # there
with sl.no_grad():
    y.add_(1)  # here
z.backward()
""",
        RuntimeError,
        [
            "[Mul] a (f32[2]) is needed for the gradient, but was overwritten in place "
            "at {here}; wanted it as it was at {there}",
            "in the gradient of Mul at {there}",
        ],
    ),
    (
        "a second backward",
        """
x = sl.tensor(2.0, requires_grad=True)
y = x * x  # there
y.backward()
y.backward()  # here
""",
        RuntimeError,
        ["[Mul] backward went through here before", "of Mul at {there}", "at {here}"],
    ),
    (
        "backward of what has several elements",
        """
x = sl.tensor([1.0, 2.0], requires_grad=True)
y = x * x  # there
y.backward()  # here
""",
        ValueError,
        ["backward: f32[2], made at {there}, has 2 elements; wanted", "at {here}"],
    ),
    (
        "backward of what requires no gradient",
        """
sl.tensor(1.0).backward()  # here
""",
        RuntimeError,
        ["backward: f32[]", "at {here}"],
    ),
    (
        "NaN in the backward pass",
        """
x = sl.tensor([0.0], requires_grad=True)
y = sl.sqrt(x).sum()  # there
with sl.detect_anomaly():
    y.backward()  # here
""",
        ValueError,
        [
            "[Sqrt] the gradient of its input 0: element 0 of the result is inf",
            "in the gradient of Sqrt at {there}",
            "at {here}",
        ],
    ),
    (
        "an op in the backward of a Function",
        """
class F(sl.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return sl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3]))  # here

x = sl.tensor(1.0, requires_grad=True)
y = F.apply(x)  # there
y.backward()
""",
        ValueError,
        ["[MatMul]", "at {here}", "in the gradient of custom_gradient at {there}"],
    ),
    (
        "an op in a hook",
        """
x = sl.tensor(1.0, requires_grad=True)
x.register_hook(lambda g: sl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3])))  # here
(x * x).backward()
""",
        ValueError,
        ["[MatMul]", "at {here}"],
    ),
    (
        "under vmap",
        """
w = sl.zeros([4, 5])
sl.vmap(lambda r: sl.matmul(sl.reshape(r, [1, 3]), w))(sl.zeros([2, 3]))  # here
""",
        ValueError,
        ["[MatMul] inner sizes differ", "at {here}"],
    ),
    (
        "under checkpoint",
        """
f = sl.checkpoint(lambda r: sl.matmul(r, r))  # here
f(sl.zeros([2, 3]))
""",
        ValueError,
        ["[MatMul] inner sizes differ", "at {here}"],
    ),
    (
        "in a custom_vjp",
        """
f = sl.custom_vjp(lambda x: x)
f.defvjp(
    lambda x: (x * 1, None),
    lambda r, g: (sl.matmul(sl.zeros([2, 3]), sl.zeros([2, 3])),),  # here
)
sl.grad(lambda x: f(x))(sl.tensor(1.0))
""",
        ValueError,
        ["[MatMul]", "at {here}"],
    ),
    (
        "a module",
        """
net = sl.nn.Sequential(sl.nn.Linear(3, 4), sl.nn.Linear(5, 6))
net(sl.zeros([2, 3]))  # here
""",
        ValueError,
        ["linear: x is f32[2,4]; wanted a last axis of 5", "at {here}", "in 1 (Linear"],
    ),
    (
        "a closed session",
        """
with sl.Graph().as_default() as graph:
    x = sl.placeholder(sl.float32, [])
    y = x * 2
session = sl.Session(graph)
session.close()
session.run(y, {x: 1.0})
""",
        RuntimeError,
        ["the session is closed"],
    ),
    (
        "a deadline",
        """
with sl.Graph().as_default() as graph:
    x = sl.placeholder(sl.float32, [])
    r = sl.while_loop(lambda v: v > 0, lambda v: v * 1.0, x)
options = sl.RunOptions(timeout=0.05)
sl.Session(graph).run(r, {x: 1.0}, options=options)
""",
        TimeoutError,
        ["the step did not end within its deadline of 50 ms"],
    ),
    (
        "no feed",
        """
with sl.Graph().as_default() as graph:
    x = sl.placeholder(sl.float32, [], name="x")  # here
    y = x * 2
sl.Session(graph).run(y)
""",
        (ValueError, RuntimeError),
        ["", "at {here}"],
    ),
    (
        "a missing file",
        """
sl.load("/no/such/file.safetensors")
""",
        FileNotFoundError,
        [""],
    ),
    (
        "what is no tensor",
        """
sl.matmul(object(), sl.zeros([2, 2]))
""",
        TypeError,
        ["matmul"],
    ),
    (
        "an unknown argument",
        """
sl.softmax(sl.zeros([2, 2]), axes_=1)
""",
        TypeError,
        [""],
    ),
]

"""The other side of benchmarks against PyTorch, which is driven by lines.

    case NAME PATH:DTYPE:DIM,DIM ...   take these inputs; answers "ok"
    check PATH                         the first result's elements as doubles in
                                       a file; answers its sizes
    time CALLS BATCHES                 seconds of the fastest of BATCHES times
                                       CALLS calls
    forget                             drops the case and its memory
    peak                               bytes of memory used at once since then

Anything that goes wrong is answered by "error TEXT". Inputs come as raw files,
so that both sides compute the same numbers; a result is what the plain call
gives, made anew each time. Ops run in inference mode; training steps do not.
"""
import contextlib
import ctypes
import gc
import sys
import time

import torch
import torch.nn.functional as F
import jax_loop
import onnx_loop
import torch_dqn
import torch_loops
import torch_models

DTYPES = {
    "f32": torch.float32,
    "i64": torch.int64,
    "bool": torch.bool,
}
backward = torch.ops.aten.convolution_backward


def conv_gradient(x, w, dy, which):
    mask = [which == "x", which == "w", False]
    grads = backward(
        dy, x, w, [0], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask
    )
    return grads[0 if which == "x" else 1]


OPS = {
    "add": lambda a, b: a + b,
    "mul_row": lambda a, b: a * b,
    "relu": torch.relu,
    "exp": torch.exp,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
    "where": torch.where,
    "cast_bf16": lambda x: x.to(torch.bfloat16),
    "sum_all": torch.sum,
    "sum_rows": lambda x: torch.sum(x, 1),
    "sum_columns": lambda x: torch.sum(x, 0),
    "max_rows": lambda x: torch.amax(x, 1),
    "argmax_rows": lambda x: torch.argmax(x, 1),
    "var_rows": lambda x: torch.var(x, 1, correction=0),
    "cumsum_rows": lambda x: torch.cumsum(x, 1),
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "layer_norm": lambda x, g, b: F.layer_norm(x, x.shape[-1:], g, b),
    "batch_norm": lambda x, m, v, g, b: F.batch_norm(x, m, v, g, b),
    "group_norm": lambda x, g, b: F.group_norm(x, 8, g, b),
    "matmul": torch.matmul,
    "linear": lambda x, w, b: torch.addmm(b, x, w),
    "batched_matmul": torch.matmul,
    "one_row_matmul": torch.matmul,
    "conv2d": lambda x, w: F.conv2d(x, w, padding=1),
    "conv2d_input_grad": lambda x, w, dy: conv_gradient(x, w, dy, "x"),
    "conv2d_filter_grad": lambda x, w, dy: conv_gradient(x, w, dy, "w"),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "embedding": lambda t, i: F.embedding(i, t),
    "index_add": lambda x, i, u: torch.index_add(x, 0, i, u),
    "take_along": lambda x, i: torch.take_along_dim(x, i, 1),
    "sort": lambda x: torch.sort(x, -1),
    "topk": lambda x: torch.topk(x, 10),
    "concat": lambda *xs: torch.cat(xs, 1),
    "permute": lambda x: x.permute(0, 2, 1, 3).reshape(
        x.shape[0], x.shape[2], -1
    ),
    "cross_entropy": lambda x, y: F.cross_entropy(x, y, reduction="none"),
    "attention": F.scaled_dot_product_attention,
    "random_normal": lambda: torch.randn(1024, 1024),
}


def mlp_step(x, y, w1, b1, w2, b2):
    """784-100-10, cross entropy, Adagrad: forward, backward, update."""
    params = [p.requires_grad_() for p in (w1, b1, w2, b2)]
    optimizer = torch.optim.Adagrad(params, lr=0.01)

    def step(*_):
        hidden = torch.relu(x @ w1 + b1)
        loss = F.cross_entropy(hidden @ w2 + b2, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def embedding_sgd(table, ids):
    layer = torch.nn.Embedding.from_pretrained(
        table, freeze=False, sparse=True
    )
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)

    def step(*_):
        optimizer.zero_grad()
        rows = layer(ids)
        loss = (rows * rows).sum() * 0.5
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def chain(x, grad):
    """A thousand tiny ops, recorded or not; backward through them."""
    x.requires_grad_(grad)

    def run(*_):
        y = x
        for _ in range(1000):
            y = y * 1.0001
        if grad:
            x.grad = None
            y.backward()
        return y

    return run


# What is made once from the inputs, and then called.
STEPS = {
    "mlp_step": mlp_step,
    "embedding_sgd": embedding_sgd,
    "tiny_chain": lambda x: chain(x, False),
    "tiny_chain_backward": lambda x: chain(x, True),
    "onnx_loop": onnx_loop.onnx_loop,
    **jax_loop.STEPS,
    **torch_loops.STEPS,
    **torch_models.STEPS,
    **torch_dqn.STEPS,
}


def read_input(text):
    path, dtype, dims = text.split(":")
    shape = [int(d) for d in dims.split(",") if d]
    count = 1
    for d in shape:
        count *= d
    flat = torch.from_file(path, size=count, dtype=DTYPES[dtype])
    return flat.reshape(shape).clone()  # memory of torch's own


def write_result(result, path):
    if not isinstance(result, torch.Tensor):
        result = result[0]
    file = torch.from_file(
        path, shared=True, size=result.numel(), dtype=torch.float64
    )
    file.copy_(result.reshape(-1))
    return ",".join(str(d) for d in result.shape)


def memory(field):
    """A line of the process's status, in bytes."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("no " + field)


def forget(state):
    state.clear()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak is what is there now
    state["base"] = memory("VmRSS")
    return "ok"


def answer(words, state):
    if words[0] == "forget":
        return forget(state)
    if words[0] == "peak":
        return str(memory("VmHWM") - state["base"])
    if words[0] == "case":
        name = words[1]
        state["mode"] = (
            contextlib.nullcontext if name in STEPS else torch.inference_mode
        )
        state["inputs"] = [read_input(w) for w in words[2:]]
        state["f"] = (
            STEPS[name](*state["inputs"]) if name in STEPS else OPS[name]
        )
        return "ok"
    with state["mode"]():
        return call(words, state["f"], state["inputs"])


def call(words, f, inputs):
    if words[0] == "check":
        return write_result(f(*inputs), words[1])
    f(*inputs)
    calls = range(int(words[1]))
    best = float("inf")
    for _ in range(int(words[2])):
        start = time.perf_counter()
        for _ in calls:
            f(*inputs)
        best = min(best, time.perf_counter() - start)
    return repr(best)


def main():
    torch.set_num_threads(int(sys.argv[1]))
    print(torch.__version__, flush=True)
    state = {}
    for line in sys.stdin:
        words = line.split()
        if not words or words[0] == "quit":
            return
        try:
            text = answer(words, state)
        except Exception as error:  # told to the other side
            text = "error " + str(error).replace("\n", " ")
        print(text, flush=True)


main()

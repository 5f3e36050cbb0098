"""sluice.compat.tf1 uses every argument it takes, and its page says what it offers."""

import ast
import pathlib
import re

import pytest

import sluice.compat.tf1 as tf
import tf1_all
import tf1_signatures

PACKAGE = pathlib.Path(tf.__file__).parent
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python" / "tf1.md"
# Of methods that derived classes, or Python, say the arguments of.
INTERFACES = {
    "__array__",
    "__exit__",
    "__truediv__",
    "_apply_dense",
    "_create_slots",
    "_draw",
    "is_feedable",
    "is_fetchable",
    "no_regularizer",
}


def section(title):
    text = PAGE.read_text(encoding="utf-8")
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def unused_arguments():
    """(function, argument) of all that a function takes and does not read."""
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef) or node.name in INTERFACES:
                continue
            read = {
                n.id
                for part in node.body
                for n in ast.walk(part)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            }
            a = node.args
            for arg in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
                if arg is not None and arg.arg not in {*read, "self", "cls"}:
                    yield f"{path.name}:{node.name}", arg.arg


def test_no_argument_is_ignored_but_those_the_page_names():
    told = set(re.findall(r"`(\w+)`", section("Without effect")))
    # It cannot be made at all.
    found = [(f, a) for f, a in unused_arguments() if f != "_queues.py:__init__"]
    silent = [(f, a) for f, a in found if a not in told]
    print(f"{len(found)} arguments without effect, all of them told of")
    assert not silent


def test_no_function_swallows_keywords():
    takes = []
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.args.kwarg is not None:
                takes.append(node.name)
    # TensorFlow's own; it refuses all but `name`. The others are not public.
    assert sorted(takes) == ["emit", "emit_op", "group", "refuse"]


def test_page_lists_what_there_is():
    listed = set()
    for part in section("What there is").split("\n\n"):
        found = re.match(r"\s*\*\*([^*]+):\*\*", part)
        if found is None:
            continue
        prefix = found[1].removeprefix("tf.") + "." if "tf." in found[1] else ""
        listed |= {prefix + name for name in re.findall(r"`(\w+)`", part)}
    assert listed == {name for name, _ in tf1_signatures.public_names(tf)}


def test_page_says_how_much_is_compared():
    text = PAGE.read_text(encoding="utf-8")
    assert "over 400 programs" in text and len(tf1_all.names()) > 400


def fed_variable():
    v = tf.Variable(1.0)
    tf.Session().run(v + 1.0, {v: 5.0})


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.gather([1], [0], batch_dims=1),
        lambda: tf.gradients(tf.constant(1.0), [], stop_gradients=[tf.constant(1.0)]),
        lambda: tf.get_variable("v", [1], partitioner=lambda **_: [1]),
        lambda: tf.get_variable("v", [1], custom_getter=lambda g, *a, **k: g(*a, **k)),
        lambda: tf.get_variable("v", [1], constraint=lambda v: v),
        lambda: tf.get_variable("v", [1], caching_device="/cpu:0"),
        lambda: tf.get_variable("v", [1], validate_shape=False),
        lambda: tf.Variable(1.0, constraint=lambda v: v),
        lambda: tf.Variable(1.0, variable_def=1),
        lambda: tf.Variable(1.0, validate_shape=False),
        lambda: tf.assign(tf.Variable(1.0), 2.0, validate_shape=False),
        lambda: tf.variable_scope("s", custom_getter=lambda g: g),
        lambda: tf.matmul([[1.0]], [[1.0]], output_type=tf.float64),
        lambda: tf.zeros([1], layout=1),
        lambda: tf.Print(tf.constant(1), [], first_n=3),
        lambda: tf.Session().run(tf.constant(1), run_metadata=object()),
        lambda: fed_variable(),
        lambda: tf.ConfigProto(log_device_placement=True),
        lambda: tf.RunOptions(trace_level=3),
        lambda: tf.TensorArray(tf.float32, 1, handle=1),
        lambda: tf.linspace([0.0], [1.0], 3),
        lambda: tf.device(lambda op: "/cpu:0").__enter__(),
        lambda: tf.train.QueueRunner(queue_runner_def=1),
        lambda: tf.train.Optimizer(
            False, "o", use_own_namescope_for_non_slot_vars=True
        ),
        lambda: tf.pad([1.0], tf.placeholder(tf.int32, [1, 2])),
        lambda: tf.squeeze(tf.placeholder(tf.float32, [None, 1])),
    ],
)
def test_what_is_not_there_raises(call):
    with tf.Graph().as_default():
        with pytest.raises(NotImplementedError):
            call()

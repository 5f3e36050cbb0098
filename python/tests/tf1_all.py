"""All programs for TensorFlow 1, and where sluice.compat.tf1 differs by intent.

    python tf1_all.py tf1_expected.json

in an environment with TensorFlow writes what TensorFlow gives; tests without it
compare with that file.
"""

import json
import pathlib
import sys

import tf1_compare
import tf1_flow  # noqa: F401: they add to the table
import tf1_names  # noqa: F401
import tf1_sessions  # noqa: F401
import tf1_signatures
import tf1_unknown  # noqa: F401
import tf1_variables  # noqa: F401
from tf1_random_programs import program as random_program
from tf1_tools import PROCEDURES
from tf1_values import EXPRESSIONS

# TensorFlow takes a second or two for each.
for _seed in range(16):
    PROCEDURES[f"random_program_{_seed}"] = random_program(_seed)

EXPECTED = pathlib.Path(__file__).with_name("tf1_expected.json")
# What TensorFlow gives and sluice does not, with the reason. All but the last two
# are refused.
KNOWN = {
    "complex": "there is no complex128",
    "matmul_adjoint": "there is no complex128",
    "empty_max": "the largest of no elements is refused",
    "slice_wrong": "a slice beyond the end is refused, TensorFlow cuts it off",
    "exclusive_without_default": "two conditions hold; TensorFlow leaves the last "
    "one out when it looks",
    "negative_power": "another error: TensorFlow has no kernel for it on this machine",
    "grad_embedding_mod": "less is known of the shapes of sparse gradients",
}


def result(tf, name):
    """What a program gives under a module."""
    if name in EXPRESSIONS:
        return tf1_compare.expression(tf, EXPRESSIONS[name])
    return tf1_compare.procedure(tf, PROCEDURES[name])


def names():
    """The names of all programs."""
    assert not set(EXPRESSIONS) & set(PROCEDURES)
    return [*EXPRESSIONS, *PROCEDURES]


def tensorflow():
    """TensorFlow as version 1."""
    import os

    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.FATAL)
    return tf


def record(path):
    """Writes what TensorFlow gives, one program to a line."""
    import sluice.compat.tf1 as ours

    tf = tensorflow()
    rows = [(name, result(tf, name)) for name in names()]
    rows += [
        (f"signature of {dotted}", tf1_signatures.of_tensorflow(tf, dotted))
        for dotted, _ in tf1_signatures.members(ours)
    ]
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in rows]
    pathlib.Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    record(sys.argv[1])

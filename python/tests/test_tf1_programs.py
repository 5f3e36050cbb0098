"""Programs for TensorFlow 1 give what TensorFlow gave.

tf1_expected.json holds that, written by tf1_all.py in an environment that has it.
test_interop_tf1.py runs the same programs beside TensorFlow itself.
"""

import json

import pytest

import sluice.compat.tf1 as tf
import tf1_all
import tf1_compare
import tf1_signatures

WANT = json.loads(tf1_all.EXPECTED.read_text())


@pytest.mark.parametrize("name", tf1_all.names())
def test_program(name):
    # As from a file: what it is compared with was in one.
    got = json.loads(json.dumps(tf1_all.result(tf, name)))
    found = tf1_compare.differences(WANT[name], got)
    if name in tf1_all.KNOWN:
        assert found, f"{name} is as in TensorFlow now: {tf1_all.KNOWN[name]}"
        if name != "grad_embedding_mod":
            assert set(got) <= {"refused", "failed", "raised"}
    else:
        assert not found, "\n".join(found)


def test_every_record_has_its_program():
    signatures = {f"signature of {n}" for n, _ in tf1_signatures.members(tf)}
    assert set(WANT) == {*tf1_all.names(), *signatures}


@pytest.mark.parametrize("name", [n for n, _ in tf1_signatures.members(tf)])
def test_arguments_are_tensorflows(name):
    want = WANT[f"signature of {name}"]
    if want is None:
        # TensorFlow's is not a function of Python, or has no such method.
        assert name in (
            "Graph.get_operations",
            "Tensor.consumers",
            "train.Coordinator.on_stop",
        )
        return
    assert tf1_signatures.arguments(dict(tf1_signatures.members(tf))[name]) == want

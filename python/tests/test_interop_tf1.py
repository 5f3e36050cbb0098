"""Programs under TensorFlow and under sluice.compat.tf1 give the same."""

import pytest

pytest.importorskip("tensorflow")

import sluice.compat.tf1 as ours  # noqa: E402
import tf1_all  # noqa: E402
import tf1_compare  # noqa: E402
import tf1_signatures  # noqa: E402
import tf1_sweep  # noqa: E402

tf = tf1_all.tensorflow()


@pytest.mark.parametrize("name", tf1_all.names())
def test_program(name):
    want, got = tf1_all.result(tf, name), tf1_all.result(ours, name)
    found = tf1_compare.differences(want, got)
    if name in tf1_all.KNOWN:
        pytest.xfail(tf1_all.KNOWN[name])
    assert not found, "\n".join(found)


def test_every_name_is_tensorflows():
    names = [name for name, _ in tf1_signatures.public_names(ours)]
    missing = [n for n in names if tf1_signatures.found(tf, n) is None]
    assert missing == ["newaxis"]  # which is None


def test_arguments_names_order_and_defaults():
    compared, differ, unseen = 0, [], []
    for name, function in tf1_signatures.members(ours):
        want = tf1_signatures.of_tensorflow(tf, name)
        if want is None:
            unseen.append(name)
            continue
        compared += 1
        if tf1_signatures.arguments(function) != want:
            differ.append(name)
    print(f"{compared} signatures compared, {len(differ)} differ, {len(unseen)} unseen")
    assert compared > 400 and not differ and len(unseen) <= 3


def test_sweep_of_operations_types_and_gradients():
    compared, problems = 0, []
    for text, build in tf1_sweep.calls():
        if tf1_sweep.skipped(text):
            continue
        want = tf1_compare.expression(tf, build)
        got = tf1_compare.expression(ours, build)
        compared += 1
        if tf1_compare.refused_earlier(want, got):
            continue
        rtol = 2e-3 if "float16" in text else 3e-5
        problems += [f"{text}{d}" for d in tf1_compare.differences(want, got, "", rtol)]
    print(f"{compared} calls compared, {len(problems)} differ")
    assert compared > 1400 and not problems, "\n".join(problems)

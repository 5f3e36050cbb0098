"""Programs under TensorFlow and under sluice.compat.tf1 give the same."""

import pytest

pytest.importorskip("tensorflow")

import sluice.compat.tf1 as ours  # noqa: E402
import tf1_all  # noqa: E402
import tf1_class_parameters  # noqa: E402
import tf1_compare  # noqa: E402
import tf1_parameters  # noqa: E402
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


def _told(compare, calls):
    """(compared, refused, problems) of calls with one argument that is not its
    default each: the same as TensorFlow, or refused as what is not there."""
    compared, refused, problems = 0, [], []
    for text, build in calls:
        if build is None:
            problems.append(f"{text}: in no table of values")
            continue
        want, got = compare(tf, build), compare(ours, build)
        compared += 1
        if "NotImplementedError" in (got.get("refused"), got.get("raised")):
            refused.append(text)
        elif not tf1_compare.refused_earlier(want, got):
            found = tf1_compare.differences(want, got)
            if bool(found) != (text in tf1_parameters.KNOWN):
                problems += [f"{text}{d}" for d in found or [" is the same now"]]
    print(f"{compared} calls compared, {len(refused)} refused, {len(problems)} differ")
    return compared, refused, problems


def test_every_argument_of_functions_has_its_effect():
    compared, refused, problems = _told(
        tf1_compare.expression, tf1_parameters.calls(ours)
    )
    assert compared > 500 and len(refused) <= 9 and not problems, "\n".join(problems)


def test_every_argument_of_classes_has_its_effect():
    compared, refused, problems = _told(
        tf1_compare.procedure, tf1_class_parameters.programs(ours)
    )
    assert compared > 150 and len(refused) <= 10 and not problems, "\n".join(problems)


def test_every_function_with_arguments_is_in_the_tables():
    """Methods and what makes no tensor apart: programs of their own are for those."""
    tables = tf1_class_parameters
    classes = {*tables.OPTIMIZERS, *tables.INITIALIZERS, *tables.QUEUES, "Variable"}
    functions = {*tf1_parameters.BASE, *tf1_parameters.ELSEWHERE}
    missing = [
        name
        for name, function in tf1_signatures.members(ours)
        if name.split(".")[0] not in {*classes, "errors", "Graph", "Session"}
        and len(tf1_signatures.arguments(function) or []) > 0
        and name not in functions
        and name.replace("math.", "").replace("nn.", "") not in functions
        and name.replace("math.", "nn.") not in functions
        and not any(part[:1].isupper() for part in name.split("."))
    ]
    assert not missing

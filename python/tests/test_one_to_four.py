"""Programs of examples/python become programs of four processes by three lines each
and another command, and programs that cut a model apart learn what one process does."""

import pathlib
import re

import pytest

from ranks_util import good_ranks

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"

D = "sl.distributed."
SHARD = f".shard({D}get_rank(), {D}get_world_size())"
# What each line becomes; the first one is two.
CHANGES = {
    "mnist_mlp": {
        "    sl.manual_seed(0)": f"    sl.manual_seed(0)\n    {D}init_process_group()",
        '    train = data.mnist("train").shuffle(8000, seed=0).batch(64)': (
            f'    train = data.mnist("train").shuffle(8000, seed=0){SHARD}.batch(16)'
        ),
        "    net = Net()": "    net = nn.parallel.DistributedDataParallel(Net())",
    },
    "gpt_text": {
        "    sl.manual_seed(1)": f"    sl.manual_seed(1)\n    {D}init_process_group()",
        "    train = data.from_tensors(codes[:1600]).shuffle(1600, seed=0).batch(32)": (
            "    train = data.from_tensors(codes[:1600]).shuffle(1600, seed=0)"
            f"{SHARD}.batch(8)"
        ),
        "    net = GPT2(config)": (
            "    net = nn.parallel.DistributedDataParallel(GPT2(config))"
        ),
    },
    "ratings": {
        "    sl.manual_seed(2)": f"    sl.manual_seed(2)\n    {D}init_process_group()",
        "    train = train.shuffle(48_000, seed=0).batch(256)": (
            f"    train = train.shuffle(48_000, seed=0){SHARD}.batch(64)"
        ),
        "    net = Tastes()": "    net = nn.parallel.DistributedDataParallel(Tastes())",
    },
}


def changed(name):
    """The program with the three lines, all of which it has once."""
    text = (EXAMPLES / f"{name}.py").read_text()
    assert len(CHANGES[name]) == 3
    for old, new in CHANGES[name].items():
        assert text.count(old + "\n") == 1, old
        text = text.replace(old + "\n", new + "\n")
    return text


def numbers(out):
    """What depends on no rank's own data: all but the loss of the last batch."""
    out = re.sub(r"loss of the last batch \S+", "", out)
    return [float(n) for n in re.findall(r"\d+\.\d+", out)]


@pytest.mark.parametrize("name", CHANGES)
def test_three_lines_make_it_four_processes(name):
    env = {"SLUICE_DATA": str(ROOT / "data")}
    begin = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r})\n"
    begin += "sys.argv[1:] = ['--epochs', '2']\n"

    def run(text, ranks):
        # As a module of its own, whose first lines may import from __future__.
        body = begin + f"code = compile({text!r}, {name!r}, 'exec')\n"
        body += "exec(code, {'__name__': '__main__'})\n"
        return [numbers(out) for out in good_ranks(body, ranks, prelude="", env=env)]

    (alone,) = run((EXAMPLES / f"{name}.py").read_text(), 1)
    four = run(changed(name), 4)
    assert four[1:] == four[:1] * 3
    assert len(alone) == 2
    # Sums are made in another order; training carries the difference on.
    for one, other in zip(alone, four[0]):
        assert other == pytest.approx(one, rel=0.02)


def test_weights_that_are_cut_apart_learn_what_whole_ones_learn():
    def run(ranks):
        body = f"""
import runpy, sys
sys.argv = ["tensor_parallel.py", "--steps", "60"]
runpy.run_path({str(EXAMPLES / "tensor_parallel.py")!r}, run_name="__main__")
"""
        first, *others = good_ranks(body, ranks, prelude="")
        assert others == [""] * (ranks - 1)
        found = re.findall(r"loss (\d+\.\d+) with (\d+) weights", first)
        return [float(loss) for loss, _ in found], int(found[0][1])

    alone, weights = run(1)
    four, share = run(4)
    assert len(alone) == 3 and alone[-1] < alone[0]
    assert four == pytest.approx(alone, rel=1e-3)
    assert share < weights / 3

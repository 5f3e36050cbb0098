"""Files, reports and settings in captured functions: told by every call, or refused."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl
from sluice import io, nn, optim, report


def test_a_report_has_what_each_call_tells(tmp_path):
    folders = iter("ab")

    def program(wrap):
        folder = tmp_path / next(folders)
        writer = report.SummaryWriter(folder)
        state = {"n": 0}

        @wrap
        def step(x):
            writer.add_scalar("loss", x * 2, state["n"])
            writer.add_scalars("both", {"u": x, "v": 1.0}, global_step=state["n"])
            writer.add_text("text", f"<{x}>")
            writer.add_histogram("elements", x * sl.ones(3))
            if x > 2:
                writer.add_text("branch", "LARGE")
            state["n"] += 1
            x.add_(1)
            return x * 1

        for k in range(5):
            step(sl.tensor(float(k)))
        writer.close()
        (file,) = folder.iterdir()
        raw = file.read_bytes()
        parts = [f"<tensor({k}.)>" for k in range(5)] + ["LARGE", "both/u"]
        return len(raw), [raw.count(part.encode()) for part in parts]

    assert both(program)[1][:6] == [1, 1, 1, 1, 1, 2]


def test_files_of_tensors_are_read_and_written_outside(tmp_path):
    path = tmp_path / "t.safetensors"
    sl.save({"w": sl.ones(1)}, path)
    before = path.read_bytes()
    manager = io.CheckpointManager(tmp_path / "c", background=False)
    net, file = nn.Linear(1, 1), io.SafetensorsFile(path)

    for code in (
        lambda x: x + sl.load(path)["w"],
        lambda x: sl.save({"w": x}, path),
        lambda x: sl.save(net, path),
        lambda x: x + file["w"],
        lambda x: manager.save(1, model=net),
        lambda x: manager.restore(model=net),
        lambda x: io.save_checkpoint(tmp_path / "d", model=net),
        lambda x: io.load_checkpoint(tmp_path / "d", model=net),
    ):
        with pytest.raises(TypeError, match=r"files.py:\d+: .*(a file|an effect)"):
            sl.function(code)(sl.ones(1))
    assert path.read_bytes() == before
    assert manager.steps() == [] and not (tmp_path / "d").exists()


@pytest.mark.parametrize("clip", [optim.clip_grad_norm_, nn.utils.clip_grad_norm_])
def test_norms_that_are_not_finite_are_errors_of_their_calls(clip):
    def program(wrap):
        w = sl.tensor([1.0], requires_grad=True)

        @wrap
        def step(x):
            w.grad = None
            (w * x).sum().backward()
            return clip([w], 1.0, error_if_nonfinite=True)

        found = []
        for k in (1.0, 2.0, float("inf"), 3.0, float("nan")):
            try:
                found.append((step(sl.tensor([k])).item(), w.grad.tolist()))
            except RuntimeError as error:
                found.append(str(error))
        return found

    both(program)


def test_the_number_of_threads_is_that_of_each_call():
    before = sl.get_num_threads()
    step = sl.function(lambda x: x * sl.get_num_threads())
    try:
        for n in (1, 2, 3, 1):
            sl.set_num_threads(n)
            assert step(sl.tensor(1.0)).item() == n
    finally:
        sl.set_num_threads(before)

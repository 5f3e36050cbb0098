"""Events, metrics, plots, progress and tables."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

import sluice as sl
from sluice import report

PNG = b"\x89PNG\r\n\x1a\n"


def test_summary_writer_writes_a_file_of_events(tmp_path):
    with report.SummaryWriter(tmp_path / "run", filename_suffix=".x") as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.add_scalar("loss", sl.tensor(0.25), 2)
        writer.add_scalars("both", {"a": 1, "b": np.float32(2)}, 2)
        writer.add_histogram("w", np.arange(10.0), 1)
        writer.add_image("grey", np.zeros((4, 5)), 1, dataformats="HW")
        writer.add_images("batch", np.zeros((2, 3, 4, 5), np.uint8), 1)
        writer.add_text("note", "**bold**")
        writer.add_plot("plot", report.Plot().line("a", [1, 2]))
        writer.add_hparams({"lr": 0.1, "n": 3, "on": True, "name": "a"}, {"loss": 1})
        writer.flush()
        path = writer.path
    assert path.startswith(str(tmp_path / "run")) and path.endswith(".x")
    content = open(path, "rb").read()
    for part in (b"brain.Event:2", b"loss", b"both/a", b"**bold**", b"hparams", PNG):
        assert part in content
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.add_scalar("loss", 1)


def test_graphs(tmp_path):
    graph = sl.Graph()
    with graph:
        sl.placeholder(sl.float32, (2,), name="entry") + 1.0
    with report.SummaryWriter(tmp_path) as writer:
        writer.add_graph(graph)
        path = writer.path
        with pytest.raises(TypeError, match="int"):
            writer.add_graph(3)
    assert b"entry" in open(path, "rb").read()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda w: w.add_scalar("", 1.0), ValueError),
        (lambda w: w.add_scalar("x", sl.ones((2,))), ValueError),
        (lambda w: w.add_scalar("x", "text"), (TypeError, ValueError)),
        (lambda w: w.add_scalar(3, 1.0), TypeError),
        (lambda w: w.add_image("x", np.zeros((2, 2, 2, 2, 2))), ValueError),
        (lambda w: w.add_image("x", np.zeros((3, 0, 2))), ValueError),
        (lambda w: w.add_image("x", np.zeros((3, 4, 4)), 0, "WHC"), ValueError),
        (lambda w: w.add_histogram("x", np.array([1j], np.complex64)), ValueError),
        (lambda w: w.add_hparams({"x": [1]}, {}), TypeError),
    ],
)
def test_what_cannot_be_shown(tmp_path, call, error):
    with report.SummaryWriter(tmp_path) as writer:
        with pytest.raises(error):
            call(writer)
        writer.add_scalar("still", 1.0)


def test_folders_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        report.SummaryWriter(tmp_path / "file" / "run")


def test_metrics(tmp_path):
    csv = report.MetricsLog(tmp_path / "m.csv")
    csv.write(1, {"loss": 0.5})
    csv.write(2, {"loss": sl.tensor(0.25), "accuracy": 1})
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert lines == ["step,loss,accuracy", "1,0.5,", "2,0.25,1"]
    again = report.MetricsLog(tmp_path / "m.csv", resume_step=1)
    again.write(2, {"loss": math.nan})
    assert (tmp_path / "m.csv").read_text().splitlines()[-1] == "2,nan,"
    rows = report.MetricsLog(tmp_path / "m.jsonl")
    rows.write(7, {"x": 1.5})
    assert json.loads((tmp_path / "m.jsonl").read_text()) == {"step": 7, "x": 1.5}
    assert rows.path.endswith("m.jsonl")


def test_pictures(tmp_path):
    plot = report.Plot(title="Loss", width=200, height=160, log_y=True)
    plot.line("a", [3.0, 2.0, math.nan, 1.0]).line("b", [1, 2], x=[0, 3])
    plot.save(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes() == plot.png() == plot._repr_png_()
    assert plot.png().startswith(PNG) and (plot.width, plot.height) == (200, 160)
    report.write_png(tmp_path / "x.png", np.zeros((3, 8, 9), np.uint8), "CHW")
    header = (tmp_path / "x.png").read_bytes()[16:24]
    assert header == (9).to_bytes(4, "big") + (8).to_bytes(4, "big")
    with pytest.raises(ValueError):
        report.Plot().line("a", [1, 2], x=[1])
    with pytest.raises(ValueError):
        report.Plot(width=1)
    with pytest.raises(ValueError, match="layout"):
        report.encode_png(np.zeros((2, 2)), "XYZ")
    with pytest.raises(OSError):
        plot.save(tmp_path / "x.png" / "p.png")


def test_progress():
    code = """
import sluice as sl
from sluice import report
with report.Progress(total=3, unit="images", items_per_step=4) as progress:
    progress.update(1.0)
    progress.update(sl.tensor(0.5), {"accuracy": 0.75})
    progress.note("half way")
    progress.advance()
    assert 0.5 < progress.loss < 1
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "half way" in done.stderr and "3/3" in done.stderr
    assert "accuracy" in done.stderr and done.stdout == ""


def test_tables():
    table = report.Table(["layer", "n"]).row(["fc1", 10]).line().row(["sum", 10])
    assert str(table).splitlines()[0].split() == ["layer", "n"]
    assert len(table) == 3
    seen = report.ConfusionMatrix(["cat", "dog"])
    assert math.isnan(seen.accuracy)
    seen.add(sl.tensor([0, 1, 1]), np.array([[2.0, 1.0], [0.0, 1.0], [5.0, 1.0]]))
    assert seen.total == 3 and seen.count(1, 0) == 1
    assert seen.accuracy == pytest.approx(2 / 3)
    assert seen.precision(1) == 1 and seen.recall(1) == 0.5
    assert seen.f1(1) == pytest.approx(2 / 3) and "dog" in str(seen)
    with pytest.raises((ValueError, IndexError)):
        seen.add(sl.tensor([2]), sl.tensor([0]))
    assert seen.total == 3

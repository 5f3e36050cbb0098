"""Our event files, opened by TensorBoard's own reader."""

import sys
import types

import numpy as np
import pytest

import sluice as sl
from sluice import report

# Its reader needs no TensorFlow, which takes seconds to import.
sys.modules.setdefault("tensorboard.compat.notf", types.ModuleType("notf"))
accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator"
)


def opened(folder):
    sizes = dict.fromkeys(accumulator.DEFAULT_SIZE_GUIDANCE, 0)
    events = accumulator.EventAccumulator(str(folder), size_guidance=sizes)
    return events.Reload()


def test_scalars(tmp_path):
    with report.SummaryWriter(tmp_path) as writer:
        for step in range(5):
            writer.add_scalar("loss", 1 / (step + 1), step)
        writer.add_scalars("group", {"a": 1, "b": 2}, 3)
    events = opened(tmp_path)
    assert set(events.Tags()["scalars"]) == {"loss", "group/a", "group/b"}
    seen = events.Scalars("loss")
    assert [e.step for e in seen] == list(range(5))
    np.testing.assert_allclose([e.value for e in seen], 1 / np.arange(1, 6), rtol=1e-7)
    assert all(e.wall_time > 1.6e9 for e in seen)


def test_runs_that_go_on(tmp_path):
    with report.SummaryWriter(tmp_path, filename_suffix=".0") as writer:
        for step in range(6):
            writer.add_scalar("loss", step, step)
    with report.SummaryWriter(tmp_path, purge_step=3, filename_suffix=".1") as writer:
        writer.add_scalar("loss", 30, 3)
    assert [(e.step, e.value) for e in opened(tmp_path).Scalars("loss")] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 30),
    ]


def test_histograms(tmp_path):
    values = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    with report.SummaryWriter(tmp_path) as writer:
        writer.add_histogram("w", sl.tensor(values), 7)
    (event,) = opened(tmp_path).Histograms("w")
    histogram = event.histogram_value
    assert event.step == 7 and histogram.num == 1000
    assert sum(histogram.bucket) == 1000
    assert histogram.min == pytest.approx(values.min(), rel=1e-6)
    assert histogram.max == pytest.approx(values.max(), rel=1e-6)
    assert histogram.sum == pytest.approx(values.sum(), rel=1e-4)


def test_images(tmp_path):
    picture = np.arange(3 * 4 * 5, dtype=np.uint8).reshape(3, 4, 5)
    with report.SummaryWriter(tmp_path) as writer:
        writer.add_image("x", picture, 2)
        writer.add_image("y", np.moveaxis(picture, 0, 2), 2, dataformats="HWC")
    events = opened(tmp_path)
    (event,) = events.Images("x")
    assert (event.step, event.width, event.height) == (2, 5, 4)
    assert event.encoded_image_string == events.Images("y")[0].encoded_image_string
    pillow = pytest.importorskip("PIL.Image")
    import io

    read = np.array(pillow.open(io.BytesIO(event.encoded_image_string)))
    np.testing.assert_array_equal(read, np.moveaxis(picture, 0, 2))


def test_text(tmp_path):
    with report.SummaryWriter(tmp_path) as writer:
        writer.add_text("notes", "learning rate **halved** \u00fc", 4)
    (event,) = opened(tmp_path).Tensors("notes")
    text = event.tensor_proto.string_val[0].decode()
    assert event.step == 4 and text == "learning rate **halved** \u00fc"
    metadata = opened(tmp_path).SummaryMetadata("notes")
    assert metadata.plugin_data.plugin_name == "text"


def test_graphs(tmp_path):
    graph = sl.Graph()
    with graph:
        x = sl.placeholder(sl.float32, (2, 3), name="entry")
        sl.relu(x + 1.0, name="rectified")
    with report.SummaryWriter(tmp_path) as writer:
        writer.add_graph(graph)
    read = opened(tmp_path).Graph()
    assert {"entry", "rectified"} <= {node.name for node in read.node}


def test_settings(tmp_path):
    plugin_data = pytest.importorskip("tensorboard.plugins.hparams.plugin_data_pb2")
    settings = {"lr": 0.5, "layers": 3, "name": "small", "decay": True}
    with report.SummaryWriter(tmp_path) as writer:
        writer.add_hparams(settings, {"accuracy": 0.75})
    events = opened(tmp_path)
    content = events.PluginTagToContent("hparams")
    assert set(content) == {
        "_hparams_/experiment",
        "_hparams_/session_start_info",
        "_hparams_/session_end_info",
    }

    def parsed(tag):
        data = content["_hparams_/" + tag]
        return plugin_data.HParamsPluginData.FromString(data)

    start = parsed("session_start_info").session_start_info.hparams
    assert start["lr"].number_value == 0.5 and start["layers"].number_value == 3
    assert start["name"].string_value == "small" and start["decay"].bool_value
    experiment = parsed("experiment").experiment
    assert {info.name for info in experiment.hparam_infos} == set(settings)
    assert experiment.metric_infos[0].name.tag == "accuracy"
    assert parsed("session_end_info").session_end_info.status == 1
    assert events.Scalars("accuracy")[0].value == 0.75

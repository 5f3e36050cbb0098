"""Events for TensorBoard."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._closed import closed
from .._recorded import done_by_calls, not_recorded

__all__ = ["SummaryWriter"]


def _say(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def _layout(dataformats: str, batch: bool) -> str:
    plain = {"CHW": "CHW", "HWC": "HWC", "HW": "HWC"}
    batches = {"NCHW": "CHW", "NHWC": "HWC"}
    known = batches if batch else plain
    if dataformats not in known:
        raise ValueError(
            f"dataformats is {dataformats!r}; wanted one of " + ", ".join(known)
        )
    return known[dataformats]


_outside = not_recorded(
    "writes to a file, and would do so only when the function is recorded",
    "wanted it outside of the function",
)


@closed
class SummaryWriter:
    """What a run tells TensorBoard, as an event file in ``log_dir``, by the
    names PyTorch has.

    Without ``log_dir`` it is a new folder below runs/, with ``comment`` at the
    end. A run that goes on after a step gives that step as ``purge_step - 1``:
    what earlier files tell of later steps is forgotten. Events reach the file
    every ``flush_secs`` seconds, with ``flush`` and ``close``. A disk that is
    full is a warning and stops nobody.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if log_dir is None:
            stamp = time.strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{stamp}_{os.getpid()}{comment}")
        self.log_dir = os.fspath(log_dir)
        resume = -1 if purge_step is None else purge_step - 1
        self._core: Any = _core.EventWriter(
            self.log_dir, flush_secs, resume, filename_suffix, _say
        )

    def _open(self) -> Any:
        if self._core is None:
            raise ValueError("the SummaryWriter was closed")
        return self._core

    def get_logdir(self) -> Any:
        """The folder of the event file."""
        return self.log_dir

    @property
    def path(self) -> str:
        """The event file."""
        return str(self._open().path)

    @done_by_calls
    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: int | None = None
    ) -> None:
        """One number: a float, or a tensor or array of one element."""
        self._open().scalar(tag, scalar_value, global_step or 0)

    @done_by_calls
    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
    ) -> None:
        """Several numbers of one step, as "main_tag/name"."""
        values = [(f"{main_tag}/{k}", float(v)) for k, v in tag_scalar_dict.items()]
        self._open().scalars(values, global_step or 0)

    @done_by_calls
    def add_histogram(
        self, tag: str, values: Any, global_step: int | None = None
    ) -> None:
        """How the elements of a tensor are distributed."""
        self._open().histogram(tag, values, global_step or 0)

    @done_by_calls
    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture of uint8, or of floats from 0 to 1; dataformats CHW, HWC or
        HW."""
        layout = _layout(dataformats, False)
        self._open().image(tag, img_tensor, global_step or 0, layout)

    @done_by_calls
    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several pictures, side by side; dataformats NCHW or NHWC."""
        layout = _layout(dataformats, True)
        self._open().image(tag, img_tensor, global_step or 0, layout)

    @_outside
    def add_plot(self, tag: str, plot: Any, global_step: int | None = None) -> None:
        """A report.Plot as a picture."""
        self._open().image_png(
            tag, plot.width, plot.height, plot.png(), global_step or 0
        )

    @done_by_calls
    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None
    ) -> None:
        """Text; Markdown is shown as such."""
        self._open().text(tag, text_string, global_step or 0)

    @_outside
    def add_graph(self, graph: Any) -> None:
        """A Graph, or what has one as ``.graph``."""
        core = graph
        if not isinstance(core, _core.Graph):
            core = getattr(graph, "graph", None)
        if not isinstance(core, _core.Graph):
            raise TypeError(
                f"add_graph: the graph is a {type(graph).__name__}; wanted a Graph"
            )
        self._open().graph(core)

    @_outside
    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        global_step: int | None = None,
    ) -> None:
        """The settings of this run, and the metrics by which runs are compared
        in the HPARAMS tab. Once a run."""
        settings = []
        for name, value in hparam_dict.items():
            if not isinstance(value, (bool, int, float, str)):
                raise TypeError(
                    f"add_hparams: {name} is a {type(value).__name__}; wanted a "
                    "bool, a number or text"
                )
            if isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            settings.append((name, value))
        self._open().hparams(settings, list(metric_dict))
        for name, value in metric_dict.items():
            self.add_scalar(name, value, global_step)

    @done_by_calls
    def flush(self) -> None:
        """Writes what waits to the file."""
        self._open().flush()

    @_outside
    def close(self) -> None:
        """Writes what waits, and closes the file."""
        if self._core is not None:
            self._core.flush()
            self._core = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

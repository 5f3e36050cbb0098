"""Pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _core
from .._closed import closed

__all__ = ["Plot", "encode_png", "write_png"]


@closed
class Plot:
    """Lines over an axis as a picture.

        plot = report.Plot(title="Loss", y_label="cross entropy", smooth=0.02)
        plot.line("train", losses).line("test", losses_of_tests, x=steps)
        plot.save("loss.png")
    """

    def __init__(
        self,
        title: str = "",
        x_label: str = "step",
        y_label: str = "",
        width: int = 960,
        height: int = 540,
        log_y: bool = False,
        smooth: float = 0,
    ) -> None:
        self._core = _core.Plot(title, x_label, y_label, width, height, log_y, smooth)

    def line(
        self,
        name: str,
        *points: Iterable[float],
        x: Iterable[float] | None = None,
        y: Iterable[float] | None = None,
    ) -> Plot:
        """A line through points: ``line("a", x, y)``, or ``line("a", y)`` over 0, 1,
        2, ..."""
        if len(points) > 2 or (len(points) == 2 and (x, y) != (None, None)):
            raise TypeError(
                f"line: {len(points)} lists by place, x and y by name; wanted "
                "line(name, y) or line(name, x, y)"
            )
        if len(points) == 2:
            x, y = points
        elif points and y is None:
            y = points[0]
        elif points and x is None:
            x = points[0]
        if y is None:
            raise TypeError("line: there is no y; wanted line(name, y)")
        ys = [float(v) for v in y]
        xs = [float(i) for i in range(len(ys))] if x is None else [float(v) for v in x]
        self._core.line(name, xs, ys)
        return self

    @property
    def width(self) -> int:
        """Pixels."""
        return int(self._core.width)

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self._core.height)

    def png(self) -> bytes:
        """The bytes of a PNG."""
        made: bytes = self._core.png()
        return made

    def save(self, path: Any) -> None:
        """Writes a PNG file."""
        self._core.save(path)

    def _repr_png_(self) -> bytes:
        return self.png()


def encode_png(pixels: Any, dataformats: str = "auto") -> bytes:
    """A picture of uint8, or of floats from 0 to 1, as the bytes of a PNG.
    ``dataformats``: CHW, HWC, or auto (channels last where the last size is 1, 3
    or 4)."""
    made: bytes = _core.picture_png(pixels, dataformats)
    return made


def write_png(path: Any, pixels: Any, dataformats: str = "auto") -> None:
    """The same, into a file."""
    made = encode_png(pixels, dataformats)
    with open(path, "wb") as file:
        file.write(made)

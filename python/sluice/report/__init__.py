"""What a training run writes and shows.

    with report.SummaryWriter("runs/first") as writer:
        writer.add_scalar("loss", loss, step)

TensorBoard opens the folder. Beside that: metrics as CSV or JSON lines, plots
as PNG, a progress line, confusion matrices, tables.
"""

from ._plot import Plot, encode_png, write_png
from ._progress import MetricsLog, Progress
from ._summary import SummaryWriter
from ._tables import ConfusionMatrix, Table

__all__ = [
    "ConfusionMatrix",
    "MetricsLog",
    "Plot",
    "Progress",
    "SummaryWriter",
    "Table",
    "encode_png",
    "write_png",
]

"""The C++ input pipeline: sources, and the stages that change their elements."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .. import _core
from .._closed import closed
from .._core import DataRandom as Random
from .._core import PipelineIterator, TFRecordWriter, float32
from .._recorded import as_seen
from ._outside import passes_outside

__all__ = [
    "Feature",
    "Pipeline",
    "PipelineIterator",
    "Random",
    "TFRecordWriter",
    "csv",
    "examples",
    "from_generator",
    "from_tensors",
    "idx",
    "make_example",
    "mnist",
    "npy",
    "npz",
    "parse_example",
    "range",
    "text_lines",
    "tfrecord",
]

# Their threads may call Python, and must end before it shuts down.
atexit.register(_core.close_pipelines)


@closed
class Pipeline:
    """Elements of one or more tensors, one after another; each call makes a new
    pipeline from this one.

    A loop is one pass; each pass is shuffled in its own way, decided by the
    seed and its number. Elements of one tensor are that tensor, others are
    tuples. Results depend on the calls alone, never on threads. Functions of
    ``map`` and ``filter`` must give equal results for equal elements.
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    def map(
        self,
        function: Callable[..., Any],
        *,
        threads: int = 0,
        random: bool = False,
        seed: int = 0,
        name: str = "",
    ) -> Pipeline:
        """Applies ``function(*tensors)`` to every element. It returns a tensor or a
        tuple of tensors.

        With ``threads``, several elements are computed at a time and the order is
        kept. With ``random``, the function gets a Random before the tensors, whose
        numbers depend only on ``seed``, pass and element. The loop raises the
        function's exceptions.
        """
        return Pipeline(self._core.map(function, threads, seed, random, name))

    def filter(self, function: Callable[..., Any]) -> Pipeline:
        """The elements for which ``function(*tensors)`` is true."""
        return Pipeline(self._core.filter(function))

    def scale(self, component: int, factor: float) -> Pipeline:
        """One component as float32, times a factor."""
        return Pipeline(self._core.scale(component, factor))

    def shuffle(self, buffer: int, seed: int = 0) -> Pipeline:
        """Draws at random from a buffer of this size; one as large as the data
        shuffles uniformly."""
        return Pipeline(self._core.shuffle(buffer, seed))

    def shard(self, index: int, count: int) -> Pipeline:
        """Every count-th element, starting at number index."""
        return Pipeline(self._core.shard(index, count))

    def take(self, n: int) -> Pipeline:
        """The first n elements."""
        return Pipeline(self._core.take(n))

    def skip(self, n: int) -> Pipeline:
        """All but the first n elements."""
        return Pipeline(self._core.skip(n))

    def repeat(self, times: int = -1) -> Pipeline:
        """Repeats the passes as one; -1 repeats forever."""
        return Pipeline(self._core.repeat(times))

    def batch(self, n: int, drop_last: bool = False) -> Pipeline:
        """Stacks n elements along a new axis 0."""
        return Pipeline(self._core.batch(n, drop_last))

    def padded_batch(
        self, n: int, padding: Sequence[float] = (), drop_last: bool = False
    ) -> Pipeline:
        """The same for tensors of different sizes, padded to the largest."""
        return Pipeline(self._core.padded_batch(n, list(padding), drop_last))

    def zip(self, other: Pipeline) -> Pipeline:
        """The components of both; ends with the shorter one."""
        return Pipeline(self._core.zip(other._core))

    def concat(self, after: Pipeline) -> Pipeline:
        """The elements of this pipeline, then those of another."""
        return Pipeline(self._core.concat(after._core))

    def prefetch(self, n: int) -> Pipeline:
        """A thread keeps up to n elements ready."""
        return Pipeline(self._core.prefetch(n))

    def cache(self) -> Pipeline:
        """Keeps the elements of the first complete pass in memory."""
        return Pipeline(self._core.cache())

    @passes_outside
    def iterator(self, epoch: int = 0) -> PipelineIterator:
        """One pass, whose position can be saved and restored."""
        made: PipelineIterator = self._core.iterator(epoch)
        return made

    @passes_outside
    def __iter__(self) -> Iterator[Any]:
        return self._core.next_pass()  # type: ignore[no-any-return]

    @as_seen
    def __len__(self) -> int:
        """The number of elements in a pass; raises TypeError if unknown."""
        size = self._core.size()
        if size < 0:
            raise TypeError("the length of this pipeline is not known")
        return int(size)

    def __repr__(self) -> str:
        return f"<Pipeline {self._core.describe()}>"


def from_tensors(*tensors: Any) -> Pipeline:
    """Rows of tensors (or arrays) that agree in the size of axis 0."""
    return Pipeline(_core.pipeline_of_tensors(tensors))


def range(start: int, stop: int | None = None, step: int = 1) -> Pipeline:
    """Numbers as Python's range has them, as int64 tensors without axes."""
    if stop is None:
        start, stop = 0, start
    return Pipeline(_core.pipeline_of_range(start, stop, step))


def from_generator(start: Callable[[], Iterable[Any]]) -> Pipeline:
    """What ``start()`` gives, called once for every pass: tensors, or tuples of
    them."""
    return Pipeline(_core.pipeline_of_generator(start))


def mnist(split: str = "train", dir: Any = "", flat: bool = True) -> Pipeline:
    """The MNIST digits: images of 784 (or 1 x 28 x 28) float32 in 0..1, and
    digits as int64.

    The files are looked for in ``dir`` or, without it, in $SLUICE_DATA, in
    data/mnist of this folder and those above it, and where they are installed.
    """
    return Pipeline(_core.pipeline_of_mnist(split, str(dir), flat))


def csv(
    path: Any,
    *columns: Any,
    header: bool = False,
    separator: str = ",",
    missing: float | None = None,
) -> Pipeline:
    """Lines of comma-separated values.

    Each of ``columns`` is a component: a name or number of a column, a list of
    them (one vector), or a (columns, dtype) pair; float32 unless said
    otherwise. ``missing`` is what empty fields are; without it they are errors.

        data.csv("iris.csv", ["length", "width"], ("kind", sl.string), header=True)
    """
    components = []
    for c in columns:
        if isinstance(c, tuple) and len(c) == 2:
            components.append((c[0], c[1]))
        else:
            components.append((c, float32))
    return Pipeline(
        _core.pipeline_of_csv(path, components, header, separator, missing)
    )


def text_lines(paths: Any, skip: int = 0) -> Pipeline:
    """Lines of text files (also packed by gzip), as strings; paths may be
    patterns. ``skip`` lines at the beginning of each file are left out."""
    return Pipeline(_core.pipeline_of_lines(paths, skip))


def tfrecord(paths: Any) -> Pipeline:
    """Records of TFRecord files, as strings; paths may be patterns."""
    return Pipeline(_core.pipeline_of_records(paths))


def npy(*paths: Any) -> Pipeline:
    """Rows of .npy files, one component for each."""
    return Pipeline(_core.pipeline_of_npy(list(paths)))


def npz(path: Any, *names: str) -> Pipeline:
    """Rows of members of one .npz file."""
    return Pipeline(_core.pipeline_of_npz(path, list(names)))


def idx(*paths: Any) -> Pipeline:
    """Rows of IDX files, as the MNIST digits are published."""
    return Pipeline(_core.pipeline_of_idx(list(paths)))


@closed
class Feature:
    """A named feature of a tf.train.Example: float32, int64 or string. One size
    of ``shape`` may be -1. ``missing`` takes the place of one not there."""

    def __init__(
        self,
        name: str,
        dtype: Any = float32,
        shape: Sequence[int] = (),
        missing: float | None = None,
    ) -> None:
        self.name = name
        self._core = _core.Feature(name, dtype, list(shape), missing)


def examples(paths: Any, features: Sequence[Feature], threads: int = 0) -> Pipeline:
    """The tf.train.Examples of TFRecord files, one component per feature."""
    read = [f._core for f in features]
    return Pipeline(_core.pipeline_of_examples(paths, read, threads))


def make_example(features: Mapping[str, Any]) -> bytes:
    """The bytes of a tf.train.Example with these tensors, flattened."""
    made: bytes = _core.make_example(features)
    return made


def parse_example(record: bytes, features: Sequence[Feature]) -> tuple[Any, ...]:
    """The features of a tf.train.Example, as tensors."""
    return tuple(_core.parse_example(record, [f._core for f in features]))

"""Data for training: datasets, loaders, and the C++ input pipeline.

    loader = data.DataLoader(dataset, batch_size=64, shuffle=True, num_workers=2)
    for images, labels in loader:
        ...

    digits = data.mnist("train").shuffle(10000, seed=1).batch(64).prefetch(2)
    for images, labels in digits:
        ...

Workers are threads, not processes. The order of elements depends only on the calls and
seeds. Loaders know their position: after ``state_dict()`` in the middle of a pass and
``load_state_dict()`` in another process, the remaining elements follow.
"""

from ._collate import default_collate
from ._datasets import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from ._distributed_sampler import DistributedSampler
from ._loader import DataLoader, get_worker_info
from ._pipeline import (
    Feature,
    Pipeline,
    PipelineIterator,
    Random,
    TFRecordWriter,
    csv,
    examples,
    from_generator,
    from_tensors,
    idx,
    make_example,
    mnist,
    npy,
    npz,
    parse_example,
    range,
    text_lines,
    tfrecord,
)
from ._samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "Feature",
    "IterableDataset",
    "Pipeline",
    "PipelineIterator",
    "Random",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TFRecordWriter",
    "TensorDataset",
    "WeightedRandomSampler",
    "csv",
    "default_collate",
    "examples",
    "from_generator",
    "from_tensors",
    "get_worker_info",
    "idx",
    "make_example",
    "mnist",
    "npy",
    "npz",
    "parse_example",
    "random_split",
    "range",
    "text_lines",
    "tfrecord",
]

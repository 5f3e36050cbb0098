"""One object of each public class, for tests of what all of them can do.

A class that is in no table here fails test_every_public_class_has_an_object.
"""

from __future__ import annotations

import importlib
import inspect

import sluice as sl
import sluice.data as data
import sluice.optim as optim
import sluice.report as report
import sluice.train as train
import sluice.utils.data
from sluice import nn
from sluice.optim import lr_scheduler, swa_utils

MODULES = ("sluice sluice.nn sluice.optim sluice.optim.lr_scheduler "
           "sluice.optim.swa_utils sluice.data sluice.utils.data sluice.amp "
           "sluice.train sluice.report").split()  # fmt: skip


def classes():
    """Public classes by name, each once; no errors, no layers."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for key in sorted(getattr(module, "__all__", dir(module))):
            c = getattr(module, key)
            if not inspect.isclass(c) or key.startswith("_"):
                continue
            ours = c.__module__.startswith("sluice")
            if ours and not issubclass(c, (BaseException, nn.Module)):
                found.setdefault(c, key)
    return {key: c for c, key in found.items()}


def layers():
    """One of each layer of sluice.nn that is no base class."""
    tries = [
        (), (4,), (4, 4), (4, 4, 2), (2, 4), (2, 4, 4), ([nn.Linear(2, 2)],),
        (nn.Linear(2, 2),), ((2,),), (4, 2, 16), (6, [2, 4]), (4, 10, [3, 6]),
        (nn.TransformerEncoderLayer(4, 2, 16), 2),
        (nn.TransformerDecoderLayer(4, 2, 16), 2),
    ]  # fmt: skip
    for key in sorted(k for k in dir(nn) if not k.startswith("_")):
        c = getattr(nn, key)
        if not inspect.isclass(c) or not issubclass(c, nn.Module) or key == "RNNBase":
            continue
        for arguments in tries:
            try:
                made = c(*arguments)
            except (TypeError, ValueError):
                continue
            yield key, made
            break
        else:
            raise AssertionError(f"public_objects: no arguments known for nn.{key}")


def stepped(cls=optim.SGD, **options):
    """An optimizer that has done a step."""
    w = nn.Parameter(sl.tensor([1.0, 2.0]))
    made = cls([w], **{"lr": 0.1, **options})

    def closure():
        made.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    made.step(closure)
    return made


OPTIMIZERS = {
    name: (lambda c=getattr(optim, name): stepped(c))
    for name in ("SGD Adam AdamW Adadelta Adafactor Adagrad Adamax ASGD LBFGS Lion "
                 "NAdam RAdam RMSprop Rprop").split()
}  # fmt: skip


def double(step):
    return 2.0


_SCHEDULES = {
    "StepLR": (2,),
    "MultiStepLR": ([1, 3],),
    "ConstantLR": (),
    "LinearLR": (),
    "ExponentialLR": (0.9,),
    "PolynomialLR": (),
    "CosineAnnealingLR": (5, 0.01),
    "CosineAnnealingWarmRestarts": (5,),
    "CyclicLR": (0.1, 0.2),
    "OneCycleLR": (0.1, 10),
    "LambdaLR": (double,),
    "MultiplicativeLR": (double,),
}


def _scheduled(name):
    # CyclicLR and OneCycleLR turn a momentum, too.
    return getattr(lr_scheduler, name)(stepped(momentum=0.9), *_SCHEDULES[name])


def _sequential():
    o = stepped()
    parts = [lr_scheduler.ConstantLR(o), lr_scheduler.StepLR(o, 3)]
    return lr_scheduler.SequentialLR(o, parts, milestones=[2])


def _chained():
    o = stepped()
    return lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o), lr_scheduler.StepLR(o, 3)]
    )


def _curved():
    return lr_scheduler.CurveLR(stepped(), optim.cosine(10))


SCHEDULERS = {name: (lambda name=name: _scheduled(name)) for name in _SCHEDULES} | {
    "SequentialLR": _sequential,
    "ChainedScheduler": _chained,
    "ReduceLROnPlateau": lambda: lr_scheduler.ReduceLROnPlateau(stepped(), patience=0),
    "CurveLR": _curved,
    "SWALR": lambda: swa_utils.SWALR(stepped(), 0.05),
}


def dataset():
    return data.TensorDataset(sl.arange(6), sl.arange(6))


class Numbers(data.IterableDataset):
    def __iter__(self):
        return iter(range(3))


def _confused():
    made = report.ConfusionMatrix(2)
    made.add([0, 1, 1], [0, 1, 0])
    return made


OTHERS = {
    "BatchSampler": lambda: data.BatchSampler(data.SequentialSampler([1, 2]), 2, False),
    "ChainDataset": lambda: sluice.utils.data.ChainDataset([Numbers()]),
    "ConcatDataset": lambda: data.ConcatDataset([dataset(), dataset()]),
    "ConfusionMatrix": _confused,
    "Curve": lambda: optim.cosine(10),
    "DataLoader": lambda: data.DataLoader(dataset(), 2),
    "DistributedSampler": lambda: data.DistributedSampler(dataset(), 2, 0),
    "EMA": lambda: optim.EMA([nn.Parameter(sl.ones(2))], 0.5),
    "EarlyStopping": lambda: train.EarlyStopping("loss"),
    "Generator": lambda: sl.Generator().manual_seed(3),
    "GradScaler": lambda: sl.amp.GradScaler("cpu", init_scale=8.0),
    "ParamGroup": lambda: stepped().param_groups[0],
    "Parameter": lambda: nn.Parameter(sl.ones(2)),
    "RandomSampler": lambda: data.RandomSampler(dataset()),
    "SequentialSampler": lambda: data.SequentialSampler(dataset()),
    "StackDataset": lambda: sluice.utils.data.StackDataset(dataset(), dataset()),
    "Subset": lambda: data.Subset(dataset(), [1]),
    "SubsetRandomSampler": lambda: data.SubsetRandomSampler([1, 2]),
    "Tensor": lambda: sl.ones(2),
    "TensorDataset": dataset,
    "WeightedRandomSampler": lambda: data.WeightedRandomSampler([1.0, 2.0], 2),
    "device": lambda: sl.device("cpu"),
    "dtype": lambda: sl.float32,
    "finfo": lambda: sl.finfo(sl.float32),
    "iinfo": lambda: sl.iinfo(sl.int8),
    "layout": lambda: sl.strided,
}
MADE = OPTIMIZERS | SCHEDULERS | OTHERS

# Parts of graphs, sessions and processes, open files, bases, and what is made by calls.
NOT_COPIED = """
Accumulator Barrier Breakpoint Coordinator DebugEvent DebugResult FIFOQueue Function
Graph HashTable List LoopUse Mutex Operation PaddingFIFOQueue PartialStep PreparedStep
PriorityQueue Profile ProfileRow QueueBase QueueRunner RandomShuffleQueue RunMetadata
RunOptions Session Stack SymBool SymFloat SymInt Trace TraceRow Traces Variable
autocast custom_jvp custom_vjp detect_anomaly enable_grad inference_mode no_grad
set_grad_enabled Optimizer LRScheduler Dataset Feature IterableDataset Pipeline
PipelineIterator Random Sampler TFRecordWriter FitResult StopSignals Trainer MetricsLog
Plot Progress SummaryWriter Table
""".split()

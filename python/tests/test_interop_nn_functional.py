"""Every function of nn.functional beside PyTorch's."""

import inspect

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import nn_against_torch as pair  # noqa: E402
import sluice.nn.functional as F  # noqa: E402
from sluice import nn  # noqa: E402

X = [(3, 4)]
# name, inputs, options
FUNCTIONS = [
    *[
        (name, X, {})
        for name in (
            "relu relu6 elu selu celu leaky_relu gelu silu mish sigmoid tanh "
            "hardsigmoid hardswish hardtanh softsign softplus softshrink hardshrink "
            "tanhshrink logsigmoid"
        ).split()
    ],
    ("elu", X, {"alpha": 0.5}),
    ("celu", X, {"alpha": 0.5}),
    ("leaky_relu", X, {"negative_slope": 0.3}),
    ("gelu", X, {"approximate": "tanh"}),
    ("hardtanh", X, {"min_val": -0.2, "max_val": 0.4}),
    ("softplus", X, {"beta": 3.0, "threshold": 2.0}),
    ("softshrink", X, {"lambd": 0.1}),
    ("hardshrink", X, {"lambd": 0.1}),
    ("threshold", X, {"threshold": 0.2, "value": 7.0}),
    ("rrelu", X, {"lower": 0.1, "upper": 0.5}),
    ("alpha_dropout", X, {}),
    ("alpha_dropout", X, {"p": 1.0, "training": True}),
    ("feature_alpha_dropout", [(2, 3, 4)], {"p": 0.0, "training": True}),
    ("channel_shuffle", [(2, 6, 3, 4)], {"groups": 3}),
    ("pdist", [(5, 3)], {"p": 1.5}),
    (
        "triplet_margin_with_distance_loss",
        [(3, 4), (3, 4), (3, 4)],
        {"margin": 0.3, "swap": True, "reduction": "none"},
    ),
    ("prelu", [(3, 4), (4,)], {}),
    ("glu", X, {}),
    ("softmax", X, {"dim": 0}),
    ("softmin", X, {"dim": 1}),
    ("log_softmax", X, {"dim": -1}),
    ("linear", [(2, 3, 5), (4, 5), (4,)], {}),
    ("linear", [(3, 5), (4, 5)], {}),
    ("bilinear", [(2, 3), (2, 4), (5, 3, 4), (5,)], {}),
    ("dropout", X, {"training": False}),
    ("dropout", X, {"p": 0.0}),
    ("dropout", X, {"p": 1.0}),
    ("dropout1d", [(2, 3, 4)], {"training": False}),
    ("dropout2d", [(2, 3, 4, 4)], {"p": 0.0}),
    ("dropout3d", [(1, 2, 2, 2, 2)], {"training": False}),
    ("embedding", [("ids", (2, 3), 5), (5, 4)], {}),
    ("embedding", [("ids", (2, 3), 5), (5, 4)], {"padding_idx": -2}),
    ("embedding", [("ids", (2, 3), 5), (5, 4)], {"sparse": True}),
    ("embedding", [("ids", (2, 3), 5), (5, 4)], {"max_norm": 1.2}),
    ("embedding_bag", [("ids", (2, 3), 5), (5, 4)], {"max_norm": 1.2, "norm_type": 1}),
    ("embedding_bag", [("ids", (2, 3), 5), (5, 4)], {"mode": "sum"}),
    ("embedding_bag", [("ids", (6,), 5), (5, 4), np.array([0, 2, 2])], {}),
    ("one_hot", [("ids", (2, 3), 5)], {}),
    ("one_hot", [("ids", (2, 3), 5)], {"num_classes": 7}),
    ("cosine_similarity", [(3, 4), (3, 4)], {}),
    ("pairwise_distance", [(3, 4), (3, 4)], {"keepdim": True}),
    ("normalize", X, {}),
    ("normalize", X, {"p": 1.0, "dim": 0}),
    ("pad", X, {"pad": (1, 2)}),
    ("pad", X, {"pad": (1, 2, 0, 3), "value": 2.5}),
    ("pad", X, {"pad": (-1, 2, 3, -1)}),
    ("pad", [(2, 3, 4)], {"pad": (1, 2), "mode": "reflect"}),
    ("pad", [(2, 3, 4)], {"pad": (1, 2), "mode": "replicate"}),
    ("pad", [(2, 3, 4)], {"pad": (1, 2), "mode": "circular"}),
    ("interpolate", [(1, 2, 4, 4)], {"scale_factor": 2}),
    ("interpolate", [(1, 2, 4, 6)], {"size": (3, 5)}),
    ("interpolate", [(1, 2, 4, 6)], {"size": (3, 9), "mode": "bilinear"}),
    (
        "interpolate",
        [(1, 2, 4, 6)],
        {"scale_factor": 2, "mode": "bilinear", "align_corners": True},
    ),
    ("interpolate", [(1, 2, 4, 6)], {"size": (3, 9), "mode": "nearest-exact"}),
    ("interpolate", [(1, 2, 4, 6)], {"size": (3, 9), "mode": "bicubic"}),
    ("interpolate", [(1, 2, 7, 6)], {"size": (3, 9), "mode": "area"}),
    ("interpolate", [(1, 2, 2, 3, 4)], {"scale_factor": 1.5, "mode": "trilinear"}),
    ("interpolate", [(1, 2, 2, 3, 4)], {"scale_factor": (1, 2, 0.5)}),
    (
        "interpolate",
        [(1, 2, 9, 8)],
        {"size": (4, 3), "mode": "bicubic", "antialias": True},
    ),
    ("upsample_nearest", [(1, 2, 4, 6)], {"scale_factor": 2}),
    ("upsample_bilinear", [(1, 2, 4, 6)], {"size": (5, 9)}),
    ("unfold", [(2, 3, 5, 6)], {"kernel_size": (2, 3), "stride": 2, "padding": 1}),
    ("fold", [(2, 12, 8)], {"output_size": (5, 6), "kernel_size": 2, "stride": (1, 4)}),
    ("interpolate", [(1, 2, 5)], {"scale_factor": 2}),
    ("interpolate", [(1, 2, 5)], {"size": 8, "mode": "linear"}),
    ("pixel_shuffle", [(8, 3, 3)], {"upscale_factor": 2}),
    ("pixel_unshuffle", [(1, 2, 6, 6)], {"downscale_factor": 3}),
    ("conv1d", [(2, 4, 9), (6, 2, 3), (6,)], {"groups": 2, "padding": 1}),
    ("conv2d", [(2, 3, 8, 8), (4, 3, 3, 3)], {"stride": 2, "padding": "valid"}),
    ("conv2d", [(2, 3, 8, 8), (4, 3, 3, 3), (4,)], {"padding": "same"}),
    ("conv3d", [(1, 2, 4, 4, 4), (3, 2, 2, 2, 2), (3,)], {"dilation": 2}),
    ("conv_transpose1d", [(2, 4, 5), (4, 3, 3), (3,)], {"stride": 2}),
    (
        "conv_transpose2d",
        [(2, 4, 5, 5), (4, 3, 3, 3)],
        {"stride": 3, "output_padding": 1, "padding": 1},
    ),
    ("conv_transpose3d", [(1, 2, 3, 3, 3), (2, 3, 2, 2, 2)], {}),
    ("max_pool1d", [(2, 3, 8)], {"kernel_size": 3}),
    ("max_pool2d", [(2, 3, 8, 8)], {"kernel_size": (2, 3), "stride": 2}),
    ("max_pool3d", [(1, 2, 4, 4, 4)], {"kernel_size": 2}),
    ("avg_pool1d", [(2, 3, 8)], {"kernel_size": 3, "padding": 1}),
    ("avg_pool2d", [(2, 3, 8, 8)], {"kernel_size": 3, "ceil_mode": True}),
    ("avg_pool3d", [(1, 2, 4, 4, 4)], {"kernel_size": 2}),
    ("adaptive_avg_pool1d", [(2, 3, 8)], {"output_size": 3}),
    ("adaptive_avg_pool2d", [(2, 3, 8, 5)], {"output_size": (None, 2)}),
    ("adaptive_avg_pool3d", [(1, 2, 4, 5, 6)], {"output_size": 2}),
    ("adaptive_max_pool1d", [(2, 3, 8)], {"output_size": 3}),
    ("adaptive_max_pool2d", [(2, 3, 8, 5)], {"output_size": 2}),
    ("adaptive_max_pool3d", [(1, 2, 4, 5, 6)], {"output_size": 2}),
    ("batch_norm", [(4, 3, 5), ("shares", (3,)), ("shares", (3,))], {}),
    ("layer_norm", [(4, 6)], {"normalized_shape": (6,)}),
    ("rms_norm", [(4, 6)], {"normalized_shape": (6,), "eps": 1e-3}),
    ("group_norm", [(3, 6, 4)], {"num_groups": 3}),
    ("instance_norm", [(2, 3, 7)], {}),
    ("mse_loss", [(3, 4), (3, 4)], {"reduction": "none"}),
    ("l1_loss", [(3, 4), (3, 4)], {}),
    ("smooth_l1_loss", [(3, 4), (3, 4)], {"beta": 0.3}),
    ("huber_loss", [(3, 4), (3, 4)], {"delta": 0.3}),
    ("cross_entropy", [(5, 4), ("ids", (5,), 4)], {"reduction": "sum"}),
    (
        "cross_entropy",
        [(5, 4), ("ids", (5,), 4)],
        {"ignore_index": 2, "label_smoothing": 0.2},
    ),
    ("nll_loss", [("logs", (5, 4)), ("ids", (5,), 4)], {}),
    ("binary_cross_entropy", [("shares", (3, 4)), ("shares", (3, 4))], {}),
    ("binary_cross_entropy_with_logits", [(3, 4), ("shares", (3, 4))], {}),
    ("kl_div", [("logs", (3, 4)), ("shares", (3, 4))], {"reduction": "sum"}),
    ("margin_ranking_loss", [(5,), (5,), np.array([1, -1, 1, 1, -1])], {"margin": 0.2}),
    (
        "cosine_embedding_loss",
        [(3, 4), (3, 4), np.array([1, -1, 1])],
        {"margin": 0.1, "reduction": "none"},
    ),
    ("hinge_embedding_loss", [(5,), np.array([1, -1, 1, 1, -1])], {}),
    ("triplet_margin_loss", [(3, 4), (3, 4), (3, 4)], {"reduction": "sum"}),
    ("scaled_dot_product_attention", [(2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 6)], {}),
    (
        "scaled_dot_product_attention",
        [(2, 3, 4, 8)] * 3,
        {"is_causal": True, "scale": 0.3},
    ),
    ("scaled_dot_product_attention", [(2, 4, 8)] * 3 + [("bools", (4, 4))], {}),
    ("conv_tbc", [(7, 2, 3), (3, 3, 4), (4,)], {"pad": 1}),
]
FUNCTIONS += [
    (f"{kind}max_pool{n}d_with_indices", [(2, 3, *(9, 8, 7)[:n])], options)
    for n in (1, 2, 3)
    for kind, options in (("", {"kernel_size": 2}), ("adaptive_", {"output_size": 3}))
]
UNTESTED = {"gumbel_softmax", "upsample"}  # random; interpolate by another name
# In tests of their own.
UNTESTED |= {
    "affine_grid", "ctc_loss", "gaussian_nll_loss", "grid_sample",
    "local_response_norm", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d",
    "max_unpool2d", "max_unpool3d", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "poisson_nll_loss", "soft_margin_loss",
    "linear_cross_entropy", "multi_head_attention_forward",
}  # fmt: skip
# Random, unless the samples are given: test_fractional_pools.
UNTESTED |= {
    f"fractional_max_pool{n}d{more}" for n in (2, 3) for more in ("", "_with_indices")
}


@pytest.mark.parametrize("n", [2, 3])
def test_fractional_pools(n):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, *(9, 8, 7)[:n])).astype("float32")
    samples = rng.random((2, 3, n)).astype("float32")
    for more in ("", "_with_indices"):
        name = f"fractional_max_pool{n}d{more}"
        options = {"kernel_size": 2, "output_size": (4, 3, 3)[:n]}
        theirs = getattr(torch.nn.functional, name)(
            torch.tensor(x), _random_samples=torch.tensor(samples), **options)
        import sluice as sl

        ours = getattr(F, name)(
            sl.tensor(x), _random_samples=sl.tensor(samples), **options)
        pairs = zip(ours, theirs) if more else [(ours, theirs)]
        for mine, his in pairs:
            assert (mine.numpy() == his.numpy()).all()


# Written over the input, which those with gradients refuse of a leaf.
UNTESTED |= {n for n in dir(F) if n.endswith("_") and not n.startswith("_")}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name, inputs, options",
    FUNCTIONS,
    ids=[f"{i}-{row[0]}" for i, row in enumerate(FUNCTIONS)],
)
def test_function(name, inputs, options):
    theirs = getattr(torch.nn.functional, name)
    if name == "batch_norm":
        # Running statistics take no gradients.
        return check_batch_norm(inputs)
    if name == "scaled_dot_product_attention" and len(inputs) == 4:
        inputs = inputs[:3] + [np.tril(np.ones((4, 4), bool))]
    if name == "embedding_bag" and len(inputs) == 3:
        inputs = inputs[:2] + [inputs[2].astype(np.int64)]
    pair.compare_functions(torch, getattr(F, name), theirs, inputs, options)


def check_batch_norm(inputs):
    rng = np.random.default_rng(0)
    x, mean, var = (pair.numbers(rng, spec) for spec in inputs)
    import sluice as sl

    for training in (False, True):
        a = [sl.tensor(v) for v in (x, mean, var)]
        b = [torch.tensor(v) for v in (x, mean, var)]
        ours = F.batch_norm(*a, training=training)
        theirs = torch.nn.functional.batch_norm(*b, training=training)
        for mine, his in zip((ours, *a), (theirs, *b)):
            pair.close(mine.numpy(), his.numpy(), "batch_norm")


def test_every_function_is_in_the_table():
    names = {n for n in dir(F) if not n.startswith("_") and callable(getattr(F, n))}
    tested = {row[0] for row in FUNCTIONS} | UNTESTED
    assert names - tested == set()


def defaults(function):
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # written in C
        return None
    return {
        name: p.default for name, p in parameters.items() if p.kind != p.VAR_KEYWORD
    }


def same_default(a, b):
    if callable(a) and callable(b):
        return getattr(a, "__name__", 0) == getattr(b, "__name__", 1)
    return a == b


# What PyTorch keeps for old programs, and what it has with no default worth it.
OLD = {
    "size_average", "reduce", "_stacklevel", "generator", "out", "min_value",
    "max_value",
}  # fmt: skip


def compare_signatures(ours, theirs, what, without=frozenset()):
    a, b = defaults(ours), defaults(theirs)
    if a is None or b is None or "args" in b:
        return
    for name, default in b.items():
        if name in OLD or name in without:
            continue
        assert name in a, f"{what}: no argument {name}; there are {list(a)}"
        assert same_default(a[name], default), (
            f"{what}: {name} is {a[name]!r} if not given, wanted {default!r}"
        )


@pytest.mark.parametrize("name", sorted(n for n in dir(F) if not n.startswith("_")))
def test_defaults_of_functions(name):
    theirs = getattr(torch.nn.functional, name)
    more = {"weight"} if name in ("mse_loss", "l1_loss", "huber_loss") else set()
    compare_signatures(getattr(F, name), theirs, name, more)


@pytest.mark.parametrize(
    "name",
    sorted(n for n in dir(nn) if n[0].isupper() and isinstance(getattr(nn, n), type)),
)
def test_defaults_of_layers(name):
    theirs = getattr(torch.nn, name)
    compare_signatures(getattr(nn, name), theirs, name)
    if name == "Parameter":
        return
    if theirs.forward is not torch.nn.Module.forward:
        compare_signatures(getattr(nn, name).forward, theirs.forward, f"{name}.forward")


@pytest.mark.parametrize("name", sorted(nn.init.__all__))
def test_defaults_of_initialisers(name):
    compare_signatures(getattr(nn.init, name), getattr(torch.nn.init, name), name)


@pytest.mark.parametrize("name", sorted(nn.utils.__all__))
def test_defaults_of_utils(name):
    theirs = getattr(torch.nn.utils, name)
    a, b = defaults(getattr(nn.utils, name)), defaults(theirs)
    for argument, default in b.items():
        if argument != "foreach":
            assert same_default(a[argument], default)

"""Every layer beside PyTorch's: the same weights, results and gradients."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import nn_against_torch as pair  # noqa: E402
import sluice as sl  # noqa: E402
from sluice import nn  # noqa: E402

# name, arguments, options, inputs
LAYERS = [
    ("Identity", (), {}, [(2, 3)]),
    ("Linear", (5, 3), {}, [(4, 5)]),
    ("Linear", (5, 3), {"bias": False}, [(2, 3, 5)]),
    ("Linear", (5, 3), {}, [(5,)]),
    ("Bilinear", (3, 4, 5), {}, [(2, 3), (2, 4)]),
    ("Bilinear", (3, 4, 5), {"bias": False}, [(2, 6, 3), (2, 6, 4)]),
    ("Conv1d", (4, 6, 3), {}, [(2, 4, 9)]),
    ("Conv1d", (4, 6, 3), {"padding": "same", "dilation": 2}, [(2, 4, 9)]),
    ("Conv1d", (4, 6, 3), {"stride": 2, "groups": 2, "bias": False}, [(2, 4, 9)]),
    ("Conv2d", (3, 8, 3), {}, [(2, 3, 8, 9)]),
    ("Conv2d", (3, 8, 3), {}, [(3, 8, 9)]),
    ("Conv2d", (4, 8, (3, 5)), {"stride": (2, 1), "padding": (1, 2)}, [(2, 4, 8, 9)]),
    ("Conv2d", (4, 8, 3), {"padding": 1, "padding_mode": "reflect"}, [(2, 4, 6, 6)]),
    ("Conv2d", (4, 8, 3), {"padding": 1, "padding_mode": "replicate"}, [(2, 4, 6, 6)]),
    ("Conv2d", (4, 8, 3), {"padding": 1, "padding_mode": "circular"}, [(2, 4, 6, 6)]),
    ("Conv2d", (4, 4, 3), {"groups": 4, "dilation": 2, "padding": 2}, [(2, 4, 6, 6)]),
    ("Conv2d", (4, 4, 4), {"padding": "same"}, [(2, 4, 6, 6)]),
    ("Conv3d", (2, 3, 2), {}, [(1, 2, 4, 4, 4)]),
    ("ConvTranspose1d", (4, 3, 3), {"stride": 2}, [(2, 4, 5)]),
    (
        "ConvTranspose2d",
        (4, 6, 3),
        {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2},
        [(2, 4, 5, 5)],
    ),
    ("ConvTranspose2d", (4, 6, 3), {"dilation": 2, "bias": False}, [(2, 4, 5, 5)]),
    ("ConvTranspose3d", (2, 3, 2), {}, [(1, 2, 3, 3, 3)]),
    ("MaxPool1d", (2,), {}, [(2, 3, 8)]),
    ("MaxPool2d", (3,), {"stride": 2, "padding": 1}, [(2, 3, 8, 8)]),
    ("MaxPool2d", (2,), {"ceil_mode": True}, [(2, 3, 7, 7)]),
    ("MaxPool2d", (2,), {"dilation": 2, "stride": 1}, [(2, 3, 7, 7)]),
    ("MaxPool3d", (2,), {}, [(1, 2, 4, 4, 4)]),
    ("AvgPool1d", (2,), {}, [(2, 3, 8)]),
    ("AvgPool2d", (3,), {"stride": 2, "padding": 1}, [(2, 3, 8, 8)]),
    (
        "AvgPool2d",
        (3,),
        {"stride": 2, "padding": 1, "count_include_pad": False},
        [(2, 3, 8, 8)],
    ),
    ("AvgPool3d", (2,), {}, [(1, 2, 4, 4, 4)]),
    ("AdaptiveAvgPool1d", (3,), {}, [(2, 3, 8)]),
    ("AdaptiveAvgPool2d", ((1, 1),), {}, [(2, 3, 5, 7)]),
    ("AdaptiveAvgPool2d", ((None, 2),), {}, [(2, 3, 5, 7)]),
    ("AdaptiveAvgPool3d", (2,), {}, [(1, 2, 4, 5, 6)]),
    ("AdaptiveMaxPool1d", (3,), {}, [(2, 3, 8)]),
    ("AdaptiveMaxPool2d", ((3, 2),), {}, [(2, 3, 5, 7)]),
    ("AdaptiveMaxPool3d", (2,), {}, [(1, 2, 4, 5, 6)]),
    ("BatchNorm1d", (4,), {}, [(6, 4)]),
    ("BatchNorm1d", (4,), {"momentum": None}, [(6, 4, 5)]),
    ("BatchNorm2d", (3,), {"affine": False}, [(4, 3, 5, 5)]),
    ("BatchNorm2d", (3,), {"eps": 1e-3, "momentum": 0.3}, [(4, 3, 5, 5)]),
    ("BatchNorm2d", (3,), {"track_running_stats": False}, [(4, 3, 5, 5)]),
    ("BatchNorm3d", (2,), {}, [(2, 2, 3, 3, 3)]),
    ("LayerNorm", (6,), {}, [(4, 6)]),
    ("LayerNorm", ((3, 6),), {"eps": 1e-3}, [(4, 3, 6)]),
    ("LayerNorm", (6,), {"bias": False}, [(4, 6)]),
    ("LayerNorm", (6,), {"elementwise_affine": False}, [(4, 6)]),
    ("RMSNorm", (6,), {}, [(4, 6)]),
    ("RMSNorm", (6,), {"eps": 1e-3, "elementwise_affine": False}, [(4, 6)]),
    ("GroupNorm", (2, 6), {}, [(3, 6, 5)]),
    ("GroupNorm", (3, 6), {"affine": False}, [(3, 6, 4, 4)]),
    ("InstanceNorm1d", (3,), {}, [(2, 3, 7)]),
    ("InstanceNorm2d", (3,), {"affine": True}, [(2, 3, 5, 5)]),
    ("InstanceNorm3d", (2,), {}, [(2, 2, 3, 3, 3)]),
    ("Embedding", (10, 4), {}, [("ids", (3, 5), 10)]),
    ("Embedding", (10, 4), {"padding_idx": 2}, [("ids", (3, 5), 4)]),
    ("EmbeddingBag", (10, 4), {}, [("ids", (3, 5), 10)]),
    ("EmbeddingBag", (10, 4), {"mode": "sum"}, [("ids", (3, 5), 10)]),
    ("Flatten", (), {}, [(2, 3, 4)]),
    ("Flatten", (0, 1), {}, [(2, 3, 4)]),
    ("Unflatten", (1, (2, 3)), {}, [(4, 6)]),
    ("Upsample", (), {"scale_factor": 2}, [(1, 2, 3, 4)]),
    ("Upsample", (), {"scale_factor": 2, "mode": "bilinear"}, [(1, 2, 3, 4)]),
    (
        "Upsample",
        (),
        {"size": (7, 5), "mode": "bilinear", "align_corners": True},
        [(1, 2, 3, 4)],
    ),
    ("Upsample", (), {"size": 7, "mode": "linear"}, [(1, 2, 3)]),
    ("PixelShuffle", (2,), {}, [(1, 8, 3, 3)]),
    ("PixelUnshuffle", (2,), {}, [(1, 2, 6, 6)]),
    ("ZeroPad1d", (2,), {}, [(1, 2, 3)]),
    ("ZeroPad2d", ((1, 2, 3, 0),), {}, [(1, 2, 3, 4)]),
    ("ZeroPad2d", ((-1, 2, 0, -1),), {}, [(1, 2, 3, 4)]),
    ("ZeroPad3d", (1,), {}, [(1, 2, 2, 2, 2)]),
    ("ConstantPad1d", (2, 3.5), {}, [(1, 2, 3)]),
    ("ConstantPad2d", (1, -1.0), {}, [(1, 2, 3, 3)]),
    ("ConstantPad3d", (1, 2.0), {}, [(1, 2, 2, 2, 2)]),
    ("ReflectionPad1d", (2,), {}, [(1, 2, 4)]),
    ("ReflectionPad2d", (1,), {}, [(1, 2, 3, 4)]),
    ("ReplicationPad1d", (2,), {}, [(1, 2, 4)]),
    ("ReplicationPad2d", ((1, 2, 0, 1),), {}, [(1, 2, 3, 4)]),
    ("CircularPad1d", (2,), {}, [(1, 2, 4)]),
    ("CircularPad2d", (1,), {}, [(1, 2, 3, 4)]),
    ("CosineSimilarity", (), {}, [(3, 4), (3, 4)]),
    ("PairwiseDistance", (), {}, [(3, 4), (3, 4)]),
    ("ReLU", (), {}, [(3, 4)]),
    ("ReLU6", (), {}, [(3, 4)]),
    ("SELU", (), {}, [(3, 4)]),
    ("SiLU", (), {}, [(3, 4)]),
    ("Mish", (), {}, [(3, 4)]),
    ("Sigmoid", (), {}, [(3, 4)]),
    ("Tanh", (), {}, [(3, 4)]),
    ("Hardsigmoid", (), {}, [(3, 4)]),
    ("Hardswish", (), {}, [(3, 4)]),
    ("Softsign", (), {}, [(3, 4)]),
    ("Tanhshrink", (), {}, [(3, 4)]),
    ("LogSigmoid", (), {}, [(3, 4)]),
    ("LeakyReLU", (0.2,), {}, [(3, 4)]),
    ("ELU", (0.7,), {}, [(3, 4)]),
    ("CELU", (0.7,), {}, [(3, 4)]),
    ("ChannelShuffle", (2,), {}, [(2, 4, 3)]),
    ("Softplus", (), {}, [(3, 4)]),
    ("Softplus", (2.0, 1.0), {}, [(3, 4)]),
    ("Softshrink", (0.3,), {}, [(3, 4)]),
    ("Hardshrink", (0.3,), {}, [(3, 4)]),
    ("GELU", (), {}, [(3, 4)]),
    ("GELU", ("tanh",), {}, [(3, 4)]),
    ("Hardtanh", (-0.5, 0.5), {}, [(3, 4)]),
    ("Threshold", (0.1, 20.0), {}, [(3, 4)]),
    ("PReLU", (), {}, [(3, 4)]),
    ("PReLU", (4,), {}, [(3, 4, 2)]),
    ("Softmax", (1,), {}, [(3, 4, 2)]),
    ("Softmin", (1,), {}, [(3, 4, 2)]),
    ("Softmax2d", (), {}, [(3, 4, 2, 2)]),
    ("LogSoftmax", (0,), {}, [(3, 4)]),
    ("GLU", (1,), {}, [(3, 4)]),
    ("MSELoss", (), {}, [(3, 4), (3, 4)]),
    ("L1Loss", (), {"reduction": "sum"}, [(3, 4), (3, 4)]),
    ("SmoothL1Loss", (), {"beta": 0.5}, [(3, 4), (3, 4)]),
    ("HuberLoss", (), {"delta": 0.5, "reduction": "none"}, [(3, 4), (3, 4)]),
    ("CrossEntropyLoss", (), {}, [(5, 4), ("ids", (5,), 4)]),
    ("CrossEntropyLoss", (), {"label_smoothing": 0.1}, [(5, 4), ("ids", (5,), 4)]),
    ("CrossEntropyLoss", (), {"ignore_index": 1}, [(5, 4, 3), ("ids", (5, 3), 4)]),
    ("CrossEntropyLoss", (), {"reduction": "none"}, [(4,), ("ids", (), 4)]),
    ("CrossEntropyLoss", (), {}, [(5, 4), ("shares", (5, 4))]),
    ("NLLLoss", (), {}, [("logs", (5, 4)), ("ids", (5,), 4)]),
    ("NLLLoss", (), {"reduction": "sum"}, [("logs", (5, 4)), ("ids", (5,), 4)]),
    ("BCELoss", (), {}, [("shares", (3, 4)), ("shares", (3, 4))]),
    ("BCEWithLogitsLoss", (), {}, [(3, 4), ("shares", (3, 4))]),
    (
        "KLDivLoss",
        (),
        {"reduction": "batchmean"},
        [("logs", (3, 4)), ("shares", (3, 4))],
    ),
    ("KLDivLoss", (), {"log_target": True}, [("logs", (3, 4)), ("logs", (3, 4))]),
    ("RNN", (3, 5), {}, [(4, 2, 3)]),
    ("RNN", (3, 5), {"nonlinearity": "relu", "num_layers": 2}, [(4, 2, 3)]),
    ("GRU", (3, 5), {"bidirectional": True, "batch_first": True}, [(2, 4, 3)]),
    ("GRU", (3, 5), {"bias": False}, [(4, 3)]),
    ("LSTM", (3, 5), {"num_layers": 2, "bidirectional": True}, [(4, 2, 3)]),
    ("LSTM", (3, 5), {"proj_size": 2, "batch_first": True}, [(2, 4, 3)]),
    ("RNNCell", (3, 5), {}, [(2, 3), (2, 5)]),
    ("RNNCell", (3, 5), {"nonlinearity": "relu", "bias": False}, [(2, 3)]),
    ("GRUCell", (3, 5), {}, [(2, 3), (2, 5)]),
    ("LSTMCell", (3, 5), {}, [(2, 3)]),
    ("LSTMCell", (3, 5), {}, [(3,)]),
    ("MultiheadAttention", (8, 2), {}, [(4, 2, 8)] * 3),
    ("MultiheadAttention", (8, 2), {"batch_first": True}, [(2, 4, 8)] * 3),
    ("MultiheadAttention", (8, 2), {"bias": False}, [(4, 8)] * 3),
    ("MultiheadAttention", (8, 2), {"add_bias_kv": True}, [(4, 2, 8)] * 3),
    ("MultiheadAttention", (8, 2), {"add_zero_attn": True}, [(4, 2, 8)] * 3),
    ("Unfold", ((2, 3),), {"padding": 1, "stride": 2}, [(2, 3, 5, 6)]),
    ("Fold", ((5, 6), 2), {"stride": (1, 4)}, [(2, 12, 8)]),
    ("UpsamplingNearest2d", (), {"scale_factor": 2}, [(1, 2, 3, 4)]),
    ("UpsamplingBilinear2d", (), {"size": (5, 7)}, [(1, 2, 3, 4)]),
    ("LPPool1d", (2, 3), {}, [("shares", (2, 3, 8))]),
    ("LPPool2d", (2, 3), {"stride": 2}, [("shares", (2, 3, 8, 8))]),
    ("LPPool3d", (2, 2), {}, [("shares", (2, 3, 4, 4, 4))]),
    ("LocalResponseNorm", (3,), {}, [(2, 5, 4)]),
    ("ReflectionPad3d", (1,), {}, [(1, 2, 3, 3, 3)]),
    ("ReplicationPad3d", (1,), {}, [(1, 2, 3, 3, 3)]),
    ("CircularPad3d", (1,), {}, [(1, 2, 3, 3, 3)]),
    ("ZeroPad3d", (1,), {}, [(1, 2, 3, 3, 3)]),
    ("PoissonNLLLoss", (), {}, [(3, 4), ("shares", (3, 4))]),
    ("MultiLabelSoftMarginLoss", (), {}, [(3, 4), ("shares", (3, 4))]),
    ("MultiMarginLoss", (), {}, [(5, 4), ("ids", (5,), 4)]),
    ("MultiLabelMarginLoss", (), {}, [(3, 4), ("ids", (3, 4), 4)]),
    ("GaussianNLLLoss", (), {}, [(3, 4), (3, 4), ("shares", (3, 4))]),
    (
        "MultiheadAttention",
        (8, 2),
        {"kdim": 5, "vdim": 3},
        [(4, 2, 8), (6, 2, 5), (6, 2, 3)],
    ),
]


@pytest.mark.parametrize(
    "name, args, options, inputs",
    LAYERS,
    ids=[f"{i}-{row[0]}" for i, row in enumerate(LAYERS)],
)
def test_layer(name, args, options, inputs):
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(*args, **options)
    ours = getattr(nn, name)(*args, **options)
    pair.compare_modules(torch, ours, theirs, inputs)


def test_every_layer_is_in_the_table():
    containers = {
        "Module", "Sequential", "ModuleList", "ModuleDict", "ParameterList",
        "ParameterDict", "Parameter", "RNNBase",
    }  # fmt: skip
    random = {
        "AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d",
        "FeatureAlphaDropout", "RReLU",
    }  # fmt: skip
    others = {
        "Transformer", "TransformerEncoder", "TransformerDecoder",
        "TransformerEncoderLayer", "TransformerDecoderLayer", "MarginRankingLoss",
        "CosineEmbeddingLoss", "HingeEmbeddingLoss", "TripletMarginLoss",
        "TripletMarginWithDistanceLoss",
    }  # fmt: skip
    elsewhere = {
        "CTCLoss", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "SoftMarginLoss",
        # Of given samples; losses with weights: below.
        "FractionalMaxPool2d", "FractionalMaxPool3d", "AdaptiveLogSoftmaxWithLoss",
        "LinearCrossEntropyLoss",
    }  # fmt: skip
    tested = {row[0] for row in LAYERS} | containers | random | others | elsewhere
    tested |= {n for n in dir(nn) if n.startswith("Lazy")}
    layers = {n for n in dir(nn) if n[0].isupper() and isinstance(getattr(nn, n), type)}
    assert layers == tested & layers, sorted(layers - tested)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses_with_weights(reduction):
    import numpy as np
    import sluice as sl

    weight = np.array([0.5, 1.0, 2.0, 0.1], np.float32)
    for name, inputs in (
        ("CrossEntropyLoss", [(5, 4), ("ids", (5,), 4)]),
        ("CrossEntropyLoss", [(5, 4), ("shares", (5, 4))]),
        ("NLLLoss", [("logs", (5, 4)), ("ids", (5,), 4)]),
        ("BCELoss", [("shares", (5, 4)), ("shares", (5, 4))]),
        ("BCEWithLogitsLoss", [(5, 4), ("shares", (5, 4))]),
    ):
        theirs = getattr(torch.nn, name)(torch.tensor(weight), reduction=reduction)
        ours = getattr(nn, name)(sl.tensor(weight), reduction=reduction)
        pair.compare_modules(torch, ours, theirs, inputs)
    theirs = torch.nn.BCEWithLogitsLoss(
        pos_weight=torch.tensor(weight), reduction=reduction
    )
    ours = nn.BCEWithLogitsLoss(pos_weight=sl.tensor(weight), reduction=reduction)
    pair.compare_modules(torch, ours, theirs, [(5, 4), ("shares", (5, 4))])


def test_losses_of_pairs():
    import numpy as np

    signs = np.array([1, -1, 1, -1, 1], np.int64)
    rows = [
        ("MarginRankingLoss", (0.3,), [(5,), (5,), signs]),
        ("CosineEmbeddingLoss", (0.1,), [(5, 4), (5, 4), signs]),
        ("HingeEmbeddingLoss", (0.7,), [(5,), signs]),
        ("TripletMarginLoss", (0.7,), [(5, 4), (5, 4), (5, 4)]),
        ("TripletMarginWithDistanceLoss", (), [(5, 4), (5, 4), (5, 4)]),
    ]
    for name, args, inputs in rows:
        theirs, ours = getattr(torch.nn, name)(*args), getattr(nn, name)(*args)
        pair.compare_modules(torch, ours, theirs, inputs)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_transformer_layers(norm_first, activation):
    options = dict(
        dim_feedforward=12,
        dropout=0.0,
        activation=activation,
        norm_first=norm_first,
        batch_first=True,
    )
    theirs = torch.nn.TransformerEncoderLayer(8, 2, **options)
    ours = nn.TransformerEncoderLayer(8, 2, **options)
    pair.compare_modules(torch, ours, theirs, [(2, 5, 8)])
    theirs = torch.nn.TransformerDecoderLayer(8, 2, **options)
    ours = nn.TransformerDecoderLayer(8, 2, **options)
    pair.compare_modules(torch, ours, theirs, [(2, 5, 8), (2, 3, 8)])


def test_transformer():
    sizes = (8, 2, 2, 1, 12, 0.0)
    theirs, ours = torch.nn.Transformer(*sizes), nn.Transformer(*sizes)
    pair.compare_modules(torch, ours, theirs, [(5, 2, 8), (3, 2, 8)])
    mask = nn.Transformer.generate_square_subsequent_mask(4).numpy()
    wanted = torch.nn.Transformer.generate_square_subsequent_mask(4).numpy()
    assert (mask == wanted).all()


def test_attention_masks():
    import numpy as np
    import sluice as sl

    rng = np.random.default_rng(0)
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    ours = nn.MultiheadAttention(8, 2, batch_first=True)
    pair.load_from(theirs, ours)
    x = rng.standard_normal((2, 4, 8)).astype(np.float32)
    padding = np.array([[False] * 4, [False, False, True, True]])
    causal = np.triu(np.ones((4, 4), bool), 1)
    added = rng.standard_normal((4, 4)).astype(np.float32)
    per_head = rng.standard_normal((4, 4, 4)).astype(np.float32)
    for among in (None, causal, added, per_head):
        for hidden in (None, padding):
            for need in (True, False):
                kwargs = dict(need_weights=need, average_attn_weights=False)
                a, b = sl.tensor(x), torch.tensor(x)
                mine = ours(
                    a, a, a,
                    key_padding_mask=hidden, attn_mask=among, **kwargs,
                )  # fmt: skip
                his = theirs(
                    b, b, b,
                    key_padding_mask=None if hidden is None else torch.tensor(hidden),
                    attn_mask=None if among is None else torch.tensor(among),
                    **kwargs,
                )  # fmt: skip
                for m, h in zip(pair.flat(mine), pair.flat(his)):
                    pair.close(m.detach().numpy(), h.detach().numpy(), "attention")


@pytest.mark.parametrize("name, args, options", [
    ("AdaptiveLogSoftmaxWithLoss", (8, 20, [5, 12]), {"div_value": 2.0}),
    ("LinearCrossEntropyLoss", (8, 20), {}),
])  # fmt: skip
def test_losses_with_weights(name, args, options):
    theirs = getattr(torch.nn, name)(*args, **options)
    ours = getattr(nn, name)(*args, **options)
    ours.load_state_dict(
        {k: sl.tensor(v.detach().numpy()) for k, v in theirs.state_dict().items()}
    )
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 8)).astype("float32")
    classes = rng.integers(0, 20, 6)
    want = theirs(torch.tensor(x), torch.tensor(classes))
    got = ours(sl.tensor(x), sl.tensor(classes))
    if name == "AdaptiveLogSoftmaxWithLoss":
        pair.close(got.output.detach().numpy(), want.output.detach().numpy(), name)
        want, got = want.loss, got.loss
    pair.close(got.detach().numpy(), want.detach().numpy(), name)


@pytest.mark.parametrize("n", [2, 3])
def test_fractional_pools(n):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, *(9, 8, 7)[:n])).astype("float32")
    samples = rng.random((2, 3, n)).astype("float32")
    name = f"FractionalMaxPool{n}d"
    options = {"output_ratio": 0.5, "return_indices": True}
    want = getattr(torch.nn, name)(
        2, _random_samples=torch.tensor(samples), **options)(torch.tensor(x))
    got = getattr(nn, name)(
        2, _random_samples=sl.tensor(samples), **options)(sl.tensor(x))
    for mine, his in zip(got, want):
        assert (mine.numpy() == his.numpy()).all()

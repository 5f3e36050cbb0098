"""What layers and functions refuse, and how."""

import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn


class TestRefusals:
    @pytest.mark.parametrize(
        "call",
        [
            lambda: nn.Conv2d(3, 4, 3, groups=2),
            lambda: nn.Conv2d(3, 4, 3, padding_mode="mirror"),
            lambda: nn.Conv2d(3, 4, (3, 3, 3)),
            lambda: nn.Conv2d(3, 4, 0),
            lambda: nn.Conv2d(3, 4, 3, stride=2, padding="same"),
            lambda: nn.Conv2d(3, 4, 3)(sl.ones((1, 5, 8, 8))),
            lambda: nn.Conv2d(3, 4, 3)(sl.ones((8, 8))),
            lambda: nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"),
            lambda: nn.MaxPool2d(2, padding=2)(sl.ones((1, 1, 4, 4))),
            lambda: nn.GroupNorm(2, 5),
            lambda: nn.LayerNorm(4)(sl.ones((2, 5))),
            lambda: nn.Embedding(5, 2, padding_idx=9),
            lambda: nn.EmbeddingBag(5, 2, mode="median"),
            lambda: nn.Upsample(),
            lambda: nn.ZeroPad2d((1, 2)),
            lambda: nn.Linear(-1, 2),
            lambda: nn.BatchNorm2d(0),
            lambda: nn.TransformerEncoderLayer(8, 2, activation="sin"),
            lambda: nn.CrossEntropyLoss(reduction="max")(
                sl.ones((2, 3)), sl.tensor([0, 1])
            ),
            lambda: F.one_hot(sl.tensor([5]), 3),
            lambda: F.pad(sl.ones((2,)), (1, 1, 1, 1)),
            lambda: F.pad(sl.ones((2,)), (-3, 0)),
            lambda: F.interpolate(sl.ones((1, 1, 2, 2)), scale_factor=-1),
            lambda: F.batch_norm(sl.ones((2, 3)), None, None),
        ],
    )
    def test_value(self, call):
        with pytest.raises((ValueError, IndexError)) as error:
            call()
        assert str(error.value)

    def test_unsupported_options_say_so(self):
        with pytest.raises(NotImplementedError):
            nn.Embedding(3, 2, scale_grad_by_freq=True)

    @pytest.mark.parametrize("bad", [None, "text", object(), {"a": 1}, lambda: 0])
    def test_what_is_no_tensor(self, bad):
        for layer in (
            nn.Linear(2, 2), nn.Conv2d(1, 1, 1), nn.ReLU(), nn.LSTM(2, 2),
            nn.LayerNorm(2), nn.Embedding(2, 2), nn.MaxPool2d(2),
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError)):
                layer(bad)

    def test_labels_out_of_range(self):
        with pytest.raises((ValueError, IndexError), match="7"):
            F.cross_entropy(sl.ones((2, 3)), sl.tensor([0, 7]))
        with pytest.raises((ValueError, IndexError)):
            nn.Embedding(3, 2)(sl.tensor([5]))


# ---- Attention ----


@pytest.mark.parametrize("shape", [(2, 4, 8), (1, 2, 4, 8)])
def test_fewer_heads_of_keys_want_enable_gqa(shape):
    query = sl.randn(*shape[:-3], 8, 4, 8)
    few = sl.randn(*shape)
    with pytest.raises(ValueError, match="key has 2 heads, query 8; .*enable_gqa=True"):
        F.scaled_dot_product_attention(query, few, few)
    made = F.scaled_dot_product_attention(query, few, few, enable_gqa=True)
    assert made.shape == query.shape
    one = few[..., :1, :, :]  # broadcasts, as in PyTorch
    assert F.scaled_dot_product_attention(query, one, one).shape == query.shape


def test_an_attention_mask_of_integers_is_refused():
    x = sl.randn(1, 2, 4, 8)
    with pytest.raises(TypeError, match="attn_mask is int64; wanted bools, or floats"):
        F.scaled_dot_product_attention(x, x, x, attn_mask=sl.ones(4, 4, dtype=sl.int64))

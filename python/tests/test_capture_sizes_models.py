"""Models written as users of PyTorch write them, captured unchanged.

Each is called with several sizes; values and gradients must be those of the same
code run imperatively, and one trace must serve unless the code decides by sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import sluice as torch
import sluice.nn as nn
import sluice.nn.functional as F  # noqa: N812


def close(got, want) -> None:
    got, want = got.detach().numpy(), want.detach().numpy()
    np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


def gradients(model, run, inputs):
    """The results, and the gradient of every parameter and float input."""
    for p in model.parameters():
        p.grad = None
    made = [x.detach().clone() for x in inputs]
    leaves = [x.requires_grad_() for x in made if x.dtype == torch.float32]
    result = run(*made)
    (result * result).mean().backward()
    grads = [p.grad.clone() for p in model.parameters() if p.grad is not None]
    return result, grads + [x.grad for x in leaves]


def agree(model, calls, traces=1, run=None):
    run = run or model
    captured = torch.function(lambda *xs: run(*xs))
    for inputs in calls:
        want, want_grads = gradients(model, run, inputs)
        got, got_grads = gradients(model, captured, inputs)
        close(got, want)
        assert len(got_grads) == len(want_grads) > 0
        for g, w in zip(got_grads, want_grads):
            close(g, w)
    assert len(captured.traces()) <= traces, captured.traces()
    return captured


# ---- nanoGPT ----


@dataclass
class GPTConfig:
    block_size: int = 16
    vocab_size: int = 31
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 16
    dropout: float = 0.0
    bias: bool = True


class LayerNorm(nn.Module):
    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, input):
        return F.layer_norm(input, self.weight.shape, self.weight, self.bias, 1e-5)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.register_buffer(
            "bias",
            torch.tril(torch.ones(config.block_size, config.block_size)).view(
                1, 1, config.block_size, config.block_size
            ),
        )

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        y = self.resid_dropout(self.c_proj(y))
        return y


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        x = self.c_fc(x)
        x = self.gelu(x)
        x = self.c_proj(x)
        x = self.dropout(x)
        return x


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, bias=config.bias)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                wpe=nn.Embedding(config.block_size, config.n_embd),
                drop=nn.Dropout(config.dropout),
                h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                ln_f=LayerNorm(config.n_embd, bias=config.bias),
            )
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)

    def forward(self, idx, targets=None):
        device = idx.device
        b, t = idx.size()
        assert t <= self.config.block_size, (
            f"Cannot forward sequence of length {t}, "
            f"block size is only {self.config.block_size}"
        )
        pos = torch.arange(0, t, dtype=torch.int64, device=device)
        tok_emb = self.transformer.wte(idx)
        pos_emb = self.transformer.wpe(pos)
        x = self.transformer.drop(tok_emb + pos_emb)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is not None:
            logits = self.lm_head(x)
            loss = F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
            )
        else:
            logits = self.lm_head(x[:, [-1], :])
            loss = None
        return logits, loss

    def generate(self, idx, max_new_tokens, temperature=1.0, top_k=None):
        for _ in range(max_new_tokens):
            idx_cond = (
                idx
                if idx.size(1) <= self.config.block_size
                else idx[:, -self.config.block_size :]
            )
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float("Inf")
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.argmax(probs, dim=-1, keepdim=True)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


def tokens(*shape, seed=0, vocab=31):
    return torch.tensor(np.random.default_rng(seed).integers(0, vocab, shape))


def gpt():
    torch.manual_seed(3)
    return GPT(GPTConfig())


def test_nanogpt_forward_and_gradients():
    model = gpt()
    calls = [(tokens(2, 5),), (tokens(3, 16),), (tokens(1, 1),), (tokens(4, 9),)]
    agree(model, calls, traces=1, run=lambda idx: model(idx)[0])


def test_nanogpt_loss_and_gradients():
    model = gpt()

    def run(idx, targets):
        return model(idx, targets)[1]

    calls = [(tokens(b, t), tokens(b, t, seed=1)) for b, t in ((2, 5), (3, 16), (1, 7))]
    agree(model, calls, traces=1, run=run)


def test_nanogpt_too_long_is_refused_as_imperatively():
    model = gpt()
    captured = torch.function(lambda idx: model(idx)[0])
    captured(tokens(2, 5))
    with pytest.raises(AssertionError, match="sequence of length 17"):
        captured(tokens(2, 17))
    captured(tokens(2, 16))
    assert len(captured.traces()) <= 2


def test_nanogpt_training_step():
    def train(wrap):
        model = gpt()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

        def step(idx, targets):
            _, loss = model(idx, targets)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            return loss

        step = wrap(step)
        sizes = ((2, 5), (3, 16), (1, 7), (2, 5), (4, 2))
        losses = [
            float(step(tokens(b, t, seed=i), tokens(b, t, seed=9 + i)))
            for i, (b, t) in enumerate(sizes)
        ]
        return losses, step

    want, _ = train(lambda f: f)
    got, step = train(torch.function)
    np.testing.assert_allclose(got, want, rtol=1e-3)
    # The first call finds no moments of the optimizer, later ones do.
    assert len(step.traces()) <= 2, step.traces()


def test_nanogpt_generate():
    model = gpt()
    model.eval()
    captured = torch.function(lambda idx: model.generate(idx, 4, 0.8, top_k=5))
    with torch.no_grad():
        for shape in ((2, 3), (1, 7), (3, 14), (2, 30), (2, 12)):
            idx = tokens(*shape)
            want = model.generate(idx, 4, 0.8, top_k=5)
            np.testing.assert_array_equal(captured(idx).numpy(), want.numpy())
    # Short ones; those that outgrow the block on the way; long ones.
    assert len(captured.traces()) <= 4, captured.traces()


# ---- Rotary embeddings ----


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq)

    def forward(self, x, seq_dim=-2):
        seq_len = x.shape[seq_dim]
        t = torch.arange(seq_len, device=x.device).type_as(self.inv_freq)
        freqs = torch.outer(t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos()[None, None, :, :], emb.sin()[None, None, :, :]


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotate_half_by_slices(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class RotaryAttention(nn.Module):
    def __init__(self, dim, heads, rotate):
        super().__init__()
        self.heads, self.rotate = heads, rotate
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)
        self.rotary = RotaryEmbedding(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (
            t.reshape(b, n, self.heads, d // self.heads).transpose(1, 2)
            for t in (q, k, v)
        )
        cos, sin = self.rotary(q)
        q = (q * cos) + (self.rotate(q) * sin)
        k = (k * cos) + (self.rotate(k) * sin)
        scale = (d // self.heads) ** -0.5
        i = torch.arange(n)
        mask = i[None, :] > i[:, None]
        att = (q @ k.transpose(-1, -2) * scale).masked_fill(mask, float("-inf"))
        y = att.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))


def image(*shape, seed=0):
    made = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return torch.tensor(made)


@pytest.mark.parametrize("rotate", [rotate_half, rotate_half_by_slices])
def test_rotary_attention(rotate):
    torch.manual_seed(1)
    model = RotaryAttention(16, 2, rotate)
    agree(model, [(image(2, 5, 16),), (image(1, 9, 16),), (image(3, 2, 16),)])


class CachedRotary(nn.Module):
    """With tables for so many places, of which the first are taken."""

    def __init__(self, dim, max_len=32):
        super().__init__()
        inv = 1.0 / (10000 ** (torch.arange(0, dim, 2).float() / dim))
        freqs = torch.outer(torch.arange(max_len).float(), inv)
        self.register_buffer("cos", freqs.cos())
        self.register_buffer("sin", freqs.sin())
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        *_, seq_len, dim = x.shape
        cos, sin = self.cos[:seq_len], self.sin[:seq_len]
        x = x * self.weight
        x1, x2 = x[..., : dim // 2], x[..., dim // 2 :]
        return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


def test_cached_rotary():
    calls = [(image(2, 4, 5, 8),), (image(1, 1, 9, 8),), (image(3, 2, 32, 8),)]
    agree(CachedRotary(8), calls)


# ---- ViT ----


class ViT(nn.Module):
    def __init__(self, patch=4, dim=24, channels=3, classes=5, most=64):
        super().__init__()
        self.patch = patch
        self.to_patch = nn.Linear(channels * patch * patch, dim)
        self.conv_patch = nn.Conv2d(channels, dim, patch, stride=patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim) + 0.1)
        self.pos_embedding = nn.Parameter(torch.ones(1, most + 1, dim) * 0.01)
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.head = nn.Linear(dim, classes)

    def patches(self, img):
        b, c, h, w = img.shape
        p = self.patch
        assert h % p == 0 and w % p == 0, "image must be a multiple of the patch"
        x = img.reshape(b, c, h // p, p, w // p, p)
        x = x.permute(0, 2, 4, 3, 5, 1).reshape(b, (h // p) * (w // p), p * p * c)
        return self.to_patch(x)

    def convolved(self, img):
        x = self.conv_patch(img)
        b, c, h, w = x.shape
        return x.flatten(2).transpose(1, 2).reshape(b, h * w, c)

    def forward(self, img):
        x = self.patches(img) + self.convolved(img)
        b, n, _ = x.shape
        cls_tokens = self.cls_token.expand(b, -1, -1)
        x = torch.cat((cls_tokens, x), dim=1)
        x = x + self.pos_embedding[:, : (n + 1)]
        B, N, C = x.shape
        qkv = self.qkv(self.norm(x)).reshape(B, N, 3, 3, C // 3).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) * (C // 3) ** -0.5
        attn = attn.softmax(dim=-1)
        x = x + (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.head(x[:, 0]) + self.head(x.mean(dim=1))


def test_vit():
    torch.manual_seed(2)
    sizes = [(2, 8, 8), (1, 12, 4), (3, 16, 20)]
    agree(ViT(), [(image(b, 3, h, w),) for b, h, w in sizes])


# ---- U-Net ----


class DoubleConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.net(x)


class UpByPadding(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.up = nn.ConvTranspose2d(inputs, inputs // 2, 2, stride=2)
        self.conv = DoubleConv(inputs, outputs)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diffY = x2.size()[2] - x1.size()[2]
        diffX = x2.size()[3] - x1.size()[3]
        x1 = F.pad(
            x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2]
        )
        x = torch.cat([x2, x1], dim=1)
        return self.conv(x)


class UpByCropping(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.up = nn.ConvTranspose2d(inputs, inputs // 2, 2, stride=2)
        self.conv = DoubleConv(inputs, outputs)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        _, _, h, w = x1.shape
        top = (x2.shape[2] - h) // 2
        left = (x2.shape[3] - w) // 2
        x2 = x2[:, :, top : top + h, left : left + w]
        return self.conv(torch.cat([x2, x1], dim=1))


class UNet(nn.Module):
    def __init__(self, up):
        super().__init__()
        self.inc = DoubleConv(2, 4)
        self.down1 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(4, 8))
        self.down2 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(8, 16))
        self.up1 = up(16, 8)
        self.up2 = up(8, 4)
        self.outc = nn.Conv2d(4, 1, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x = self.up1(x3, x2)
        x = self.up2(x, x1)
        return self.outc(x)


@pytest.mark.parametrize("up", [UpByPadding, UpByCropping])
def test_unet_with_odd_sizes(up):
    torch.manual_seed(4)
    sizes = [(2, 8, 8), (1, 11, 9), (2, 10, 14), (1, 13, 12)]
    agree(UNet(up), [(image(b, 2, h, w),) for b, h, w in sizes])


# ---- What else is common ----


class Conv1dEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 6, 5, stride=2)
        self.rnn = nn.GRU(6, 4, batch_first=True)

    def forward(self, x):
        if x.dim() == 2:
            x = x.unsqueeze(0)
        b, c, t = x.shape
        y = self.conv(F.pad(x, (4, 0)))
        y = y.permute(0, 2, 1)
        out, h = self.rnn(y)
        lengths = torch.full((b,), out.size(1))
        return out.sum(1) / lengths[:, None] + h[-1] * (t / out.shape[1])


def test_conv1d_encoder():
    torch.manual_seed(5)
    calls = [(image(2, 3, 16),), (image(1, 3, 31),), (image(4, 3, 9),)]
    agree(Conv1dEncoder(), calls)


class SinusoidalPositions(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(1e4) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return x * self.scale + self.pe[: x.size(0)]


def test_sinusoidal_positions():
    calls = [(image(4, 2, 8),), (image(9, 1, 8),), (image(50, 3, 8),)]
    agree(SinusoidalPositions(8), calls)


class WindowAttention(nn.Module):
    """Windows of an image, padded to whole ones: as Swin has it."""

    def __init__(self, dim, window):
        super().__init__()
        self.window = window
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, H, W, C = x.shape
        w = self.window
        pad_b = (w - H % w) % w
        pad_r = (w - W % w) % w
        x = F.pad(x, (0, 0, 0, pad_r, 0, pad_b))
        _, Hp, Wp, _ = x.shape
        x = x.view(B, Hp // w, w, Wp // w, w, C)
        windows = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, w * w, C)
        y = self.proj(windows).softmax(dim=1) * windows
        b = int(y.shape[0] / (Hp * Wp / w / w))
        y = y.view(b, Hp // w, Wp // w, w, w, -1)
        y = y.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, Hp, Wp, -1)
        return y[:, :H, :W, :]


def test_window_attention():
    torch.manual_seed(6)
    sizes = [(2, 7, 10), (1, 5, 6), (3, 11, 9)]
    agree(WindowAttention(4, 4), [(image(b, h, w, 4),) for b, h, w in sizes])

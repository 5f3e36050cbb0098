"""GPT-2 (Radford et al. 2019), with the key names of Hugging Face's model, so that
its safetensors load unchanged:

    net = GPT2(Config())
    net.load_state_dict(sl.load("gpt2/model.safetensors"), strict=False)
    print(net.generate(tokens, 20))
"""

from __future__ import annotations

from dataclasses import dataclass

import sluice as sl
import sluice.nn.functional as F
from sluice import nn


@dataclass
class Config:
    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    layer_norm_epsilon: float = 1e-5


class Conv1D(nn.Module):
    """A linear layer whose weight is [in, out], as GPT-2's files have it."""

    def __init__(self, out: int, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.normal_(sl.zeros((size, out)), std=0.02))
        self.bias = nn.Parameter(sl.zeros((out,)))

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        return F.linear(x, sl.transpose(self.weight), self.bias)


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        depth = config.n_embd // config.n_head
        self.as_heads = nn.Unflatten(2, (3, config.n_head, depth))
        self.as_rows = nn.Flatten(2)
        self.c_attn = Conv1D(3 * config.n_embd, config.n_embd)
        self.c_proj = Conv1D(config.n_embd, config.n_embd)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        # [batch, length, 3 size] -> three of [batch, heads, length, depth]
        qkv = sl.transpose(self.as_heads(self.c_attn(x)), (2, 0, 3, 1, 4))
        y = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], is_causal=True)
        out: sl.Tensor = self.c_proj(self.as_rows(sl.transpose(y, (0, 2, 1, 3))))
        return out


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.c_fc = Conv1D(4 * config.n_embd, config.n_embd)
        self.c_proj = Conv1D(config.n_embd, 4 * config.n_embd)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        y: sl.Tensor = self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))
        return y


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.mlp = MLP(config)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        x = x + self.attn(self.ln_1(x))
        y: sl.Tensor = x + self.mlp(self.ln_2(x))
        return y


class GPT2(nn.Module):
    """Tokens [batch, length] to logits [batch, length, vocab_size]."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.n_positions, config.n_embd)
        self.h = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.ln_f = nn.LayerNorm(config.n_embd, config.layer_norm_epsilon)
        for table in (self.wte, self.wpe):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, tokens: sl.Tensor) -> sl.Tensor:
        # Of any length, also in a recorded function, which serves all of them.
        places = sl.range(0, sl.shape(tokens)[1], 1)
        x = self.wte(tokens) + self.wpe(places)
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)

    def generate(self, tokens: sl.Tensor, count: int) -> sl.Tensor:
        """Each sequence with `count` tokens more, the likeliest each time."""
        with sl.no_grad():
            for _ in range(count):
                logits = self(tokens)[:, -1]
                best = sl.expand_dims(sl.argmax(logits, -1), 1)
                tokens = sl.concat([tokens, best], 1)
        return tokens


if __name__ == "__main__":
    sl.manual_seed(0)
    net = GPT2(Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=4))
    print(net)
    print(net.generate(sl.tensor([[1, 2, 3]]), 5).shape)

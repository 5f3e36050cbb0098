"""BERT-base, 128 words, batch 8: inference."""

import bert

TITLE = "BERT-base inference, T 128, batch 8"
LOW, ONNX = True, True


def torch_like(kit):
    return bert.torch_like(kit, 8)


def jax_like(kit):
    return bert.jax_like(kit, 8)

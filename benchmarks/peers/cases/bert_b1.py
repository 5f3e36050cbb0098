"""BERT-base, 128 words, batch 1: inference."""

import bert

TITLE = "BERT-base inference, T 128, batch 1"
LOW, ONNX = True, True


def torch_like(kit):
    return bert.torch_like(kit, 1)


def jax_like(kit):
    return bert.jax_like(kit, 1)

"""PyTorch names that are missing on purpose, and what to write instead."""

from __future__ import annotations

__all__ = ["hint"]

_STRIDES = "tensors have views of whole axes alone; wanted unfold, or indices"
_SPARSE = "there are no sparse matrices; wanted dense ones, or indices and values"
_QUANTIZED = "there are no quantized types; wanted quantize and dequantize of integers"

_ORDER = "tensors are laid out in order; wanted the call without memory_format"

_HINTS = {
    "channels_last": _ORDER,
    "channels_last_3d": _ORDER,
    "contiguous_format": _ORDER,
    "memory_format": _ORDER,
    "preserve_format": _ORDER,
    "get_num_interop_threads": "wanted get_num_threads: there is one pool",
    "set_num_interop_threads": "wanted set_num_threads: there is one pool",
    "set_default_tensor_type": "wanted set_default_dtype",
    "lobpcg": "wanted linalg.eigh, or svd_lowrank",
    "seed": "wanted manual_seed, with a number of one's own",
    "as_strided": _STRIDES,
    "as_strided_copy": _STRIDES,
    "as_strided_scatter": _STRIDES,
    "cdouble": "there is no complex128; wanted complex64",
    "complex128": "there is no complex128; wanted complex64",
    "chalf": "there is no complex32; wanted complex64",
    "complex32": "there is no complex32; wanted complex64",
    "sparse": _SPARSE,
    "sparse_coo_tensor": _SPARSE,
    "sparse_csr_tensor": _SPARSE,
    "quantize_per_tensor": _QUANTIZED,
    "qint8": _QUANTIZED,
    "quint8": _QUANTIZED,
    "jit": "wanted sl.function, which captures a function as it is",
    "multiprocessing": "wanted sl.distributed; workers of loaders are threads",
    "hub": "wanted files of weights, by sl.load",
    "mps": "devices are CPUs and CUDA's GPUs",
    "xpu": "devices are CPUs and CUDA's GPUs",
}


def hint(name: str) -> str:
    """": " and what to write instead, or an empty string."""
    return f": {_HINTS[name]}" if name in _HINTS else ""

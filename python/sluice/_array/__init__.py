"""The parts of `sluice._tensors`, one idea a file."""

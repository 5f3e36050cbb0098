"""Whether the package is built with AddressSanitizer (`make asan-python`).

Its runtime is loaded first, by LD_PRELOAD; it takes terabytes of addresses, and
everything takes several times as long."""

import os

SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")

"""Thread-local variables of the extension module, all together, are small."""

from __future__ import annotations

import struct
import sys

import pytest

import sluice._core as core

# What glibc keeps free for libraries that are loaded while the program runs, and
# reaches without a call. Others want some of it, too.
ROOM = 480


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ELF files")
def test_they_fit_where_they_are_reached_without_a_call():
    with open(core.__file__, "rb") as file:
        header = file.read(64)
        assert header[:5] == b"\x7fELF\x02"
        start, size, count = (
            struct.unpack_from("<Q", header, 32)[0],
            *struct.unpack_from("<HH", header, 54),
        )
        file.seek(start)
        table = file.read(size * count)
    entries = [struct.unpack_from("<IIQQQQQQ", table, i * size) for i in range(count)]
    blocks = [entry[6] for entry in entries if entry[0] == 7]
    assert len(blocks) <= 1
    assert sum(blocks) <= ROOM, "large ones: sluice/base/thread_owned.h"

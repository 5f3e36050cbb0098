"""The profiler: kernels by op and by the user's line, compared with the machine's
limits."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from . import _core
from ._closed import closed

__all__ = ["Profile", "ProfileRow", "profile"]


class ProfileRow(NamedTuple):
    """Kernels of one op at one line."""

    op: str
    line: str  # "model.py:41"; "" if no line of the program called it
    calls: int
    seconds: float
    flops: float
    bytes: int  # of inputs and outputs

    @property
    def gflops(self) -> float:
        """Arithmetic, in 1e9 operations a second."""
        return self.flops / self.seconds * 1e-9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """Bytes touched, in 1e9 a second."""
        return self.bytes / self.seconds * 1e-9 if self.seconds else 0.0


@closed
class Profile:
    """What `profile()` gathers, between `with` and its end.

    `rows` are kernels of the host by op and line, most seconds first; `seconds`
    is what passed, `between` how much of it the calling thread was in no kernel:
    Python, dispatch, waiting, loops that need no kernels. `allocations` counts
    blocks of memory, `fresh` those that came from the system. `print(p)` shows it
    all against the machine's roofs.
    """

    def __init__(self) -> None:
        self.rows: list[ProfileRow] = []
        self.seconds = self.between = 0.0
        self.allocations = self.fresh = 0
        self._began: float | None = None
        self._before = (0, 0)

    def __enter__(self) -> Profile:
        _core.profile_begin()
        self._before = _core.allocations()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: Any) -> None:
        self.seconds = time.perf_counter() - (self._began or 0.0)
        made, fresh = _core.allocations()
        self.allocations = made - self._before[0]
        self.fresh = fresh - self._before[1]
        told = _core.profile_end()
        self.rows = [ProfileRow(op, line, calls, seconds, flops, bytes_)
                     for op, line, calls, seconds, _, flops, bytes_ in told]
        self.between = max(0.0, self.seconds - sum(row[4] for row in told))

    def by_line(self) -> list[ProfileRow]:
        """The rows grouped by line; `op` names the most expensive one."""
        return _together(self.rows, lambda row: row.line)

    def by_op(self) -> list[ProfileRow]:
        """The rows grouped by op; `line` is the most expensive one."""
        return _together(self.rows, lambda row: row.op)

    @property
    def copies(self) -> float:
        """Seconds in kernels that compute nothing: copies, gathers, transposes."""
        return sum(row.seconds for row in self.rows if not row.flops)

    def __str__(self) -> str:
        return self.text()

    def text(self, top: int = 20, roofs: tuple[float, float] | None = None) -> str:
        """The text of `print`, with `top` rows; `roofs` are GFLOP/s and GB/s."""
        flops, memory = roofs or machine_roofs()
        inside = sum(row.seconds for row in self.rows)
        lines = [
            f"{self.seconds * 1e3:.3f} ms; in kernels {inside * 1e3:.3f}, of which "
            f"{self.copies * 1e3:.3f} only move bytes; the caller in no kernel "
            f"{self.between * 1e3:.3f}; {self.allocations} blocks allocated, "
            f"{self.fresh} from the system",
            f"roofs: {flops:.0f} GFLOP/s, {memory:.0f} GB/s",
            "",
            "     ms  share   calls  GFLOP/s roof    GB/s roof  op, line",
        ]
        for row in self.rows[:top]:
            share = row.seconds / inside if inside else 0.0
            lines.append(
                f"{row.seconds * 1e3:7.3f} {share:6.1%} {row.calls:7} "
                f"{row.gflops:8.1f} {row.gflops / flops:4.0%} {row.gbytes:7.1f} "
                f"{row.gbytes / memory:4.0%}  {_short(row.op)} {row.line}".rstrip())
        if len(self.rows) > top:
            rest = sum(row.seconds for row in self.rows[top:])
            lines.append(f"{rest * 1e3:7.3f} in {len(self.rows) - top} more")
        lines += ["", "     ms  share  line"]
        for row in self.by_line()[:top]:
            share = row.seconds / inside if inside else 0.0
            lines.append(f"{row.seconds * 1e3:7.3f} {share:6.1%}  {row.line or '-'}")
        return "\n".join(lines)


def profile() -> Profile:
    """Tells where the time goes of what is run in its `with`:

        with sl.profile() as p:
            step(x, y)
        print(p)

    A process has one profile at a time, which covers all its threads on the host.
    """
    return Profile()


def profile_of_run(session: Any, fetches: Any, feeds: Any, steps: int) -> Profile:
    """Session.profile()."""
    if isinstance(steps, bool) or not hasattr(steps, "__index__") or steps < 1:
        raise ValueError(f"profile(): steps is {steps!r}; wanted an int of 1 or more")
    session.run(fetches, feeds)
    with Profile() as made:
        for _ in range(steps):
            session.run(fetches, feeds)
    return made


_roofs: tuple[float, float] | None = None


def machine_roofs() -> tuple[float, float]:
    """GFLOP/s of a large product of float32 and GB/s of a large copy, measured once
    in a process, over the threads it has."""
    global _roofs
    if _roofs is None:
        size, length = 1024, 1 << 24
        one = _core.tensor(1.0)
        a = _core.full((size, size), one)
        x, y = _core.full((length,), one), _core.full((length,), one)
        product = _best(lambda: a @ a)
        copy = _best(lambda: y.copy_(x))
        _roofs = (2e-9 * size**3 / product, 8e-9 * length / copy)
    return _roofs


def _best(call: Any) -> float:
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best


def _short(op: str, most: int = 60) -> str:
    return op if len(op) <= most else op[: most - 3] + "..."


def _together(rows: list[ProfileRow], key: Any) -> list[ProfileRow]:
    groups: dict[str, list[ProfileRow]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    summed = [
        ProfileRow(g[0].op, g[0].line, sum(r.calls for r in g),
                   sum(r.seconds for r in g), sum(r.flops for r in g),
                   sum(r.bytes for r in g))
        for g in groups.values()
    ]
    return sorted(summed, key=lambda row: -row.seconds)

"""Parameters that share options."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any

from .. import _core
from .._closed import closed
from .._recorded import Watched, refuse


@closed
class ParamGroup(MutableMapping[str, Any]):
    """One group of parameters and its options, as a dict.

    ``group["lr"] = 0.01`` and other options count from the next step on. The
    rate is a tensor of captured functions; for another value of the others they
    are recorded again. Other keys may be added; they are kept with the group.
    """

    def __init__(
        self, params: list[Any], names: list[str], options: dict[str, Any]
    ) -> None:
        self._data: dict[str, Any] = {"params": params, **options}
        if any(names):
            self._data["param_names"] = names
        self._options = frozenset(options)
        self._owner: Any = None  # the optimizer, once C++ has the group
        self._index = 0
        self._rate = Watched(self._lr)
        recorder = _core.recorder()  # what recorded code makes needs no guards
        self._maker = None if recorder is None else weakref.ref(recorder)

    def _attach(self, owner: Any, index: int) -> None:
        self._owner, self._index = owner, index

    def _lr(self) -> Any:
        return self._owner.lr(self._index)

    def _option_values(self) -> dict[str, Any]:
        return {k: v for k, v in self._data.items() if k in self._options}

    def _named(self) -> list[Any]:
        """The parameters, with their names if they have any."""
        params, names = self._data["params"], self._data.get("param_names")
        return list(zip(names, params, strict=True)) if names else list(params)

    def _extra(self) -> dict[str, Any]:
        """Added entries of the group that are not options."""
        own = {"params", "param_names", *self._options}
        return {k: v for k, v in self._data.items() if k not in own}

    def __getitem__(self, key: str) -> Any:
        recorder = _core.recorder()
        if recorder is not None and key != "params":
            recorder.check_settled(self, f"{key!r} of a group")
        attached = key == "lr" and self._owner is not None
        if recorder is not None and not self._made_by(recorder):
            if attached:
                return self._rate_recorded(recorder)
            recorder.option_read(self, self._data, key)
        return self._lr() if attached else self._data[key]

    def _rate_recorded(self, recorder: Any) -> Any:
        """The rate for recorded code: that of each call. The step itself reads a
        tensor."""
        if self._owner.follows:
            refuse(
                "the rate follows a curve and is computed by the graph, in every step",
                "wanted it read outside of the function",
            )
        text = f"{recorder.names.get(id(self), 'group')}['lr']"
        return self._rate.read(text)

    @property
    def _keys(self) -> tuple[str, ...]:
        return tuple(self._data)

    def _keys_read(self) -> None:
        """Makes the set of keys a guard for recorded code that reads it."""
        recorder = _core.recorder()
        if recorder is not None and not self._made_by(recorder):
            recorder.keys_read(self)

    def _made_by(self, recorder: Any) -> bool:
        return self._maker is not None and self._maker() is recorder

    def __setitem__(self, key: str, value: Any) -> None:
        if key == "params":
            raise ValueError(
                "the parameters of a group are fixed; wanted add_param_group"
            )
        if self._owner is not None and key in self._options:
            refuse(
                f"{key!r} of a group would be set only when the function is recorded",
                "wanted it outside of the function"
                + (", or follow()" if key == "lr" else ""),
            )
        if key != "lr" or self._owner is None:
            self._changes(key)
        if self._owner is not None:
            if key == "lr":
                self._owner.set_lr(self._index, float(value))
            elif key in self._options:
                options = {**self._option_values(), "lr": self["lr"], key: value}
                self._owner.set_options(self._index, options)
        self._data[key] = value

    def __delitem__(self, key: str) -> None:
        if key in self._options or key in ("params", "param_names"):
            raise ValueError(f"{key!r} is part of every group")
        self._changes(key)
        del self._data[key]

    def _put(self, key: str, *value: Any) -> None:
        """Writes or deletes an entry that is not a C++ option, for an assignment by
        captured code."""
        _core.bump_news()
        if value:
            self._data[key] = value[0]
        else:
            self._data.pop(key, None)

    def _changes(self, key: str) -> None:
        """Reports a change to recorded functions, and to the current recording."""
        _core.bump_news()
        recorder = _core.recorder()
        if recorder is not None:
            recorder.option_changes(self, key)

    def __reduce__(self) -> Any:
        """What is copied or pickled by itself is a dict of no optimizer, as PyTorch's
        groups are; an optimizer that is copied makes groups of its own."""
        return dict, ({k: self[k] for k in self._data},)

    def __iter__(self) -> Iterator[str]:
        self._keys_read()
        return iter(self._data)

    def __len__(self) -> int:
        self._keys_read()
        return len(self._data)

    def __repr__(self) -> str:
        shown = {k: self[k] for k in self._data if k != "params"}
        return f"ParamGroup({len(self._data['params'])} parameters, {shown})"


__all__ = ["ParamGroup"]

"""Reads and writes the state of a module by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import _core
from .._autograd import no_grad
from ._walk import ModuleWalk

_identity = _core.op_function("Identity")


class _Incompatible(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Incompatible):
    """What load_state_dict(strict=False) found: (missing_keys, unexpected_keys).

    `mismatched_keys` are those of another shape; `table` lists all three.
    """

    mismatched_keys: list[str]
    table: str

    def __repr__(self) -> str:
        return self.table or "<All keys matched successfully>"


class ModuleState(ModuleWalk):
    """Modules with state_dict: a base of Module."""

    def state_dict(
        self,
        *,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by name: "fc1.weight".

        The tensors share the elements of the module's.
        """
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        for name, tensor in self._named_state(prefix):
            state[name] = tensor if keep_vars else _core.nn_detached(tensor)
        return state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy elements into the tensors that are there, by name.

        Values are tensors, or arrays of any library; types are converted. When
        names or shapes differ, a ValueError lists them as a table and nothing is
        changed; with strict=False what fits is copied.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"state_dict is a {type(state_dict).__name__}; wanted a dict"
            )
        if assign:
            raise ValueError("assign=True is not supported: elements are copied")
        targets = dict(self._named_state(""))
        if _core.is_building():
            return _load_recorded(type(self).__name__, targets, state_dict, strict)
        missing, extra, mismatched, table = _core.nn_load(
            type(self).__name__, targets, state_dict, strict
        )
        keys = IncompatibleKeys(missing, extra)
        keys.mismatched_keys, keys.table = mismatched, table
        return keys


def _load_recorded(
    name: str, targets: dict[str, Any], state: Mapping[str, Any], strict: bool
) -> IncompatibleKeys:
    """The same in a function being recorded: every call copies."""
    found = {
        key: value if isinstance(value, _core.Tensor) else _identity(value)
        for key, value in state.items()
    }
    missing = [key for key in targets if key not in found]
    extra = [key for key in found if key not in targets]
    both = [key for key in targets if key in found]
    mismatched = [
        key for key in both if tuple(found[key].shape) != tuple(targets[key].shape)
    ]
    rows = [f"{key}: missing" for key in missing]
    rows += [f"{key}: left over" for key in extra]
    rows += [f"{key}: of another shape" for key in mismatched]
    if rows and strict:
        raise ValueError(
            "\n".join([f"{name}: the state is of another model; nothing was loaded",
                       *rows])
        )
    with no_grad():
        for key in both:
            if key not in mismatched:
                targets[key].copy_(found[key])
    keys = IncompatibleKeys(missing, extra)
    keys.mismatched_keys, keys.table = mismatched, "\n".join(rows)
    return keys

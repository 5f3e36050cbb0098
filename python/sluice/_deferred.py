"""Graphs built first and run later: Graph, placeholder, Variable, Session."""

from __future__ import annotations

from ._core import (
    Breakpoint,
    DebugEvent,
    DebugResult,
    Graph,
    LoopUse,
    Operation,
    PartialStep,
    PreparedStep,
    RunMetadata,
    RunOptions,
    Session,
    TraceRow,
    Variable,
    constant,
    container,
    control_dependencies,
    current_graph,
    default_session,
    global_variables,
    gradients,
    imperative_scope,
    initialize_variables,
    name_scope,
    parse_graph,
    placeholder,
    variables_behind,
)

from ._device import colocate_with, device
from ._queues import *  # noqa: F403
from ._runners import *  # noqa: F403
from ._state import *  # noqa: F403
from . import _queues, _runners, _state

#: Aliases of Variable and initialize_variables.
variable = Variable
global_variables_initializer = initialize_variables

__all__ = [
    "Breakpoint",
    "DebugEvent",
    "DebugResult",
    "Graph",
    "LoopUse",
    "Operation",
    "PartialStep",
    "PreparedStep",
    "RunMetadata",
    "RunOptions",
    "Session",
    "TraceRow",
    "Variable",
    "colocate_with",
    "constant",
    "container",
    "control_dependencies",
    "current_graph",
    "default_session",
    "device",
    "global_variables",
    "global_variables_initializer",
    "gradients",
    "imperative_scope",
    "initialize_variables",
    "name_scope",
    "parse_graph",
    "placeholder",
    "variable",
    "variables_behind",
]
__all__ += _queues.__all__ + _runners.__all__ + _state.__all__

"""Python as graphs: function, cond, while_loop, scan, List."""

from ._control_flow import *  # noqa: F403
from ._control_flow import __all__ as _control_flow
from ._function import *  # noqa: F403
from ._function import __all__ as _function

__all__: list[str] = [*_control_flow, *_function]

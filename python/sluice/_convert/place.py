"""The user's current file and line."""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_ours(filename: str) -> bool:
    """Whether a file belongs to the package."""
    return filename.startswith(_HERE)


def user_place() -> tuple[str, int]:
    """File and line of the innermost frame outside the package."""
    frame = sys._getframe(1)
    while frame.f_back and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno

"""Marks for what `make test` leaves to `make test-wide`: what is like something else that it tries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from _pytest.mark import ParameterSet

Test = TypeVar("Test", bound=Callable[..., Any])


def besides(*values: Any) -> list[ParameterSet]:
    """Values of a parameter that are tried in `make test-wide` only; a tuple is one of several parameters."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.wide) for value in values
    ]


def left_to_wide(*, unless: bool) -> Callable[[Test], Test]:
    """A mark for a test that `make test-wide` tries, or every suite where `unless` says that it is about this mode."""
    return (lambda test: test) if unless else pytest.mark.wide

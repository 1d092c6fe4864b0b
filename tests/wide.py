"""Marks for what `make test` leaves to `make test-wide`: what is like something else that it tries."""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.mark import ParameterSet


def besides(*values: Any) -> list[ParameterSet]:
    """Values of a parameter that are tried in `make test-wide` only; a tuple is one of several parameters."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.wide) for value in values
    ]

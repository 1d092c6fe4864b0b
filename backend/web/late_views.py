"""Views whose modules are loaded with the first request that they answer."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any

from django.http.response import HttpResponseBase


class LateView:
    """A view whose module is loaded when somebody asks for it: who does not use what it is for pays nothing."""

    csrf_exempt = True  # as every view of the API says

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    @cached_property
    def _view(self) -> Any:
        """What answers."""
        return getattr(import_module(self._module), self._name).as_view()

    def __call__(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """What the view answers."""
        response: HttpResponseBase = self._view(*args, **kwargs)
        return response

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._view, name)

"""What tests of the whole API share: the OpenAPI document as it is served."""

from __future__ import annotations

from typing import Any

import pytest

from tests.openapi_document import openapi_document


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The document, with objects closed, so that a member which is not described is found."""
    created = openapi_document()
    _close(created["components"])
    return created


def _close(part: Any) -> None:
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part:
            part.setdefault("additionalProperties", False)
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            _close(inner)

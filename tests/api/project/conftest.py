"""What tests of the whole API share: the OpenAPI document as it is served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture(scope="session")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document, with objects closed, so that a member which is not described is found."""
    file: Path = tmp_path_factory.mktemp("openapi") / "openapi.json"
    call_command("spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn", "--file", str(file))
    created: dict[str, Any] = json.loads(file.read_text())
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

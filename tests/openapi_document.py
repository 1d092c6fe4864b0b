"""The OpenAPI document as it is served: written once per test run, which takes seconds of CPU, and read from there."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from tests.shared_folders import TEMPLATES


def openapi_document() -> dict[str, Any]:
    """The document, the reader's own; fails where writing it gives a warning. Who comes meanwhile waits for it."""
    folder = Path(os.environ[TEMPLATES])
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"openapi-{settings.PATCHBAY.mode}.json"
    with (folder / "openapi-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            begun = file.with_suffix(".begun")
            command = ["spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn"]
            call_command(*command, "--file", str(begun))
            begun.rename(file)
    document: dict[str, Any] = json.loads(file.read_text())
    return document

"""The bundled demo server, started as a program."""

from __future__ import annotations

import sys
from pathlib import Path

import backend
from backend.tools.servers import PoolKey, ServerConfig

SCRIPT = Path(backend.__file__).parent / "demo" / "server.py"
DEMO = ServerConfig(
    PoolKey("team", "demo"), "demo", "stdio", command=sys.executable, args=(str(SCRIPT),), trust_annotations=True
)

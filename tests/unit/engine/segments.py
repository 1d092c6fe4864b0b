"""What node types of these tests have in common."""

from __future__ import annotations

from backend.engine.document.types import NodeConfig


class NoConfig(NodeConfig):
    """No config."""

"""The tools that the client which started a run declared, for its agents."""

from __future__ import annotations

from backend.runs.log.encoding import decode
from backend.runs.models import RunClientTools
from backend.tools.calls.client_tools import client_tool
from backend.tools.types import ToolSpec

OF_FRONT_ENDS = "agui"
"""How runs are started whose clients may declare tools."""


def client_tools_of(run: str) -> tuple[ToolSpec, ...]:
    """What was declared with a run. Touches the database."""
    text = RunClientTools.objects.filter(run=run).values_list("tools", flat=True).first()
    declared = decode(text) if text else []
    return tuple(client_tool(tool["name"], tool["description"], tool["parameters"]) for tool in declared)

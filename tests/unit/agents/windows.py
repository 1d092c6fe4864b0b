"""Conversations that outgrow a model's context."""

from __future__ import annotations

from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource, text_result
from backend.tools.types import EffectHandle, JsonObject, ToolResult, ToolSpec
from tests.unit.engine.engine_run import EngineRun


def pages(size: int) -> GatedToolSource:
    """A server whose pages have so many characters."""

    async def page(arguments: JsonObject, handle: EffectHandle) -> ToolResult:
        return text_result(f"page {arguments['n']} " + "word " * (size // 5))

    specs = [ToolSpec("kb", "page", annotations={"readOnlyHint": True})]
    inner = ScriptedToolSource("kb", specs=specs, page=[page])
    return GatedToolSource(inner, PolicyTable({"page": ToolRules(policy="allow", effect_override="read")}))


def logged(played: EngineRun) -> list[str]:
    return [line.data["text"] for line in played.events if line.type == "STEP_LOG"]

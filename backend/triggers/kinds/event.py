"""Event: something happened in the team, and a workflow wants to know.

`on` = what happened; `workflows` = of which workflows (ids; empty = of all; only where the event is of a workflow).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rest_framework import serializers

from backend.accounts.described import Help
from backend.json_types import JsonObject, JsonValue
from backend.triggers.kinds.fields import Values, read_config

ROOTS = ("event",)
EVENTS = ("run_failed", "question_opened", "budget_80", "server_down", "tool_changed", "trigger_off")
OF_WORKFLOWS = frozenset({"run_failed", "question_opened", "trigger_off"})
MOST_WORKFLOWS = 100


class EventConfigJson(TypedDict):
    """Configuration of an event."""

    on: Literal["run_failed", "question_opened", "budget_80", "server_down", "tool_changed", "trigger_off"]
    workflows: Annotated[list[str], Help("Only of these; empty = of the whole team.")]
    inputs: Annotated[dict[str, Any] | None, Help("null = by the start node's schema, from what the event says.")]


class EventConfig(serializers.Serializer[Any]):
    """The configuration of an event."""

    on = serializers.ChoiceField(choices=EVENTS)
    workflows = serializers.ListField(child=serializers.CharField(max_length=40), default=list, max_length=100)
    inputs = Values(ROOTS, default=None, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Workflows only where the event is of one."""
        if attrs["workflows"] and attrs["on"] not in OF_WORKFLOWS:
            raise serializers.ValidationError({"workflows": ["this event is of the whole team"]})
        return attrs


def read(config: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed (`config.…`)."""
    return read_config(EventConfig, config)


_WORKFLOW: JsonObject = {"id": "wf_sample", "name": "A workflow"}
_RUN: JsonObject = {"id": "run_sample", "url": "https://patchbay.example.org/runs/run_sample"}
_SAMPLES: dict[str, JsonObject] = {
    "run_failed": {
        "workflow": _WORKFLOW,
        "run": _RUN,
        "error": {"code": "MCP_TIMEOUT", "message": "The server did not answer in time.", "node": "look"},
    },
    "question_opened": {"workflow": _WORKFLOW, "run": _RUN, "question": {"id": "int_sample", "title": "Go on?"}},
    "budget_80": {"budget": {"kind": "cost", "limit": 10.0, "used": 8.1}},
    "server_down": {"server": {"id": "srv_sample", "name": "A server"}, "error": {"code": "MCP_UNREACHABLE"}},
    "tool_changed": {"server": {"id": "srv_sample", "name": "A server"}, "tool": "look"},
    "trigger_off": {"workflow": _WORKFLOW, "trigger": {"id": "trg_sample", "name": "A trigger"}, "reason": "failures"},
}


def sample(config: JsonObject) -> JsonValue:
    """What a test is given where nothing of the kind has happened yet."""
    on = str(config["on"])
    return {"kind": on, "at": "2026-11-26T08:30:00.000Z", **_SAMPLES[on]}

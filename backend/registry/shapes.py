"""How rows of the registry are shown: the contract's shapes, in the reader's language, never a secret."""

from __future__ import annotations

from typing import Any

from backend.errors import text_for
from backend.registry.approvals import Approvals
from backend.registry.boxes import box_json
from backend.registry.configuration import masked_url, secret_states
from backend.registry.listing import definition_of
from backend.registry.models import Declaration, ProgramApproval, Server, Tool
from backend.registry.packages import package_json
from backend.registry.rules import stdio_rules
from backend.registry.user_credentials import is_per_user, required_slots
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.services import hint_of
from backend.tools.approvers import ANYONE, rule_of
from backend.tools.gate import ToolRules
from backend.tools.risk import assess, effect_of
from backend.tools.schemas import problem
from backend.tools.types import Risk, ToolSpec

BEGINNING = 200
"""Characters of a description that a list to choose from shows."""
_NO_STATUS: dict[str, Any] = {
    "state": "unknown",
    "code": None,
    "checked_at": None,
    "latency_ms": None,
    "protocol": None,
    "server_name": None,
    "server_version": None,
    "tool_count": None,
}


def status_json(status: dict[str, Any], language: str) -> dict[str, Any]:
    """A stored status (`{state, code, params, …}`) with its sentences."""
    shown = {key: status.get(key, empty) for key, empty in _NO_STATUS.items()}
    code = shown["code"]
    message, hint = text_for(code, status.get("params") or {}, language) if code else ("", "")
    return {**shown, "message": message, "hint": hint}


def server_json(
    server: Server,
    language: str,
    used_by: dict[str, int] | None = None,
    mine: Credential | None = None,
    approvals: Approvals | None = None,
) -> dict[str, Any]:
    """A server. `used_by` = number of workflows by slug or id; `server.changed_tools` where it was counted.

    `mine` = what the reader entered for themself, where each member does: status and hints are of that.
    """
    counts = used_by or {}
    held, status = server.secrets, server.status
    if is_per_user(server):
        held, status = user_credentials.filled(held, mine.values if mine else {}), mine.status if mine else {}
    key = held.get("api_key") or ""
    return {
        "id": server.id,
        "name": server.name,
        "slug": server.slug,
        "description": server.description,
        "transport": server.transport,
        "url": masked_url(server),
        "url_secret": server.url_secret,
        "expires_at": server.expires_at,
        "command": server.command,
        "args": server.args,
        "env": server.env,
        "secret_env": secret_states(held, "env"),
        "cwd": server.cwd,
        "auth_type": server.auth_type,
        "api_key_set": bool(key),
        "api_key_hint": hint_of(key) if key else "",
        "api_key_header": server.api_key_header,
        "headers": server.headers,
        "secret_headers": secret_states(held, "headers"),
        "timeout_ms": server.timeout_ms,
        "preset": server.preset,
        "visibility": server.visibility,
        "enabled": server.enabled,
        "session": server.session,
        "credentials": server.credentials,
        "own_credentials": user_credentials.own_json(required_slots(server), mine) if is_per_user(server) else None,
        "asks": server.asks,
        "trust_annotations": server.trust_annotations,
        "max_runs": server.max_runs,
        "max_calls": server.max_calls,
        "approval": (approvals or Approvals(server.team_id)).of_server(server),
        "box": server.box,
        "folders": server.folders,
        "network": server.network,
        "boxed_as": box_json(server),
        "package": package_json(server),
        "status": status_json(status, language),
        "workflows": counts.get(server.slug, 0) + counts.get(server.id, 0),
        "changed_tools": getattr(server, "changed_tools", 0),
        "created_by": server.created_by_id,
        "created_at": server.created_at,
        "updated_at": server.updated_at,
    }


def spec_of(server: str, definition: dict[str, Any]) -> ToolSpec:
    """A stored definition as the tools room knows it."""
    return ToolSpec(
        server=server,
        name=definition["name"],
        description=definition.get("description") or "",
        title=definition.get("title") or "",
        input_schema=definition.get("input_schema") or {"type": "object"},
        output_schema=definition.get("output_schema"),
        annotations=definition.get("annotations") or {},
    )


def risk_json(risk: Risk, language: str) -> dict[str, Any]:
    """`{level, reasons: [sentence]}`."""
    reasons = [text_for(reason["code"], reason.get("params") or {}, language)[0] for reason in risk.reasons]
    return {"level": risk.level, "reasons": reasons}


def _defined(definition: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": definition["name"],
        "title": definition.get("title") or "",
        "description": definition.get("description") or "",
        "input_schema": definition.get("input_schema") or {"type": "object"},
        "output_schema": definition.get("output_schema"),
        "annotations": definition.get("annotations") or {},
    }


def rules_of(server: Server, tool: Tool) -> ToolRules:
    """What admins decided of a listed tool and what was accepted of it, as the gate judges it."""
    changed = tool.definition_hash != tool.pinned_hash
    return ToolRules(
        risk_override=tool.risk or None,  # type: ignore[arg-type]
        effect_override=tool.effect or None,  # type: ignore[arg-type]
        changed=changed,
        trust_annotations=server.trust_annotations,
        pinned=(tool.pinned_definition.get("annotations") or {}) if changed else None,
    )


def tool_json(server: Server, tool: Tool, language: str) -> dict[str, Any]:
    """A listed tool with what the rules and the admins make of it."""
    spec = spec_of(server.slug, tool.definition)
    changed = tool.definition_hash != tool.pinned_hash
    rules = rules_of(server, tool)
    return {
        "server": server.slug,
        **_defined(tool.definition),
        "effect": rules.effect_of(spec),
        "policy": tool.policy or "auto",
        "approvers": rule_of(tool.approvers),
        "risk": risk_json(rules.risk_of(spec), language),
        "overrides": {"policy": tool.policy or None, "risk": tool.risk or None, "effect": tool.effect or None},
        "changed": changed,
        "gone": tool.gone,
        "pinned": _defined(tool.pinned_definition) if changed else None,
        "pinned_at": tool.pinned_at,
        "listed_at": tool.listed_at,
        "problem": problem_json(spec, language),
    }


def tool_name_json(server: Server, tool: Tool, language: str) -> dict[str, Any]:
    """The same for a list to choose from: no schemas, the beginning of the description."""
    spec = spec_of(server.slug, tool.definition)
    changed = tool.definition_hash != tool.pinned_hash
    properties = spec.input_schema.get("properties")
    return {
        "name": tool.name,
        "title": spec.title,
        "description": spec.description[:BEGINNING],
        "parameters": len(properties) if isinstance(properties, dict) else 0,
        "policy": tool.policy or "auto",
        "risk": risk_json(rules_of(server, tool).risk_of(spec), language),
        "changed": changed,
        "gone": tool.gone,
    }


def problem_json(spec: ToolSpec, language: str) -> dict[str, Any] | None:
    """Why a tool cannot be called, where its input schema is at fault: `{message, hint}`."""
    found = problem(spec.input_schema)
    if found is None:
        return None
    message, hint = text_for("MCP_PROTOCOL_ERROR", {"reason": found[0], "tool": spec.name}, language)
    return {"message": message, "hint": hint}


def unsaved_tool_json(slug: str, spec: ToolSpec, trusted: bool, language: str) -> dict[str, Any]:
    """A tool that a test found on a server which is not saved."""
    return {
        "server": slug,
        **definition_of(spec),
        "effect": effect_of(spec, trusted),
        "policy": "auto",
        "approvers": ANYONE,
        "risk": risk_json(assess(spec, trusted, None), language),
        "overrides": {"policy": None, "risk": None, "effect": None},
        "changed": False,
        "gone": False,
        "pinned": None,
        "pinned_at": None,
        "listed_at": None,
        "problem": problem_json(spec, language),
    }


def program_json(row: ProgramApproval) -> dict[str, Any]:
    """A program that a team wants started, as an operator sees it: what it is and who asks; no more of the team."""
    config = row.config
    concerns = stdio_rules().concerns(config["command"], config["args"], config["env"], config["cwd"])
    return {
        "id": row.id,
        "hash": row.hash,
        "name": row.name,
        "team": {"id": row.team.id, "name": row.team.name},
        **config,
        "box": config.get("box") or {},
        "package": config.get("package", ""),
        "concerns": [{"kind": concern.kind, "name": concern.name} for concern in concerns],
        "asked_for": row.asked_for,
        "state": row.state,
        "basis": row.basis if row.state == ProgramApproval.State.APPROVED else None,
        "requested_by": row.requested_by.email if row.requested_by else None,
        "decided_by": row.decided_by.email if row.decided_by else None,
        "decided_at": row.decided_at,
        "created_at": row.created_at,
    }


def declaration_json(row: Declaration, approvals: Approvals | None = None) -> dict[str, Any]:
    """A declared server. Secrets stand in it by name only."""
    return {
        "hash": row.hash,
        "name": row.name,
        "config": row.config,
        "workflow": row.workflow,
        "state": row.state,
        "decided_by": row.decided_by.email if row.decided_by else None,
        "decided_at": row.decided_at,
        "created_at": row.created_at,
        "approval": (approvals or Approvals(row.team_id)).of_declaration(row),
    }

"""How dangerous a call is, and whether it may be repeated: from the tool's annotations, where they are trusted.

readOnlyHint -> LOW, destructiveHint: true -> HIGH, anything else -> MEDIUM. An admin's override wins. Reasons are
catalogue entries: `{"code": "RISK", "params": {"reason": "destructive"}}`, read with `errors.text_for`.
"""

from __future__ import annotations

from dataclasses import replace

from backend.tools.types import EffectKind, JsonObject, Risk, RiskLevel, RiskReason, ToolSpec


def reason(name: str, **params: str) -> RiskReason:
    """One reason as stored."""
    return {"code": "RISK", "params": {"reason": name, **params}}


def assess(tool: ToolSpec, trusted: bool, override: RiskLevel | None, *, changed: bool = False) -> Risk:
    """The risk of calling `tool`. `trusted`: the server's hints count; `changed`: not the pinned definition."""
    reasons = [reason("changed")] if changed else []
    if override is not None:
        return Risk(override, [*reasons, reason("set_by_admin")])
    if not trusted:
        return Risk("MEDIUM", [*reasons, reason("untrusted_hints" if tool.annotations else "no_hints")])
    if tool.annotations.get("readOnlyHint") is True:
        return Risk("LOW", [*reasons, reason("read_only")])
    if tool.annotations.get("destructiveHint") is True:
        return Risk("HIGH", [*reasons, reason("destructive")])
    return Risk("MEDIUM", [*reasons, reason("no_hints" if not tool.annotations else "not_destructive")])


def reassess(tool: ToolSpec, trusted: bool, override: RiskLevel | None, pinned: JsonObject | None) -> Risk:
    """The risk of a tool whose definition is not the one that was accepted: the higher of both.

    `pinned` = the annotations of the accepted one, None where none is known. What an admin set was set for that one.
    """
    new = assess(tool, trusted, None, changed=True)
    old = assess(replace(tool, annotations=pinned), trusted, override) if pinned is not None else Risk("MEDIUM", [])
    if LEVELS.index(old.level) <= LEVELS.index(new.level):
        return new
    return Risk(old.level, [reason("changed"), *old.reasons])


def effect_of_changed(
    tool: ToolSpec, trusted: bool, override: EffectKind | None, pinned: JsonObject | None
) -> EffectKind:
    """How a call of such a tool is journaled: as the more careful of both would be."""
    old = override or effect_of(replace(tool, annotations=pinned or {}), trusted)
    return max(old, effect_of(tool, trusted), key=EFFECTS.index)


EFFECTS: tuple[EffectKind, ...] = ("read", "idempotent", "write")
"""The less it matters that a call is repeated, the earlier."""
LEVELS: tuple[RiskLevel, ...] = ("LOW", "MEDIUM", "HIGH")


def lifted(risk: Risk, by: Risk | None) -> Risk:
    """`risk`, at the level of `by` where that is higher, and with its reasons where it is not lower; LOW needs none."""
    if by is None or LEVELS.index(by.level) < LEVELS.index(risk.level) or by.level == "LOW":
        return risk
    return Risk(by.level, [*by.reasons, *risk.reasons])


def effect_of(tool: ToolSpec, trusted: bool) -> EffectKind:
    """How a call is journaled and whether it may be repeated unasked: by trusted hints, else it is a write."""
    if trusted and tool.annotations.get("readOnlyHint") is True:
        return "read"
    if trusted and tool.annotations.get("idempotentHint") is True:
        return "idempotent"
    return "write"

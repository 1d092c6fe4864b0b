"""What an agent may still use: the budgets of its node, and those of its run and team.

Looked at before each round and before tool calls. Where one is used up, `on_limit` decides: the agent stops with the
best answer so far, or a person is asked for more. What was found is journaled, so a replay decides as the first pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

from backend.engine.context import NodeContext
from backend.engine.ports import Limit
from backend.engine.types import Text
from backend.errors import BudgetExceeded
from backend.llm.types import Usage
from backend.tools.types import EffectHandle, JsonObject, JsonValue, Question

Budget = Literal["tokens", "cost", "seconds", "tool_calls"]
BUDGETS: tuple[Budget, ...] = get_args(Budget)

_MORE = Text("How much more", "追加多少")
_ASK = Text(
    "Say how much more may be used, or decline: then it ends with the best answer so far.",
    "请填写追加的额度；拒绝则以目前最好的结果结束。",
)


class Budgets:
    """The budgets of one node's step, and what is used of them. `limits` = the node's own: `{tokens, cost, seconds,
    tool_calls, on_limit}`, each number optional."""

    def __init__(self, ctx: NodeContext, limits: JsonObject | None = None) -> None:
        self._ctx = ctx
        given = limits or {}
        self._own: dict[Budget, float] = {one: float(given[one]) for one in BUDGETS if given.get(one) is not None}
        self._on_limit: Literal["stop", "ask"] = "ask" if given.get("on_limit") == "ask" else "stop"
        self._granted: dict[tuple[str, str], float] = {}
        self._known: list[Limit] = []  # budgets of run and team, as last looked at
        self.usage = Usage()
        self.calls = 0

    async def used_up(self, key: str) -> bool:
        """Whether the agent must stop before the round `key`; asks a person where the budget says so."""
        for limit in await self._limits(key):
            if limit.budget != "tool_calls" and not await self._more(key, limit, limit.used):
                return True
        return False

    async def refuse(self, key: str) -> None:
        """Raise BudgetExceeded where nothing may be begun: for work that has no answer so far to stop with."""
        for limit in await self._limits(key):
            if limit.budget != "tool_calls" and not await self._more(key, limit, limit.used):
                raise exceeded(limit)

    async def calls_allowed(self, key: str, wanted: int) -> int:
        """How many of the `wanted` tool calls of the round `key` may be made; counts them as made."""
        allowed = wanted
        for limit in [*self._owns(key), *self._known]:
            if limit.budget == "tool_calls" and not await self._more(key, limit, limit.used + wanted - 1):
                allowed = min(allowed, max(0, int(limit.limit + self._extra(limit) - limit.used)))
        self.calls += allowed
        return allowed

    async def _limits(self, key: str) -> list[Limit]:
        return [*self._owns(key), *await self._around(key)]

    def _owns(self, key: str) -> Iterator[Limit]:
        for name, limit in self._own.items():
            yield Limit("node", name, limit, self._used(name, key), self._on_limit)

    def _used(self, name: Budget, key: str) -> float:
        if name == "tokens":
            return self.usage.input_tokens + self.usage.output_tokens
        if name == "cost":
            return self.usage.cost
        return self.calls if name == "tool_calls" else self._ctx.worked(f"{key}/worked")

    async def _around(self, key: str) -> list[Limit]:
        """The budgets of run and team as they stood when this was first looked at."""

        async def body(_: EffectHandle) -> JsonValue:
            return [[one.scope, one.budget, one.limit, one.used, one.on_limit] for one in await self._ctx.limits()]

        found = await self._ctx.effect(f"{key}/limits", body, "pure", target="limits")
        self._known = [Limit(*one) for one in found]
        return self._known

    def _extra(self, limit: Limit) -> float:
        return self._granted.get((limit.scope, limit.budget), 0.0)

    async def _more(self, key: str, limit: Limit, used: float) -> bool:
        """Whether `used` is within the limit, after a person was asked for more where the limit says so."""
        number = 0
        while used >= limit.limit + self._extra(limit):
            number += 1
            at = f"{key}/budget:{limit.scope}:{limit.budget}:{number}"
            shown = {"budget": limit.budget, "limit": limit.limit + self._extra(limit), "used": limit.used}
            self._ctx.emit(at, "BUDGET_EXCEEDED", {**shown, "scope": limit.scope})
            if limit.on_limit != "ask":
                return False
            answer = await self._ctx.ask(at, self._question(limit))
            more: Any = answer.values.get("more") if isinstance(answer.values, dict) else limit.limit
            if answer.action != "accept" or not _is_positive(more):
                return False
            self._granted[(limit.scope, limit.budget)] = self._extra(limit) + more
        return True

    def _question(self, limit: Limit) -> Question:
        language = self._ctx.language
        message, _ = exceeded(limit, self._extra(limit)).text(language)
        more = {"type": "number", "exclusiveMinimum": 0, "title": _MORE.in_(language)}
        return Question(
            "budget",
            title=message,
            message=_ASK.in_(language),
            schema={"type": "object", "properties": {"more": more}, "required": ["more"]},
            proposal={"more": _plain(limit.limit)},
        )


def exceeded(limit: Limit, extra: float = 0.0) -> BudgetExceeded:
    """The error of a budget that is used up."""
    used, most = _plain(limit.used), _plain(limit.limit + extra)
    return BudgetExceeded(params={"reason": limit.budget, "scope": limit.scope, "used": used, "limit": most})


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() else round(number, 6)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0

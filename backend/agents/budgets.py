"""What an agent may still use: the budgets of its node, and those of its run and team.

Looked at before each round and before tool calls. Where one is used up, `on_limit` decides: the agent stops with the
best answer so far, or a person is asked for more. What was found is journaled, so a replay decides as the first pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from backend.engine.document.types import Text
from backend.engine.execution.context import AnyContext
from backend.engine.execution.ports import Limit
from backend.errors import BudgetExceeded
from backend.llm.types import Usage
from backend.tools.types import EffectHandle, JsonObject, Question

Budget = Literal["tokens", "cost", "seconds", "tool_calls"]
BUDGETS: tuple[Budget, ...] = get_args(Budget)

_MORE = Text("How much more", "追加多少")
_ASK = Text(
    "Enter how much more may be used, or decline to end with the best answer so far.",
    "请填写追加的额度；拒绝则以目前最好的结果结束。",
)


class AgentBudgets(TypedDict, total=False):
    """The budgets of a node as its config holds them; null and absent = no limit."""

    tokens: float | None
    cost: float | None
    seconds: float | None
    tool_calls: float | None
    on_limit: Literal["stop", "ask"] | None


class BudgetExceededData(TypedDict):
    """BUDGET_EXCEEDED: which budget of whom is used up."""

    budget: Budget
    limit: float
    used: float
    scope: Literal["node", "run", "team"]


@dataclass(frozen=True, slots=True)
class BudgetState:
    """A limit under a name of its own within the step: a run below other runs is held by the budgets of all of them."""

    name: str
    limit: Limit


class Budgets:
    """The budgets of one node's step, and what is used of them. `limits` = the node's own: `{tokens, cost, seconds,
    tool_calls, on_limit}`, each number optional."""

    def __init__(self, ctx: AnyContext, limits: AgentBudgets | None = None) -> None:
        self._ctx = ctx
        budgets: AgentBudgets = limits or {}
        self._own: dict[Budget, float] = {
            budget: float(most) for budget in BUDGETS if (most := budgets.get(budget)) is not None
        }
        self._on_limit: Literal["stop", "ask"] = "ask" if budgets.get("on_limit") == "ask" else "stop"
        self._granted: dict[str, float] = {}
        self._known: list[Limit] = []  # budgets of runs and team, as last looked at
        self.usage = Usage()
        self.calls = 0

    async def used_up(self, key: str) -> bool:
        """Whether the agent must stop before the round `key`; asks a person where the budget says so."""
        return await self._first_used_up(key) is not None

    async def refuse(self, key: str) -> None:
        """Raise BudgetExceeded where nothing may be begun: for work that has no answer so far to stop with."""
        state = await self._first_used_up(key)
        if state is not None:
            raise exceeded(state.limit, self._extra(state))

    async def calls_allowed(self, key: str, requested: int) -> int:
        """How many of the `requested` tool calls of the round `key` may be made; counts them as made."""
        allowed = requested
        for state in self._held(key):
            limit = state.limit
            if limit.budget == "tool_calls" and not await self._more(key, state, limit.used + requested - 1):
                allowed = min(allowed, max(0, int(limit.limit + self._extra(state) - limit.used)))
        self.calls += allowed
        return allowed

    async def _first_used_up(self, key: str) -> BudgetState | None:
        await self._look_around(key)
        for state in self._held(key):
            if state.limit.budget != "tool_calls" and not await self._more(key, state, state.limit.used):
                return state
        return None

    def _held(self, key: str) -> list[BudgetState]:
        """All limits; a second one of the same scope and budget is told from the first by a number."""
        seen: Counter[str] = Counter()
        out = []
        for limit in [*self._owns(key), *self._known]:
            name = f"{limit.scope}:{limit.budget}"
            seen[name] += 1
            out.append(BudgetState(name if seen[name] == 1 else f"{name}^{seen[name]}", limit))
        return out

    def _owns(self, key: str) -> Iterator[Limit]:
        for name, limit in self._own.items():
            yield Limit("node", name, limit, self._used(name, key), self._on_limit)

    def _used(self, name: Budget, key: str) -> float:
        if name == "tokens":
            return self.usage.input_tokens + self.usage.output_tokens
        if name == "cost":
            return self.usage.cost
        return self.calls if name == "tool_calls" else self._ctx.worked(f"{key}/worked")

    async def _look_around(self, key: str) -> None:
        """Learn the budgets of runs and team as they stood when this was first looked at."""

        async def body(_: EffectHandle) -> list[list[Any]]:
            return [
                [limit.scope, limit.budget, limit.limit, limit.used, limit.on_limit]
                for limit in await self._ctx.limits()
            ]

        limits = await self._ctx.effect(f"{key}/limits", body, "pure", target="limits")
        self._known = [Limit(*item) for item in limits]

    def _extra(self, state: BudgetState) -> float:
        return self._granted.get(state.name, 0.0)

    async def _more(self, key: str, state: BudgetState, used: float) -> bool:
        """Whether `used` is within the limit, after a person was asked for more where the limit says so."""
        limit, number = state.limit, 0
        while used >= limit.limit + self._extra(state):
            number += 1
            question_key = f"{key}/budget:{state.name}:{number}"
            shown: BudgetExceededData = {
                "budget": limit.budget,
                "limit": limit.limit + self._extra(state),
                "used": limit.used,
                "scope": limit.scope,
            }
            self._ctx.emit(question_key, "BUDGET_EXCEEDED", shown)
            if limit.on_limit != "ask":
                return False
            answer = await self._ctx.ask(question_key, self._question(state))
            more: Any = answer.values.get("more") if isinstance(answer.values, dict) else limit.limit
            if answer.action != "accept" or not _is_positive(more):
                return False
            self._granted[state.name] = self._extra(state) + more
        return True

    def _question(self, state: BudgetState) -> Question:
        language = self._ctx.language
        message, _ = exceeded(state.limit, self._extra(state)).text(language)
        more: JsonObject = {"type": "number", "exclusiveMinimum": 0, "title": _MORE.in_(language)}
        return Question(
            "budget",
            title=message,
            message=_ASK.in_(language),
            schema={"type": "object", "properties": {"more": more}, "required": ["more"]},
            proposal={"more": _plain(state.limit.limit)},
        )


def exceeded(limit: Limit, extra: float = 0.0) -> BudgetExceeded:
    """The error of a budget that is used up."""
    used, most = _plain(limit.used), _plain(limit.limit + extra)
    return BudgetExceeded(params={"reason": limit.budget, "scope": limit.scope, "used": used, "limit": most})


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() else round(number, 6)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0

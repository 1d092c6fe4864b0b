"""Budgets: of a run (its document's), of the runs above a child run, of the team for a day (UTC).

A run's use is in its row and includes that of its children which ended; of children that go on it is added here. A
team's is counted by day with the lines of the log (`Spending`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypedDict

from django.utils import timezone

from backend.accounts.models import Team
from backend.engine.document.graph import BUDGETS
from backend.engine.document.shape import Budget, BudgetsJson
from backend.engine.execution.ports import Limit
from backend.runs.graphs import stored_graph
from backend.runs.log.encoding import decode
from backend.runs.log.journal import NO_USAGE, RunUsage
from backend.runs.models import ALIVE, TERMINAL, Run, Spending


class TeamBudget(TypedDict, total=False):
    """What all runs of a team may use in a day."""

    tokens_per_day: float | None
    cost_per_day: float | None


def of_run(budgets: BudgetsJson, usage: RunUsage) -> list[Limit]:
    """The limits that a document's `budgets` set, with what `usage` says is used."""
    used: dict[Budget, float] = {
        "tokens": usage["input_tokens"] + usage["output_tokens"],
        "cost": usage["cost"],
        "seconds": usage["seconds"],
        "tool_calls": usage["tool_calls"],
    }
    on_limit = budgets.get("on_limit") or "stop"
    return [
        Limit("run", name, float(most), float(used[name]), on_limit)
        for name in BUDGETS
        if (most := budgets.get(name)) is not None
    ]


def of_tree(run: str, root: str, usage: RunUsage) -> list[Limit]:
    """The limits of a run with `usage` and of all runs above it, each with what goes on below it counted in."""
    columns = ("id", "parent_run_id", "graph_id", "state", "usage")
    rows = {row[0]: row for row in Run.objects.filter(pk__in=[root, run]).values_list(*columns)}
    rows |= {row[0]: row for row in Run.objects.filter(root_run_id=root, state__in=ALIVE).values_list(*columns)}
    below: dict[str | None, list[str]] = defaultdict(list)
    for key, parent, _, state, _ in rows.values():
        if state not in TERMINAL:
            below[parent].append(key)

    def total(key: str) -> RunUsage:
        own: RunUsage = usage if key == run else {**NO_USAGE, **decode(rows[key][4])}
        parts = [own, *(total(child) for child in below[key])]
        return {
            "input_tokens": sum(part["input_tokens"] for part in parts),
            "output_tokens": sum(part["output_tokens"] for part in parts),
            "cost": sum(part["cost"] for part in parts),
            "tool_calls": sum(part["tool_calls"] for part in parts),
            "seconds": sum(part["seconds"] for part in parts),
        }

    limits: list[Limit] = []
    current: str | None = run
    while current is not None and current in rows:
        _, compiled, _ = stored_graph(rows[current][2])
        if compiled is not None and compiled.budgets:
            limits += of_run(compiled.budgets, total(current))
        current = rows[current][1]
    return limits


def budget_of_team(team: str) -> TeamBudget:
    """What an admin has set."""
    budget: TeamBudget = Team.objects.values_list("budget", flat=True).get(pk=team)
    return budget


def of_team(team: str) -> list[Limit]:
    """The limits of a team for today, with what all its runs used of them."""
    budget = budget_of_team(team)
    spent = Spending.objects.filter(team_id=team, day=timezone.now().date()).values("tokens", "cost").first()
    used = spent or {"tokens": 0, "cost": 0.0}
    limits: list[Limit] = []
    if (tokens := budget.get("tokens_per_day")) is not None:
        limits.append(Limit("team", "tokens", float(tokens), float(used["tokens"])))
    if (cost := budget.get("cost_per_day")) is not None:
        limits.append(Limit("team", "cost", float(cost), float(used["cost"])))
    return limits

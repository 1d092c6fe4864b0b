"""Budgets: of a run (its document's), of the runs above a child run, of the team for a day (UTC).

A run's use is in its row and includes that of its children which ended; of children that go on it is added here. A
team's is counted by day with the lines of the log (`Spending`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, cast

from django.utils import timezone

from backend.accounts.models import Team
from backend.engine.document.graph import BUDGETS
from backend.engine.execution.ports import Limit
from backend.runs.graphs import stored_graph
from backend.runs.log.encoding import decode
from backend.runs.log.journal import NO_USAGE
from backend.runs.models import ALIVE, TERMINAL, Run, Spending
from backend.tools.types import JsonObject


def of_run(budgets: JsonObject, usage: JsonObject) -> list[Limit]:
    """The limits that a document's `budgets` set, with what `usage` (as `journal.NO_USAGE`) says is used."""
    used = {**usage, "tokens": usage["input_tokens"] + usage["output_tokens"]}
    on_limit: Any = budgets.get("on_limit") or "stop"
    return [
        Limit("run", cast(Any, name), float(budgets[name]), float(used[name]), on_limit)
        for name in BUDGETS
        if budgets.get(name) is not None
    ]


def of_tree(run: str, root: str, usage: JsonObject) -> list[Limit]:
    """The limits of a run with `usage` and of all runs above it, each with what goes on below it counted in."""
    columns = ("id", "parent_run_id", "graph_id", "state", "usage")
    rows = {row[0]: row for row in Run.objects.filter(pk__in=[root, run]).values_list(*columns)}
    rows |= {row[0]: row for row in Run.objects.filter(root_run_id=root, state__in=ALIVE).values_list(*columns)}
    below: dict[str | None, list[str]] = defaultdict(list)
    for key, parent, _, state, _ in rows.values():
        if state not in TERMINAL:
            below[parent].append(key)

    def total(key: str) -> JsonObject:
        own = usage if key == run else {**NO_USAGE, **decode(rows[key][4])}
        parts = [own, *(total(child) for child in below[key])]
        return {name: sum(part[name] for part in parts) for name in NO_USAGE}

    limits: list[Limit] = []
    current: str | None = run
    while current is not None and current in rows:
        _, compiled, _ = stored_graph(rows[current][2])
        if compiled is not None and compiled.budgets:
            limits += of_run(compiled.budgets, total(current))
        current = rows[current][1]
    return limits


def budget_of_team(team: str) -> JsonObject:
    """What an admin has set: `{tokens_per_day?, cost_per_day?}`."""
    budget: JsonObject = Team.objects.values_list("budget", flat=True).get(pk=team)
    return budget


def of_team(team: str) -> list[Limit]:
    """The limits of a team for today, with what all its runs used of them."""
    budget = budget_of_team(team)
    spent = Spending.objects.filter(team_id=team, day=timezone.now().date()).values("tokens", "cost").first()
    used = spent or {"tokens": 0, "cost": 0.0}
    return [
        Limit("team", cast(Any, name), float(budget[f"{name}_per_day"]), float(used[name]))
        for name in ("tokens", "cost")
        if budget.get(f"{name}_per_day") is not None
    ]

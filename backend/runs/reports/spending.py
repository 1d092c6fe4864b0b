"""What a team's models used today (UTC) of the team's budget, and which of them a cost budget cannot see."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from datetime import time as moment_of_day
from typing import Literal

from django.db.models import F, Sum
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.providers.selectors import has_price, providers_of
from backend.runs.models import Spending, Usage
from backend.runs.reports.responses import BudgetUseJson, SpendingJson, UnpricedJson
from backend.runs.starting.limits import budget_of_team

WARN_AT = 0.8
"""The share of a budget from which on people are warned."""
MOST_UNPRICED = 50


def spending(actor: Actor) -> SpendingJson:
    """What is used today of the team's budget.

    `state` is "ok", "near" (from 80 %) or "reached", of each budget and the worst of both. `unpriced` = models that
    the actor's providers offer and that have no price, those that were used today first.
    """
    day = timezone.now().date()
    spent = Spending.objects.filter(team=actor.team, day=day).values("tokens", "cost").first()
    used = spent or {"tokens": 0, "cost": 0.0}
    budget = budget_of_team(actor.team.id)
    budgets = [
        _budget("tokens", float(used["tokens"]), budget.get("tokens_per_day")),
        _budget("cost", float(used["cost"]), budget.get("cost_per_day")),
    ]
    midnight = datetime.combine(day + timedelta(days=1), moment_of_day(), tzinfo=timezone.get_default_timezone())
    states = [budget["state"] for budget in budgets]
    return {
        "day": day.isoformat(),
        "until": midnight.isoformat(),
        "state": next((state for state in ("reached", "near") if state in states), "ok"),
        "budgets": budgets,
        "unpriced": _unpriced(actor, day),
    }


def _budget(name: Literal["tokens", "cost"], used: float, limit: float | None) -> BudgetUseJson:
    share = None if limit is None else (used / limit if limit else 1.0)
    state = "ok" if share is None or share < WARN_AT else "near" if share < 1 else "reached"
    return {"name": name, "used": used, "limit": limit, "share": share, "state": state}


def _unpriced(actor: Actor, day: date) -> list[UnpricedJson]:
    rows = Usage.objects.filter(team=actor.team, day=day).exclude(model="")
    sums = rows.values(key=F("model")).annotate(tokens=Sum(F("input_tokens") + F("output_tokens")), cost=Sum("cost"))
    today = {row["key"]: (int(row["tokens"] or 0), float(row["cost"] or 0)) for row in sums}
    unpriced: list[UnpricedJson] = []
    for provider in providers_of(actor).filter(enabled=True).defer("secrets"):
        priced = {model["id"] for model in provider.models if has_price(model)}
        listed = {model["id"] for model in provider.models}
        prefix = f"{provider.slug}/"
        used = {key.removeprefix(prefix) for key in today if key.startswith(prefix)}
        for model in sorted((listed | used) - priced):
            tokens, cost = today.get(prefix + model, (0, 0.0))
            if not cost:
                unpriced.append({"provider": provider.slug, "model": model, "tokens": tokens})
    return sorted(unpriced, key=lambda item: -item["tokens"])[:MOST_UNPRICED]

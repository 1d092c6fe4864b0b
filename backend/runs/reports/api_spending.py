"""REST of what the team's models used today of its budget."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.described import Choices, Day, Help, Timestamp
from backend.runs.reports.spending import spending
from backend.web.rest import ApiView

STATES = ["ok", "near", "reached"]


class BudgetUseJson(TypedDict):
    """One budget of the team: what is used of it today."""

    name: Literal["tokens", "cost"]
    used: float
    limit: Annotated[float | None, Help("null = no limit")]
    share: Annotated[float | None, Help("1 = all of it")]
    state: Annotated[
        Annotated[str, Choices(STATES)], Help("near = from 80 %; reached = models are asked no more today")
    ]


class UnpricedJson(TypedDict):
    """A model without a price: what it uses counts as 0 cost."""

    provider: str
    model: str
    tokens: Annotated[int, Help("Used today.")]


class SpendingJson(TypedDict):
    """What the team's models used today (UTC)."""

    day: Day
    until: Annotated[Timestamp, Help("When the next day begins.")]
    state: Annotated[Annotated[str, Choices(STATES)], Help("The worst of both budgets.")]
    budgets: list[BudgetUseJson]
    unpriced: list[UnpricedJson]


class SpendingView(ApiView):
    """Today's use of the team's budget."""

    @extend_schema(operation_id="spending", responses=SpendingJson)
    def get(self, request: Request) -> Response:
        """What is used of the team's budget today, and which models a cost budget cannot see."""
        return Response(spending(self.actor))

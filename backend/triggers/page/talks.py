"""What admins see of the conversations on their pages: that there are some, when, how long, at what cost; no word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from django.db import connection
from django.db.models import QuerySet

from backend.accounts.described import Help, Timestamp
from backend.runs.models import Conversation
from backend.runs.responses import moment
from backend.triggers.models import Trigger
from backend.triggers.page.limits import ALIVE, COST

_ADDED_UP = (
    "SELECT conversation, COUNT(*), COALESCE(SUM({cost}), 0), SUM(CASE WHEN state IN ({alive}) THEN 1 ELSE 0 END) "
    "FROM runs_run WHERE conversation IN ({marks}) AND conversation > '' AND depth = 0 GROUP BY conversation"
)


class PageTalkJson(TypedDict):
    """A conversation on a page, without what was said: that is of whoever has its key."""

    id: str
    messages: Annotated[int, Help("That are kept: those whose runs were deleted are not counted.")]
    going: Annotated[bool, Help("Whether one of them has no answer yet.")]
    cost: Annotated[float, Help("Of the runs of these messages, and of those below them that ended.")]
    created_at: Timestamp
    updated_at: Annotated[Timestamp, Help("When something was written last.")]


class PageTalkListJson(TypedDict):
    """One page of conversations, the latest first."""

    results: list[PageTalkJson]
    next: str | None


def talks_of(trigger: Trigger) -> QuerySet[Conversation]:
    """The conversations on a page; none of a trigger of another kind: those in a chat are their people's alone."""
    rows = Conversation.objects.filter(trigger_id=trigger.pk)
    return rows if trigger.kind == Trigger.Kind.PAGE else rows.none()


def talk_shapes(rows: Sequence[Conversation]) -> list[PageTalkJson]:
    """Conversations as their page's admins see them."""
    sums = _added_up([row.pk for row in rows])
    shapes: list[PageTalkJson] = []
    for row in rows:
        messages, cost, going = sums.get(row.pk, (0, 0.0, 0))
        shapes.append(
            {
                "id": row.pk,
                "messages": messages,
                "going": bool(going),
                "cost": float(cost),
                "created_at": moment(row.created_at),
                "updated_at": moment(row.updated_at),
            }
        )
    return shapes


def _added_up(keys: list[str]) -> dict[str, tuple[int, float, int]]:
    """(messages, cost, messages without an answer) of each."""
    if not keys:
        return {}
    statement = _ADDED_UP.format(cost=COST[connection.vendor], alive=ALIVE, marks=", ".join(["%s"] * len(keys)))
    with connection.cursor() as cursor:
        cursor.execute(statement, keys)
        return {key: (messages, cost, going) for key, messages, cost, going in cursor.fetchall()}

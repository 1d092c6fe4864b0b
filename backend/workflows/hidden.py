"""Workflows that no list shows: each is kept by something else of the team, which writes its only version."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.workflows.documents import text_of
from backend.workflows.models import Version, Workflow


def hidden_workflow(actor: Actor, key: str, name: str, graph: Mapping[str, object]) -> Workflow:
    """A workflow with one published version, for what has the id `key`. The caller has checked the right, and audits.

    It names no servers: what counts and lists a server's workflows leaves it out.
    """
    text = text_of(graph)
    row = Workflow.objects.create(
        team=actor.team,
        name=name,
        slug=key.replace("_", "-"),
        draft=text,
        draft_by=actor.user,
        draft_at=timezone.now(),
        published_version=1,
        hidden=True,
        created_by=actor.user,
    )
    Version.objects.create(workflow=row, number=1, graph=text, published_by=actor.user)
    return row


def let_go(workflow: Workflow) -> None:
    """Delete a hidden workflow; one that has run stays, in no list, for its runs are what people look back on."""
    if workflow.hidden and not workflow.runs.exists():
        workflow.delete()

"""The two workflows every new team starts with; they need no key."""

from __future__ import annotations

from backend.accounts.actor import actor_for
from backend.accounts.models import Team, User
from backend.workflows.models import Workflow
from backend.workflows.services import workflow_create, workflow_publish
from backend.workflows.templates import template_graph, template_named

FIRST = ("what-time-is-it-there", "a-tour")


def install_example_workflows(team: Team, user: User) -> None:
    """Create and publish the examples of a new team; those that are there already stay as they are."""
    actor = actor_for(user, team.id)
    if actor is None:
        return
    language = "zh" if user.language.startswith("zh") else "en"
    for slug in FIRST:
        if Workflow.objects.filter(team=team, slug=slug).exists():
            continue
        template = template_named(slug)
        workflow, _ = workflow_create(
            actor,
            template.name.in_(language),
            template.description.in_(language),
            template_graph(template, language),
            example=template.id,
            slug_hint=slug,
        )
        workflow_publish(actor, workflow.id)

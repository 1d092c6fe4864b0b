"""What becomes of hidden workflows when their entries go: removed one by one, with their collection or their server."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_delete

from backend.tool_collections.models import Content, Entry
from backend.workflows.hidden import let_go
from backend.workflows.models import Workflow


def connect_signals() -> None:
    """Listen to what goes. Called once, at start."""
    post_delete.connect(_entry_gone, sender=Entry, dispatch_uid="tool_collections.entry_gone")
    post_delete.connect(_entry_gone, sender=Content, dispatch_uid="tool_collections.content_gone")


def _entry_gone(sender: Any, instance: Entry | Content, **kwargs: Any) -> None:
    workflow = Workflow.objects.filter(pk=instance.workflow_id, hidden=True).first()
    if workflow is not None:
        let_go(workflow)

"""Django's handle on the room `triggers`."""

from django.apps import AppConfig


class TriggersConfig(AppConfig):
    """The room `triggers`."""

    name = "backend.triggers"
    label = "triggers"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the rooms below what goes with workflows, runs and people, and what is due when the reaper looks."""
        from backend.accounts.teams.deletion_hooks import before_team_delete, before_user_delete
        from backend.runs.lifecycle.retention import before_runs_go, delete_when_old
        from backend.runs.queue.due_work import DUE
        from backend.triggers import lifecycle, reaping
        from backend.workflows.services import before_workflow_delete

        lifecycle.connect_signals()
        before_workflow_delete(lifecycle.workflow_goes)
        before_team_delete(lifecycle.team_goes)
        before_user_delete(lifecycle.person_goes)
        before_runs_go(lifecycle.runs_go)
        delete_when_old(lifecycle.delete_old)
        DUE.register(reaping.look)

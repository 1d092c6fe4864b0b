"""Django's handle on the room `workflows`."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    """The room `workflows`."""

    name = "backend.workflows"
    label = "workflows"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the registry who uses its servers, and the accounts which workflows there are."""
        from backend.accounts.teams.services import know_workflows
        from backend.registry.servers import usage
        from backend.workflows.selectors import known, workflows_by_server

        know_workflows(known)
        usage.register(workflows_by_server)

"""Django's handle on the room `oauth`."""

from django.apps import AppConfig


class OAuthConfig(AppConfig):
    """The room `oauth`."""

    name = "backend.oauth"
    label = "oauth"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of workflows what goes with one."""
        from backend.oauth.granting import workflow_goes
        from backend.workflows.services import before_workflow_delete

        before_workflow_delete(workflow_goes)

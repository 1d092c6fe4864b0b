"""Ties rooms together at start: what a new team is given comes from rooms that `accounts` does not know."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The room `project`."""

    name = "backend.project"
    label = "project"

    def ready(self) -> None:
        """Set up Celery in every process, and register what a new team starts with."""
        from backend.accounts.teams.services import on_new_team
        from backend.project import celery  # noqa: F401 - makes our app the one that shared tasks are sent by
        from backend.registry.approvals import approve_earlier
        from backend.registry.examples import install_example_servers
        from backend.workflows.examples import install_example_workflows

        on_new_team(install_example_servers)
        on_new_team(lambda team, owner: approve_earlier(team))
        on_new_team(install_example_workflows)

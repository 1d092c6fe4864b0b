"""Ties rooms together at start: what a new team is given comes from rooms that `accounts` does not know."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The room `project`."""

    name = "backend.project"
    label = "project"

    def ready(self) -> None:
        """Register what a new team starts with."""
        from backend.accounts.services import on_new_team
        from backend.registry.examples import install_example_servers
        from backend.workflows.examples import install_example_workflows

        on_new_team(install_example_servers)
        on_new_team(install_example_workflows)

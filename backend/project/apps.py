"""Ties rooms together at start: what a new team is given comes from rooms that `accounts` does not know."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The room `project`."""

    name = "backend.project"
    label = "project"

    def ready(self) -> None:
        """Scaled, let Celery carry hints to workers; register what a new team starts with."""
        from django.conf import settings

        from backend.accounts.teams.services import on_new_team
        from backend.registry.programs.approvals import approve_earlier
        from backend.registry.servers.examples import install_example_servers
        from backend.workflows.examples import install_example_workflows

        if settings.PATCHBAY.mode == "scaled":
            from backend.notifications.workers import deliver_by
            from backend.project.celery import publish

            deliver_by(publish)
        on_new_team(install_example_servers)
        on_new_team(lambda team, owner: approve_earlier(team))
        on_new_team(install_example_workflows)

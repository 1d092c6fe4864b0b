"""Django's handle on the room `runs`."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """The room `runs`."""

    name = "backend.runs"
    label = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let sockets learn of lost rights; scaled, let the hubs of all processes hear of each other."""
        from django.conf import settings
        from django.db.models.signals import post_migrate

        from backend.accounts.teams.deletion_hooks import before_team_delete, before_user_delete, count_private_items
        from backend.files.services import reached_by
        from backend.runs.interactions import sign_ins
        from backend.runs.lifecycle import erasing
        from backend.runs.live.hub import HUB
        from backend.runs.live.sockets import connect_signals
        from backend.runs.log.stored_runs import count_again_where_forgotten
        from backend.runs.queue import server_slots
        from backend.runs.rerun.publishing import refuse_failing
        from backend.runs.selectors import file_reached, newest_of, running_of
        from backend.runs.worker import failpoints
        from backend.server_signin.sign_ins import when_signed_in
        from backend.workflows import newest
        from backend.workflows.services import before_workflow_delete, before_workflow_publish

        connect_signals()
        post_migrate.connect(count_again_where_forgotten, sender=self)
        reached_by(file_reached)
        server_slots.on_change(HUB.places)
        count_private_items("running", running_of)
        newest.register(newest_of)
        when_signed_in(sign_ins.go_on)
        before_workflow_delete(erasing.erase_workflow)
        before_workflow_publish(refuse_failing)
        before_team_delete(erasing.erase_team)
        before_user_delete(erasing.erase_person)
        if settings.PATCHBAY.debug:
            failpoints.arm(settings.PATCHBAY.crash_at)
        if settings.PATCHBAY.mode == "scaled":
            from channels.layers import get_channel_layer

            from backend.runs.live.relay import LayerRelay

            HUB.relay = LayerRelay(get_channel_layer, HUB.receive)

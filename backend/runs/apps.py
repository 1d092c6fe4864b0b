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

        from backend.accounts.leaving import belongings
        from backend.runs import crash
        from backend.runs.selectors import running_of
        from backend.runs.sockets import connect_signals

        connect_signals()
        belongings("running", running_of)
        if settings.PATCHBAY.debug:
            crash.arm(settings.PATCHBAY.crash_at)
        if settings.PATCHBAY.mode == "scaled":
            from channels.layers import get_channel_layer

            from backend.runs.hub import HUB
            from backend.runs.relay import LayerRelay

            HUB.relay = LayerRelay(get_channel_layer, HUB.receive)

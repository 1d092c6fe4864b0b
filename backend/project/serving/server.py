"""Daphne as Patchbay starts it: bounded bodies, measured sockets, one address. For the embedded mode and web processes.

To be imported first: it installs the asyncio reactor.
"""

from __future__ import annotations

import os
from typing import Any

import daphne.server  # the first import: it installs the asyncio reactor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")

from django.conf import settings
from twisted.internet import reactor

from backend.project.asgi import application
from backend.project.serving.bodies import BoundedFactory
from backend.project.serving.sockets import MeasuredFactory
from backend.runs.live.hub import HUB


def make_server(ready: Any = None) -> Any:
    """The server on the configured address. Its `run()` returns after SIGINT or SIGTERM.

    `ready()` is called once requests are answered and signals are heeded: Daphne's own moment is a little earlier, when
    an interrupt would end the process without a word.
    """

    def listening() -> None:
        if ready is not None:
            reactor.callWhenRunning(ready)

    # before Daphne cancels what it answers: an end of ours must not look like a client that cancels
    reactor.addSystemEventTrigger("before", "shutdown", HUB.close)  # type: ignore[arg-type]
    daphne.server.HTTPFactory = BoundedFactory  # the server makes both in `run` and takes no others
    daphne.server.WebSocketFactory = MeasuredFactory
    interface = settings.PATCHBAY.host.replace(":", chr(92) + ":")
    return daphne.server.Server(
        application,
        endpoints=[f"tcp:port={settings.PATCHBAY.port}:interface={interface}"],
        signal_handlers=True,
        verbosity=0,
        server_name="patchbay",
        ready_callable=listening,
        proxy_forwarded_address_header=None,
    )

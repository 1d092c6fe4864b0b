"""A websocket as a page or a program opens it, and what is said over it."""

from __future__ import annotations

import json
from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings

from backend.project.asgi import application


def page(token: str = "", origin: str = "") -> WebsocketCommunicator:
    """Not connected yet."""
    headers = [(b"host", f"localhost:{settings.PATCHBAY.port}".encode())]
    headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
    headers += [(b"origin", origin.encode())] if origin else []
    return WebsocketCommunicator(application, "/ws/", headers=headers)


async def exchange(socket: WebsocketCommunicator, message: dict[str, Any]) -> list[dict[str, Any]]:
    """What is answered to a message, and all that comes before the answer to one that is refused for certain."""
    await socket.send_to(json.dumps(message))
    await socket.send_to(json.dumps({"action": "subscribe", "topic": "run:none"}))
    frames: list[dict[str, Any]] = []
    while True:
        frame = json.loads(await socket.receive_from(30))
        if frame["topic"] == "run:none":
            return frames
        frames.append(frame)

"""An agent on A2A's SDK alone, which says what it was told; prints its port."""

from __future__ import annotations

import socket

import uvicorn
from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, Part
from starlette.applications import Starlette


class Echo(AgentExecutor):
    """Every message is a task that gives it back."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Say it."""
        assert context.message is not None
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        teller = TaskUpdater(event_queue, task.id, task.context_id)
        await teller.start_work()
        await teller.add_artifact([Part(text=context.get_user_input())], name="echo")
        await teller.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """It is over before anybody could."""


def main() -> None:
    """Serve on a port of the system's choice."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    where = AgentInterface(url=f"http://127.0.0.1:{port}/", protocol_binding="JSONRPC", protocol_version="1.0")
    card = AgentCard(
        name="Echo",
        description="Says what it was told.",
        version="1",
        supported_interfaces=[where],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")])
    print(port, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off")).run(sockets=[listening])


if __name__ == "__main__":
    main()

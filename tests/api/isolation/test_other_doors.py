"""The doors that are no addresses: topics and actions of the websocket, tasks of Celery, tools for MCP clients."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from backend.accounts.auth.tokens import issue_token
from backend.mcp_server.calls import BUILT_IN
from backend.project.asgi import application
from backend.project.celery import app
from backend.runs.live.access import TOPICS as KNOWN_TOPICS
from backend.runs.live.consumers import ACTIONS as KNOWN_ACTIONS
from backend.runs.live.consumers import THREADS
from backend.runs.models import Run
from backend.runs.worker.tasks import wake
from tests.api.isolation.matrix import ACTIONS, MCP_TOOLS, OWN_TOPICS, TASKS, TOPICS
from tests.api.isolation.sockets import exchange, page
from tests.api.isolation.tenant import ROLES, Tenant, bound_to, tenant

FILE = "tests/api/isolation/matrix.py"


def test_every_topic_and_action_has_a_row() -> None:
    assert {*TOPICS, *OWN_TOPICS} == set(KNOWN_TOPICS), f"name the topic and an object of its kind in TOPICS of {FILE}"
    assert set(ACTIONS) == set(KNOWN_ACTIONS), f"say in ACTIONS of {FILE} why the action reaches nothing foreign"


def test_every_task_has_a_row_and_carries_ids_only() -> None:
    app.loader.import_default_modules()
    ours = {name: task for name, task in app.tasks.items() if not name.startswith("celery.")}
    assert set(ours) == set(TASKS), f"say in TASKS of {FILE} what the task may do for whoever can send it"
    for name, task in ours.items():
        body = inspect.signature(task.run).parameters.values()
        assert all(item.annotation in (str, "str") for item in body), f"{name} takes more than ids"


def test_every_tool_for_mcp_clients_has_a_row() -> None:
    assert set(BUILT_IN) == set(MCP_TOOLS), f"name each tool and the scope that it needs in MCP_TOOLS of {FILE}"


@pytest.mark.django_db
def test_a_task_does_nothing_where_no_worker_is() -> None:
    ours = tenant("amber")
    before = list(Run.objects.order_by("pk").values())
    for run in (ours.run, ours.running_run, "run_none", "'; --"):
        assert wake(run) is None
    assert list(Run.objects.order_by("pk").values()) == before


async def refused(socket: WebsocketCommunicator) -> bool:
    accepted, _ = await socket.connect(timeout=30)
    await socket.disconnect()
    return not accepted


@pytest.fixture
def connections_closed() -> Iterator[None]:
    yield
    THREADS.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("connections_closed")
async def test_topics() -> None:
    ours, theirs = await sync_to_async(tenant)("amber"), await sync_to_async(tenant)("basalt")
    await _members(ours)
    await _stranger(ours, theirs)
    await _programs(ours)
    for nobody in (page(), page("pb_wrong"), page(ours.people["owner"].token, "https://evil.example.org")):
        assert await refused(nobody)


async def _members(ours: Tenant) -> None:
    for role in ROLES:
        socket = page(ours.people[role].token)
        assert (await socket.connect(timeout=30))[0]
        for kind, name in TOPICS.items():
            frames = await exchange(socket, {"action": "subscribe", "topic": f"{kind}:{getattr(ours, name)}"})
            assert [frame for frame in frames if "error" in frame] == [], f"{role} may watch a {kind}"
        for kind, name in OWN_TOPICS.items():
            frames = await exchange(socket, {"action": "subscribe", "topic": f"{kind}:{ours.ids[name]}"})
            refused = [frame["error"]["code"] for frame in frames if "error" in frame]
            assert refused == ([] if role == "owner" else ["NOT_FOUND"]), f"{role}: {kind}"
        await socket.disconnect()


async def _stranger(ours: Tenant, theirs: Tenant) -> None:
    socket = page(theirs.people["owner"].token)
    assert (await socket.connect(timeout=30))[0]
    own = [f"{kind}:{ours.ids[name]}" for kind, name in OWN_TOPICS.items()]
    for topic in [*(f"{kind}:{getattr(ours, name)}" for kind, name in TOPICS.items()), *own]:
        for action in ("unsubscribe", "ack"):
            assert await exchange(socket, {"action": action, "topic": topic, "seq": 1}) == []
        (frame,) = await exchange(socket, {"action": "subscribe", "topic": topic})
        assert (frame["topic"], frame["error"]["code"]) == (topic, "NOT_FOUND")
        assert ours.mark not in json.dumps(frame).replace(topic, "")
    (frame,) = await exchange(socket, {"action": "delete", "topic": f"run:{ours.run}"})
    assert frame["error"]["code"] == "VALIDATION_ERROR"
    await socket.disconnect()


async def _programs(ours: Tenant) -> None:
    for scope, token in ours.scoped_tokens.items():
        socket = page(token)
        assert await refused(socket) == (scope != "read"), scope


@pytest.mark.django_db(transaction=True)
async def test_topics_of_bound_tokens() -> None:
    ours = await sync_to_async(tenant)("amber")
    texts = {name: await sync_to_async(bound_to)(ours, name) for name in ("workflow", "fenced_workflow")}
    for name, text in texts.items():
        socket: WebsocketCommunicator = page(text)
        assert (await socket.connect(timeout=30))[0]
        for topic in (f"workflow:{ours.workflow}", f"run:{ours.run}", f"team:{ours.team}"):
            frames = await exchange(socket, {"action": "subscribe", "topic": topic})
            refused = [frame for frame in frames if frame.get("error", {}).get("code") == "NOT_FOUND"]
            shut = name != "workflow" or topic.startswith("team:")
            assert bool(refused) == shut, f"{name}: {topic}: {json.dumps(frames)[:300]}"
        await socket.disconnect()


async def _connects(token: str, peer: str, forwarded: str = "") -> bool:
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())]
    headers += [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    socket = WebsocketCommunicator(application, "/ws/", headers=headers)
    socket.scope["client"] = [peer, 40000]
    open_ = bool((await socket.connect(timeout=30))[0])
    if open_:
        await socket.disconnect()
    return open_


@pytest.mark.django_db(transaction=True)
async def test_sockets_open_from_the_tokens_networks_alone() -> None:
    ours = await sync_to_async(tenant)("amber")
    who = ours.people["editor"]
    text = (await sync_to_async(issue_token)(who.user, who.team, "n", networks=["192.0.2.0/24"]))[1]
    assert await _connects(text, "192.0.2.7")
    assert not await _connects(text, "198.51.100.7")
    assert not await _connects(text, "198.51.100.7", "192.0.2.7"), "said by somebody who is no named proxy"
    assert await _connects(text, "127.0.0.1", "192.0.2.7"), "said by a named proxy"
    assert not await _connects(text, "127.0.0.1", "198.51.100.7")

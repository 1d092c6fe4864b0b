"""Chats: a message is a run of whoever writes, what was said goes along, versions stand beside each other."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import F

from backend.runs.conversations import past
from backend.runs.models import Conversation, Run, RunState, Turn
from backend.runs.queue import leases
from backend.runs.queue.leases import Terms
from backend.runs.worker.loading import load
from backend.workflows.models import Workflow
from tests.api.isolation.sockets import exchange, page
from tests.api.runs.conftest import graph, ledger, node, provider, until
from tests.api.runs.sweeping import swept
from tests.api.triggers.conftest import TEXT, deliveries, hook, inputs, make, published
from tests.llm_server import LlmServer
from tests.people import Person, Reply

__all__ = ["ledger", "provider"]

pytestmark = pytest.mark.django_db(transaction=True)

FILE = {"type": "object", "format": "file"}
INPUTS = {
    "type": "object",
    "properties": {"text": TEXT, "files": {"type": "array", "items": FILE}, "history": {"type": "array"}},
}
COUNTING = graph(
    [
        node("start", "start", {"inputs": INPUTS}),
        node("more", "set_variable", {"values": {"times": "{{ vars.times }}+", "passing": "x{{ vars.passing }}"}}),
        node(
            "say",
            "answer",
            {"text": "{{ start.text }} {{ more.times }} {{ more.passing }} {{ start.history | length }}"},
        ),
        node("end", "end", {"outputs": {"in": "{{ sys.conversation_id }}"}}),
    ],
    "start -> more",
    "more -> say",
    "say -> end",
    variables={
        "times": {"default": "", "scope": "conversation"},
        "passing": {"default": "", "scope": "run"},
    },
)


@pytest.fixture
def counting(adam: Person) -> Workflow:
    return published(adam, COUNTING)


@pytest.fixture
def chat(bob: Person, counting: Workflow) -> str:
    key: str = make(bob, counting, "chat")["id"]
    return key


def write(person: Person, chat: str, text: str | None = None, **more: Any) -> Reply:
    body = {**more, **({} if text is None else {"text": text})}
    return person.api.post(f"/api/triggers/{chat}/chat", body)


def written(person: Person, chat: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    """The run of a message."""
    reply = write(person, chat, text, **more)
    assert reply.status == 202, reply.text
    run: dict[str, Any] = reply.data
    return run


def ended(run: dict[str, Any], state: str = "SUCCESS") -> Run:
    until(lambda: Run.objects.filter(pk=run["id"], state__in=["SUCCESS", "ERROR", "CANCELLED"]).exists(), 30)
    row = Run.objects.get(pk=run["id"])
    assert row.state == state, row.error
    return row


def opened(person: Person, conversation: str) -> dict[str, Any]:
    reply = person.api.get(f"/api/conversations/{conversation}")
    assert reply.status == 200, reply.text
    shown: dict[str, Any] = reply.data
    return shown


def turns(person: Person, conversation: str) -> list[tuple[str, str | None]]:
    """(what was written, what was answered) of what is shown."""
    return [(turn["text"], turn["answer"]) for turn in opened(person, conversation)["turns"]]


def test_an_editor_makes_one_and_it_acts_as_whoever_writes(
    bob: Person, alice: Person, vera: Person, counting: Workflow, worker: Any
) -> None:
    body = {"kind": "chat", "name": "Ask", "enabled": True, "config": {"greeting": "Hello!"}}
    assert vera.api.post(f"/api/workflows/{counting.pk}/triggers", body).status == 403
    created = bob.api.post(f"/api/workflows/{counting.pk}/triggers", body)
    assert created.status == 201, created.text
    assert (created.data["config"], created.data["acts_as"], created.data["url"]) == (
        {"greeting": "Hello!"},
        None,
        None,
    )
    run = written(alice, created.data["id"], "Hi")
    assert (run["trigger"], run["trigger_id"], run["started_by"]) == ("chat", created.data["id"], alice.user.email)
    assert (run["version"], run["inputs"]) == (1, {"text": "Hi", "files": [], "history": []})
    assert json.loads(ended(run).outputs) == {"in": run["conversation"]}
    refused = write(vera, created.data["id"], "Hi")
    assert (refused.status, refused.data["message"]) == (403, "Only editors can write in a chat.")
    kept = deliveries(bob, created.data["id"])
    assert [(row["outcome"], row["run"], list(row["request"])) for row in kept] == [
        ("started", run["id"], ["conversation"])
    ]


def test_nobody_auto_executes_in_a_chat(bob: Person, chat: str) -> None:
    bob.user.auto_execute = True
    bob.user.save()
    published_run = written(bob, chat, "Hi")
    draft = written(bob, chat, "Hi", draft=True)
    terms = Terms("tests", 30, None)
    for run in (published_run, draft):
        assert load(leases.claim(terms, run["id"]).taken[0]).info.auto_execute is False


def test_what_was_said_and_kept_goes_along(bob: Person, chat: str, worker: Any) -> None:
    first = written(bob, chat, "One")
    ended(first)
    second = written(bob, chat, "Two", conversation=first["conversation"])
    ended(second)
    assert second["conversation"] == first["conversation"]
    assert turns(bob, first["conversation"]) == [("One", "One + x 0"), ("Two", "Two ++ x 2")]
    assert inputs(second["id"])["history"] == [
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "One + x 0"},
    ]
    other = written(bob, chat, "Elsewhere")
    ended(other)
    assert turns(bob, other["conversation"]) == [("Elsewhere", "Elsewhere + x 0")]
    shown = bob.api.get(f"/api/conversations?trigger={chat}").data["results"]
    assert [(row["title"], row["state"]) for row in shown] == [("Elsewhere", "SUCCESS"), ("One", "SUCCESS")]


def test_messages_at_once_are_answered_in_their_order(bob: Person, chat: str, request: Any) -> None:
    """They are all written down before a worker is there; each is told what those before it were answered."""
    first = written(bob, chat, "One")
    runs = [first] + [written(bob, chat, text, conversation=first["conversation"]) for text in ("Two", "Three")]
    assert [run["inputs"]["history"] for run in runs[1:]] == [
        [{"role": "user", "content": "One"}],
        [{"role": "user", "content": "One"}, {"role": "user", "content": "Two"}],
    ]
    request.getfixturevalue("worker")
    rows = [ended(run) for run in runs]
    assert turns(bob, first["conversation"]) == [
        ("One", "One + x 0"),
        ("Two", "Two ++ x 2"),
        ("Three", "Three +++ x 4"),
    ]
    for before, after in pairwise(rows):
        assert before.finished_at is not None and after.started_at is not None
        assert before.finished_at <= after.started_at
    assert [item["content"] for item in inputs(runs[2]["id"])["history"]] == ["One", "One + x 0", "Two", "Two ++ x 2"]


def test_the_browser_after_a_program_keeps_the_order(bob: Person, chat: str) -> None:
    """A program's runs have their turn later than a person's; within a conversation the order of writing counts."""
    first = written(bob, chat, "One")
    bob.api.client.force_login(bob.user)
    bob.api.client.defaults.pop("HTTP_AUTHORIZATION", None)
    second = written(bob, chat, "Two", conversation=first["conversation"])
    turn = {row.pk: row.turn for row in Run.objects.all()}
    assert turn[first["id"]] < turn[second["id"]]


def test_so_many_may_wait(bob: Person, chat: str) -> None:
    first = written(bob, chat, "0")
    for number in range(9):
        written(bob, chat, f"{number}", conversation=first["conversation"])
    refused = write(bob, chat, "Too many", conversation=first["conversation"])
    assert (refused.status, refused.data["code"]) == (429, "RATE_LIMITED") and refused.headers["Retry-After"] == "10"
    assert Turn.objects.count() == Run.objects.count() == 10


def test_a_document_that_limits_its_runs_keeps_its_limit(bob: Person, adam: Person) -> None:
    limited = published(adam, {**COUNTING, "concurrency": {"limit": 1}}, "limited")
    chat = make(bob, limited, "chat")["id"]
    first = written(bob, chat, "One")
    assert Run.objects.get().concurrency == limited.pk
    refused = write(bob, chat, "Two", conversation=first["conversation"])
    assert (refused.status, refused.data["code"], refused.data["detail"]) == (409, "CONFLICT", {"run": first["id"]})
    assert Turn.objects.count() == 1


def test_so_much_of_what_was_said_goes_along(bob: Person, chat: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole rounds, the latest; what is not told is kept all the same."""
    monkeypatch.setattr(past, "MOST_CHARACTERS", 40)
    first = written(bob, chat, "x" * 30)
    key = first["conversation"]
    for text in ("y" * 15, "z" * 20):
        written(bob, chat, text, conversation=key)
    last = written(bob, chat, "Last", conversation=key)
    assert [message["content"] for message in last["inputs"]["history"]] == ["y" * 15, "z" * 20]
    assert [text for text, _ in turns(bob, key)] == ["x" * 30, "y" * 15, "z" * 20, "Last"]


def test_try_again_and_edit_are_versions(bob: Person, chat: str, worker: Any) -> None:
    first = written(bob, chat, "One")
    ended(first)
    key = first["conversation"]
    second = written(bob, chat, "Two", conversation=key)
    ended(second)
    one, two = opened(bob, key)["turns"]
    again = written(bob, chat, conversation=key, replaces=two["id"])
    ended(again)
    assert (again["origin_run"], again["inputs"]["text"]) == (second["id"], "Two")
    assert turns(bob, key)[1] == ("Two", "Two ++ x 2")  # as if it were the first time
    edited = written(bob, chat, "Uno", conversation=key, replaces=one["id"])
    ended(edited)
    assert turns(bob, key) == [("Uno", "Uno + x 0")]
    (shown,) = opened(bob, key)["turns"]
    assert shown["versions"] == [one["id"], shown["id"]]
    changed = bob.api.patch(f"/api/conversations/{key}", {"shown": one["id"]})
    assert changed.status == 200, changed.text
    assert turns(bob, key) == [("One", "One + x 0"), ("Two", "Two ++ x 2")]
    following = opened(bob, key)["turns"][1]
    assert (following["versions"][0], following["run"]["id"]) == (two["id"], again["id"])
    ended(written(bob, chat, "Three", conversation=key))
    assert turns(bob, key)[-1] == ("Three", "Three +++ x 4")


def test_stop_and_go_on(bob: Person, adam: Person, worker: Any) -> None:
    asks = graph(
        [
            node("start", "start", {"inputs": INPUTS}),
            node("say", "answer", {"text": "A moment"}),
            node("ask", "form", {"title": "Which?", "schema": {"type": "object", "properties": {"n": TEXT}}}),
            node("told", "answer", {"text": "It is {{ ask.n }}"}),
        ],
        "start -> say",
        "say -> ask",
        "ask -> told",
    )
    chat = make(bob, published(adam, asks), "chat")["id"]
    first = written(bob, chat, "One")
    until(lambda: Run.objects.filter(state=RunState.WAITING).exists(), 30)
    (turn,) = opened(bob, first["conversation"])["turns"]
    (question,) = turn["questions"]
    assert (turn["answer"], question["kind"], question["title"], question["state"]) == (None, "form", "Which?", "open")
    bob.api.post(f"/api/runs/{first['id']}/cancel")
    ended(first, "CANCELLED")
    second = written(bob, chat, "Two", conversation=first["conversation"])
    until(lambda: Run.objects.filter(pk=second["id"], state=RunState.WAITING).exists(), 30)
    question = opened(bob, first["conversation"])["turns"][1]["questions"][0]
    answered = bob.api.post(f"/api/interactions/{question['id']}/answer", {"action": "accept", "values": {"n": "7"}})
    assert answered.status == 200, answered.text
    ended(second)
    assert turns(bob, first["conversation"]) == [("One", "A moment"), ("Two", "A moment\n\nIt is 7")]


@pytest.mark.parametrize("frame", ["iteration", "loop"])
def test_an_answer_in_a_frame_speaks_each_round(bob: Person, adam: Person, worker: Any, frame: str) -> None:
    config, value = (
        ({"items": ["a", "b", "c"]}, "{{ item }}")
        if frame == "iteration"
        else ({"vars": {"n": "a"}, "max": 3}, "{{ loop.index }}")
    )
    document = graph(
        [
            node("start", "start", {"inputs": INPUTS}),
            node("before", "answer", {"text": "before"}),
            node("each", frame, config),
            node("inner", "answer", {"text": value}, parent="each"),
            node("after", "answer", {"text": "x" * 20_000}),
        ],
        "start -> before",
        "before -> each",
        "each -> after",
    )
    chat = make(bob, published(adam, document), "chat")["id"]
    run = written(bob, chat, "One")
    ended(run)
    ((_, answer),) = turns(bob, run["conversation"])
    assert answer is not None
    spoken = answer.split("\n\n")
    assert spoken[0] == "before" and spoken[4] == "x" * 20_000
    assert spoken[1:4] == (["a", "b", "c"] if frame == "iteration" else ["0", "1", "2"])


@pytest.mark.parametrize(
    ("outputs", "answer"),
    [({"text": "T", "n": 1}, "T"), ({"only": "O"}, "O"), ({"n": 1, "m": 2}, '{"n":1,"m":2}')],
)
def test_without_an_answer_node_the_outputs_answer(
    bob: Person, adam: Person, worker: Any, outputs: dict[str, Any], answer: str
) -> None:
    nodes = [node("start", "start", {"inputs": INPUTS}), node("end", "end", {"outputs": outputs})]
    chat = make(bob, published(adam, graph(nodes, "start -> end")), "chat")["id"]
    run = written(bob, chat, "One")
    ended(run)
    assert turns(bob, run["conversation"]) == [("One", answer)]


def agents(memory: Any) -> dict[str, Any]:
    return graph(
        [
            node("start", "start", {"inputs": INPUTS}),
            node("think", "agent", {"provider": "llm", "model": "m", "query": "{{ start.text }}", "memory": memory}),
            node("say", "answer", {"text": "{{ think.text }}"}),
        ],
        "start -> think",
        "think -> say",
    )


@pytest.mark.parametrize(
    ("memory", "hears"),
    [
        ({"window": 5}, ["Me?", "You!", "Again?"]),
        ({"window": 5, "messages": [{"role": "user", "content": "Other"}]}, ["Other", "Again?"]),
        ({"window": 0}, ["Again?"]),
        (None, ["Again?"]),
    ],
)
def test_an_agent_remembers_the_conversation(
    bob: Person, adam: Person, provider: None, llm: LlmServer, worker: Any, memory: Any, hears: list[str]
) -> None:
    chat = make(bob, published(adam, agents(memory)), "chat")["id"]
    llm.reply(text="You!")
    llm.reply(text="Yes.")
    first = written(bob, chat, "Me?")
    ended(first)
    ended(written(bob, chat, "Again?", conversation=first["conversation"]))
    assert [message["content"] for message in llm.requests[-1].messages] == hears


def test_the_draft_is_tried_while_the_chat_is_off(bob: Person, counting: Workflow, worker: Any) -> None:
    chat = make(bob, counting, "chat", enabled=False)["id"]
    refused = write(bob, chat, "Hi")
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")
    assert Conversation.objects.count() == 0
    run = written(bob, chat, "Hi", draft=True)
    ended(run)
    assert (run["version"], run["draft_revision"]) == (None, counting.revision)
    assert written(bob, chat, "More", conversation=run["conversation"])["version"] is None
    assert bob.api.get(f"/api/conversations?trigger={chat}").data["results"] == []
    (shown,) = bob.api.get(f"/api/conversations?trigger={chat}&draft=true").data["results"]
    assert (shown["id"], shown["draft"]) == (run["conversation"], True)
    assert deliveries(bob, chat) == []


def test_files_go_along(bob: Person, chat: str) -> None:
    file = SimpleUploadedFile("notes.txt", b"of mine", "text/plain")
    upload = bob.api.client.post("/api/files", {"file": file}, headers={"authorization": f"Bearer {bob.token}"})
    key = upload.json()["id"]
    run = written(bob, chat, "Read this", files=[key])
    (body,) = run["inputs"]["files"]
    assert (body["$file"], body["name"]) == (key, "notes.txt")
    (turn,) = opened(bob, run["conversation"])["turns"]
    assert [(item["id"], item["name"], item["mime"]) for item in turn["files"]] == [(key, "notes.txt", "text/plain")]
    again = written(bob, chat, conversation=run["conversation"], replaces=turn["id"])
    assert again["inputs"]["files"] == run["inputs"]["files"]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "text"),
        ({"text": "  "}, 400, "text"),
        ({"text": 1, "files": "f"}, 400, "files"),
        ({"text": "Hi", "files": ["file_none"]}, 400, "files"),
        ({"text": "Hi", "replaces": "turn_none"}, 400, "replaces"),
        ({"text": "x" * 100_001}, 400, "text"),
        ({"text": "Hi", "conversation": "conv_none"}, 404, ""),
        ({"text": "Hi", "conversation": "\x00"}, 400, "conversation"),
    ],
)
def test_what_cannot_be_is_refused(bob: Person, chat: str, body: dict[str, Any], status: int, field: str) -> None:
    refused = bob.api.post(f"/api/triggers/{chat}/chat", body)
    assert refused.status == status, refused.text
    assert not field or field in refused.data["fields"], refused.text
    assert Conversation.objects.count() == Turn.objects.count() == Run.objects.count() == 0


def test_a_workflow_that_takes_no_text_says_so(bob: Person, workflow: Workflow, adam: Person) -> None:
    chat = make(bob, workflow, "chat")["id"]
    refused = write(bob, chat, "Hi")
    assert (refused.status, list(refused.data["fields"])) == (400, ["text"]), refused.text
    only = graph([node("start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT}}})])
    run = written(bob, make(bob, published(adam, only), "chat")["id"], "Hi")
    assert run["inputs"] == {"text": "Hi"}


def test_other_kinds_are_no_chats(adam: Person, workflow: Workflow) -> None:
    refused = write(adam, hook(adam, workflow).id, "Hi")
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")


def test_the_same_key_is_the_same_message(bob: Person, chat: str) -> None:
    first, second = (
        bob.api.post(f"/api/triggers/{chat}/chat", {"text": "Hi"}, **{"Idempotency-Key": "k"}) for _ in range(2)
    )
    assert first.data["id"] == second.data["id"] and Turn.objects.count() == 1


def test_a_conversation_is_its_persons_alone(alice: Person, bob: Person, chat: str) -> None:
    run = written(bob, chat, "Hi")
    key = run["conversation"]
    (turn,) = opened(bob, key)["turns"]
    for reply in (
        alice.api.get(f"/api/conversations/{key}"),
        alice.api.get(f"/api/conversations/{key}/export"),
        alice.api.patch(f"/api/conversations/{key}", {"title": "Mine"}),
        alice.api.delete(f"/api/conversations/{key}"),
        write(alice, chat, "Me too", conversation=key),
        write(alice, chat, conversation=written(alice, chat, "Mine")["conversation"], replaces=turn["id"]),
    ):
        assert reply.status == 404, reply.text
    assert [row["title"] for row in alice.api.get(f"/api/conversations?trigger={chat}").data["results"]] == ["Mine"]


def test_a_page_hears_of_its_own(alice: Person, bob: Person, chat: str, worker: Any) -> None:
    first = written(bob, chat, "Hi")
    ended(first)
    key = first["conversation"]

    def write_more() -> dict[str, Any]:
        try:
            return written(bob, chat, "More", conversation=key)
        finally:
            connection.close()

    async def watch() -> None:
        foreign, own = page(alice.token), page(bob.token)
        for socket in (foreign, own):
            assert (await socket.connect())[0]
        topic = {"action": "subscribe", "topic": f"conversation:{key}"}
        (refused,) = await exchange(foreign, topic)
        assert refused["error"]["code"] == "NOT_FOUND"
        frames = await exchange(own, topic)
        assert [frame for frame in frames if "error" in frame] == []
        while not any(frame.get("hint") == {"kind": "subscribed"} for frame in frames):
            frames.append(json.loads(await own.receive_from(30)))  # a page that read before that reads again
        run = await sync_to_async(write_more, thread_sensitive=False)()
        hints: list[dict[str, Any]] = []
        while {"created", "updated"} - {item["change"] for item in hints}:
            frame = json.loads(await own.receive_from(30))
            if frame["topic"] == f"conversation:{key}" and frame["hint"].get("run") == run["id"]:
                hints.append(frame["hint"])
        assert all(item["kind"] == "conversation" and item["id"] == key for item in hints)
        for socket in (foreign, own):
            await socket.disconnect()

    async_to_sync(watch)()


def test_deleting_takes_the_runs_along(bob: Person, chat: str, worker: Any) -> None:
    first = written(bob, chat, "One")
    ended(first)
    key = first["conversation"]
    written_again = written(bob, chat, conversation=key, replaces=opened(bob, key)["turns"][0]["id"])
    ended(written_again)
    kept = bob.api.get(f"/api/conversations/{key}/export")
    assert [turn["text"] for turn in kept.data["turns"]] == ["One", "One"]
    assert kept.headers["Content-Disposition"] == f'attachment; filename="{key}.json"'
    assert bob.api.delete(f"/api/conversations/{key}").status == 204
    assert (Conversation.objects.count(), Turn.objects.count(), Run.objects.count()) == (0, 0, 0)


def test_one_that_goes_on_is_not_deleted_nor_what_it_goes_on_from(bob: Person, chat: str) -> None:
    first = written(bob, chat, "One")
    Run.objects.update(state="SUCCESS", finished_at=F("queued_at"))
    second = written(bob, chat, "Two", conversation=first["conversation"])
    for path in (f"/api/conversations/{first['conversation']}", f"/api/runs/{first['id']}"):
        refused = bob.api.delete(path)
        assert (refused.status, refused.data["detail"]) == (409, {"run": second["id"]}), refused.text
    Run.objects.filter(pk=first["id"]).update(finished_at="2020-01-01T00:00:00Z")
    swept(30)
    assert Run.objects.count() == 2


def test_turns_go_with_their_runs_and_time(bob: Person, chat: str, worker: Any) -> None:
    first = written(bob, chat, "One")
    ended(first)
    second = written(bob, chat, "Two", conversation=first["conversation"])
    ended(second)
    assert bob.api.delete(f"/api/runs/{first['id']}").status == 204
    assert turns(bob, first["conversation"]) == [("", None), ("Two", "Two ++ x 2")]
    Run.objects.update(finished_at="2020-01-01T00:00:00Z")
    swept(30)
    assert (Conversation.objects.count(), Turn.objects.count()) == (0, 0)


def test_a_chat_that_is_deleted_leaves_the_runs(bob: Person, chat: str, worker: Any) -> None:
    ended(written(bob, chat, "One"))
    assert bob.api.delete(f"/api/triggers/{chat}").status == 204
    assert (Conversation.objects.count(), Turn.objects.count()) == (0, 0)
    assert Run.objects.get().conversation == ""


def test_it_is_tried_and_not_delivered_again(bob: Person, chat: str) -> None:
    tried = bob.api.post(f"/api/triggers/{chat}/test", {"request": {"text": "Hello there"}})
    assert (tried.status, tried.data["version"], tried.data["inputs"]["text"]) == (202, None, "Hello there")
    written(bob, chat, "Hi")
    (delivery,) = deliveries(bob, chat)
    refused = bob.api.post(f"/api/triggers/{chat}/deliveries/{delivery['id']}/replay")
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")


def test_calls_are_shown_with_the_answer(bob: Person, adam: Person, ledger: Any, worker: Any) -> None:
    call = node("call", "tool", {"server": "ledger", "tool": "look", "arguments": {"name": "{{ start.text }}"}})
    document = graph([node("start", "start", {"inputs": INPUTS}), call], "start -> call")
    chat = make(bob, published(adam, document), "chat")["id"]
    run = written(bob, chat, "One")
    ended(run)
    (turn,) = opened(bob, run["conversation"])["turns"]
    (shown,) = turn["calls"]
    assert (shown["server"], shown["tool"], shown["arguments"]) == ("ledger", "look", '{"name":"One"}')
    assert shown["ms"] >= 0 and shown["failed"] is False

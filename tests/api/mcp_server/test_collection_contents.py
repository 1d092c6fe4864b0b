"""Resources and prompts of a collection: put in, read and filled by runs through the gate, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from django.conf import settings

from backend.registry.models import Server
from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from backend.workflows.models import Workflow
from tests.api.mcp_server.asking import FORMS
from tests.api.mcp_server.collection_client import CollectionClient
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module", params=["modern", "handshake"])
def base(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server whose resources and prompts are good, odd and endless, in either era."""
    for port in started(str(PROGRAMS / "contents_server.py"), request.param):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def collection(adam: Person, base: str) -> Iterator[CollectionClient]:
    """A collection of the team that has the server."""
    about = {"name": "Notes", "transport": "http", "url": f"{base}/mcp", "asks": True}
    assert adam.api.post("/api/mcp/servers", about).status == 201
    yield CollectionClient(adam)
    LOOP.stop()


def put(collection: CollectionClient, status: int = 201, **what: Any) -> Any:
    """Put a resource, a template or a prompt of the server in."""
    return collection.ask("post", f"{collection.path}/contents", {"server": "notes", **what}, status)


def requests_at(base: str) -> list[Any]:
    """What the server was asked for, beside lists."""
    return [each for each in httpx2.get(f"{base}/log").json() if each[0] in ("resources/read", "prompts/get")]


def test_what_is_put_in_is_listed_under_its_own_words(collection: CollectionClient) -> None:
    created = put(collection, resource="notes://a", description="The first of all.")
    assert (created["name"], created["edited"], created["original"]["title"]) == ("a", True, "First")
    put(collection, template="notes://by-name/{name}", name="One by name")
    prompt = put(collection, prompt="plan", name="day_plan")
    [resource] = collection.mcp("resources/list")["result"]["resources"]
    assert resource == {
        "uri": "notes://a",
        "name": "a",
        "title": "First",
        "description": "The first of all.",
        "mimeType": "text/plain",
    }
    templates = collection.mcp("resources/templates/list")["result"]["resourceTemplates"]
    assert [(each["uriTemplate"], each["name"]) for each in templates] == [
        ("notes://by-name/{name}", "One by name"),
        ("run://{id}", "run"),
    ]
    listed = collection.mcp("prompts/list")["result"]
    assert (listed["ttlMs"], listed["cacheScope"]) == (5000, "private")
    assert listed["prompts"][0]["name"] == "day_plan"
    assert [each["name"] for each in listed["prompts"][0]["arguments"]] == ["city", "days"]
    path = f"{collection.path}/contents/{prompt['id']}"
    assert collection.ask("patch", path, {"name": "plan", "description": "Plans."})["description"] == "Plans."
    assert collection.mcp("prompts/list")["result"]["prompts"][0]["description"] == "Plans."
    shown = collection.ask("get", collection.path)
    assert [(each["kind"], each["name"]) for each in shown["contents"]] == [
        ("prompt", "plan"),
        ("resource", "a"),
        ("template", "One by name"),
    ]
    assert collection.ask("get", "/api/collections?server=notes")["results"] != []
    collection.ask("delete", path, status=204)
    assert collection.mcp("prompts/list")["result"]["prompts"] == []
    assert not Workflow.objects.filter(pk=prompt["workflow"]).exists()


def test_a_reading_is_a_run_through_the_gate(collection: CollectionClient, base: str, worker: Worker) -> None:
    created = put(collection, resource="notes://picture")
    put(collection, template="notes://by-name/{name}")
    read = collection.mcp("resources/read", uri="notes://picture")["result"]
    assert (read["ttlMs"], read["cacheScope"]) == (0, "private"), "what was read for one person is shared with nobody"
    text, picture = read["contents"]
    assert text == {"uri": "notes://picture", "mimeType": "text/plain", "text": "a dot"}
    assert (picture["mimeType"], picture["blob"][:8]) == ("image/png", "iVBORw0K")
    run = Run.objects.get()
    assert (run.trigger, run.trigger_id, run.workflow_id) == ("mcp", collection.collection["id"], created["workflow"])
    assert [each["tool"] for each in collection.ask("get", collection.path)["calls"]] == ["picture"]
    filled = collection.mcp("resources/read", uri="notes://by-name/a%20b")["result"]["contents"]
    assert filled[0]["text"] == "this is notes://by-name/a%20b"
    collection.token = collection.ask("post", f"{collection.path}/tokens", {"name": "reads", "scopes": ["read"]}, 201)[
        "token"
    ]
    assert "error" in collection.mcp("resources/read", uri="notes://picture"), "it runs under the scope that runs need"
    assert (
        collection.mcp("prompts/list")["result"]["prompts"]
        == collection.mcp("resources/list")["result"]["resources"]
        == []
    )
    collection.token = collection.ask("post", f"{collection.path}/tokens", {"name": "runs"}, 201)["token"]
    Server.objects.update(enabled=False)
    before = len(requests_at(base))
    assert "error" in collection.mcp("resources/read", uri="notes://picture")
    assert collection.mcp("resources/list")["result"]["resources"] == []
    assert len(requests_at(base)) == before, "nothing passes a server that is off"


def test_a_prompt_is_filled_with_all_that_the_server_gave(collection: CollectionClient, worker: Worker) -> None:
    put(collection, prompt="plan", name="day_plan")
    put(collection, prompt="picture")
    got = collection.mcp("prompts/get", name="day_plan", arguments={"city": "Oslo"})["result"]
    assert got["description"] == "A plan"
    assert got["messages"] == [{"role": "user", "content": {"type": "text", "text": '{"city": "Oslo"}'}}]
    [message] = collection.mcp("prompts/get", name="picture")["result"]["messages"]
    assert (message["role"], message["content"]["mimeType"]) == ("assistant", "image/png")
    assert message["content"]["data"].startswith("iVBORw0K")
    missing = collection.mcp("prompts/get", name="day_plan")["error"]
    assert missing["code"] == -32602 and "city" in missing["message"]


def test_arguments_are_completed_without_a_run(collection: CollectionClient, worker: Worker) -> None:
    put(collection, prompt="plan", name="day_plan")
    put(collection, template="notes://by-name/{name}")
    for ref in ({"type": "ref/prompt", "name": "day_plan"}, {"type": "ref/resource", "uri": "notes://by-name/{name}"}):
        argument = {"name": "city", "value": "o"}
        values = collection.mcp("completion/complete", ref=ref, argument=argument)["result"]["completion"]["values"]
        assert values[:2] == ["o0", "o1"] and len(values) <= 100
    for ref in ({"type": "ref/prompt", "name": "roles"}, {"type": "ref/resource", "uri": "notes://tree/{+path}"}):
        assert collection.mcp("completion/complete", ref=ref, argument=argument)["error"]["code"] == -32602
    assert not Run.objects.exists()


ELSEWHERE = (
    "notes://gone",  # the server has it, the collection does not
    "file:///etc/passwd",
    "notes://tree/x",
    "notes://by-name/..",
    "notes://by-name/%2e%2e%2fetc%2fpasswd",
    "notes://by-name/../../etc/passwd",
    "run://nothing",
    "workflow://nothing",
    "notes://by-name/" + "a" * 10_000,
    "",
)


def test_what_is_not_in_the_collection_never_reaches_the_server(collection: CollectionClient, base: str) -> None:
    put(collection, resource="notes://a")
    put(collection, template="notes://by-name/{name}")
    before = requests_at(base)
    got_through = {}
    for uri in ELSEWHERE:
        reply = collection.mcp("resources/read", uri=uri)
        if reply.get("error", {}).get("code") != -32602 or requests_at(base) != before or Run.objects.exists():
            got_through[uri[:40]] = reply
    assert got_through == {}
    assert collection.mcp("prompts/get", name="plan")["error"]["code"] == -32602


def test_what_servers_do_wrong_is_told(collection: CollectionClient, worker: Worker) -> None:
    for uri in ("notes://endless", "notes://gone"):
        put(collection, resource=uri)
    put(collection, prompt="roles")
    large = collection.mcp("resources/read", uri="notes://endless")["error"]
    assert large["data"]["error"]["code"] in {"RESULT_TOO_LARGE", "MCP_UNREACHABLE", "MCP_PROTOCOL_ERROR"}, large
    gone = collection.mcp("resources/read", uri="notes://gone")["error"]
    assert (gone["code"], gone["data"]["error"]["code"]) == (-32602, "MCP_INVALID_PARAMS")
    odd = collection.mcp("prompts/get", name="roles")["error"]
    assert odd["data"]["error"]["code"] == "MCP_PROTOCOL_ERROR" and "system" in odd["message"]
    assert odd["data"]["url"].startswith(f"{settings.PUBLIC_URL}/runs/")


def test_a_prompt_that_asks_goes_on_with_the_answer(collection: CollectionClient, worker: Worker, base: str) -> None:
    put(collection, prompt="asking")
    first = collection.mcp("prompts/get", FORMS, name="asking")
    if "result" not in first or first["result"].get("resultType") != "input_required":
        assert "error" in first or first["result"]["messages"], "the handshake era has no such question of a prompt"
        return
    result = first["result"]
    assert list(result["inputRequests"]) == ["q"], "under the server's own key"
    answers = {"q": {"action": "accept", "content": {"city": "Oslo"}}}
    forged = result["requestState"][:-1] + ("a" if result["requestState"][-1] != "a" else "b")
    for state in (forged, result["requestState"] + "x", Run.objects.get().pk, "\0", ""):
        wrong = collection.mcp("prompts/get", FORMS, name="asking", requestState=state, inputResponses=answers)
        assert "error" in wrong, state
    assert Interaction.objects.get().state == Interaction.State.OPEN
    state = {"requestState": result["requestState"], "inputResponses": answers}
    done = collection.mcp("prompts/get", FORMS, name="asking", **state)["result"]
    assert "Oslo" in done["messages"][0]["content"]["text"]
    assert Interaction.objects.get().answered_by == collection.person.user
    assert Run.objects.get().state == RunState.SUCCESS


def test_what_cannot_be_put_in_is_refused_by_name(collection: CollectionClient, adam: Person, charlie: Person) -> None:
    put(collection, resource="notes://a")
    Server.objects.create(
        team=adam.team, name="Own", slug="own", transport="http", visibility="private", created_by=adam.user
    )
    for body, field in (
        ({}, "server"),
        ({"server": "notes"}, "resource"),
        ({"server": "notes", "resource": "notes://a", "prompt": "plan"}, "prompt"),
        ({"server": "none", "resource": "notes://a"}, "server"),
        ({"server": "own", "resource": "notes://a"}, "server"),
        ({"server": "notes", "resource": "file:///etc/passwd"}, "resource"),
        ({"server": "notes", "resource": "notes://by-name/{name}"}, "resource"),
        ({"server": "notes", "template": "notes://{+all}"}, "template"),
        ({"server": "notes", "prompt": "nothing"}, "prompt"),
        ({"server": "notes", "prompt": "plan", "name": "has spaces"}, "name"),
        ({"server": "notes", "prompt": "plan", "name": "n" * 201}, "name"),
    ):
        refused = adam.api.post(f"{collection.path}/contents", body)
        assert (refused.status, list(refused.data["fields"])) == (400, [field]), body
    assert put(collection, 409, resource="notes://a")["code"] == "CONFLICT"
    put(collection, prompt="plan", name="same")
    assert put(collection, 409, prompt="roles", name="same")["code"] == "CONFLICT"
    created = put(collection, prompt="roles")
    assert adam.api.patch(f"{collection.path}/contents/{created['id']}", {"name": "same"}).status == 409
    assert adam.api.patch(f"{collection.path}/contents/cnt_nothing", {"name": "x"}).status == 404
    assert charlie.api.patch(f"{collection.path}/contents/{created['id']}", {"name": "x"}).status == 404
    assert charlie.api.delete(f"{collection.path}/contents/{created['id']}").status == 404


def test_each_collection_and_each_member_has_their_own(
    collection: CollectionClient, adam: Person, bob: Person, base: str
) -> None:
    put(collection, resource="notes://a")
    put(collection, prompt="plan")
    other = CollectionClient(adam, "Other")
    token = bob.api.post(f"{collection.path}/tokens", {"name": "bob", "scopes": ["read", "run"]}).data["token"]
    before = requests_at(base)

    def sees_nothing(at: CollectionClient) -> None:
        assert at.mcp("resources/list")["result"]["resources"] == at.mcp("prompts/list")["result"]["prompts"] == []
        assert at.mcp("resources/read", uri="notes://a")["error"]["code"] == -32602
        assert at.mcp("prompts/get", name="plan", arguments={"city": "x"})["error"]["code"] == -32602
        ref = {"type": "ref/prompt", "name": "plan"}
        argument = {"name": "city", "value": "o"}
        assert at.mcp("completion/complete", ref=ref, argument=argument)["error"]["code"] == -32602

    sees_nothing(other)
    collection.token = token
    assert len(collection.mcp("resources/list")["result"]["resources"]) == 1
    Server.objects.update(visibility="private", created_by=adam.user)
    sees_nothing(collection)
    assert bob.api.get(collection.path).data["contents"] == [] != adam.api.get(collection.path).data["contents"]
    assert requests_at(base) == before and not Run.objects.exists()


def test_it_goes_with_its_server(collection: CollectionClient, adam: Person) -> None:
    hidden = put(collection, resource="notes://a")["workflow"]
    assert adam.api.delete("/api/mcp/servers/notes").status == 204
    assert collection.ask("get", collection.path)["contents"] == []
    assert not Workflow.objects.filter(pk=hidden).exists()

"""APIs without MCP as servers: read, added, tested, changed, called; and documents that are no good."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from backend.registry.connecting.resolving import config_of
from backend.registry.models import ApiDocument, Server, Tool
from backend.tools.loop import LOOP
from tests.people import Person
from tests.pet_api import KEY, PetApi, document

SERVERS = "/api/mcp/servers"


@pytest.fixture(scope="module")
def process() -> Iterator[PetApi]:
    with PetApi() as api:
        yield api


@pytest.fixture
def pets(process: PetApi, transactional_db: None) -> Iterator[PetApi]:
    """The API, on this machine; connections end with the test."""
    yield process
    LOOP.stop()


def added(adam: Person, pets: PetApi, **more: Any) -> dict[str, Any]:
    body = {
        "name": "Pets",
        "transport": "openapi",
        "url": pets.base,
        "document_url": f"{pets.url}/openapi.json",
        "auth_type": "api_key",
        "api_key": KEY,
        **more,
    }
    reply = adam.api.post(SERVERS, body)
    assert reply.status == 201, reply.text
    return dict(reply.data)


def called(person: Person, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
    return person.api.post(
        "/api/mcp/tools/call", {"server": "pets", "tool": tool, "arguments": arguments or {}, **more}
    )


def test_a_document_is_looked_at_before_anything_is_kept(pets: PetApi, adam: Person) -> None:
    read = adam.api.post("/api/mcp/openapi", {"url": f"{pets.url}/openapi.json"}).data
    assert (read["title"], read["dialect"], read["total"]) == ("Pets", "OpenAPI 3.1.0", 8)
    assert read["bases"] == [{"url": pets.base, "foreign": False}]
    assert read["schemes"] == [{"name": "key", "kind": "api_key", "place": "header", "parameter": "X-API-Key"}]
    assert read["operations"][0] == {"name": "listPets", "method": "GET", "path": "/pets", "title": "All pets"}
    (left_out,) = read["left_out"]
    assert left_out["operation"] == "GET /far" and "elsewhere.example" in left_out["message"]
    assert not Server.objects.exists()


def test_a_document_that_names_another_host_says_so(pets: PetApi, adam: Person) -> None:
    read = adam.api.post("/api/mcp/openapi", {"url": f"{pets.url}/moved.json"}).data
    assert read["bases"] == [{"url": "https://elsewhere.example/v1", "foreign": True}]
    refused = adam.api.post(
        SERVERS, {"name": "x", "transport": "openapi", "document_url": f"{pets.url}/moved.json", "api_key": "k"}
    )
    assert refused.status == 400 and list(refused.data["fields"]) == ["url"]


def test_requests_go_to_the_confirmed_address_whatever_the_document_says(pets: PetApi, adam: Person) -> None:
    added(adam, pets, document_url=f"{pets.url}/moved.json")
    assert adam.api.post(f"{SERVERS}/pets/test").data["ok"]
    assert called(adam, "getPet", {"id": "p1"}).data["structured"] == {"id": "p1", "name": "Rex"}
    assert pets.came()[-1][1] == "/v1/pets/p1"


def test_a_server_is_added_tested_and_called(pets: PetApi, adam: Person, bob: Person) -> None:
    server = added(adam, pets)
    assert server["transport"] == "openapi" and server["trust_annotations"] is True and server["api_key_set"]
    assert KEY not in json.dumps(server)
    report = bob.api.post(f"{SERVERS}/pets/test").data
    assert [stage["name"] for stage in report["stages"]] == [
        *("document", "url", "dns", "tcp", "tls", "http", "auth", "tools", "schemas"),
    ]
    assert report["ok"] and report["protocol"] == "OpenAPI 3.1.0" and report["tool_count"] == 8
    assert report["server"] == {"name": "Pets", "version": "1.4"} and KEY not in json.dumps(report)
    listed = bob.api.get(f"{SERVERS}/pets/tools").data
    risks = {tool["name"]: tool["risk"]["level"] for tool in listed["results"]}
    assert (risks["getPet"], risks["addPet"], risks["deletePet"]) == ("LOW", "MEDIUM", "HIGH")
    assert [entry["tool"] for entry in listed["left_out"]] == ["GET /far"]
    answer = called(bob, "addPet", {"id": "p2", "name": "Tim"}, confirm=True)
    assert answer.status == 200 and answer.data["structured"] == {"id": "p2", "name": "Tim"}
    exchange = answer.data["messages"][0]["http"]
    assert exchange["method"] == "POST" and exchange["status"] == 200 and KEY not in answer.text
    method, path, headers, body = pets.came()[-1]
    assert (method, path, json.loads(body)) == ("POST", "/v1/pets", {"id": "p2", "name": "Tim"})
    assert headers["x-api-key"] == KEY and headers["idempotency-key"]
    needs = called(bob, "deletePet", {"id": "p2"})
    assert needs.status == 409 and needs.data["code"] == "APPROVAL_REQUIRED"
    assert called(bob, "deletePet", {"id": "p2"}, confirm=True).data["text"] == "HTTP 204 No Content"
    assert bob.api.get(f"{SERVERS}/pets").data["status"]["state"] == "ok"


def test_errors_keep_their_status_and_hide_the_key(pets: PetApi, adam: Person) -> None:
    added(adam, pets)
    busy = called(adam, "busy").data
    assert busy["is_error"] and busy["structured"] == {
        "status": 429,
        "body": {"error": "slow down"},
        "retry_after": 7.0,
    }
    echo = called(adam, "echo")
    assert echo.data["is_error"] and echo.data["structured"]["status"] == 400 and KEY not in echo.text
    gone = called(adam, "getPet", {"id": "nobody"}).data
    assert gone["is_error"] and gone["structured"]["body"] == {"error": "no such pet"}
    photo = called(adam, "photo").data["content"]
    assert photo[0]["type"] == "image" and photo[0]["mimeType"] == "image/png"


@pytest.mark.parametrize("value", ["../admin", "..", "%2e%2e%2fadmin"])
def test_a_path_that_climbs_is_never_sent(pets: PetApi, adam: Person, value: str) -> None:
    added(adam, pets)
    before = len(pets.came())
    refused = called(adam, "getPet", {"id": value})
    assert refused.status == 400 and list(refused.data["fields"]) == ["arguments.id"]
    assert len(pets.came()) == before


def test_a_wrong_key_is_told_by_the_test_and_by_use(pets: PetApi, adam: Person) -> None:
    added(adam, pets, api_key="wrong-secret")
    report = adam.api.post(f"{SERVERS}/pets/test").data
    assert not report["ok"] and report["code"] == "MCP_AUTH_FAILED"
    assert {stage["name"]: stage["ok"] for stage in report["stages"]}["auth"] is False
    assert called(adam, "getPet", {"id": "p1"}).data["structured"]["status"] == 401


def stages(person: Person) -> dict[str, bool | None]:
    """How each stage of a test went."""
    return {stage["name"]: stage["ok"] for stage in person.api.post(f"{SERVERS}/pets/test").data["stages"]}


def test_an_address_that_refuses_everybody_is_judged_by_what_lies_below_it(pets: PetApi, adam: Person) -> None:
    added(adam, pets, url=f"{pets.url}/v2")
    count = len(pets.came())
    result = stages(adam)
    assert (result["auth"], result["tools"]) == (True, True)
    assert [item[:2] for item in pets.came()[count:]] == [["GET", "/v2"], ["GET", "/v2/pets"]]
    assert adam.api.patch(f"{SERVERS}/pets", {"api_key": "wrong-secret"}).status == 200
    result = stages(adam)
    assert (result["http"], result["auth"], result["tools"]) == (True, False, None)


def of(paths: dict[str, Any], **more: Any) -> str:
    """A document with these paths, in which everything wants the key where it says nothing else."""
    return json.dumps({**document("/v2"), "paths": paths, **more})


PETS = {"/pets": {"get": {"operationId": "listPets"}}}
ONE = {
    "/pets/{id}": {
        "get": {"operationId": "getPet", "parameters": document()["paths"]["/pets/{id}"]["get"]["parameters"]}
    }
}
OPEN = {"/busy": {"get": {"operationId": "busy", "security": []}}}


@pytest.mark.parametrize(
    ("paths", "policy"),
    [(ONE, {}), ({**OPEN, **ONE}, {}), (PETS, {"policy": "deny"}), (PETS, {"policy": "ask"}), (PETS, {"risk": "HIGH"})],
    ids=["all need arguments", "the rest is open to all", "switched off", "asks", "made risky"],
)
def test_what_nothing_may_be_called_for_is_not_judged(
    pets: PetApi, adam: Person, paths: Any, policy: dict[str, str]
) -> None:
    added(adam, pets, url=f"{pets.url}/v2", document_url=None, document=of(paths), api_key="maybe-good")
    if policy:
        assert adam.api.get(f"{SERVERS}/pets/tools?refresh=1").status == 200
        assert adam.api.patch(f"{SERVERS}/pets/tools/listPets", policy).status == 200
    count = len(pets.came())
    assert stages(adam)["auth"] is None
    assert [item[:2] for item in pets.came()[count:]] == [["GET", "/v2"]]


def test_an_api_whose_hints_are_not_trusted_is_not_called(pets: PetApi, adam: Person) -> None:
    added(adam, pets, url=f"{pets.url}/v2", trust_annotations=False)
    count = len(pets.came())
    assert stages(adam)["auth"] is None and len(pets.came()) == count + 1


def test_without_credentials_a_refusal_is_one(pets: PetApi, adam: Person) -> None:
    added(adam, pets, url=f"{pets.url}/v2", auth_type="none", api_key=None, document_url=None, document=of(ONE))
    assert stages(adam)["auth"] is False


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ({"auth_type": "bearer"}, ("authorization", "Bearer s3cret-value")),
        ({"auth_type": "basic", "api_key": "me:s3cret-value"}, ("authorization", "Basic bWU6czNjcmV0LXZhbHVl")),
        ({"auth_type": "api_key", "api_key_header": "X-Other"}, ("x-other", "s3cret-value")),
        ({"auth_type": "api_key", "api_key_header": "sid", "api_key_in": "cookie"}, ("cookie", "sid=s3cret-value")),
        ({"auth_type": "api_key", "api_key_header": "key", "api_key_in": "query"}, ("?", "key=s3cret-value")),
    ],
)
def test_each_way_of_signing_in(pets: PetApi, adam: Person, fields: dict[str, Any], sent: tuple[str, str]) -> None:
    shown = added(adam, pets, **{"api_key": "s3cret-value", **fields})
    answer = called(adam, "getPet", {"id": "p1"})
    assert "s3cret" not in answer.text + json.dumps(shown)
    _, path, headers, _ = pets.came()[-1]
    assert (path.partition("?")[2] if sent[0] == "?" else headers[sent[0]]) == sent[1]


def test_a_key_in_the_address_that_names_a_secret_is_hidden_and_read_anew(pets: PetApi, adam: Person) -> None:
    secret = {"name": "pets", "value": "v4lue-of-pets", "hosts": ["127.0.0.1"]}
    assert adam.api.post("/api/secrets", secret).status == 201
    fields = {"auth_type": "api_key", "api_key_header": "key", "api_key_in": "query"}
    added(adam, pets, **{**fields, "api_key": "${secret:pets}"})
    answer = called(adam, "getPet", {"id": "p1"})
    assert pets.came()[-1][1].endswith("?key=v4lue-of-pets") and "v4lue" not in answer.text
    config = config_of(Server.objects.get(slug="pets"))
    assert "v4lue-of-pets" in config.masks and "pets@" in str(config.key.revision)


def test_a_key_given_for_one_address_does_not_go_to_another(pets: PetApi, adam: Person) -> None:
    added(adam, pets)
    changed = adam.api.patch(f"{SERVERS}/pets", {"url": "https://elsewhere.example/v1"})
    assert changed.status == 200 and changed.data["api_key_set"] is False


def test_a_changed_operation_is_marked_until_it_is_accepted(pets: PetApi, adam: Person) -> None:
    first = document()
    added(adam, pets, document_url=None, document=json.dumps(first))
    assert adam.api.post(f"{SERVERS}/pets/test").data["ok"]
    moved = document()
    moved["paths"]["/people/{id}"] = moved["paths"].pop("/pets/{id}")
    assert adam.api.patch(f"{SERVERS}/pets", {"document": json.dumps(moved)}).status == 200
    assert adam.api.get(f"{SERVERS}/pets/tools?refresh=1").status == 200
    changed = {tool.name for tool in Tool.objects.all() if tool.definition_hash != tool.pinned_hash}
    assert changed == {"getPet", "deletePet"}
    assert called(adam, "getPet", {"id": "p1"}).status == 409


def test_a_pasted_document_in_yaml(pets: PetApi, adam: Person) -> None:
    text = (
        "openapi: 3.0.3\ninfo: {title: Tiny, version: '1'}\npaths:\n  /pets/{id}:\n    get:\n      operationId: one\n"
    )
    added(adam, pets, document_url="", document=text)
    assert called(adam, "one", {"id": "p1"}).data["structured"]["name"] == "Rex"
    assert ApiDocument.objects.count() == 1
    assert adam.api.delete(f"{SERVERS}/pets").status == 204 and not ApiDocument.objects.exists()


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<!doctype html><html></html>", "is a web page"),
        ("just words", "must be an object"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is nested"),
        ("openapi: !!python/object/apply:os.system ['true']\n", "tag"),
        (BOMB, "holds more than"),
        ('{"openapi": "3.1.0", "paths": {}}', "describes no operations"),
        ("{" + " " * (10 * 1024 * 1024) + "}", ""),
    ],
)
def test_bad_documents_are_refused_by_name(adam: Person, text: str, why: str) -> None:
    for reply in (
        adam.api.post("/api/mcp/openapi", {"document": text}),
        adam.api.post(SERVERS, {"name": "x", "transport": "openapi", "url": "https://x.example", "document": text}),
    ):
        assert reply.status == 400, reply.text
        assert why in reply.data["fields"]["document"][0]


def test_an_address_that_is_no_document_says_what_it_is(pets: PetApi, adam: Person) -> None:
    page = adam.api.post("/api/mcp/openapi", {"url": f"{pets.url}/page"})
    assert page.status == 502 and page.data["code"] == "MCP_PARSE_ERROR"
    assert "web page" in page.data["message"]
    none = adam.api.post("/api/mcp/openapi", {"url": f"{pets.url}/nothing"})
    assert none.data["code"] == "MCP_UNREACHABLE"
    private = adam.api.post("/api/mcp/openapi", {"url": "http://10.0.0.1/openapi.json"})
    assert private.status == 403 and private.data["code"] == "NETWORK_BLOCKED"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"document": None}, "document"),
        ({"document": "{}", "document_url": "https://x.example/a"}, "document"),
        ({"document_url": "file:///etc/passwd"}, "document_url"),
        ({"document_url": "https://x.example/a?api_key=sk-1234567890abcdef"}, "document_url"),
        ({"document_url": "https://x.example/a", "auth_type": "oauth"}, "auth_type"),
        ({"document_url": "https://x.example/a", "auth_type": "basic", "api_key": "no-name"}, "api_key"),
        ({"document_url": "https://x.example/a", "url": ""}, "url"),
        ({"transport": "http", "document": json.dumps(document())}, "document"),
        ({"transport": "http", "auth_type": "basic"}, "auth_type"),
        ({"transport": "http", "api_key_in": "query"}, "api_key_in"),
    ],
)
def test_fields_that_do_not_fit_are_named(adam: Person, fields: dict[str, Any], named: str) -> None:
    body = {"name": "x", "transport": "openapi", "url": "https://x.example", **fields}
    reply = adam.api.post(SERVERS, {name: value for name, value in body.items() if value is not None})
    assert reply.status == 400 and named in reply.data["fields"], reply.text


def test_nothing_of_another_team_is_read(pets: PetApi, adam: Person, charlie: Person) -> None:
    added(adam, pets)
    assert charlie.api.post(f"{SERVERS}/pets/test").status == 404
    assert called(charlie, "getPet", {"id": "p1"}).status == 404

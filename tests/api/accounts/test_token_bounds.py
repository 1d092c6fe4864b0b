"""Tokens that are bound to workflows, to networks and to an end, at the API's door."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from backend.accounts.models import ApiToken, AuditEntry
from backend.files.models import File
from backend.runs.models import RunFile
from tests.api.runs.conftest import node
from tests.people import Api, Person

GRAPH = {"schema": 1, "language": "en", "nodes": [node("start", "start"), node("end", "end")], "edges": []}


def workflow(who: Person, name: str) -> str:
    return str(who.api.post("/api/workflows", {"name": name}).data["id"])


def create_token(who: Person, **bounds: Any) -> dict[str, Any]:
    answer = who.api.post("/api/tokens", {"name": "bound", "scopes": ["read", "run"], **bounds})
    assert answer.status == 201, answer.text
    result: dict[str, Any] = answer.data
    return result


def test_a_token_of_one_workflow_says_so_and_reaches_no_other(bob: Person) -> None:
    first, second = workflow(bob, "First"), workflow(bob, "Second")
    token = create_token(bob, workflows=[first])
    assert token["workflows"] == [first]
    api = Api(token["token"])
    assert api.get(f"/api/workflows/{first}").status == 200
    refused = api.get(f"/api/workflows/{second}")
    assert (refused.status, refused.data["code"]) == (403, "FORBIDDEN") and "limited to" in refused.data["message"]
    assert [row["id"] for row in api.get("/api/workflows").data["results"]] == [first]
    assert api.get("/api/mcp/servers").status == 403, "a server is part of no workflow"
    entry = AuditEntry.objects.get(action="token.created", target_id=token["id"])
    assert entry.data["workflows"] == [first]


@pytest.mark.parametrize("scopes", [[], ["read", "edit"], ["admin"]])
def test_who_writes_documents_is_not_bound(bob: Person, scopes: list[str]) -> None:
    body = {"name": "x", "scopes": scopes, "workflows": [workflow(bob, "First")]}
    refused = bob.api.post("/api/tokens", body)
    assert (refused.status, list(refused.data["fields"])) == (400, ["scopes"])


def test_only_workflows_of_the_team_are_taken(bob: Person, charlie: Person) -> None:
    for key in (workflow(charlie, "Theirs"), "wf_none", "a\u0000b"):
        refused = bob.api.post("/api/tokens", {"name": "x", "scopes": ["run"], "workflows": [key]})
        assert (refused.status, next(iter(refused.data["fields"])).split(".")[0]) == (400, "workflows")


def test_a_bound_token_makes_and_ends_no_tokens(bob: Person) -> None:
    token = create_token(bob, workflows=[workflow(bob, "First")])
    api = Api(token["token"])
    assert api.get("/api/tokens").status == 403
    assert api.post("/api/tokens", {"name": "x", "scopes": ["read"]}).status == 403
    assert api.delete(f"/api/tokens/{token['id']}").status == 403


def test_files_through_its_runs_alone(alice: Person, bob: Person) -> None:
    first, second = workflow(alice, "First"), workflow(alice, "Second")
    api = Api(create_token(bob, workflows=[first])["token"])
    uploaded = {}
    for key in (first, second):
        alice.api.put(f"/api/workflows/{key}/draft", {"revision": 1, "graph": GRAPH})
        blob = File.objects.create(
            team=alice.team, blob=_blob(alice, key), name="a.txt", mime="text/plain", created_by=alice.user
        )
        _run(alice, key, blob)
        uploaded[key] = blob.pk
    assert api.get(f"/api/files/{uploaded[first]}").status == 200
    assert api.get(f"/api/files/{uploaded[second]}").status == 404


def _blob(who: Person, text: str) -> Any:
    from backend.files.services import blob_store

    return blob_store(who.team.pk, text.encode())


def _run(who: Person, workflow: str, file: File) -> None:
    from backend.runs.models import Run

    run = Run.objects.create(
        team=who.team, workflow_id=workflow, started_by=who.user, graph=file.blob, queued_at=timezone.now()
    )
    RunFile.objects.create(run=run, file=file)


FROM = "192.0.2.0/24"


@pytest.mark.parametrize(
    ("peer", "forwarded", "opens"),
    [
        ("192.0.2.9", "", True),
        ("198.51.100.9", "", False),
        ("198.51.100.9", "192.0.2.9", False),
        ("127.0.0.1", "192.0.2.9", True),
        ("127.0.0.1", "192.0.2.9, 198.51.100.9", False),
        ("::ffff:192.0.2.9", "", True),
        ("", "", False),
    ],
)
def test_networks(bob: Person, peer: str, forwarded: str, opens: bool) -> None:
    """Behind a proxy the client's address counts, where the proxy is one that the operator named."""
    token = create_token(bob, networks=[FROM, "2001:db8::/32"])
    assert token["networks"] == [FROM, "2001:db8::/32"]
    client = Api(token["token"]).client
    headers = {"x-forwarded-for": forwarded} if forwarded else None
    answer = client.get("/api/workflows", headers=headers, REMOTE_ADDR=peer)
    assert answer.status_code == (200 if opens else 403), answer.content
    if not opens:
        assert answer.json()["code"] == "FORBIDDEN" and "address" in answer.json()["message"]


def test_one_address_is_a_network_and_other_texts_are_none(bob: Person) -> None:
    assert create_token(bob, networks=["192.0.2.7", "192.0.2.9/24"])["networks"] == ["192.0.2.7/32", "192.0.2.0/24"]
    for wrong in ("example.org", "192.0.2.0/33", "", "10"):
        assert bob.api.post("/api/tokens", {"name": "x", "networks": [wrong]}).status == 400


def test_a_token_makes_none_that_works_from_elsewhere(bob: Person) -> None:
    client = Api(create_token(bob, scopes=["read", "edit"], networks=[FROM])["token"])
    client.client.defaults["REMOTE_ADDR"] = "192.0.2.9"
    for networks, status in (([], 403), (["0.0.0.0/0"], 403), ([FROM, "10.0.0.0/8"], 403), (["192.0.2.128/25"], 201)):
        answer = client.post("/api/tokens", {"name": "x", "scopes": ["read"], "networks": networks})
        assert answer.status == status, networks


def test_after_its_end_it_says_so(bob: Person) -> None:
    token = create_token(bob, expires_in_days=1)
    api = Api(token["token"])
    assert api.get("/api/workflows").status == 200
    ApiToken.objects.filter(pk=token["id"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    over = api.get("/api/workflows")
    assert (over.status, over.data["code"]) == (401, "UNAUTHENTICATED") and "expired" in over.data["message"]
    assert Api("pb_wrong").get("/api/workflows").data["message"] != over.data["message"]

"""What a document says of providers and models is held against the team's settings, without connecting."""

from __future__ import annotations

from typing import Any

import pytest

from backend.providers.models import Provider
from tests.api.workflows.documents import line, node
from tests.llm_server import LlmServer
from tests.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(adam: Person, llm: LlmServer) -> Provider:
    return Provider.objects.create(
        team=adam.team,
        name="Scripted",
        slug="scripted",
        base_url=llm.url,
        models=[{"id": "m-1", "context": None, "input_price": None, "output_price": None, "features": None}],
        created_by=adam.user,
    )


def asking(provider: Any, model: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "hi"}]
    return line(node("ask", "llm", provider=provider, model=model, messages=messages))


def problems(person: Person, graph: dict[str, Any], language: str = "en") -> list[tuple[str, str, str]]:
    created = person.api.post("/api/workflows", {"name": "Talk"}).data
    reply = person.api.post(
        f"/api/workflows/{created['id']}/validate", {"graph": graph}, **{"accept-language": language}
    )
    assert reply.status == 200
    return [
        (problem["code"], problem["severity"], problem["path"])
        for problem in reply.data["problems"]
        if problem["message"]
    ]


def test_a_known_provider_is_no_problem(provider: Provider, bob: Person, llm: LlmServer) -> None:
    assert problems(bob, asking("scripted", "m-1")) == []
    assert problems(bob, asking(provider.id, "m-1")) == []
    assert problems(bob, asking("{{ sys.workflow }}", "m-9")) == []
    assert not llm.requests
    assert not llm.listed


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_unknown_provider_is_an_error(provider: Provider, bob: Person, language: str) -> None:
    result = problems(bob, asking("nowhere", "m-1"), language)
    assert result == [("provider_unknown", "error", "/nodes/1/config/provider")]


def test_one_that_is_switched_off_is_a_warning(provider: Provider, bob: Person) -> None:
    Provider.objects.update(enabled=False)
    assert problems(bob, asking("scripted", "m-1")) == [("provider_off", "warning", "/nodes/1/config/provider")]


def test_a_model_that_is_not_listed_is_a_warning(provider: Provider, bob: Person) -> None:
    assert problems(bob, asking("scripted", "m-2")) == [("model_unknown", "warning", "/nodes/1/config/model")]
    Provider.objects.update(models=[])
    assert problems(bob, asking("scripted", "m-2")) == []


def test_somebody_elses_private_provider_does_not_exist(provider: Provider, bob: Person, adam: Person) -> None:
    Provider.objects.update(visibility="private")
    assert problems(adam, asking("scripted", "m-1")) == []
    assert problems(bob, asking("scripted", "m-1"))[0][0] == "provider_private"


def test_a_run_without_its_provider_does_not_start(bob: Person) -> None:
    created = bob.api.post("/api/workflows", {"name": "Talk"}).data
    at = f"/api/workflows/{created['id']}"
    bob.api.put(f"{at}/draft", {"revision": 1, "graph": asking("nowhere", "m-1")})
    reply = bob.api.post(f"{at}/runs", {"inputs": {}, "version": "draft"})
    assert (reply.status, reply.data["code"]) == (400, "GRAPH_INVALID")
    assert reply.data["detail"]["problems"][0]["code"] == "provider_unknown"

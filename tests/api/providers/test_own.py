"""Private providers, providers at which each member uses their own key, and models without a price."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.accounts.models import AuditEntry, Team
from backend.errors import NotFound, SecretMissing
from backend.providers import ownership
from backend.providers.models import Provider
from backend.providers.resolving import find
from backend.providers.user_credentials import PROVIDERS
from backend.secrets.models import Credential
from tests.people import Person

AT = "/api/providers"
OURS = {"name": "Our models", "base_url": "https://models.example.org/v1", "models": [{"id": "m"}]}
OWN = {**OURS, "credentials": "user"}


def created(person: Person, body: dict[str, Any]) -> dict[str, Any]:
    reply = person.api.post(AT, body)
    assert reply.status == 201, reply.text
    return dict(reply.data)


def key_of(person: Person) -> str:
    return find(person.team.id, "our-models", person.user.id).config.key


def asking() -> dict[str, Any]:
    ask = {"provider": "our-models", "model": "m", "messages": [{"role": "user", "content": "?"}]}
    nodes = [("start", "start", {}), ("ask", "llm", ask)]
    return {
        "schema": 1,
        "nodes": [
            {"id": key, "type": kind, "v": 1, "position": {"x": 0, "y": 0}, "config": config}
            for key, kind, config in nodes
        ],
        "edges": [{"id": "e", "source": "start", "source_port": "out", "target": "ask", "target_port": "in"}],
    }


def codes(person: Person, flow: str) -> list[str]:
    return [problem["code"] for problem in person.api.post(f"/api/workflows/{flow}/validate", {}).data["problems"]]


def test_each_member_enters_their_own_key(adam: Person, bob: Person) -> None:
    created(adam, {**OWN, "api_key": "adams-model-key-1"})
    assert key_of(adam) == "adams-model-key-1"
    with pytest.raises(SecretMissing) as raised:
        key_of(bob)
    assert raised.value.params == {"reason": "own_provider", "provider": "our-models"}
    flow = bob.api.post("/api/workflows", {"name": "Flow"}).data["id"]
    bob.api.put(f"/api/workflows/{flow}/draft", {"revision": 1, "graph": asking()})
    assert codes(bob, flow) == ["provider_own_missing"] and codes(adam, flow) == []
    assert bob.api.post(f"/api/workflows/{flow}/runs", {"version": "draft"}).data["code"] == "SECRET_MISSING"
    entered = bob.api.patch(f"{AT}/our-models/credentials", {"api_key": "bobs-model-key-2"})
    assert entered.data["state"] == "set" and entered.data["slots"][0]["hint"] == "····ey-2"
    matches = [find(who.team.id, "our-models", who.user.id) for who in (adam, bob)]
    assert [item.config.key for item in matches] == ["adams-model-key-1", "bobs-model-key-2"]
    assert matches[0].stamp != matches[1].stamp and matches[0].user == adam.user.id
    assert codes(bob, flow) == []
    shown = json.dumps([who.api.get(AT).data for who in (adam, bob)]) + repr(list(AuditEntry.objects.values()))
    assert "adams-model" not in shown and "bobs-model" not in shown
    assert bob.api.get(f"{AT}/our-models/credentials").data["state"] == "set"
    assert bob.api.delete(f"{AT}/our-models/credentials").status == 204
    assert Credential.objects.get().user == adam.user


def test_a_key_goes_to_no_other_address(adam: Person, bob: Person) -> None:
    created(adam, OWN)
    bob.api.patch(f"{AT}/our-models/credentials", {"api_key": "bobs-model-key-2"})
    adam.api.patch(f"{AT}/our-models", {"base_url": "https://models.example.org/v2"})
    assert key_of(bob) == "bobs-model-key-2"
    adam.api.patch(f"{AT}/our-models", {"base_url": "https://elsewhere.example/v1"})
    assert not Credential.objects.exists()


def test_a_private_provider_is_nobody_elses(adam: Person, alice: Person) -> None:
    created(adam, {**OURS, "visibility": "private", "api_key": "adams-model-key-1"})
    assert alice.api.get(AT).data["results"] == []
    with pytest.raises(NotFound) as raised:
        key_of(alice)
    assert raised.value.params["reason"] == "provider_private"
    assert created(alice, {**OURS, "slug": "our-models"})["slug"] == "our-models-2"
    flow = alice.api.post("/api/workflows", {"name": "Flow"}).data["id"]
    alice.api.put(f"/api/workflows/{flow}/draft", {"revision": 1, "graph": asking()})
    assert codes(alice, flow) == ["provider_private"] and codes(adam, flow) == []
    assert PROVIDERS.count_private(adam.team, adam.user) == 1
    assert ownership.released(adam.team, adam.user, "hand_over")["handed_over"] == ["our-models"]
    assert Provider.objects.get(slug="our-models").secrets == {}
    assert alice.api.get(f"{AT}/our-models").data["api_key_set"] is False


def test_a_cost_budget_tells_of_models_without_a_price(adam: Person) -> None:
    created(adam, OURS)
    flow = adam.api.post("/api/workflows", {"name": "Flow"}).data["id"]
    adam.api.put(f"/api/workflows/{flow}/draft", {"revision": 1, "graph": asking()})
    assert codes(adam, flow) == []
    Team.objects.filter(pk=adam.team.pk).update(budget={"cost_per_day": 5})
    assert codes(adam, flow) == ["model_no_price"]
    adam.api.patch(f"{AT}/our-models", {"models": [{"id": "m", "input_price": 0}]})
    assert codes(adam, flow) == []
    Team.objects.filter(pk=adam.team.pk).update(budget={})
    adam.api.patch(f"{AT}/our-models", {"models": [{"id": "m"}]})
    limited = {**asking(), "budgets": {"cost": 1}}
    adam.api.put(f"/api/workflows/{flow}/draft", {"revision": 2, "graph": limited})
    assert codes(adam, flow) == ["model_no_price"]

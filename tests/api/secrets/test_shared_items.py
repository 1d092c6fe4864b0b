"""What servers and providers have in common, tried with both: who sees them, whose keys, what is handed over."""

from __future__ import annotations

from typing import Any

import pytest

from backend.accounts.actor import actor_for
from backend.errors import Conflict, NotFound
from backend.providers import ownership as of_providers
from backend.providers.user_credentials import PROVIDERS
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.servers import ownership as of_servers
from backend.secrets.models import Credential
from backend.secrets.shared_items import SharedItems
from tests.people import Person

pytestmark = pytest.mark.django_db
KEY = "a-key-that-is-somebodys-own-1"
MOVED = "https://elsewhere.example.org/v1"


class Kind:
    """A kind, and how its API is spoken to."""

    def __init__(self, items: SharedItems[Any], path: str, address: str, released: Any, body: dict[str, Any]) -> None:
        self.items, self.path, self.address, self.released, self.body = items, path, address, released, body

    def created(self, person: Person, **more: Any) -> Any:
        reply = person.api.post(self.path, {**self.body, **more})
        assert reply.status == 201, reply.text
        return self.items.model.objects.get(pk=reply.data["id"])


KINDS = {
    "server": Kind(
        SERVERS,
        "/api/mcp/servers",
        "url",
        of_servers.released,
        {"name": "Ours", "transport": "http", "url": "https://ours.example.org/mcp", "auth_type": "api_key"},
    ),
    "provider": Kind(
        PROVIDERS,
        "/api/providers",
        "base_url",
        of_providers.released,
        {"name": "Ours", "base_url": "https://ours.example.org/v1", "models": [{"id": "m"}]},
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def test_a_private_one_is_seen_by_its_owner_alone(kind: Kind, adam: Person, alice: Person) -> None:
    item = kind.created(adam, visibility="private", api_key=KEY)
    assert kind.items.visible_one(adam.actor, item.slug) == item
    with pytest.raises(NotFound):
        kind.items.visible_one(alice.actor, item.id)
    assert list(kind.items.visible(adam.team.id, None)) == []
    assert kind.items.private_names(adam.team.id, {item.slug, item.id, "other"}) == {item.slug, item.id}


def test_each_member_enters_their_own(kind: Kind, adam: Person, bob: Person) -> None:
    item = kind.created(adam, credentials="user", api_key=KEY)
    assert "api_key" not in item.secrets, "what the admin wrote is the admin's"
    assert kind.items.without_own(adam.actor, [item]) == {}
    assert kind.items.without_own(bob.actor, [item]) == {item.id: item.slug}
    kind.items.enter_own(bob.actor, item.slug, {"api_key": "bobs"})
    assert kind.items.without_own(bob.actor, [item]) == {}
    assert kind.items.values_for(item, bob.user.pk, True, {})["api_key"] == "bobs"
    assert "api_key" not in kind.items.values_for(item, bob.user.pk, False, {})
    kind.items.delete_own(bob.actor, item.slug)
    assert kind.items.read_own(bob.actor, item.slug) == (item, None)


def test_where_keys_are_shared_nobody_enters_their_own(kind: Kind, adam: Person, bob: Person) -> None:
    item = kind.created(adam, api_key=KEY)
    with pytest.raises(Conflict):
        kind.items.enter_own(bob.actor, item.slug, {"api_key": "bobs"})
    assert kind.items.own_json(item, None) is None


@pytest.mark.parametrize("change", ["address", "shared", "private", "name"])
def test_a_change_of_what_it_is_entrusted_to_forgets_it(kind: Kind, change: str, adam: Person, bob: Person) -> None:
    item = kind.created(adam, credentials="user", api_key=KEY)
    kind.items.enter_own(bob.actor, item.slug, {"api_key": "bobs"})
    body = {
        "address": {kind.address: MOVED},
        "shared": {"credentials": "shared"},
        "private": {"visibility": "private"},
        "name": {"name": "Still ours"},
    }[change]
    assert adam.api.patch(f"{kind.path}/{item.slug}", body).status == 200
    left = {row.user_id for row in Credential.objects.filter(target=item.pk)}
    both = {adam.user.pk, bob.user.pk}
    assert left == {"address": set(), "shared": set(), "private": {adam.user.pk}, "name": both}[change]


@pytest.mark.parametrize("private", ["hand_over", "delete"])
def test_an_owner_who_leaves_leaves_no_key(kind: Kind, private: Any, adam: Person, alice: Person) -> None:
    item = kind.created(adam, visibility="private", api_key=KEY)
    assert kind.items.count_private(adam.team, adam.user) == 1
    done = kind.released(adam.team, adam.user, private)
    handed_over = private == "hand_over"
    assert done == {"deleted": [] if handed_over else ["ours"], "handed_over": ["ours"] if handed_over else []}
    left = kind.items.model.objects.filter(pk=item.pk).first()
    if not handed_over:
        assert left is None
        return
    assert (left.visibility, left.created_by, left.revision) == ("team", None, item.revision + 1)
    assert KEY not in str(left.secrets) and kind.items.visible_one(alice.actor, "ours") == left


def test_a_person_of_another_team_finds_none(kind: Kind, adam: Person, charlie: Person) -> None:
    item = kind.created(adam, api_key=KEY)
    actor = actor_for(charlie.user)
    assert actor is not None
    with pytest.raises(NotFound):
        kind.items.visible_one(actor, item.slug)
    assert kind.items.private_names(charlie.team.id, {item.slug}) == set()

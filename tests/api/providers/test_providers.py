"""Providers over the API: configuration in, configuration out, keys in and never out."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.accounts.models import AuditEntry
from backend.providers.models import Provider
from backend.providers.presets import presets
from backend.providers.resolving import config_of
from backend.providers.selectors import known
from tests.exhaustive import few
from tests.people import Api, Person

pytestmark = pytest.mark.django_db

KEY = "sk-very-secret-0042"
OWN = {"name": "Our models", "base_url": "https://models.example.org/v1", "api_key": KEY}
MODEL = {
    "id": "m-1",
    "context": 8192,
    "input_price": 0.5,
    "cached_price": 0.1,
    "output_price": 1.5,
    "features": ["tools", "vision"],
}


def created(person: Person, **body: Any) -> dict[str, Any]:
    reply = person.api.post("/api/providers", {**OWN, **body})
    assert reply.status == 201, reply.text
    return dict(reply.data)


def row_text() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM providers_provider")
        return repr(cursor.fetchall())


def test_an_admin_adds_a_provider_and_everybody_of_the_team_sees_it(adam: Person, vera: Person) -> None:
    new = created(adam, models=[MODEL])
    assert new["id"].startswith("prv_")
    assert new["slug"] == "our-models"
    assert new["models"] == [MODEL]
    assert new["status"]["state"] == "unknown"
    assert (new["timeout_ms"], new["connect_timeout_ms"]) == (600_000, 10_000)
    assert (new["first_token_timeout_ms"], new["idle_timeout_ms"]) == (120_000, 60_000)
    listed = vera.api.get("/api/providers")
    assert listed.data == {"results": [new], "next": None}
    assert vera.api.get("/api/providers/our-models").data == new
    assert AuditEntry.objects.filter(action="provider.created", target_id=new["id"]).exists()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("post", ""),
        ("patch", "/our-models"),
        ("delete", "/our-models"),
        ("post", "/test"),
    ],
)
def test_editors_and_viewers_change_no_providers(
    adam: Person, bob: Person, vera: Person, method: str, path: str
) -> None:
    created(adam)
    for person in (bob, vera):
        arguments = () if method == "delete" else (OWN,)
        assert getattr(person.api, method)(f"/api/providers{path}", *arguments).status == 403


def test_viewers_connect_to_nothing(adam: Person, vera: Person) -> None:
    created(adam)
    assert vera.api.post("/api/providers/our-models/test").status == 403
    assert vera.api.get("/api/providers/our-models/models").status == 403
    assert vera.api.get("/api/provider-presets?look=1").status == 403


def test_to_a_stranger_the_provider_does_not_exist(adam: Person, charlie: Person, nobody: Api) -> None:
    at = f"/api/providers/{created(adam)['id']}"
    assert charlie.api.get("/api/providers").data["results"] == []
    for reply in (
        charlie.api.get(at),
        charlie.api.patch(at, {"name": "mine"}),
        charlie.api.delete(at),
        charlie.api.post(f"{at}/test"),
        charlie.api.get(f"{at}/models"),
        charlie.api.post("/api/providers/test", {"provider": at.rsplit("/", 1)[1]}),
    ):
        assert reply.status == 404, reply.text
    assert nobody.get(at).status == 401


def test_a_private_provider_is_its_makers_alone(adam: Person, alice: Person) -> None:
    new = created(adam, visibility="private")
    at = f"/api/providers/{new['id']}"
    assert adam.api.get(at).status == 200
    assert alice.api.get(at).status == 404
    shared = created(adam, name="Shared")
    assert alice.api.patch(f"/api/providers/{shared['slug']}", {"visibility": "private"}).status == 403


def test_the_key_goes_in_and_never_comes_out(adam: Person, bob: Person) -> None:
    new = created(adam, secret_headers={"X-Hush": "hush-hush-77"}, headers={"X-Api-Token": "t0ken-in-the-open"})
    assert new["api_key_set"] is True
    assert new["api_key_hint"] == "····0042"
    assert new["headers"] == {}
    assert set(new["secret_headers"]) == {"X-Hush", "X-Api-Token"}
    at = f"/api/providers/{new['id']}"
    changed = adam.api.patch(at, {"name": "Renamed"})
    everything = str([new, changed.data, bob.api.get(at).text, bob.api.get("/api/providers").text])
    everything += row_text() + repr(list(AuditEntry.objects.values()))
    for secret in (KEY, "hush-hush-77", "t0ken-in-the-open"):
        assert secret not in everything
    config = config_of(Provider.objects.get()).config
    assert config.key == KEY
    assert dict(config.headers) == {"X-Hush": "hush-hush-77", "X-Api-Token": "t0ken-in-the-open"}


def test_the_key_stays_with_the_origin_it_was_given_for(adam: Person) -> None:
    new = created(adam, secret_headers={"X-Hush": "hush-hush-77"})
    at = f"/api/providers/{new['id']}"
    same = adam.api.patch(at, {"base_url": "https://models.example.org/other/v1"}).data
    assert same["api_key_set"] is True
    moved = adam.api.patch(at, {"base_url": "https://evil.example.net/v1"}).data
    assert moved["api_key_set"] is False
    assert moved["secret_headers"] == {}
    entry = AuditEntry.objects.filter(action="provider.changed").latest("id")
    assert entry.data["dropped"] == ["api_key", "secret_headers.X-Hush"]
    again = adam.api.patch(at, {"base_url": "https://models.example.org/v1", "api_key": KEY}).data
    assert again["api_key_set"] is True


def test_a_patch_leaves_what_it_does_not_name(adam: Person) -> None:
    new = created(adam, models=[MODEL], timeout_ms=1000)
    at = f"/api/providers/{new['id']}"
    changed = adam.api.patch(at, {"idle_timeout_ms": 5000}).data
    assert {**changed, "updated_at": None} == {**new, "idle_timeout_ms": 5000, "updated_at": None}
    assert adam.api.patch(at, {"timeout_ms": None, "api_key": None, "models": None}).data["api_key_set"] is False
    row = Provider.objects.get()
    assert (row.timeout_ms, row.models, row.revision) == (600_000, [], 3)
    adam.api.patch(at, {"name": "x", "enabled": False})
    assert Provider.objects.get().revision == 3


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"base_url": ""}, "base_url"),
        ({"base_url": "ftp://example.org"}, "base_url"),
        ({"base_url": "https://user:pw@example.org/v1"}, "base_url"),
        ({"base_url": "https://example.org/v1?key=1"}, "base_url"),
        ({"base_url": "https://example.org/v1#x"}, "base_url"),
        ({"api_key": "line\nbreak"}, "api_key"),
        ({"api_key": "ключ"}, "api_key"),
        ({"headers": {"bad name": "x"}}, "headers.bad name"),
        ({"models": [{"id": ""}]}, "models.0.id"),
        ({"models": [{"id": "a"}, {"id": "a"}]}, "models"),
        ({"models": [{"id": "a", "input_price": -1}]}, "models.0.input_price"),
        ({"models": [{"id": "a", "features": ["flying"]}]}, "models.0.features.0"),
        ({"timeout_ms": 0}, "timeout_ms"),
        ({"slug": "No Slug"}, "slug"),
        ({"name": "nul\x00"}, "name"),
        ({"preset": "no-such"}, "preset"),
    ],
)
def test_bad_input_names_its_field(adam: Person, change: dict[str, Any], field: str) -> None:
    reply = adam.api.post("/api/providers", {**OWN, **change})
    assert reply.status == 400
    assert field in reply.data["fields"], reply.data["fields"]
    assert not Provider.objects.exists()


def test_slugs_are_unique_and_never_change(adam: Person) -> None:
    assert created(adam)["slug"] == "our-models"
    assert created(adam)["slug"] == "our-models-2"
    assert adam.api.post("/api/providers", {**OWN, "slug": "our-models"}).status == 409
    assert adam.api.patch("/api/providers/our-models", {"slug": "other"}).status == 400
    assert adam.api.patch("/api/providers/our-models", {"slug": "our-models"}).status == 200


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://x.example.org/v1/", "https://x.example.org/v1"),
        (" https://x.example.org/v1/chat/completions ", "https://x.example.org/v1"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
    ],
)
def test_the_base_url_as_people_copy_it(adam: Person, typed: str, kept: str) -> None:
    assert created(adam, base_url=typed)["base_url"] == kept


def test_presets_name_the_services_and_look_at_nothing_unasked(vera: Person, adam: Person) -> None:
    listed = {preset["id"]: preset for preset in vera.api.get("/api/provider-presets").data["results"]}
    text = "openai modelscope dashscope deepseek moonshot zhipu siliconflow openrouter ollama vllm lmstudio"
    assert set(text.split()) <= set(listed)
    assert all(preset["name"]["en"] and preset["name"]["zh"] for preset in listed.values())
    assert all(preset["key_page"] for preset in listed.values() if preset["key"] == "required")
    assert not any(preset["found"] for preset in listed.values())
    reply = adam.api.post("/api/providers", {"preset": "modelscope", "api_key": "ms-0123456789abcdef"})
    assert reply.status == 201
    assert reply.data["base_url"] == "https://api-inference.modelscope.cn/v1"
    assert reply.data["slug"] == "modelscope"
    assert reply.data["preset"] == "modelscope"


def test_presets_know_models_with_the_day_on_which_they_were_read(vera: Person, adam: Person) -> None:
    listed = {preset["id"]: preset for preset in vera.api.get("/api/provider-presets").data["results"]}
    text = "anthropic gemini mistral groq azure volcengine minimax llamacpp"
    assert set(text.split()) <= set(listed)
    known = [preset for preset in listed.values() if preset["catalogue"]]
    assert {preset["id"] for preset in known} >= {"openai", "anthropic", "gemini", "deepseek"}
    for preset in known:
        assert date.fromisoformat(preset["read"]) >= date(2026, 4, 1)
        assert preset["currency"]
        assert preset["prices_page"].startswith("https://")
        assert all(model["context"] and model["context"] >= 32_000 for model in preset["catalogue"])
    reply = adam.api.post("/api/providers", {"preset": "deepseek", "api_key": "sk-0123456789abcdef"})
    assert reply.data["models"] == listed["deepseek"]["catalogue"]
    own = {"preset": "deepseek", "api_key": "sk-0123456789abcdef", "models": [{"id": "x"}], "slug": "other"}
    assert [model["id"] for model in adam.api.post("/api/providers", own).data["models"]] == ["x"]


def test_a_preset_whose_address_lacks_the_own_name(adam: Person) -> None:
    refused = adam.api.post("/api/providers", {"preset": "azure", "api_key": "0123456789abcdef"})
    assert refused.status == 400
    assert "YOUR-RESOURCE" in refused.data["fields"]["base_url"][0]
    base_url = "https://ours.openai.azure.com/openai/v1"
    assert adam.api.post("/api/providers", {"preset": "azure", "api_key": "k" * 20, "base_url": base_url}).status == 201


def test_deleting(adam: Person, bob: Person) -> None:
    new = created(adam)
    assert adam.api.delete(f"/api/providers/{new['id']}").status == 204
    assert bob.api.get(f"/api/providers/{new['id']}").status == 404
    assert AuditEntry.objects.filter(action="provider.deleted", target_id=new["id"]).exists()


def test_known_for_validation(adam: Person, bob: Person) -> None:
    new = created(adam, models=[MODEL])
    created(adam, name="Mine", visibility="private", enabled=False)
    assert known(adam.team.id)["our-models"]["enabled"] is True
    assert known(adam.team.id)[new["id"]]["models"] == {"m-1": True}
    assert "mine" not in known(adam.team.id, bob.user.id)
    mine = known(adam.team.id, adam.user.id)["mine"]
    assert (mine["enabled"], mine["models"]) == (False, {})


def test_rotation_takes_keys_of_providers_along(adam: Person) -> None:
    created(adam)
    before = row_text()
    call_command("rotate_secrets")
    assert row_text() != before
    assert config_of(Provider.objects.get()).config.key == KEY


PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=40)
SECRET = PRINTABLE.filter(lambda text: "${" not in text).map("Zq9~{}".format)  # no word that an answer has anyway


@settings(max_examples=few(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=SECRET,
    headers=st.dictionaries(st.from_regex(r"X-[A-Za-z]{3,8}-Sec", fullmatch=True), SECRET, max_size=3),
    patch=st.booleans(),
)
def test_no_secret_ever_comes_back(adam: Person, key: str, headers: dict[str, str], patch: bool) -> None:
    body = {**OWN, "name": "P", "api_key": key, "secret_headers": headers}
    new = adam.api.post("/api/providers", {**OWN, "name": "P"} if patch else body)
    at = f"/api/providers/{new.data['id']}"
    replies = [new]
    if patch:
        replies.append(adam.api.patch(at, {"api_key": key, "secret_headers": headers}))
    replies += [adam.api.get(at), adam.api.get("/api/providers"), adam.api.patch(at, {"enabled": False})]
    replies += [adam.api.patch(at, {"base_url": "https://x.invalid"}), adam.api.get("/api/audit")]
    for reply in replies:
        for secret in (key, *headers.values()):
            assert secret not in reply.text
            assert secret not in str(reply.data)
    adam.api.delete(at)


def test_a_teams_currency_and_presets_in_another(adam: Person, bob: Person, vera: Person) -> None:
    """Costs are in the team's currency, which an admin sets; a preset's prices in another one are not taken over."""
    assert adam.api.get("/api/me").data["team"]["currency"] == "USD"
    preset = next(preset for preset in presets() if preset.currency == "USD" and preset.catalogue[0].input_price)
    body = {"preset": preset.id, "api_key": KEY}
    assert adam.api.post("/api/providers", {**body, "name": "Dear"}).data["models"][0]["input_price"]
    assert bob.api.patch("/api/teams/current", {"currency": "EUR"}).status == 403
    assert "currency" in adam.api.patch("/api/teams/current", {"currency": "euro"}).data["fields"]
    assert adam.api.patch("/api/teams/current", {"currency": "EUR"}).data["currency"] == "EUR"
    assert vera.api.get("/api/me").data["team"]["currency"] == "EUR"
    [foreign, *_] = adam.api.post("/api/providers", {**body, "name": "Dear too"}).data["models"]
    assert (foreign["input_price"], foreign["cached_price"], foreign["output_price"]) == (None, None, None)
    assert foreign["context"]


def test_providers_are_sorted_and_searched_by_the_server(bob: Person, charlie: Person) -> None:
    names = [f"{'place' if n % 2 else 'Place'} {n:03}" for n in range(250)]
    rows = [
        Provider(team=bob.team, name=name, slug=f"place-{n}", base_url=f"https://host{n}.example/v1")
        for n, name in enumerate(names)
    ]
    rows[3].visibility, rows[3].created_by = Provider.Visibility.PRIVATE, charlie.user
    Provider.objects.bulk_create(rows)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        reply = bob.api.get(f"/api/providers?sort=name&limit=100&cursor={cursor}").data
        seen += [row["name"] for row in reply["results"]]
        cursor = reply["next"]
    assert seen == [name for n, name in enumerate(names) if n != 3]

    def search(query: str) -> list[str]:
        return [row["name"] for row in bob.api.get(f"/api/providers?{query}").data["results"]]

    assert search("q=PLACE%20249") == search("q=host249.") == search("q=place-249&sort=name") == ["place 249"]
    assert search("q=place 003") == search("q=nowhere") == search("q=%00") == []
    refused = bob.api.get("/api/providers?sort=age")
    assert (refused.status, list(refused.data["fields"])) == (400, ["sort"])
